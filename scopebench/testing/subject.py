"""The editor under check, and all that it shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from scopebench.protocols import (
    Editor,
    EditorContext,
    EditorFactory,
    EditorInfo,
    GenerationRequest,
    Sampling,
)
from scopebench.records import Edit, Query
from scopebench.testing.samples import QUERIES

Hidden: TypeAlias = Sequence[frozenset[str]]
Shown: TypeAlias = dict[str, list[Any]]
"""Decisions by condition and answers by condition and action, under a readable name."""

NOTHING_HIDDEN: Final = [frozenset[str]()] * len(QUERIES)


@dataclass(frozen=True)
class Subject:
    """The editor under check.

    Attributes:
        info: What it declares.
        factory: Builds it empty.
        context: What it is built with.
    """

    info: EditorInfo
    factory: EditorFactory
    context: EditorContext

    def fresh(self, edits: Iterable[Edit] = ()) -> Editor:
        """Return a new editor with the edits written; with none, `write` is not called."""
        editor = self.factory(self.context)
        batch = list(edits)
        if batch:
            editor.write(batch)
        return editor

    def show(
        self, editor: Editor, queries: Sequence[Query] = QUERIES, hidden: Hidden = NOTHING_HIDDEN
    ) -> Shown:
        """Return all that an editor decides and answers."""
        shown: Shown = {}
        for condition in self.info.conditions:
            decisions = editor.route(queries, condition=condition, hidden=hidden)
            shown[f"decisions ({condition})"] = decisions
            for action in self.info.actions[condition]:
                shown[f"{action} ({condition})"] = editor.act(
                    queries, action, decisions, condition=condition
                )
        return shown

    def unedited(self, *, extra_tokens: int = 0) -> list[str]:
        """Return the frozen model's own answers."""
        model = self.context.model
        return model.generate(
            [
                GenerationRequest(
                    prompt=model.prompts.abstain(query.question, query.form),
                    max_new_tokens=model.max_new_tokens + extra_tokens,
                )
                for query in QUERIES
            ]
        )


class Redrawn:
    """A model whose generations are sampled, by the draw in force; playback is left as it is.

    Attributes:
        draw: The draw in force.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self.draw = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def generate(self, requests: Sequence[GenerationRequest]) -> list[str]:
        """Return each text of the draw in force."""
        sampling = Sampling(temperature=1.0, seed=0, draw=self.draw)
        texts: list[str] = self._model.generate(
            [r if r.playback else replace(r, sampling=sampling) for r in requests]
        )
        return texts


def require(holds: bool, message: str) -> None:
    """Raise `AssertionError` with the message unless it holds, also under `python -O`."""
    if not holds:
        raise AssertionError(message)


def require_same(expected: Shown, found: Shown, story: str) -> None:
    """Require two shows to be equal, naming the first place where they are not."""
    for place, rows in expected.items():
        others = found[place]
        require(
            len(rows) == len(others), f"{story}: {place} has {len(others)} rows, not {len(rows)}"
        )
        for number, (row, other) in enumerate(zip(rows, others, strict=True)):
            require(row == other, f"{story}: {place}, query {number}: {other!r}, not {row!r}")
