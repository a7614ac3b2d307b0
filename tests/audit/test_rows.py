from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from scopebench.audit.rows import Row, _fill, _proportional, draw_sample, rows_of, strata_of
from scopebench.construct import read_benchmark
from scopebench.records import Query, SourceRef

SOURCE = SourceRef(file="f", record="1", sha256="ab")


def row(dataset: str, kind: str, n: int) -> Row:
    query = Query(
        query_id=f"{dataset}/{n}/0/{kind}/curated",
        dataset=dataset,
        population="curated",
        kind=kind,
        question="Who owns it?",
        form="question",
        answers=None,
        pre_edit_answers=None,
        governing_edit_ids=(),
        cluster=str(n),
        fold="dev",
        source=SOURCE,
    )
    return Row(query, ("structured",))


ROWS = [
    *(row("a", "direct", n) for n in range(30)),
    *(row("b", "direct", n) for n in range(10)),
    *(row("a", "mention", n) for n in range(2)),
    *(row("a", "temporal", n) for n in range(20)),
]


def counts(sample: tuple[Row, ...]) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for drawn in sample:
        key = drawn.query.dataset, drawn.query.kind
        found[key] = found.get(key, 0) + 1
    return found


def test_kinds_share_equally_and_data_sets_in_proportion() -> None:
    # Of 18 rows the kind of two gives both, the others eight each; of these a has three quarters.
    assert counts(draw_sample(ROWS, 18, seed=1)) == {
        ("a", "direct"): 6,
        ("b", "direct"): 2,
        ("a", "mention"): 2,
        ("a", "temporal"): 8,
    }


def test_a_sample_is_the_same_each_time_and_another_with_another_seed() -> None:
    names = [drawn.key for drawn in draw_sample(ROWS, 20, seed=1)]
    assert names == [drawn.key for drawn in draw_sample(list(reversed(ROWS)), 20, seed=1)]
    assert len(set(names)) == 20
    assert set(names) != {drawn.key for drawn in draw_sample(ROWS, 20, seed=2)}
    assert {drawn.key for drawn in draw_sample(ROWS, 999, seed=1)} == {r.key for r in ROWS}


def test_the_order_mixes_the_kinds() -> None:
    """Who stops after a third has judged some of each large kind."""
    first = draw_sample(ROWS, 60, seed=3)[:20]
    assert {drawn.query.kind for drawn in first} >= {"direct", "temporal"}


@given(st.dictionaries(st.tuples(st.text(), st.text()), st.integers(0, 50)), st.integers(0, 200))
def test_shares_are_whole_bounded_and_nearly_equal(
    sizes: dict[tuple[str, str], int], total: int
) -> None:
    shares = _fill(sizes, total)
    assert sum(shares.values()) == min(total, sum(sizes.values()))
    assert all(0 <= shares[name] <= sizes[name] for name in sizes)
    unfilled = [shares[name] for name in sizes if shares[name] < sizes[name]]
    assert not unfilled or max(shares.values()) - min(unfilled) <= 1


@given(st.dictionaries(st.text(), st.integers(1, 50), min_size=1), st.data())
def test_proportional_shares_differ_from_the_exact_ones_by_less_than_one(
    sizes: dict[str, int], data: st.DataObject
) -> None:
    whole = sum(sizes.values())
    total = data.draw(st.integers(0, whole))
    shares = _proportional(sizes, total)
    assert sum(shares.values()) == total
    assert all(abs(shares[name] - size * total / whole) < 1 for name, size in sizes.items())


def test_a_query_is_one_row_under_the_conditions_it_reads_the_same_in(mills: Path) -> None:
    benchmark = read_benchmark(mills)
    rows = rows_of(benchmark)
    queries = {q for cell in benchmark.datasets["mills"].queries.values() for q in cell}
    assert {row.query for row in rows} == queries
    assert len({row.key for row in rows}) == len(rows) == len(queries)
    assert sum(stratum.rows for stratum in strata_of(rows)) == len(rows)
