"""What `curated` is on the real files: yields, balance, leaks and what the validator says of it."""

from __future__ import annotations

from collections import Counter

import pytest

from scopebench.construct import BuildOptions, build_benchmark, read_benchmark
from scopebench.construct.leak import POOLED_LIMIT
from scopebench.validate import validate_path

pytestmark = pytest.mark.real

# Least rows that pass every check, by source and kind: about nine tenths of what was counted. All
# facts of WikiFactDiff changed between the same two days, so that its dates would tell the label.
LEAST = {
    "mquake_cf": {
        "multi_hop": 730,
        "unedited_hop": 250,
        "unedited_chain": 410,
        "side_fact": 140,
        "subject_alias": 50,
        "same_subject": 7,
    },
    "rippleedits": {
        "same_subject": 2_200,
        "subject_alias": 1_250,
        "entailed": 190,
        "multi_hop": 750,
        "relation_swap": 300,
    },
    "wikifactdiff": {"temporal": 0, "near_name": 40, "same_relation": 450},
}

FILES = {
    "mquake_cf": "akew/MQuAKE-CF.json",
    "rippleedits": "rippleedits/wiki_counterfact_test_cf-generate-10.json",
    "wikifactdiff": "wikifactdiff/wfd-train.json",
}


@pytest.fixture(scope="module", params=sorted(FILES))
def built(request, real_data, tmp_path_factory):
    out = tmp_path_factory.mktemp(request.param) / "out"
    options = BuildOptions(on_bad_record="skip")
    manifest = build_benchmark({request.param: [real_data / FILES[request.param]]}, out, options)
    return request.param, manifest["datasets"][request.param]["curated"], out


def test_yields(built):
    dataset, section, _ = built
    passed = {kind: section["kinds"][kind]["passed"] for kind in LEAST[dataset]}
    assert all(passed[kind] >= least for kind, least in LEAST[dataset].items()), passed


def test_leaks_and_balance(built):
    _, section, _ = built
    for leak in section["leak"].values():
        assert leak["pooled"] <= POOLED_LIMIT
    assert section["leaking_kinds"] == {}
    assert "temporal" not in section["leak"]["structured"]["by_kind"]
    for shares in section["policies"].values():
        assert shares["oracle_over_best_static"] == 0.5


def test_facts_with_several_true_objects(built):
    """RippleEdits lists them, WikiFactDiff's flat file tells few, AKEW's MQuAKE-CF none."""
    dataset, _, out = built
    found = read_benchmark(out).manifest["datasets"][dataset]["many_valued"]
    least = {"mquake_cf": (0, 0), "rippleedits": (1_400, 180), "wikifactdiff": (10, 5)}[dataset]
    assert found["facts"] >= least[0] and found["withheld"]["rows"] >= least[1]
    assert (found["facts"] == 0) is (dataset == "mquake_cf")


def test_what_is_built_is_sound(built):
    *_, out = built
    validation = validate_path(out)
    assert validation.number_of("error") == 0, [f.reason for f in validation.findings][:3]


def test_no_paths_that_another_group_edits(built):
    """No multi-hop row has a hop whose subject and relation an edit outside its labels sets."""
    dataset, _, out = built
    splits = read_benchmark(out).datasets[dataset]
    facts = {(e.subject_id, e.relation_id): e.edit_id for e in splits.index["curated"]}
    kinds = Counter()
    for query in splits.queries["structured", "curated"]:
        for hop in query.hops:
            setter = facts.get((hop.subject_id, hop.relation))
            if hop.subject_id is not None and setter is not None:
                assert setter in query.governing_edit_ids
                kinds[query.kind] += 1
    # The other sources give no ids, so that nothing can be looked up there.
    assert (kinds["multi_hop"] > 50) is (dataset == "mquake_cf")
