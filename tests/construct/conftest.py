"""Small invented edits, cases and sources."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scopebench.records import Edit, FactObject, SourceRef, Triple
from scopebench.sources.case import Case, Source

DIGEST = "ab" * 32


def _edit(case: str, n: int = 0, dataset: str = "mquake_cf", **fields: Any) -> Edit:
    """An edit; `new` and `old` are labels or objects, `old=None` means unknown."""
    subject = fields.pop("subject", f"Subject of {case}.{n}")
    new, old = fields.pop("new", "Nowhere"), fields.pop("old", "Somewhere")
    return Edit(
        edit_id=f"{dataset}/{case}/{n}",
        dataset=dataset,
        subject=subject,
        prompt=fields.pop("prompt", "{} lies in"),
        target_new=new if isinstance(new, FactObject) else FactObject(text=new),
        target_true=FactObject(text=old) if isinstance(old, str) else old,
        source=SourceRef(file="cases.json", record=case, sha256=DIGEST),
        **fields,
    )


def _source(*edits: Edit) -> Source:
    """A source whose cases are those the edits name, in the order given."""
    cases: dict[str, list[Edit]] = {}
    for edit in edits:
        cases.setdefault(edit.case, []).append(edit)
    dataset = edits[0].dataset
    return Source(
        dataset=dataset,
        schemas={"cases.json": "invented"},
        files={"cases.json": DIGEST},
        cases=tuple(Case(dataset, case_id, tuple(own)) for case_id, own in cases.items()),
        bad_records=(),
    )


@pytest.fixture(scope="session")
def make_edit() -> Callable[..., Edit]:
    return _edit


@pytest.fixture(scope="session")
def make_source() -> Callable[..., Source]:
    return _source


@pytest.fixture(scope="session")
def town_source() -> Source:
    """Six edits in five cases, two of them one fact, one without any evidence.

    Facts: Ardenbrook lies in Vell; Corriston lies in Dunmere (twice); the mayor of Corriston is Ivo
    Hartel; Quellmouth lies in Vell; Pellworth lies in Ostmark, of which the old place is unknown.
    """
    text, triples = (
        "It is told in a long paragraph.",
        (Triple(subject="a", prompt="{}", target="b"),),
    )
    told: dict[str, Any] = {"evidence_unstructured": text, "evidence_triples": triples}
    vell = FactObject(text="Vell", aliases=("Kingdom of Vell",), entity_id="E1")
    corriston: dict[str, Any] = {
        "subject": "Corriston",
        "question": "Where does Corriston lie?",
        "new": "Dunmere",
        "old": "Ostmark",
        "relation_id": "R1",
    }
    return _source(
        _edit("1", subject="Ardenbrook", new=vell, old="Ostmark", relation_id="R1", **told),
        _edit("2", **corriston, **told),
        _edit("3", 0, **corriston, **told),
        _edit(
            "3",
            1,
            subject="Corriston",
            prompt="The mayor of {} is",
            relation_id="R2",
            new="Ivo Hartel",
            old="Jonna Brix",
            **told,
        ),
        _edit("4", subject="Quellmouth", new=vell, old="Dunmere", relation_id="R1", **told),
        _edit("10", subject="Pellworth", new="Ostmark", old=None, relation_id="R1"),
    )
