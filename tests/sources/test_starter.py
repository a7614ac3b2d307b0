"""The embedded starter data set: counts, schemas, consistency and determinism."""

import ast
import csv
import json
import re
import subprocess
import sys
from datetime import date
from importlib import resources
from itertools import pairwise
from pathlib import Path

import pytest

from scopebench.sources.starter import FACTS_AS_OF, compose, write_starter
from scopebench.sources.starter.tables import (
    EditRow,
    Entity,
    SideFact,
    load_counterfact,
    load_entities,
    load_multihop,
    load_wikiupdate,
)
from scopebench.sources.starter.templates import (
    NOISE_KINDS,
    NOISE_MODULUS,
    build_evidence,
    edit_hash,
    edit_triples,
    load_relations,
    mentions,
    noise_kind,
)

COUNTERFACT = compose.counterfact_records()
WIKIUPDATE = compose.wikiupdate_records()
MQUAKE = compose.mquake_cf_records()
SINGLE = COUNTERFACT + WIKIUPDATE
REWRITES = [r["requested_rewrite"] for r in SINGLE] + [
    w for r in MQUAKE for w in r["requested_rewrite"]
]
CORE_KEYS = {
    "prompt",
    "relation_id",
    "target_new",
    "target_true",
    "subject",
    "question",
    "fact_new",
    "fact_new_uns",
    "verify_unsfact_GPT",
    "unsfact_triplets_GPT",
}
OPTIONAL_KEYS = {"alternative_subject", "unrelated_relation"}
FULL_KEYS = CORE_KEYS | {
    "prompt_full",
    "answer_new",
    "answer_true",
    "answer_new_aliases",
    "answer_true_aliases",
}


def multihop_rows() -> list[EditRow]:
    facts, _ = load_multihop()
    return [
        EditRow("mquake_cf", f.relation, f.subject, f.true, f.new)
        for f in facts.values()
        if f.new is not None
    ]


ROWS = load_counterfact() + load_wikiupdate() + multihop_rows()


def row_id(row: EditRow) -> str:
    return f"{row.dataset}-{row.relation}-{row.subject.name}"


def names(row: EditRow) -> tuple[set[str], set[str]]:
    return {n.lower() for n in row.old.names}, {n.lower() for n in row.new.names}


# Size and schema


def test_counts():
    assert len(COUNTERFACT) >= 160
    assert len(WIKIUPDATE) >= 120
    assert len(MQUAKE) >= 75


def test_relation_count():
    assert len({w["relation_id"] for w in REWRITES}) >= 16
    assert all(re.fullmatch(r"(SB-)?P\d+", w["relation_id"]) for w in REWRITES)


def test_group_shapes():
    hops = [len(r["new_single_hops"]) for r in MQUAKE]
    edits = [len(r["requested_rewrite"]) for r in MQUAKE]
    assert set(hops) == {2, 3, 4}
    assert set(edits) == {1, 2, 3}
    assert edits.count(1) > len(edits) / 2


@pytest.mark.parametrize("records", [COUNTERFACT, WIKIUPDATE, MQUAKE])
def test_case_ids_are_unique(records):
    assert len({r["case_id"] for r in records}) == len(records)


def test_counterfact_schema():
    for record in COUNTERFACT:
        assert set(record) - OPTIONAL_KEYS == {
            "case_id",
            "pararel_idx",
            "requested_rewrite",
            "paraphrase_prompts",
            "neighborhood_prompts",
            "generation_prompts",
        }
        assert set(record["requested_rewrite"]) == FULL_KEYS


def test_wikiupdate_schema():
    for record in WIKIUPDATE:
        assert set(record) - OPTIONAL_KEYS == {
            "case_id",
            "requested_rewrite",
            "paraphrase_prompts",
            "neighborhood_prompts",
        }
        rewrite = record["requested_rewrite"]
        assert set(rewrite) == FULL_KEYS | {"time_true", "time_new"}
        assert set(rewrite["time_new"]) == {"start_time", "end_time"}


