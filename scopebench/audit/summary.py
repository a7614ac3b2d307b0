"""From judged rows to error rates by kind, their mean over the benchmark's mix, and agreement."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Final, Literal

from scopebench.audit.records import Audit, JudgedRow
from scopebench.scoring.stats.proportions import clopper_pearson

Aspect = Literal["label", "gold", "question"]
ASPECTS: Final[tuple[Aspect, ...]] = ("label", "gold", "question")

WRONG: Final[Mapping[Aspect, str]] = {"label": "wrong", "gold": "wrong", "question": "bad"}
DOUBTFUL: Final = "doubtful"
CONFIDENCE: Final = 0.95

_NOTHING: Final = "no row of it was judged"
_NO_GOLD: Final = "no row that was judged has a gold"


@dataclass(frozen=True)
class ErrorRate:
    """How often something was found wrong.

    Attributes:
        rows: Rows judged.
        wrong: Those found wrong.
        doubtful: Those found doubtful, which count as not wrong.
        value: The rate; None: undefined.
        low: Lower end of its 95% interval.
        high: Upper end.
        reason: Why it is undefined.
    """

    rows: int
    wrong: int
    doubtful: int
    value: float | None
    low: float | None
    high: float | None
    reason: str | None = None


@dataclass(frozen=True)
class Part:
    """The error rates of one part of the benchmark.

    Attributes:
        dataset: Its data set; None: all of them.
        population: Its population; None: all of them.
        kind: Its kind; None: all of them.
        of: Rows that the benchmark has of it.
        covered: The share of these rows whose kind was judged at all; None: the part is one kind.
        label: How often the decision label is wrong.
        gold: How often the gold is wrong, over rows that have one.
        question: How often the question is bad.
    """

    dataset: str | None
    population: str | None
    kind: str | None
    of: int
    covered: float | None
    label: ErrorRate
    gold: ErrorRate
    question: ErrorRate


@dataclass(frozen=True)
class Agreement:
    """How far two auditors agree on the rows that both judged.

    Attributes:
        auditors: Their names.
        aspect: What they judged.
        rows: Rows that both judged.
        same: Rows on which they said the same.
        kappa: Cohen's kappa; None: undefined.
        reason: Why it is undefined.
    """

    auditors: tuple[str, str]
    aspect: Aspect
    rows: int
    same: int
    kappa: float | None
    reason: str | None = None


@dataclass(frozen=True)
class AuditSummary:
    """What an audit found.

    Attributes:
        benchmark: Name of the benchmark.
        version: Its version.
        sessions: Auditor, sample, seed, rows drawn and rows judged of each session.
        kinds: The rates of each population and kind, with exact intervals.
        datasets: The rates of each data set, weighted to its mix of kinds.
        all: The rates of the benchmark, weighted to its mix.
        agreement: How far each pair of auditors agrees.
    """

    benchmark: str
    version: str
    sessions: tuple[dict[str, Any], ...]
    kinds: tuple[Part, ...]
    datasets: tuple[Part, ...]
    all: Part
    agreement: tuple[Agreement, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self)


def summarise(audit: Audit) -> AuditSummary:
    """Compute the rates of an audit.

    Where several people judged a row, it counts as what most of them said, and as doubtful where
    there is no such answer.

    The rate of a kind is that of the rows judged of it, with the exact interval of Clopper and
    Pearson (1934). A rate over several kinds is the mean of theirs, weighted by the rows that the
    benchmark has; its interval is that of Clopper and Pearson at the effective size of the weighted
    sample (Kish, 1965: the square of the sum of the weights over the sum of their squares), in the
    form that Korn and Graubard (1998) give for rates of surveys. Kinds without a judged row are
    left out of it, and `covered` says how much is left.
    """
    rows = _combined(audit)
    strata = [((s.dataset, s.population, s.kind), s.rows) for s in audit.strata]
    groups = sorted({(population, kind) for (_, population, kind), _ in strata})
    names = sorted({dataset for (dataset, _, _), _ in strata})
    kinds = tuple(
        _kind_part(
            population,
            kind,
            sum(n for (_, p, k), n in strata if (p, k) == (population, kind)),
            [row for row in rows if (row.population, row.kind) == (population, kind)],
        )
        for population, kind in groups
    )
    return AuditSummary(
        benchmark=audit.benchmark.name,
        version=audit.benchmark.version,
        sessions=tuple(
            {
                "auditor": session.auditor,
                "sample": session.sample,
                "seed": session.seed,
                "drawn": session.drawn,
                "judged": len(session.rows),
            }
            for session in audit.sessions
        ),
        kinds=kinds,
        datasets=tuple(
            _mixed_part(
                name,
                {(p, k): n for (dataset, p, k), n in strata if dataset == name},
                [row for row in rows if row.dataset == name],
            )
            for name in names
        ),
        all=_mixed_part(None, {(part.population, part.kind): part.of for part in kinds}, rows),
        agreement=tuple(_agreements(audit)),
    )


def _combined(audit: Audit) -> list[JudgedRow]:
    """Return every judged row once, as most of those who judged it said."""
    found: dict[str, list[JudgedRow]] = defaultdict(list)
    for rows in _by_auditor(audit).values():
        for name, row in rows.items():
            found[name].append(row)
    return [
        said[0].model_copy(
            update={
                "label": _most([row.label for row in said], DOUBTFUL),
                "gold": _most([row.gold for row in said], DOUBTFUL),
                # A question is fine or bad: where as many say one as the other, it is not fine.
                "question": _most([row.question for row in said], "bad"),
                "note": "",
            }
        )
        for _, said in sorted(found.items())
    ]


def _most(said: Sequence[str | None], tie: str) -> str | None:
    counts = Counter(said).most_common(2)
    if len(counts) == 2 and counts[0][1] == counts[1][1]:
        return tie
    return counts[0][0]


def _by_auditor(audit: Audit) -> dict[str, dict[str, JudgedRow]]:
    """Return each auditor's rows by name; of several sessions the last in their order counts."""
    found: dict[str, dict[str, JudgedRow]] = defaultdict(dict)
    for session in audit.sessions:
        found[session.auditor].update((row.row, row) for row in session.rows)
    return found


