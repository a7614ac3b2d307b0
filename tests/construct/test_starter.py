"""The offline default: all data sets of the starter, through the real parsers."""

from __future__ import annotations

from collections import Counter

import pytest

from scopebench.construct import BuildOptions, build_benchmark, read_benchmark


@pytest.fixture(scope="module")
def starter(tmp_path_factory):
    out = tmp_path_factory.mktemp("starter") / "out"
    build_benchmark(None, out, BuildOptions())
    return read_benchmark(out)


def test_it_has_the_nine_cells_of_the_paper(starter):
    assert starter.name == "scopebench-starter"
    assert set(starter.datasets) == {"counterfact", "mquake_cf", "wikiupdate"}
    for dataset in starter.datasets.values():
        assert set(dataset.queries) == {
            (condition, population)
            for condition in ("structured", "unstructured", "extracted")
            for population in ("original", "withheld", "curated")
        }


def test_each_half_is_exact_and_known_before_the_edit(starter):
    for dataset in starter.datasets.values():
        withheld = dataset.queries["structured", "withheld"]
        scopes = Counter(query.in_scope for query in withheld)
        assert scopes[False] == round(len(withheld) / 2)
        assert all(query.pre_edit_answers is not None for query in withheld)
        assert {query.fold for query in withheld} == {"dev", "test"}


def test_it_is_ours_to_licence(starter):
    licences = {
        source["licence"]
        for dataset in starter.manifest["datasets"].values()
        for source in dataset["sources"]
    }
    assert licences == {"Apache-2.0"}


def test_it_is_built_alike_every_time(starter, tmp_path):
    assert build_benchmark(None, tmp_path / "again", BuildOptions()) == starter.manifest
