"""Does the answer matcher agree with people? Held against 15,098 judged answers of five systems.

Reads the Natural Questions file of EVOUNA (Wang et al. 2023, arXiv 2305.12421), which people
judged; `improper` questions are left out. Its questions are parted in two halves by a seeded hash:
the rules were written while looking at `dev`, and `test` is what is reported. For each matcher and
answerer it prints agreement, Cohen's kappa, false credit (people: wrong), misses (people: right).
Token F1 has two thresholds, both fitted on `dev`: the one that agrees most, whatever it credits,
and the one that agrees most with at most 1.5% of false credit for each answerer.

    python benchmarks/matcher.py                      # the test half
    python benchmarks/matcher.py --half dev --rules   # what each rule brings, on the other half
    python benchmarks/matcher.py --judge smollm2-135m --limit 200
    python benchmarks/matcher.py --write docs/matching.md
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from matchers.strict_1 import match as strict_1
from matchers.token_f1 import token_f1

from scopebench.scoring.match import MATCHER_VERSIONS, match
from scopebench.scoring.strict import DEFAULT_RULES

ANSWERERS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
RAW = Path(__file__).resolve().parents[2] / "shared" / "data" / "raw"
MOST_FALSE_CREDIT = 0.015
THRESHOLDS = [round(0.05 * step, 2) for step in range(1, 21)]


@dataclass(frozen=True)
class Judged:
    """An answer that a person judged."""

    question: str
    golds: tuple[str, ...]
    answerer: str
    text: str
    right: bool


@dataclass(frozen=True)
class Agreement:
    """How a matcher's verdicts compare with people's, for one answerer."""

    matcher: str
    answerer: str
    n: int
    agreement: float
    kappa: float
    false_credit: int
    missed: int


Matcher = Callable[[Judged], bool]


def main() -> None:
    """Print the tables."""
    options = parse()
    rows = read(options.data, options.half, options.seed)
    matchers = matchers_of(read(options.data, "dev", options.seed))
    begun = time.perf_counter()
    found = [row for name, matcher in matchers.items() for row in compare(name, matcher, rows)]
    seconds = time.perf_counter() - begun
    refusals = refusal_precision(rows)
    judged = [row for model in options.judge for row in judged_by_model(model, rows, options.limit)]
    report = {
        "half": options.half,
        "seed": options.seed,
        "answers": len(rows),
        "seconds": round(seconds, 1),
        "agreement": [asdict(row) for row in found],
        "refusals": refusals,
        "judges": [asdict(row) for row in judged],
    }
    if options.rules:
        report["without"] = without_each_rule(rows)
    if options.write:
        write(options.write, "matcher", markdown(found, options, refusals_in_words(refusals)))
        if judged:
            write(options.write, "judge", markdown(judged, options, ""))
    print(json.dumps(report, indent=1) if options.json else table([*found, *judged], report))


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = Path(os.environ.get("SCOPEBENCH_DATA", RAW)) / "evouna" / "NQ.json"
    parser.add_argument("--data", type=Path, default=data, help="EVOUNA's NQ.json")
    parser.add_argument("--half", choices=("dev", "test", "both"), default="test")
    parser.add_argument("--seed", type=int, default=0, help="seeds the halves")
    parser.add_argument("--rules", action="store_true", help="switch off each rule in turn")
    parser.add_argument(
        "--judge", metavar="MODEL", action="append", default=[], help="a model that judges too"
    )
    parser.add_argument("--limit", type=int, default=100, help="questions the model judges")
    parser.add_argument("--write", type=Path, metavar="FILE", help="rewrite the table in a page")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.data.is_file():
        print(f"no such file: {options.data}; nothing was measured", file=sys.stderr)
        raise SystemExit(0)
    return options


def read(path: Path, half: str, seed: int) -> list[Judged]:
    """Read the judged answers of one half of the questions."""
    rows = []
    for record in json.loads(path.read_text(encoding="utf-8")):
        digest = hashlib.sha256(f"{seed}:{record['question']}".encode()).hexdigest()
        if record["improper"] or half not in ("both", ("dev", "test")[int(digest, 16) % 2]):
            continue
        golds = tuple(gold.strip() for gold in record["golden_answer"].split("/") if gold.strip())
        for answerer in ANSWERERS:
            text, right = record[f"answer_{answerer}"], record[f"judge_{answerer}"]
            if text is not None and right is not None:
                rows.append(Judged(record["question"], golds, answerer, text, right))
    return rows


def matchers_of(dev: Sequence[Judged]) -> dict[str, Matcher]:
    """Return the matchers; the thresholds of token F1 are fitted on `dev`."""
    free, bound = fit_token_f1(dev)
    return {
        MATCHER_VERSIONS["paper"]: lambda row: verdict(row, "paper"),
        "strict/1": lambda row: strict_1(row.text, row.golds, question=row.question).correct,
        MATCHER_VERSIONS["strict"]: lambda row: verdict(row, "strict"),
        f"token F1 >= {free}": lambda row: token_f1(row.text, row.golds) >= free,
        f"token F1 >= {bound} (bound)": lambda row: token_f1(row.text, row.golds) >= bound,
    }


def fit_token_f1(dev: Sequence[Judged]) -> tuple[float, float]:
    """Return the threshold that agrees most, and the one that agrees most within the bound."""
    scores = [(row.answerer, token_f1(row.text, row.golds), row.right) for row in dev]

    def agreed(least: float) -> int:
        return sum((score >= least) == right for _, score, right in scores)

    def within(least: float) -> bool:
        shares = (
            [score >= least and not right for one, score, right in scores if one == answerer]
            for answerer in ANSWERERS
        )
        return all(sum(false) <= MOST_FALSE_CREDIT * len(false) for false in shares)

    bound = [least for least in THRESHOLDS if within(least)]
    return max(THRESHOLDS, key=agreed), max(bound or THRESHOLDS[-1:], key=agreed)


def verdict(row: Judged, matcher: str) -> bool:
    """Return one of the package's own verdicts."""
    return match(row.text, row.golds, question=row.question, matcher=matcher).correct  # type: ignore[arg-type]


