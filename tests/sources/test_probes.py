"""Probes of CounterFact, WikiUpdate and WikiFactDiff, worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scopebench.errors import DataError
from scopebench.sources import Case, read_source
from scopebench.sources.case import Probe

Write = Callable[..., Path]
Samples = dict[str, tuple[str, Callable[..., dict[str, Any]]]]

OLD, NEW = ("cooper",), ("glazier",)


def only_case(dataset: str, path: Path) -> Case:
    (case,) = read_source(dataset, [path]).cases
    return case


def of_role(case: Case, role: str) -> list[Probe]:
    return [probe for probe in case.probes if probe.role == role]


def test_paraphrases_and_neighbours_of_a_canonical_record(write: Write, samples: Samples) -> None:
    record = samples["counterfact"][1](7)
    record["paraphrase_prompts"] = [" ", "The reeds bent. Wenna Brock works as a"]
    record["attribute_prompts"] = record["generation_prompts"] = 5
    assert only_case("counterfact", write([record])).probes == (
        Probe(
            role="paraphrase",
            field="paraphrase_prompts[1]",
            question="The reeds bent. Wenna Brock works as a",
            form="cloze",
            edit_id="counterfact/7/0",
            subject="Wenna Brock",
            relation_id="P106",
            before=OLD,
            after=NEW,
        ),
        Probe(
            role="neighbour",
            field="neighborhood_prompts[0]",
            question="The trade of Aldo Finch is",
            form="cloze",
            edit_id="counterfact/7/0",
            relation_id="P106",
            before=OLD,
            after=OLD,
        ),
    )


def test_another_relation_of_the_subject(write: Write, samples: Samples) -> None:
    record = samples["counterfact"][1](7)
    record["unrelated_relation"] = {
        "relation_id": "place of birth",
        "object": "Orsk Vale",
        "question": "Where was Wenna Brock born?",
    }
    (probe,) = of_role(only_case("counterfact", write([record])), "other_relation")
    assert probe == Probe(
        role="other_relation",
        field="unrelated_relation.question",
        question="Where was Wenna Brock born?",
        form="question",
        edit_id="counterfact/7/0",
        subject="Wenna Brock",
        relation="place of birth",
        before=("Orsk Vale",),
        after=("Orsk Vale",),
    )


@pytest.mark.parametrize(
    ("names", "fields"),
    [
        ("W. Brock", ["alternative_subject"]),
        (["W. Brock", "", "Old Wen"], ["alternative_subject[0]", "alternative_subject[2]"]),
        ("  ", []),
        (None, []),
    ],
)
def test_other_names_of_the_subject(
    write: Write, samples: Samples, names: object, fields: list[str]
) -> None:
    record = {**samples["counterfact"][1](7), "alternative_subject": names}
    probes = of_role(only_case("counterfact", write([record])), "alias")
    assert [probe.field for probe in probes] == fields
    if fields:
        assert probes[0].question == "The trade of W. Brock is"
        assert (probes[0].form, probes[0].subject) == ("cloze", "W. Brock")
        assert (probes[0].before, probes[0].after) == (OLD, NEW)


def test_an_akew_alias_is_asked_as_the_question_is(write: Write, samples: Samples) -> None:
    record = {**samples["akew-counterfact"][1](7), "alternative_subject": r"W. \1 Brock"}
    rewrite = record["requested_rewrite"]
    rewrite["question"] = "Is Wenna Brocks the trade of Wenna Brock, or what is?"
    (probe,) = of_role(only_case("counterfact", write([record])), "alias")
    assert probe.question == r"Is Wenna Brocks the trade of W. \1 Brock, or what is?"
    assert probe.form == "question"
    assert probe.after == ("glazier", "glass fitter")
    assert probe.before == ("cooper", "barrel maker")
    rewrite["question"] = "What is her trade?"
    (probe,) = of_role(only_case("counterfact", write([record])), "alias")
    assert probe.question == r"What is the trade of W. \1 Brock? It is"
    assert probe.form == "cloze"


def test_wikiupdate_has_the_same_fields(write: Write, samples: Samples) -> None:
    record = samples["akew-wikiupdate"][1](7)
    assert only_case("wikiupdate", write([record])).probes == ()
    record["paraphrase_prompts"] = ["Wenna Brock earns a living as a"]
    record["neighborhood_prompts"] = ["The trade of Aldo Finch is"]
    record["alternative_subject"] = "W. Brock"
    case = only_case("wikiupdate", write([record]))
    assert [probe.role for probe in case.probes] == ["paraphrase", "neighbour", "alias"]
    assert case.edits[0].time_new is not None


def test_probes_of_a_flat_record(write: Write, samples: Samples) -> None:
    record = samples["counterfact-flat"][1](7)
    record["locality_ground_truth"] = "smith"
    probes = only_case("counterfact", write([record])).probes
    assert [(p.role, p.field, p.question, p.subject, p.before, p.after) for p in probes] == [
        ("paraphrase", "rephrase_prompt", "Wenna Brock works as a", "Wenna Brock", OLD, NEW),
        (
            "neighbour",
            "locality_prompt",
            "The trade of Aldo Finch is",
            None,
            ("smith",),
            ("smith",),
        ),
    ]
    for key in ("rephrase_prompt", "locality_prompt"):
        del record[key]
    assert only_case("counterfact", write([record])).probes == ()


def test_probes_of_a_wikifactdiff_record(write: Write, samples: Samples) -> None:
    record = samples["wikifactdiff-flat"][1](7)
    (probe,) = only_case("wikifactdiff", write([record])).probes
    assert (probe.role, probe.field) == ("paraphrase", "en.rephrase")
    record["en"].update(loc="Aldo Finch worked as a", loc_ans="smith")
    probe = only_case("wikifactdiff", write([record])).probes[1]
    assert (probe.role, probe.field, probe.before) == ("neighbour", "en.loc", ("smith",))
    record["en"]["loc_ans"] = " "
    assert len(only_case("wikifactdiff", write([record])).probes) == 1


@pytest.mark.parametrize(
    ("schema", "key", "value", "field"),
    [
        ("counterfact", "paraphrase_prompts", "x", "paraphrase_prompts"),
        ("counterfact", "neighborhood_prompts", ["x", 5], "neighborhood_prompts[1]"),
        ("counterfact", "unrelated_relation", "x", "unrelated_relation"),
        ("counterfact", "unrelated_relation", {"question": "x"}, "unrelated_relation.object"),
        ("counterfact", "alternative_subject", 5, "alternative_subject"),
        ("akew-counterfact", "alternative_subject", ["x", {}], "alternative_subject[1]"),
        ("akew-wikiupdate", "paraphrase_prompts", {}, "paraphrase_prompts"),
        ("counterfact-flat", "rephrase_prompt", 5, "rephrase_prompt"),
        ("counterfact-flat", "locality_prompt", float("nan"), "locality_prompt"),
        ("counterfact-flat", "locality_ground_truth", ["x"], "locality_ground_truth"),
    ],
)
def test_a_mistyped_probe_makes_its_record_bad(
    write: Write, samples: Samples, schema: str, key: str, value: object, field: str
) -> None:
    dataset, make = samples[schema]
    with pytest.raises(DataError) as caught:
        read_source(dataset, [write([{**make(7), key: value}])])
    assert caught.value.field == field
