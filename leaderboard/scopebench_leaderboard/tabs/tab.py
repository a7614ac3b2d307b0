"""What every tab of the page is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scopebench_leaderboard.links import Link
from scopebench_leaderboard.site import Page


@dataclass(frozen=True)
class Tab:
    """A tab whose content is a function of a link.

    Attributes:
        key: Its name in links.
        label: As a reader sees it.
        fields: The fields of the link that its controls hold, in the order of `controls`.
        controls: Makes its controls, inside the current Gradio context, each with an `input` event.
        settle: Returns what the controls show for a page: keyword arguments of each component.
        view: Returns its content as HTML.
    """

    key: str
    label: str
    fields: tuple[str, ...]
    controls: Callable[[], Sequence[Any]]
    settle: Callable[[Page], Sequence[Mapping[str, Any]]]
    view: Callable[[Page], str]

    def link_of(self, board: str, values: Sequence[Any]) -> Link:
        """Return the link that its controls stand at."""
        given = {name: as_text(value) for name, value in zip(self.fields, values, strict=True)}
        return Link(tab=self.key, board=board, **given)


def as_text(value: Any) -> str:
    """Return a control's value as it stands in a link."""
    if value is None or value is False:
        return ""
    if value is True:
        return "yes"
    if isinstance(value, (list, tuple)):
        return ",".join(str(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def bare() -> Sequence[Any]:
    """Make no controls."""
    return ()


def unset(page: Page) -> Sequence[Mapping[str, Any]]:
    """Return nothing, for a tab without controls."""
    return ()
