from __future__ import annotations

from typing import Any

import pytest
from scipy.stats import beta

from scopebench.audit import Audit, section, summarise, with_section
from scopebench.audit.records import Audited, JudgedRow, Session, Stratum
from scopebench.scoring.stats.proportions import clopper_pearson

BENCH = Audited(name="towns", version="1", files={"a.parquet": "ab"})


def judged(name: str, kind: str = "direct", dataset: str = "a", **said: Any) -> JudgedRow:
    given = {"label": "right", "gold": "right", "question": "fine", **said}
    return JudgedRow(row=name, dataset=dataset, population="curated", kind=kind, **given)


def audit_of(sizes: dict[tuple[str, str], int], **auditors: list[JudgedRow]) -> Audit:
    strata = tuple(
        Stratum(dataset=dataset, population="curated", kind=kind, rows=rows)
        for (dataset, kind), rows in sizes.items()
    )
    sessions = tuple(
        Session(auditor=name, sample=20, seed=0, drawn=20, rows=tuple(rows))
        for name, rows in auditors.items()
    )
    return Audit(benchmark=BENCH, strata=strata, sessions=sessions)


def test_a_kind_has_the_exact_interval_of_its_counts() -> None:
    rows = [judged(str(n)) for n in range(8)]
    rows += [judged("w", label="wrong", gold=None), judged("d", label="doubtful", question="bad")]
    (kind,) = summarise(audit_of({("a", "direct"): 50}, ada=rows)).kinds
    assert (kind.of, kind.label.rows, kind.label.wrong, kind.label.doubtful) == (50, 10, 1, 1)
    assert kind.label.value == 0.1
    assert (kind.label.low, kind.label.high) == clopper_pearson(1, 10)
    assert (kind.gold.rows, kind.gold.wrong, kind.gold.value) == (9, 0, 0.0)
    assert kind.gold.high == pytest.approx(1 - 0.025 ** (1 / 9))
    assert kind.question.wrong == 1


def test_the_mix_weights_kinds_by_their_rows() -> None:
    """One of ten wrong in nine tenths of the rows, one of one in a tenth: 0.09 + 0.1."""
    rows = [judged(str(n), label="wrong" if n == 0 else "right") for n in range(10)]
    rows.append(judged("m", "mention", label="wrong"))
    found = summarise(audit_of({("a", "direct"): 90, ("a", "mention"): 10}, ada=rows)).all
    assert (found.of, found.covered, found.label.rows, found.label.wrong) == (100, 1.0, 11, 2)
    assert found.label.value == pytest.approx(0.19)
    # Kish: 100^2 / (90^2 / 10 + 10^2 / 1)
    n = 10_000 / 910
    assert found.label.low == pytest.approx(beta.ppf(0.025, 0.19 * n, 0.81 * n + 1))
    assert found.label.high == pytest.approx(beta.ppf(0.975, 0.19 * n + 1, 0.81 * n))


def test_a_mix_of_one_kind_is_that_kind() -> None:
    rows = [judged(str(n), label="wrong" if n < 2 else "right") for n in range(7)]
    found = summarise(audit_of({("a", "direct"): 60}, ada=rows))
    assert found.all.label.value == pytest.approx(found.kinds[0].label.value)
    assert found.all.label.low == pytest.approx(found.kinds[0].label.low)
    assert found.all.label.high == pytest.approx(found.kinds[0].label.high)


def test_gold_is_weighted_by_the_rows_that_have_one() -> None:
    """A kind of 40 rows, half of whose judged ones have a gold, counts as 20 beside one of 20."""
    rows = [judged("1", gold="wrong"), judged("2", gold=None)]
    rows += [judged("3", "mention"), judged("4", "mention")]
    found = summarise(audit_of({("a", "direct"): 40, ("a", "mention"): 20}, ada=rows))
    assert found.all.gold.value == pytest.approx(0.5)


def test_what_was_not_judged_is_undefined_and_named() -> None:
    sizes = {("a", "direct"): 30, ("a", "mention"): 10}
    found = summarise(audit_of(sizes, ada=[judged("1", gold=None)]))
    direct, mention = found.kinds
    assert (mention.label.value, mention.label.reason) == (None, "no row of it was judged")
    assert (direct.gold.value, direct.gold.reason) == (None, "no row that was judged has a gold")
    assert found.all.covered == 0.75
    assert found.all.gold.value is None


def test_data_sets_have_rates_of_their_own() -> None:
    rows = [judged("1", dataset="a", label="wrong"), judged("2", dataset="b")]
    found = summarise(audit_of({("a", "direct"): 3, ("b", "direct"): 1}, ada=rows))
    assert [(part.dataset, part.label.value) for part in found.datasets] == [("a", 1), ("b", 0)]
    assert found.kinds[0].label.value == 0.5


def test_agreement_and_kappa_by_hand() -> None:
    """Eight rows in common, six the same: by chance (6*4 + 2*4)/64 = 0.5, so kappa 0.5."""
    first = ["right"] * 6 + ["wrong"] * 2
    second = ["right"] * 4 + ["wrong"] * 4
    ada = [judged(str(n), label=label) for n, label in enumerate(first)]
    bo = [judged(str(n), label=label, gold=None) for n, label in enumerate(second)]
    label, gold, question = summarise(
        audit_of({("a", "direct"): 9}, ada=[*ada, judged("only ada's")], bo=bo)
    ).agreement
    assert (label.auditors, label.rows, label.same) == (("ada", "bo"), 8, 6)
    assert label.kappa == pytest.approx(0.5)
    assert (gold.rows, gold.kappa, gold.reason) == (0, None, "they judged no row in common")
    assert (question.same, question.kappa) == (8, None)
    assert question.reason == "both gave one answer to every row"


def test_a_row_counts_as_most_said_and_as_doubtful_where_none_did() -> None:
    votes = {
        "ada": ["wrong", "wrong", "right"],
        "bo": ["wrong", "right", "right"],
        "cy": ["right", "doubtful", "right"],
    }
    rows = {
        name: [judged(str(n), label=label) for n, label in enumerate(labels)]
        for name, labels in votes.items()
    }
    rate = summarise(audit_of({("a", "direct"): 3}, **rows)).kinds[0].label
    assert (rate.rows, rate.wrong, rate.doubtful) == (3, 1, 1)


def test_the_section_stands_once_on_a_card() -> None:
    small = audit_of({("a", "direct"): 9}, ada=[judged("1")])
    large = audit_of({("a", "direct"): 9}, ada=[judged("1", label="wrong"), judged("2")])
    card = "# towns\n\n## Kinds\n\nSome.\n\n## Known limits\n\nMany.\n\n## Sources\n"
    once = with_section(card, section(small))
    assert once.replace(section(small) + "\n", "") == card
    assert with_section(once, section(small)) == once
    twice = with_section(once, section(large))
    assert twice == with_section(card, section(large))
    assert "`ada` judged 2 of 20 rows (sample 20, seed 0)" in twice
    assert "| `direct` in `curated` | 9 | 1 of 2: 0.500 (0.013 to 0.987) |" in twice
    assert with_section("# towns\n", section(small)) == "# towns\n\n" + section(small)
