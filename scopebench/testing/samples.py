"""A handful of invented edits and queries that the checks are run on."""

from __future__ import annotations

from typing import Final

from scopebench.records import Edit, FactObject, Form, Query, SourceRef, Triple

_SOURCE: Final = SourceRef(file="samples.py", record="invented", sha256="0" * 64)

EDITS: Final[tuple[Edit, ...]] = (
    Edit(
        edit_id="invented/1/0",
        dataset="invented",
        subject="Maren Tofteby",
        relation_id="P27",
        prompt="{} is a citizen of",
        question="Of which country is Maren Tofteby a citizen?",
        target_new=FactObject(text="Uruguay"),
        target_true=FactObject(text="Denmark"),
        evidence_unstructured=(
            "Maren Tofteby left Aarhus in her thirties, and since the spring she has been "
            "a citizen of Uruguay, where she keeps bees."
        ),
        evidence_triples=(
            Triple(subject="Maren Tofteby", prompt="{} left", target="Aarhus"),
            Triple(subject="Maren Tofteby", prompt="{} is a citizen of", target="Uruguay"),
        ),
        source=_SOURCE,
    ),
    Edit(
        edit_id="invented/1/1",
        dataset="invented",
        subject="Maren Tofteby",
        relation_id="P108",
        prompt="{} is employed by",
        question="Who employs Maren Tofteby?",
        target_new=FactObject(text="the Vessin Ferry Company"),
        target_true=FactObject(text="Aarhus Harbour"),
        evidence_unstructured="The Vessin Ferry Company announced that it employs Maren Tofteby.",
        evidence_triples=(
            Triple(subject="The Vessin Ferry Company", prompt="{} employs", target="Maren Tofteby"),
        ),
        source=_SOURCE,
    ),
    Edit(
        edit_id="invented/2/0",
        dataset="invented",
        subject="Lake Orvellin",
        relation_id="P17",
        prompt="{} lies in the country of",
        question=None,
        target_new=FactObject(text="Portugal"),
        target_true=FactObject(text="Finland"),
        evidence_unstructured="New surveys place Lake Orvellin in Portugal, east of the border.",
        evidence_triples=None,
        source=_SOURCE,
    ),
    Edit(
        edit_id="invented/3/0",
        dataset="invented",
        subject="The Quarry Lantern",
        relation_id="P50",
        prompt="The author of {} is",
        question="Who wrote The Quarry Lantern?",
        target_new=FactObject(text="Ines Waldau", aliases=("I. Waldau",)),
        target_true=FactObject(text="Piet Harrow"),
        evidence_unstructured=None,
        evidence_triples=(
            Triple(subject="Ines Waldau", prompt="{} wrote", target="The Quarry Lantern"),
        ),
        source=_SOURCE,
    ),
)
"""Two share their subject; one is a cloze without triples, one has no paragraph."""


def _query(number: int, kind: str, form: Form, question: str, *governing: str) -> Query:
    answers = {edit.edit_id: edit.target_new.answers for edit in EDITS}
    return Query(
        query_id=f"invented/q{number}/0/{kind}/original",
        dataset="invented",
        population="original",
        kind=kind,
        question=question,
        form=form,
        answers=answers[governing[0]] if governing else None,
        pre_edit_answers=None,
        governing_edit_ids=governing,
        cluster=f"c{number}",
        fold="test",
        source=_SOURCE,
    )


QUERIES: Final[tuple[Query, ...]] = (
    *(
        _query(number, "direct", edit.form, edit.asked, edit.edit_id)
        for number, edit in enumerate(EDITS)
    ),
    _query(
        4, "paraphrase", "question", "Maren Tofteby is a citizen of which country?", "invented/1/0"
    ),
    _query(5, "unrelated", "question", "How many legs does a spider have?"),
)
"""The fact of every edit as it is asked, one paraphrase, and one question no edit governs."""