def compare(name: str, matcher: Matcher, rows: Sequence[Judged]) -> list[Agreement]:
    """Compare a matcher with people, for each answerer."""
    found = []
    for answerer in ANSWERERS:
        pairs = [(matcher(row), row.right) for row in rows if row.answerer == answerer]
        if pairs:
            found.append(agreement(name, answerer, pairs))
    return found


def agreement(name: str, answerer: str, pairs: Sequence[tuple[bool, bool]]) -> Agreement:
    """Count how often both say the same, and how often chance would have them."""
    n = len(pairs)
    same = sum(ours == theirs for ours, theirs in pairs) / n
    ours, theirs = sum(one for one, _ in pairs) / n, sum(two for _, two in pairs) / n
    chance = ours * theirs + (1 - ours) * (1 - theirs)
    return Agreement(
        name,
        answerer,
        n,
        same,
        (same - chance) / (1 - chance) if chance < 1 else 1.0,
        sum(one and not two for one, two in pairs),
        sum(two and not one for one, two in pairs),
    )


def refusal_precision(rows: Sequence[Judged]) -> dict[str, int]:
    """Count the answers called refusals, and those of them that people judged wrong."""
    refused = [
        row.right
        for row in rows
        if match(row.text, row.golds, question=row.question, matcher="strict").refused
    ]
    return {"called": len(refused), "judged_wrong": sum(not right for right in refused)}


def without_each_rule(rows: Sequence[Judged]) -> dict[str, dict[str, float]]:
    """Return mean agreement, false credit and misses with each rule switched off in turn."""
    found = {"(all rules)": _summary(rows, DEFAULT_RULES)}
    for rule in fields(DEFAULT_RULES):
        found[rule.name] = _summary(rows, replace(DEFAULT_RULES, **{rule.name: False}))
    return found


def _summary(rows: Sequence[Judged], rules: object) -> dict[str, float]:
    compared = compare(
        "",
        lambda row: (
            match(
                row.text,
                row.golds,
                question=row.question,
                matcher="strict",
                rules=rules,  # type: ignore[arg-type]
            ).correct
        ),
        rows,
    )
    return {
        "agreement": sum(row.agreement for row in compared) / len(compared),
        "false_credit": sum(row.false_credit for row in compared),
        "missed": sum(row.missed for row in compared),
    }


