"""Which queries a run asks, and in which units."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.construct.reader import Benchmark, DatasetSplits
from scopebench.errors import DataError
from scopebench.records import ACTIONS, Condition, Edit, FactObject, Population, Query, SourceRef
from scopebench.run.plan import UNIT_SIZE, select_blocks, split_units

SOURCE = SourceRef(file="facts.json", record="1", sha256="0" * 64)


def make_edit(number: int) -> Edit:
    return Edit(
        edit_id=f"toy/{number}/0",
        dataset="toy",
        subject=f"Subject {number}",
        prompt="{} is in",
        target_new=FactObject(text="Peru"),
        target_true=FactObject(text="Chad"),
        source=SOURCE,
    )


def make_query(number: int, population: Population, *, hidden: bool) -> Query:
    edit_id = f"toy/{number}/0"
    return Query(
        query_id=f"{edit_id}/direct/{population}",
        dataset="toy",
        population=population,
        kind="direct",
        question=f"Where is {number}?",
        form="question",
        answers=("Chad",) if hidden else ("Peru",),
        pre_edit_answers=("Chad",),
        governing_edit_ids=() if hidden else (edit_id,),
        hidden_edit_ids=(edit_id,) if hidden else (),
        cluster=edit_id,
        fold="test",
        source=SOURCE,
    )


def make_benchmark(count: int, conditions: tuple[Condition, ...]) -> Benchmark:
    """Half of `count` queries, the even ones, are hidden in `withheld`."""
    index = tuple(make_edit(number) for number in range(count))
    queries: dict[tuple[Condition, Population], tuple[Query, ...]] = {}
    for condition in conditions:
        for population in ("withheld", "original"):
            queries[condition, population] = tuple(
                make_query(n, population, hidden=population == "withheld" and n % 2 == 0)
                for n in range(count)
            )
    splits = DatasetSplits({"original": index, "withheld": index}, queries)
    return Benchmark("toy", "1", {}, {}, {"toy": splits})


def test_without_a_limit_every_query_is_asked_population_by_population() -> None:
    blocks = select_blocks(make_benchmark(5, ("structured", "extracted")), limit=None)
    assert [(b.population, b.condition, len(b.queries)) for b in blocks] == [
        ("original", "structured", 5),
        ("original", "extracted", 5),
        ("withheld", "structured", 5),
        ("withheld", "extracted", 5),
    ]
    assert [query.hidden_edit_ids for query in blocks[2].queries[:2]] == [("toy/0/0",), ()]


@pytest.mark.parametrize("limit", [1, 2, 7, 10, 99])
def test_a_limit_asks_the_same_facts_everywhere_half_of_them_hidden(limit: int) -> None:
    blocks = select_blocks(make_benchmark(10, ("structured", "unstructured")), limit=limit)
    asked = [{query.query_id.split("/")[1] for query in block.queries} for block in blocks]
    assert len(asked[0]) == min(limit, 10)
    assert all(facts == asked[0] for facts in asked)
    hidden = sum(bool(query.hidden_edit_ids) for query in blocks[-1].queries)
    assert hidden == min(limit // 2, 5)


def test_a_limit_fills_up_from_the_other_half_when_one_is_short() -> None:
    benchmark = make_benchmark(10, ("structured",))
    splits = benchmark.datasets["toy"]
    only_two_kept = {
        cell: tuple(q for q in queries if int(q.query_id.split("/")[1]) in {0, 1, 2, 3, 4, 6, 8})
        for cell, queries in splits.queries.items()
    }
    small = Benchmark("toy", "1", {}, {}, {"toy": DatasetSplits(splits.index, only_two_kept)})
    withheld = select_blocks(small, limit=6)[-1]
    assert len(withheld.queries) == 6
    assert (
        sum(bool(query.hidden_edit_ids) for query in withheld.queries) == 4
    )  # 2 kept, all there are, and 4 of 5 hidden


def test_the_choice_depends_on_the_seed_alone() -> None:
    benchmark = make_benchmark(40, ("structured",))
    chosen = [select_blocks(benchmark, limit=8, seed=seed)[0].queries for seed in (0, 0, 1)]
    assert chosen[0] == chosen[1]
    assert chosen[0] != chosen[2]


def test_units_cover_every_action_and_query_once() -> None:
    block = select_blocks(make_benchmark(UNIT_SIZE * 2 + 3, ("structured",)), limit=None)[0]
    units = list(split_units(block, ACTIONS))
    assert len({unit.unit_id for unit in units}) == len(units) == 9
    for action in ACTIONS:
        spans = [(unit.start, unit.stop) for unit in units if unit.action == action]
        assert spans == [(0, 256), (256, 512), (512, 515)]


def test_every_draw_has_units_of_its_own() -> None:
    block = select_blocks(make_benchmark(UNIT_SIZE + 1, ("structured",)), limit=None)[0]
    units = list(split_units(block, ACTIONS, draws=4))
    assert len({unit.unit_id for unit in units}) == len(units) == 24
    assert [(u.draw, u.start, len(u)) for u in units[:4]] == [
        *((0, 0, 256), (0, 256, 1), (1, 0, 256), (1, 256, 1))
    ]
    assert [unit for unit in units if unit.draw == 0] == list(split_units(block, ACTIONS))


def test_an_empty_benchmark_is_refused() -> None:
    with pytest.raises(DataError, match="holds no queries"):
        select_blocks(Benchmark("toy", "1", {}, {}, {}), limit=None)


def test_an_id_that_stands_twice_is_refused_before_anything_is_executed() -> None:
    asked = [make_curated(n, "direct", inside=True) for n in (0, 1, 0)]
    fine = {"structured": asked[:2], "extracted": asked[:2]}
    assert len(select_blocks(curated_only(fine), limit=None)) == 2
    with pytest.raises(DataError, match=r"toy/0/0/direct/curated, .*: 2 extracted queries have"):
        select_blocks(curated_only(fine | {"extracted": asked}), limit=None)


def make_curated(
    number: int, kind: str, *, inside: bool, population: Population = "curated"
) -> Query:
    edit_id = f"toy/{number}/0"
    return make_query(number, "original", hidden=not inside).model_copy(
        update={
            "query_id": f"{edit_id}/{kind}/{population}",
            "population": population,
            "kind": kind,
            "hidden_edit_ids": (),
        }
    )


def curated_only(queries: dict[Condition, list[Query]]) -> Benchmark:
    index = tuple(make_edit(number) for number in range(4))
    cells: dict[tuple[Condition, Population], tuple[Query, ...]] = {
        (condition, "curated"): tuple(asked) for condition, asked in queries.items()
    }
    return Benchmark("toy", "1", {}, {}, {"toy": DatasetSplits({"curated": index}, cells)})


def three_kinds(inside: int, outside: int) -> list[Query]:
    """`inside` direct queries, and `outside` of each of two kinds out of scope."""
    return [
        *(make_curated(n, "direct", inside=True) for n in range(inside)),
        *(make_curated(n, "near_name", inside=False) for n in range(outside)),
        *(make_curated(n, "unrelated", inside=False) for n in range(outside)),
    ]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (8, {"direct": 4, "near_name": 2, "unrelated": 2}),
        (1, {"direct": 1}),
        (99, {"direct": 9, "near_name": 9, "unrelated": 9}),
        # 9 are in scope at most, so what they leave free goes to the others
        (24, {"direct": 9, "near_name": 8, "unrelated": 7}),
    ],
)
def test_a_limit_on_curated_balances_labels_then_kinds(
    limit: int, expected: dict[str, int]
) -> None:
    asked = three_kinds(9, 9)
    blocks = select_blocks(
        curated_only({"structured": asked, "extracted": asked[::-1]}), limit=limit
    )
    structured, extracted = blocks
    counts = Counter(query.kind for query in structured.queries)
    if limit == 24:  # which of the two kinds has one more depends on the seed
        assert counts["direct"] == 9
        assert sorted((counts["near_name"], counts["unrelated"])) == [7, 8]
    else:
        assert counts == expected
    assert set(structured.queries) == set(extracted.queries)
    assert list(structured.queries) == [q for q in asked if q in set(structured.queries)]


def test_a_label_that_differs_between_conditions_is_balanced_in_each() -> None:
    """Side facts are out of scope beside a triple and in scope beside a paragraph."""
    structured = [
        *(make_curated(n, "side_fact", inside=False) for n in range(8)),
        *(make_curated(n, "direct", inside=True) for n in range(8)),
    ]
    unstructured = [
        *(make_curated(n, "side_fact", inside=True) for n in range(8)),
        *(make_curated(n, "unrelated", inside=False) for n in range(8)),
    ]
    blocks = select_blocks(
        curated_only({"structured": structured, "unstructured": unstructured}), limit=6
    )
    for block in blocks:
        assert len(block.queries) == 6
        assert sum(query.in_scope for query in block.queries) == 3
    sides = [{q.query_id for q in b.queries if q.kind == "side_fact"} for b in blocks]
    assert sides[0] == sides[1]
    assert len(sides[0]) == 3


def test_curated_queries_do_not_change_which_facts_are_asked_directly() -> None:
    plain = make_benchmark(12, ("structured",))
    splits = plain.datasets["toy"]
    cells = {**splits.queries, ("structured", "curated"): tuple(three_kinds(9, 9))}
    both = Benchmark("toy", "1", {}, {}, {"toy": DatasetSplits(splits.index, cells)})
    for limit in (3, 4):
        blocks = select_blocks(both, limit=limit)
        assert blocks[:-1] == select_blocks(plain, limit=limit)
        assert (blocks[-1].population, len(blocks[-1].queries)) == ("curated", limit)


@given(
    drawn=st.lists(
        st.tuples(
            st.sampled_from(["direct", "near_name", "side_fact"]),
            st.dictionaries(
                st.sampled_from(["structured", "unstructured", "extracted"]),
                st.booleans(),
                min_size=1,
            ),
        ),
        min_size=1,
        max_size=30,
    ),
    limit=st.integers(1, 12),
)
def test_no_cell_of_curated_exceeds_its_limit(
    drawn: list[tuple[str, dict[Condition, bool]]], limit: int
) -> None:
    queries: dict[Condition, list[Query]] = {}
    for number, (kind, labels) in enumerate(drawn):
        for condition, inside in labels.items():
            queries.setdefault(condition, []).append(make_curated(number, kind, inside=inside))
    blocks = select_blocks(curated_only(queries), limit=limit)
    chosen = {query.query_id for block in blocks for query in block.queries}
    for block in blocks:
        assert len(block.queries) <= limit
        expected = [q for q in queries[block.condition] if q.query_id in chosen]
        assert list(block.queries) == expected
    # What was left out would not have fitted everywhere it exists.
    full = {block.condition for block in blocks if len(block.queries) == limit}
    for asked in queries.values():
        for query in asked:
            conditions = {
                c for c, qs in queries.items() if query.query_id in {q.query_id for q in qs}
            }
            assert query.query_id in chosen or conditions & full