def _kind_part(population: str, kind: str, of: int, rows: Sequence[JudgedRow]) -> Part:
    label, gold, question = (_exact(rows, aspect) for aspect in ASPECTS)
    return Part(None, population, kind, of, None, label, gold, question)


def _exact(rows: Iterable[JudgedRow], aspect: Aspect) -> ErrorRate:
    wrong, doubtful, n = _count(rows, aspect)
    if n == 0:
        return ErrorRate(0, 0, 0, None, None, None, _NO_GOLD if aspect == "gold" else _NOTHING)
    low, high = clopper_pearson(wrong, n, CONFIDENCE)
    return ErrorRate(n, wrong, doubtful, wrong / n, low, high)


def _count(rows: Iterable[JudgedRow], aspect: Aspect) -> tuple[int, int, int]:
    """Return how many rows are wrong, doubtful, and judged."""
    said = Counter(value for row in rows if (value := getattr(row, aspect)) is not None)
    return said[WRONG[aspect]], said[DOUBTFUL], said.total()


def _mixed_part(
    dataset: str | None,
    sizes: Mapping[tuple[str | None, str | None], int],
    rows: Sequence[JudgedRow],
) -> Part:
    by_group: dict[tuple[str | None, str | None], list[JudgedRow]] = defaultdict(list)
    for row in rows:
        by_group[row.population, row.kind].append(row)
    of = sum(sizes.values())
    seen = sum(size for group, size in sizes.items() if by_group[group])
    label, gold, question = (_weighted(by_group, sizes, aspect) for aspect in ASPECTS)
    return Part(dataset, None, None, of, seen / of if of else 0.0, label, gold, question)


def _weighted(
    by_group: Mapping[tuple[str | None, str | None], Sequence[JudgedRow]],
    sizes: Mapping[tuple[str | None, str | None], int],
    aspect: Aspect,
) -> ErrorRate:
    """Return the mean rate of kinds, weighted by their sizes.

    The rows of a kind that have a gold are estimated from the share of those judged that have one.
    """
    counts = {group: _count(by_group[group], aspect) for group in sizes}
    weights = {
        group: sizes[group] * n / len(by_group[group]) for group, (_, _, n) in counts.items() if n
    }
    wrong, doubtful, n = (sum(count[at] for count in counts.values()) for at in range(3))
    if n == 0:
        return ErrorRate(0, 0, 0, None, None, None, _NO_GOLD if aspect == "gold" else _NOTHING)
    whole = sum(weights.values())
    value = sum(weight * counts[g][0] / counts[g][2] for g, weight in weights.items()) / whole
    effective = whole**2 / sum(weight**2 / counts[g][2] for g, weight in weights.items())
    low, high = _survey_interval(value, effective)
    return ErrorRate(n, wrong, doubtful, value, low, high)


def _survey_interval(value: float, effective: float) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of a rate at an effective size, not a whole number."""
    from scipy.stats import beta

    wrong, rest, tail = value * effective, (1 - value) * effective, (1 - CONFIDENCE) / 2
    low = 0.0 if wrong <= 0 else float(beta.ppf(tail, wrong, rest + 1))
    high = 1.0 if rest <= 0 else float(beta.ppf(1 - tail, wrong + 1, rest))
    return low, high


def _agreements(audit: Audit) -> Iterable[Agreement]:
    judged = _by_auditor(audit)
    for one, other in combinations(sorted(judged), 2):
        shared = sorted(set(judged[one]) & set(judged[other]))
        for aspect in ASPECTS:
            pairs = [
                (getattr(judged[one][name], aspect), getattr(judged[other][name], aspect))
                for name in shared
            ]
            yield _agreement((one, other), aspect, [pair for pair in pairs if None not in pair])


def _agreement(
    auditors: tuple[str, str], aspect: Aspect, pairs: Sequence[tuple[str, str]]
) -> Agreement:
    n, same = len(pairs), sum(a == b for a, b in pairs)
    if n == 0:
        return Agreement(auditors, aspect, 0, 0, None, "they judged no row in common")
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    by_chance = sum(first[value] * second[value] for value in first) / n**2
    if by_chance == 1:
        reason = "both gave one answer to every row"
        return Agreement(auditors, aspect, n, same, None, reason)
    kappa = (same / n - by_chance) / (1 - by_chance)
    return Agreement(auditors, aspect, n, same, kappa)