def judged_by_model(model: str, rows: Sequence[Judged], limit: int) -> list[Agreement]:
    """Let a model judge the answers to the first questions, beside the matcher on the same."""
    from scopebench.judge import Item, judge_protocol, judge_with
    from scopebench.models import GenerationCache, load_language_model

    kept = set(list(dict.fromkeys(row.question for row in rows))[:limit])
    chosen = [row for row in rows if row.question in kept]
    with GenerationCache() as cache:
        loaded = load_language_model(model, cache=cache)
        items = [Item(row.question, row.golds, row.text) for row in chosen]
        verdicts = dict(zip(chosen, judge_with(loaded, items), strict=True))
        name = judge_protocol(loaded)
    return [
        *compare(name, lambda row: verdicts[row], chosen),
        *compare(
            f"{MATCHER_VERSIONS['strict']} (same)", lambda row: verdict(row, "strict"), chosen
        ),
    ]


def table(found: Sequence[Agreement], report: dict[str, object]) -> str:
    """Return the tables as text."""
    lines = [f"{report['answers']} answers, {report['half']} half, seed {report['seed']}", ""]
    lines.append(
        f"{'matcher':34}{'answerer':10}{'n':>6}{'agree':>8}{'kappa':>8}{'false':>7}{'':>8}{'missed':>8}"
    )
    for row in found:
        lines.append(
            f"{row.matcher:34}{row.answerer:10}{row.n:6}{row.agreement:8.4f}{row.kappa:8.4f}"
            f"{row.false_credit:7}{row.false_credit / row.n:8.2%}{row.missed:8}"
        )
    for name in dict.fromkeys(row.matcher for row in found):
        mine = [row for row in found if row.matcher == name]
        lines.append(f"{name:34}{'mean':10}{'':6}{sum(r.agreement for r in mine) / len(mine):8.4f}")
    lines.append(f"\nrefusals: {report['refusals']}")
    for rule, numbers in dict(report.get("without", {})).items():  # type: ignore[call-overload]
        lines.append(
            f"{rule:18}{numbers['agreement']:8.4f}{numbers['false_credit']:6}{numbers['missed']:6}"
        )
    return "\n".join(lines)


def markdown(found: Sequence[Agreement], options: argparse.Namespace, end: str) -> str:
    """Return the table of a page."""
    names = list(dict.fromkeys(row.matcher for row in found))
    cells = {(row.matcher, row.answerer): row for row in found}
    n = sum(cells[names[0], one].n for one in ANSWERERS)
    lines = [
        "Share of answers on which a matcher agrees with people; in brackets false credit, missed "
        f"(`{options.half}` half, seed {options.seed}, {n:,} answers).",
        "",
        "| matcher | " + " | ".join(ANSWERERS) + " | mean |",
        "|---|" + "---|" * (len(ANSWERERS) + 1),
    ]
    for name in names:
        mine = [cells[name, one] for one in ANSWERERS if (name, one) in cells]
        shown = [f"{row.agreement:.3f} ({row.false_credit}, {row.missed})" for row in mine]
        mean = sum(row.agreement for row in mine) / len(mine)
        lines.append(f"| {name} | " + " | ".join(shown) + f" | {mean:.3f} |")
    return "\n".join([*lines, "", end] if end else lines)


def refusals_in_words(refusals: dict[str, int]) -> str:
    """Say how many of the answers called refusals people judged wrong."""
    return (
        f"Of {refusals['called']} answers that `{MATCHER_VERSIONS['strict']}` calls refusals "
        f"people judged {refusals['judged_wrong']} wrong."
    )


def write(path: Path, marker: str, text: str) -> None:
    """Put a table between the page's markers."""
    page = path.read_text(encoding="utf-8")
    head, begin, rest = page.partition(f"<!-- {marker}:begin -->")
    _, end, tail = rest.partition(f"<!-- {marker}:end -->")
    if not begin or not end:
        raise SystemExit(f"{path} lacks the markers <!-- {marker}:begin --> and {marker}:end")
    path.write_text(f"{head}{begin}\n\n{text}\n\n{end}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
