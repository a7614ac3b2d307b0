"""The table of relations and its resolver: examples by hand, properties, and the real wordings."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.construct.relations import (
    implication_lines,
    implications,
    may_change,
    relation_by_label,
    relation_of,
    relations,
)

DOC = Path(__file__).resolve().parents[2] / "docs" / "relations.md"
REQUIRED = """
    P19 P20 P27 P30 P36 P37 P39 P101 P103 P106 P108 P127 P131 P136 P138 P140 P159 P176 P178 P190
    P264 P276 P364 P407 P413 P449 P463 P495 P641 P740 P937 P1303 P1412 P17 P26 P35 P40 P50 P69 P6
    P112 P169 P170 P175 P286 P488 P800 P1037 P1308
""".split()


# ------------------------------------------------------------------------------------ by hand


@pytest.mark.parametrize(
    ("template", "relation_id"),
    [
        ("The birthplace of {} is", "P19"),
        ("Where was {} born?", "P19"),
        ("When was {} born?", "P569"),
        ("{}, who was born in the town of", "P19"),
        ("The burial place of {} was", "P119"),
        ("{}'s nationality is", "P27"),
        ("Who is {}'s husband?", "P26"),
        ("The names of the brothers of {} are", "P3373"),
        ("The first language of {} was", "P103"),
        ("Which languages does {} speak?", "P1412"),
        ("The national anthem of {} is", "P85"),
        ("What is the nickname of {}?", "P1449"),
        ("{}, which was named after", "P138"),
        ("Which company makes {}?", "P176"),
        ("{} was designed by", "P287"),
        ("{} was directed by", "P57"),
        ("Who hosts {}?", "P371"),
        ("When was {} published?", "P577"),
        ("{} was founded by", "P112"),
        ("{} was founded in", "P740"),
        ("When was {} founded?", "P571"),
        ("{} died in", "P20"),
        ("{} died on", "P570"),
        ("{} died of", "P509"),
        ("The {} is", "P1308"),
        # Wordings that leave the relation open.
        ("Where is {}?", "SB-location"),
        ("{} is located in the country of", "P17"),
        ("{} is located in", "SB-location"),
        ("The director of {} is", "SB-director"),
        ("Who created {}?", "SB-maker"),
        ("{} is", "SB-holder"),
        # Not known, or not one relation.
        ("{} plays", None),
        ("{} is a", None),
        ("{}", None),
        ("", None),
        ("The birthplace of the poet is", None),
        ("The neighbour of {} is", None),
        ("Paris, where {} was born", None),
    ],
)
def test_what_a_wording_asks(template: str, relation_id: str | None) -> None:
    assert relation_of(template) == relation_id


def test_an_id_that_the_source_tells_is_the_answer() -> None:
    assert relation_of("{} was born in", "P20") == "P20"
    assert relation_of("no such wording", "P99999") == "P99999"


@pytest.mark.parametrize(
    ("label", "relation_id"),
    [
        ("place of birth", "P19"),
        ("Place of Birth", "P19"),
        ("the mother tongue", "P103"),
        ("CEO", "P169"),
        ("shoe size", None),
        ("", None),
    ],
)
def test_relations_are_found_by_name(label: str, relation_id: str | None) -> None:
    assert relation_by_label(label) == relation_id


@pytest.mark.parametrize(
    ("edited", "asked", "expected"),
    [
        ("P19", "P19", True),
        ("P19", "P27", True),
        ("P19", "P1412", True),
        ("P19", "P569", False),
        ("P19", "P69", False),
        ("P17", "P30", True),
        ("P17", "P36", True),
        ("P17", "P35", True),
        ("P35", "P38", False),
        ("P30", "P190", False),
        ("P36", "P37", False),
        ("P106", "P54", True),
        ("P106", "P22", False),
        ("P413", "P641", True),
        ("P413", "P1412", False),
        ("P26", "P1971", True),
        ("P26", "P101", False),
        ("P176", "P495", True),
        ("P495", "P176", True),
        ("P364", "P161", True),
        ("P22", "P27", True),
        ("P27", "P22", False),  # one way: a passport does not change the parents
        ("P21", "P106", True),
        ("P106", "P21", False),
        ("P31", "P1340", True),  # another kind of thing: everything
        ("P1340", "P31", False),
        # An open wording stands for each of its relations.
        ("SB-location", "P17", True),
        ("P131", "SB-location", True),
        ("SB-location", "P37", True),
        ("SB-location", "P22", False),
        ("SB-maker", "P495", True),
        ("SB-leader", "SB-director", True),
        # Unknown.
        ("P19", None, None),
        (None, "P19", None),
        ("P19", "P99999", None),
        ("P99999", "P99999", None),
    ],
)
def test_what_an_edit_can_change(
    edited: str | None, asked: str | None, expected: bool | None
) -> None:
    assert may_change(edited, asked) is expected


# ---------------------------------------------------------------------------------- properties


def test_the_table_is_whole() -> None:
    table = relations()
    assert set(REQUIRED) <= set(table)
    for key, relation in table.items():
        assert key == relation.relation_id
        assert re.fullmatch(r"(SB-)?P[1-9]\d*|SB-[a-z]+", key)
        assert relation.may_change <= table.keys() - {key}
        assert relation.narrower <= table.keys()
        assert bool(relation.narrower) == bool(re.fullmatch("SB-[a-z]+", key))
        assert relation_by_label(relation.label) == key, "two relations have one name"


def test_every_implication_names_known_relations_and_a_reason() -> None:
    known = {*relations(), "*"}
    for rule in implications():
        assert {*rule.edited, *rule.asked} <= known
        assert rule.reason
        for edited, asked in rule.pairs(list(relations())):
            assert may_change(edited, asked) is True


def test_rules_among_relations_hold_both_ways() -> None:
    for rule in implications():
        if rule.mutual:
            for edited, asked in rule.pairs(list(relations())):
                assert may_change(asked, edited) is True, (edited, asked)


def test_nothing_is_implied_without_a_rule() -> None:
    known = list(relations())
    argued = {pair for rule in implications() for pair in rule.pairs(known)}
    for key, relation in relations().items():
        if not relation.narrower:
            plain = {other for other in relation.may_change if not relations()[other].narrower}
            assert plain == {
                asked
                for edited, asked in argued
                if edited == key and not relations()[asked].narrower
            }


def test_open_wordings_can_change_what_their_relations_can() -> None:
    table = relations()
    for key, relation in table.items():
        for narrow in relation.narrower:
            assert may_change(key, narrow) is may_change(narrow, key) is True
            assert table[narrow].may_change - {key} <= relation.may_change


@given(st.text())
def test_any_text_has_a_known_relation_or_none(text: str) -> None:
    assert relation_of(text) in {*relations(), None}
    assert relation_by_label(text) in {*relations(), None}


@given(
    st.sampled_from(["{} was born in", "the capital of {} is", "who wrote {}", "{}'s mother is"]),
    st.sampled_from(["", "?", ".", " ", " :"]),
    st.sampled_from([str, str.upper, str.title, lambda text: text.replace(" ", "  ")]),
)
def test_case_spaces_and_last_punctuation_do_not_matter(template, end, change) -> None:
    assert relation_of(change(template) + end) == relation_of(template) is not None


@given(st.text(alphabet=st.characters(exclude_characters="{}"), min_size=1))
def test_a_wording_without_its_slot_asks_nothing(subject: str) -> None:
    assert relation_of("The capital of {} is".replace("{}", subject)) is None


def test_the_document_shows_the_implications() -> None:
    text = DOC.read_text("utf-8")
    shown = text.partition("<!-- implications -->\n")[2].partition("<!-- end -->")[0]
    assert shown.splitlines() == implication_lines()


def test_the_starters_relations_are_known() -> None:
    rows = resources.files("scopebench.sources.starter").joinpath("tables/relations.csv")
    for row in csv.DictReader(rows.read_text("utf-8").splitlines()):
        assert relation_by_label(row["label"]) == row["relation_id"]
        for column in ("question", "prompt"):
            assert _fits(row[column], row["relation_id"]), row[column]


# ---------------------------------------------------------------------------------- real wordings


def _fits(template: str, relation_id: str) -> bool:
    """Whether the wording resolves to the relation, or to an open one that holds it."""
    found = relation_of(template)
    return found is not None and relation_id in {found, *relations()[found].narrower}


def _read(path: Path) -> list[dict[str, Any]]:
    text = path.read_text("utf-8")
    try:
        records: list[dict[str, Any]] = json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    return records


def _slotted(record: dict[str, Any], field: str) -> str:
    return str(record[field]).replace(record["subject"], "{}")


def _share(templates: list[str], *, closed: bool = False) -> float:
    found = [relation_of(template) for template in templates]
    kept = [key for key in found if key is not None and not (closed and key.startswith("SB-"))]
    return len(kept) / len(templates)


def _precision(asked: list[tuple[str, str]]) -> float:
    told = [(template, key) for template, key in asked if relation_of(template) is not None]
    return sum(_fits(template, key) for template, key in told) / len(told)


def _full_counterfact(folder: Path) -> list[dict[str, Any]]:
    names = ("portability_gpt4", "other_attribution", "with_story_prompts", "subject_replace")
    records = [
        record
        for name in names
        for record in _read(folder / "counterfact" / f"counterfact_{name}.json")
    ]
    return list({record["case_id"]: record for record in records}.values())


@pytest.mark.real
def test_counterfact_templates_resolve(real_data: Path) -> None:
    templates = [
        _slotted(record, "prompt")
        for part in ("edit", "train")
        for record in _read(real_data / "counterfact" / f"counterfact-{part}.json")
    ]
    assert len(templates) == 20_000
    assert _share(templates) >= 0.95
    assert _share(templates, closed=True) >= 0.75


@pytest.mark.real
def test_counterfact_templates_resolve_to_the_relation_of_the_record(real_data: Path) -> None:
    records = _full_counterfact(real_data)
    rewrites = [record["requested_rewrite"] for record in records]
    assert len(rewrites) == 1_380
    asked = [(rewrite["prompt"], rewrite["relation_id"]) for rewrite in rewrites]
    assert _precision(asked) >= 0.995
    closed = [pair for pair in asked if not (relation_of(pair[0]) or "").startswith("SB-")]
    assert _precision(closed) >= 0.995


@pytest.mark.real
def test_counterfact_paraphrases_resolve_to_the_relation_of_the_record(real_data: Path) -> None:
    asked = []
    for record in _full_counterfact(real_data):
        rewrite = record["requested_rewrite"]
        for text in record["paraphrase_prompts"]:
            before, subject, after = text.rpartition(rewrite["subject"])
            if subject:  # the lead-in sentences end at the last stop or line before the subject
                lead = re.split(r"[.] |\n", before)[-1]
                asked.append((f"{lead}{{}}{after}", rewrite["relation_id"]))
    assert len(asked) > 2_500
    assert _precision(asked) >= 0.995
    assert _share([template for template, _ in asked]) >= 0.85


@pytest.mark.real
def test_mquake_wordings_resolve_to_their_relation(real_data: Path) -> None:
    files = ("akew/MQuAKE-CF", "mquake/MQuAKE-CF_slice01_300", "mquake/MQuAKE-hard")
    asked = [
        (_slotted(rewrite, field), rewrite["relation_id"])
        for name in (*files, "mquake/MQuAKE-T_copy")
        for record in _read(real_data / f"{name}.json")
        for rewrite in record["requested_rewrite"]
        for field in ("prompt", "question")
        if rewrite.get(field)
    ]
    assert _share([template for template, _ in asked]) >= 0.95
    assert _precision(asked) >= 0.995


@pytest.mark.real
@pytest.mark.parametrize("name", ["cloze", "question"])
def test_mquake_templates_resolve_to_their_relation(real_data: Path, name: str) -> None:
    templates = json.loads((real_data / f"mquake/{name}_templates.json").read_text("utf-8"))
    wrong = {
        key
        for key, template in templates.items()
        if not _fits(template.replace("[X]", "{}").replace("__", ""), key)
    }
    # MQuAKE words an occupation as a field of work, as CounterFact words the field of work.
    assert wrong <= {"P106"}


@pytest.mark.real
def test_rippleedits_prompts_resolve(real_data: Path) -> None:
    edits, probes = [], []
    for record in _rippleedits(real_data):
        edits.append(_slotted(record, "prompt"))
        for probe in record["locality"].get("Relation_Specificity", ()):
            probes.append(probe["prompt"].replace(record["subject"], "{}"))
    assert _share(edits) >= 0.95
    assert _share(probes) >= 0.90


def _rippleedits(folder: Path) -> Iterator[dict[str, Any]]:
    names = (
        "benchmark_wiki_counterfact_train_cf",
        "benchmark_wiki_recent_recent_train",
        "wiki_counterfact_test_cf-generate-10",
    )
    for name in names:
        yield from _read(folder / "rippleedits" / f"{name}.json")


@pytest.mark.real
def test_wikifactdiff_templates_resolve(real_data: Path) -> None:
    records = [record["en"] for record in _read(real_data / "wikifactdiff/wfd-train.json")]
    assert _share([_slotted(record, "src") for record in records]) >= 0.90