@pytest.mark.parametrize("record", SINGLE, ids=lambda r: r["requested_rewrite"]["question"])
def test_what_is_asked_beside_an_edit(record):
    rewrite = record["requested_rewrite"]
    assert len(set(record["paraphrase_prompts"])) == 2
    names = record.get("alternative_subject", ["Some Other Name"])
    assert len(set(names)) == len(names) > 0
    assert rewrite["subject"] not in names
    other = record.get("unrelated_relation")
    if other is not None:
        assert set(other) == {"relation_id", "object", "question"}
        assert rewrite["subject"] in other["question"]
        assert other["question"].endswith("?")


def test_mquake_schema():
    for record in MQUAKE:
        assert set(record) == {
            "case_id",
            "requested_rewrite",
            "questions",
            "answer",
            "answer_alias",
            "new_answer",
            "new_answer_alias",
            "single_hops",
            "new_single_hops",
            "orig",
        }
        assert all(set(w) == CORE_KEYS for w in record["requested_rewrite"])
        for hop in record["single_hops"] + record["new_single_hops"]:
            assert set(hop) == {"question", "cloze", "answer", "answer_alias"}
        assert set(record["orig"]) == {
            "triples",
            "triples_labeled",
            "new_triples",
            "new_triples_labeled",
            "edit_triples",
        }


def test_targets():
    for rewrite in REWRITES:
        for key in ("target_new", "target_true"):
            assert set(rewrite[key]) == {"str", "id"}
            assert re.fullmatch(r"(SB-)?Q\d+", rewrite[key]["id"])


# Writing


def test_same_bytes_twice(tmp_path):
    first = write_starter(tmp_path / "a")
    second = write_starter(tmp_path / "b" / "c")
    assert list(first) == ["counterfact", "wikiupdate", "mquake_cf"]
    for name, path in first.items():
        assert path == tmp_path / "a" / f"{name}.json"
        assert path.read_bytes() == second[name].read_bytes()


def test_same_bytes_under_another_hash_seed(tmp_path):
    code = (
        "import sys; from pathlib import Path;"
        "from scopebench.sources.starter import write_starter; write_starter(Path(sys.argv[1]))"
    )
    for seed in ("1", "2"):
        env = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(p for p in sys.path if p)}
        folder = tmp_path / seed
        subprocess.run([sys.executable, "-c", code, str(folder)], env=env, check=True)
    for path in (tmp_path / "1").iterdir():
        assert path.read_bytes() == (tmp_path / "2" / path.name).read_bytes()


