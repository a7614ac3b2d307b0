"""A pool of invented edits and probes, as a family sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scopebench.construct.checks.world import World
from scopebench.construct.curated.pool import Pool
from scopebench.construct.direct import Layout, direct_queries
from scopebench.construct.other_names import OtherNames
from scopebench.construct.true_values import TrueValues
from scopebench.records import Edit, FactObject, SourceRef
from scopebench.sources.case import Case, Link, Probe

SOURCE = SourceRef(file="cases.json", record="1", sha256="ab" * 32)


def _edit(case: str, subject: str, relation: str, prompt: str, **fields: Any) -> Edit:
    def target(value: str | FactObject | None) -> FactObject | None:
        return FactObject(text=value) if isinstance(value, str) else value

    new, old = target(fields.pop("new", "Quillon")), target(fields.pop("old", "Vell"))
    assert new is not None
    return Edit(
        edit_id=f"towns/{case}/{fields.pop('n', 0)}",
        dataset="towns",
        subject=subject,
        relation_id=relation,
        prompt=prompt,
        target_new=new,
        target_true=old,
        source=SOURCE,
        **fields,
    )


def _pool(
    edits: list[Edit],
    probes: dict[str, list[Probe]] | None = None,
    *,
    deleted: dict[str, str] | None = None,
    others: list[Edit] | None = None,
) -> Pool:
    """Put edits in a pool, each in a cluster and a unit of its own."""
    cases: dict[str, list[Edit]] = {}
    for edit in edits:
        cases.setdefault(edit.case, []).append(edit)
    read = tuple(
        Case("towns", name, tuple(own), tuple((probes or {}).get(name, ())))
        for name, own in cases.items()
    )
    truths = TrueValues.of(read)
    directs, _ = direct_queries(edits, truths)
    every = [*edits, *(others or [])]
    clusters = {edit.edit_id: edit.edit_id for edit in every}
    layout = Layout(
        clusters,
        ("subject",),
        dict.fromkeys(clusters, "test"),
        {edit.edit_id: (edit.edit_id,) for edit in every},
        frozenset(),
    )
    return Pool(
        dataset="towns",
        cases=read,
        directs=directs,
        deleted=deleted or {},
        world=World.of(edits, deleted or ()),
        layout=layout,
        others=direct_queries(others or [], truths)[0],
        names=OtherNames.of(read),
        seed=0,
    )


@pytest.fixture(scope="session")
def fact() -> Callable[..., Edit]:
    """An edit: case, subject, property id, template, and what else it has."""
    return _edit


@pytest.fixture(scope="session")
def pool_of() -> Callable[..., Pool]:
    return _pool


@pytest.fixture(scope="session")
def link() -> Callable[..., Link]:
    """A fact on a path: subject, property id, object; ids are the labels in brackets."""

    def make(subject: str, relation: str, obj: str, *aliases: str) -> Link:
        return Link(
            subject=subject,
            subject_id=f"<{subject}>",
            relation_id=relation,
            relation=None,
            object=obj,
            object_id=f"<{obj}>",
            question=None,
            cloze=None,
            answers=(obj, *aliases),
        )

    return make
