"""Hops and multi-hop questions of an MQuAKE group, worked out by hand."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scopebench.errors import DataError
from scopebench.sources import read_source
from scopebench.sources.case import Link, Probe

Write = Callable[..., Path]
Samples = dict[str, tuple[str, Callable[..., dict[str, Any]]]]

MARR = ("Ilse Marr", "Mayor Marr")
PIKE = ("Joren Pike", "J. Pike")


def probes_of(path: Path) -> tuple[Probe, ...]:
    (case,) = read_source("mquake_cf", [path]).cases
    return case.probes


@pytest.mark.parametrize("schema", ["mquake", "akew-mquake-cf"])
def test_hops_and_chain(write: Write, samples: Samples, schema: str) -> None:
    edited, old_mayor, new_mayor, chain = probes_of(write([samples[schema][1](7)]))
    assert edited == Probe(
        role="hop",
        field="single_hops[0].question",
        question="In which town does Tolvane Bridge stand?",
        form="question",
        subject="Tolvane Bridge",
        subject_id="Q900",
        relation_id="P131",
        relation="located in",
        before=("Orsk Vale", "the Vale", "Orskvale"),
        after=("Pell Harbour", "Pell"),
    )
    # No edit of the group touches either mayor.
    assert (old_mayor.field, old_mayor.before, old_mayor.after) == (
        "single_hops[1].question",
        MARR,
        MARR,
    )
    assert (new_mayor.field, new_mayor.before, new_mayor.after) == (
        "new_single_hops[1].question",
        PIKE,
        PIKE,
    )
    assert (new_mayor.subject_id, new_mayor.relation) == ("Q902", "head of government")
    assert (chain.role, chain.field, chain.edit_id) == ("chain", "questions[0]", None)
    assert (chain.before, chain.after) == (MARR, PIKE)
    assert [link.object_id for link in chain.path_before] == ["Q901", "Q903"]
    assert chain.path_after == (
        Link(
            subject="Tolvane Bridge",
            subject_id="Q900",
            relation_id="P131",
            relation="located in",
            object="Pell Harbour",
            object_id="Q902",
            question="In which town does Tolvane Bridge stand?",
            cloze="Tolvane Bridge stands in",
            answers=("Pell Harbour", "Pell"),
        ),
        Link(
            subject="Pell Harbour",
            subject_id="Q902",
            relation_id="P6",
            relation="head of government",
            object="Joren Pike",
            object_id="Q904",
            question="Who is the mayor of Pell Harbour?",
            cloze="The mayor of Pell Harbour is",
            answers=PIKE,
        ),
    )


def test_a_hop_on_both_paths_is_one_probe(write: Write, samples: Samples) -> None:
    record = samples["mquake"][1](7)
    hop = {"question": "How long is it?", "cloze": "It is", "answer": "90 m", "answer_alias": []}
    for key in ("single_hops", "new_single_hops"):
        record[key].append(copy.deepcopy(hop))
    probes = [probe for probe in probes_of(write([record])) if probe.question == "How long is it?"]
    assert [(probe.field, probe.before, probe.after) for probe in probes] == [
        ("single_hops[2].question", ("90 m",), ("90 m",))
    ]


def test_a_new_hop_that_an_edit_sets_has_no_known_answer_before(
    write: Write, samples: Samples
) -> None:
    record = samples["mquake"][1](7)
    record["requested_rewrite"].append(
        {
            "prompt": "The mayor of {} is",
            "relation_id": "P6",
            "target_new": {"str": "Joren Pike", "id": "Q904"},
            "target_true": {"str": "Una Sedge", "id": "Q905"},
            "subject": "Pell Harbour",
            "question": "Who heads Pell Harbour?",
        }
    )
    probe = probes_of(write([record]))[2]
    assert (probe.question, probe.before, probe.after) == (
        "Who is the mayor of Pell Harbour?",
        None,
        PIKE,
    )


def test_lists_of_different_length_leave_the_path_empty(write: Write, samples: Samples) -> None:
    record = samples["mquake"][1](7)
    record["orig"]["new_triples_labeled"].pop()
    _, old_mayor, new_mayor, chain = probes_of(write([record]))
    assert len(chain.path_before) == 2
    assert chain.path_after == ()
    assert old_mayor.after == MARR
    # Whether an edit sets it cannot be told without its subject.
    assert (new_mayor.subject, new_mayor.before, new_mayor.after) == (None, None, PIKE)


def test_a_group_without_multi_hop_questions(write: Write, samples: Samples) -> None:
    record = samples["mquake"][1](7)
    del record["questions"], record["answer"], record["new_answer_alias"]
    assert {probe.role for probe in probes_of(write([record]))} == {"hop"}
    record["questions"] = ["Who?"]
    chain = probes_of(write([record]))[-1]
    assert (chain.before, chain.after) == (None, ("Joren Pike",))


@pytest.mark.parametrize(
    ("key", "value", "field"),
    [
        ("questions", "Who?", "questions"),
        ("questions", ["Who?", None], "questions[1]"),
        ("answer", 5, "answer"),
        ("new_answer_alias", [5], "new_answer_alias[0]"),
    ],
)
def test_mistyped_fields(
    write: Write, samples: Samples, key: str, value: object, field: str
) -> None:
    with pytest.raises(DataError) as caught:
        probes_of(write([{**samples["mquake"][1](7), key: value}]))
    assert caught.value.field == field
