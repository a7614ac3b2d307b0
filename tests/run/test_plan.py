"""Which queries a run asks, and in which units."""

from __future__ import annotations

import pytest

from scopebench.build.reader import Benchmark, DatasetSplits
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


def test_an_empty_benchmark_is_refused() -> None:
    with pytest.raises(DataError, match="holds no queries"):
        select_blocks(Benchmark("toy", "1", {}, {}, {}), limit=None)