def test_files_hold_the_records_and_nothing_else_is_left(tmp_path):
    write_starter(tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {
        "counterfact.json",
        "wikiupdate.json",
        "mquake_cf.json",
    }
    text = (tmp_path / "counterfact.json").read_text(encoding="utf-8")
    assert json.loads(text) == COUNTERFACT
    assert "Frédéric Chopin" in text


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = write_starter(tmp_path)["counterfact"]
    before = path.read_bytes()

    def fail(self, target):
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_starter(tmp_path)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 3


def test_importing_is_cheap():
    allowed = sys.stdlib_module_names | {"scopebench"}
    folder = Path(compose.__file__).parent
    for module in folder.glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            found = []
            if isinstance(node, ast.Import):
                found = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                found = [node.module or ""]
            assert all(name.split(".")[0] in allowed for name in found), module


# Tables


def test_entities():
    entities = load_entities()
    ids = [e.entity_id for e in entities.values()]
    assert len(set(ids)) == len(ids)
    for entity in entities.values():
        assert entity.article in {"", "the"}
        assert entity.pronoun in {"it", "he", "she", "they"}
        assert entity.name not in entity.aliases


def test_every_label_is_known():
    entities, relations = load_entities(), load_relations()
    folder = resources.files("scopebench.sources.starter").joinpath("tables")
    for table in folder.iterdir():
        with table.open(encoding="utf-8", newline="") as handle:
            for row in csv.DictReader(handle):
                assert None not in row
                assert None not in row.values()
                for column in {"subject", "old", "new", "object"} & set(row):
                    assert row[column] in entities
                for column in {"relation", "edit"} & set(row):
                    assert row[column] in relations


def test_every_relation_is_used():
    facts, _ = load_multihop()
    used = {row.relation for row in ROWS} | {fact.relation for fact in facts.values()}
    assert used == set(load_relations())


def test_every_multihop_link_is_used():
    facts, _ = load_multihop()
    used = {
        (t[0], t[1], t[2])
        for r in MQUAKE
        for t in r["orig"]["triples_labeled"] + r["orig"]["new_triples_labeled"]
    }
    for fact in facts.values():
        label = load_relations()[fact.relation].label
        answer = fact.new or fact.true
        assert (fact.subject.name, label, answer.name) in used


# Placeholders


def test_relation_patterns():
    for relation in load_relations().values():
        for pattern in (
            relation.question,
            relation.prompt,
            relation.paraphrase_1,
            relation.paraphrase_2,
            relation.phrase_1,
            relation.phrase_2,
        ):
            assert pattern.count("{}") == 1
            assert pattern.count("{") == 1
        assert relation.statement.count("{s}") == relation.statement.count("{o}") == 1
        assert relation.order.count("E") == 1
        assert set(relation.order) <= set("SEO")
        wordings = {relation.question, relation.prompt, relation.paraphrase_1}
        assert len(wordings | {relation.paraphrase_2}) == 4


def test_prompts():
    for rewrite in REWRITES:
        assert rewrite["prompt"].count("{}") == 1
        assert rewrite["subject"] in rewrite["question"]
        assert rewrite["question"].endswith("?")
        assert "{" not in rewrite["question"] + rewrite["fact_new"] + rewrite["fact_new_uns"]
        filled = rewrite["prompt"].format(rewrite["subject"])
        assert rewrite["fact_new"].startswith(filled)
        assert rewrite["fact_new"].endswith(rewrite["target_new"]["str"] + ".")
        assert "the the" not in (rewrite["fact_new"] + rewrite["fact_new_uns"]).lower()
        for triple in rewrite["unsfact_triplets_GPT"]:
            assert set(triple) == {"subject", "prompt", "target"}
            assert triple["prompt"].count("{}") == 1
    for record in SINGLE:
        rewrite = record["requested_rewrite"]
        assert rewrite["prompt_full"] == rewrite["prompt"].format(rewrite["subject"])
        for paraphrase in record.get("paraphrase_prompts", []):
            assert rewrite["subject"] in paraphrase
            assert "{" not in paraphrase
            assert paraphrase != rewrite["question"]


# Edits against each other


@pytest.mark.parametrize("records", [COUNTERFACT, WIKIUPDATE])
def test_one_edit_per_subject_and_relation(records):
    keys = [
        (r["requested_rewrite"]["subject"], r["requested_rewrite"]["relation_id"]) for r in records
    ]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_old_and_new_do_not_contain_each_other(row):
    old, new = names(row)
    for a in old:
        for b in new:
            assert a not in b
            assert b not in a


# Evidence


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_evidence_paragraph(row):
    relation = load_relations()[row.relation]
    evidence = build_evidence(row)
    assert row.subject.name in evidence.text
    assert row.new.name in evidence.text
    assert not mentions(evidence.text, row.old)
    stated = relation.statement.format(s=row.subject.in_text, o=row.new.in_text)
    assert evidence.text.count(stated[1:]) == 1
    side = [t for t in evidence.triples if t not in edit_triples(row)]
    assert 2 <= len(side) <= 4
    assert {t["subject"] for t in side} <= {row.subject.name, row.new.name}


def test_side_triples_follow_the_paragraph():
    for row in ROWS:
        evidence = build_evidence(row)
        side = [t for t in evidence.triples if t not in edit_triples(row)]
        ends = [t["prompt"].partition("{}")[2] + f" {t['target']}." for t in side]
        places = [evidence.text.index(end) for end in ends]
        assert places == sorted(places)


def test_side_facts_speak_of_subject_and_of_new_object():
    about_new = sum(
        any(t["subject"] == r.new.name for t in build_evidence(r).triples) for r in ROWS
    )
    about_subject = sum(
        any(t["subject"] == r.subject.name for t in build_evidence(r).triples) for r in ROWS
    )
    assert about_new > 0.9 * len(ROWS)
    assert about_subject > 0.9 * len(ROWS)


def test_openings_are_not_all_alike():
    starts = {tuple(build_evidence(row).text.split()[:3]) for row in ROWS}
    assert len(starts) > len(ROWS) / 3


def test_evidence_needs_side_facts():
    bare = Entity("Atlantis", "SB-Q0", "", "it", (), ())
    row = EditRow("counterfact", "capital", bare, bare, bare)
    with pytest.raises(ValueError, match="Atlantis: 0 side facts"):
        build_evidence(row)


def test_side_facts_that_name_the_old_object_are_dropped():
    facts = (SideFact("borders on", "Old Town"), SideFact("is full of", "trees"))
    subject = Entity("Place", "SB-Q1", "", "it", (), facts)
    old = Entity("Oldest", "SB-Q2", "", "it", ("Old Town",), ())
    new = Entity("Newest", "SB-Q3", "", "it", (), (SideFact("has", "walls"),))
    text = build_evidence(EditRow("counterfact", "capital", subject, old, new)).text
    assert "Old Town" not in text
    assert "trees" in text


# Noise


def triple_state(row: EditRow) -> str | None:
    """Work out from the triples alone how the edit's own triple looks."""
    found = edit_triples(row)
    if not found:
        return "missing"
    triple = found[0]
    if (triple["subject"], triple["target"]) == (row.subject.name, row.new.name):
        return None
    if (triple["subject"], triple["target"]) == (row.new.name, row.subject.name):
        return "reversed"
    assert triple["subject"] == row.subject.name
    assert row.new.name.startswith(triple["target"])
    assert triple["target"]
    return "truncated"


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_noise_is_as_documented(row):
    expected = None
    if edit_hash(row) % NOISE_MODULUS == 0:
        expected = NOISE_KINDS[edit_hash(row) // NOISE_MODULUS % len(NOISE_KINDS)]
    assert noise_kind(row) == expected == triple_state(row)


def test_noise_share():
    kinds = [triple_state(row) for row in ROWS]
    share = sum(kind is not None for kind in kinds) / len(kinds)
    assert abs(share - 1 / NOISE_MODULUS) < 0.05
    assert set(kinds) == {None, *NOISE_KINDS}


def test_triples_of_records_are_those_of_the_rows():
    by_key = {(row.subject.name, row.new.name, row.old.name): row for row in load_counterfact()}
    for record in COUNTERFACT:
        rewrite = record["requested_rewrite"]
        key = (rewrite["subject"], rewrite["answer_new"], rewrite["answer_true"])
        assert rewrite["unsfact_triplets_GPT"] == build_evidence(by_key[key]).triples


# Dates


def to_date(text: str) -> date:
    year, month, day = (f"{text}-01-01").split("-")[:3]
    return date(int(year), int(month), int(day))


@pytest.mark.parametrize("record", WIKIUPDATE, ids=lambda r: r["requested_rewrite"]["question"])
def test_update_dates(record):
    old = record["requested_rewrite"]["time_true"]
    new = record["requested_rewrite"]["time_new"]
    for text in (*old.values(), *new.values()):
        assert text is None or re.fullmatch(r"\d{4}(-\d\d(-\d\d)?)?", text)
    assert to_date(old["start_time"]) < to_date(old["end_time"])
    # A value known to the year only counts as its first day, so a year of tolerance is right.
    precise = len(old["end_time"]) == len(new["start_time"]) == len("2025-07-01")
    tolerance = 1 if precise else 366
    assert (to_date(old["end_time"]) - to_date(new["start_time"])).days <= tolerance
    assert to_date(new["start_time"]) <= to_date(FACTS_AS_OF)
    if new["end_time"] is not None:
        assert to_date(new["start_time"]) < to_date(new["end_time"])


def test_new_facts_mostly_still_hold():
    ended = sum(r["requested_rewrite"]["time_new"]["end_time"] is not None for r in WIKIUPDATE)
    assert ended < len(WIKIUPDATE) / 10


# Multi-hop groups


@pytest.mark.parametrize("record", MQUAKE, ids=lambda r: r["questions"][0])
def test_hops_chain(record):
    for side, answer in (("", record["answer"]), ("new_", record["new_answer"])):
        hops = record[f"{side}single_hops"]
        triples = record["orig"][f"{side}triples_labeled"]
        ids = record["orig"][f"{side}triples"]
        assert len(hops) == len(triples) == len(ids)
        for hop, triple, id_triple in zip(hops, triples, ids, strict=True):
            assert triple[0] in hop["question"]
            assert triple[0] in hop["cloze"]
            assert triple[2] == hop["answer"]
            assert load_entities()[triple[0]].entity_id == id_triple[0]
            assert load_entities()[triple[2]].entity_id == id_triple[2]
        for left, right in pairwise(triples):
            assert left[2] == right[0]
        assert hops[-1]["answer"] == answer
    assert record["answer"] != record["new_answer"]
    old = {record["answer"].lower(), *map(str.lower, record["answer_alias"])}
    new = {record["new_answer"].lower(), *map(str.lower, record["new_answer_alias"])}
    assert not old & new


@pytest.mark.parametrize("record", MQUAKE, ids=lambda r: r["questions"][0])
def test_edits_match_hops_by_question(record):
    edits = {w["question"]: w["target_new"]["str"] for w in record["requested_rewrite"]}
    hops = {h["question"]: h["answer"] for h in record["new_single_hops"]}
    assert len(edits) == len(record["requested_rewrite"])
    assert all(hops[question] == new for question, new in edits.items())
    labels = [[w["relation_id"], w["target_new"]["id"]] for w in record["requested_rewrite"]]
    assert [t[1:] for t in record["orig"]["edit_triples"]] == labels
    assert all(t in record["orig"]["new_triples"] for t in record["orig"]["edit_triples"])


def test_multihop_questions():
    for record in MQUAKE:
        start = record["orig"]["triples_labeled"][0][0]
        assert len(set(record["questions"])) == 3
        assert all(start in q and q.endswith("?") and "{" not in q for q in record["questions"])
        bridges = [t[2] for t in record["orig"]["triples_labeled"]]
        bridges += [t[2] for t in record["orig"]["new_triples_labeled"]]
        assert not any(
            re.search(rf"\b{re.escape(b)}\b", q) for b in bridges for q in record["questions"]
        )
    questions = [r["questions"][0] for r in MQUAKE]
    assert len(set(questions)) == len(questions)


def test_shared_edits_are_identical():
    seen = {}
    for record in MQUAKE:
        for rewrite in record["requested_rewrite"]:
            key = (rewrite["subject"], rewrite["relation_id"])
            assert seen.setdefault(key, rewrite) == rewrite
    total = sum(len(r["requested_rewrite"]) for r in MQUAKE)
    assert len(seen) < total


def test_no_hop_is_edited_by_another_group():
    edited = {w["question"] for r in MQUAKE for w in r["requested_rewrite"]}
    for record in MQUAKE:
        own = {w["question"] for w in record["requested_rewrite"]}
        for hop in record["single_hops"] + record["new_single_hops"]:
            assert hop["question"] in own or hop["question"] not in edited
