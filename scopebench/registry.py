"""Editors found through the entry-point group `scopebench.editors`.

Listing imports only each editor's light `info` module. A plug-in that fails to load is named and
skipped, so that one broken package does not stop the others; a name claimed twice is refused.
"""

from __future__ import annotations

import difflib
import importlib
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Final, cast

from scopebench.errors import EditorError
from scopebench.protocols import EditorFactory, EditorInfo

GROUP: Final = "scopebench.editors"


@dataclass(frozen=True)
class BrokenEditor:
    """A plug-in that could not be loaded.

    Attributes:
        name: The name it registered.
        origin: The distribution and object it points to.
        reason: Why it failed.
    """

    name: str
    origin: str
    reason: str


@dataclass(frozen=True)
class Registry:
    """The editors that were found.

    Attributes:
        editors: Declarations by name, sorted.
        broken: Plug-ins that were skipped.
    """

    editors: dict[str, EditorInfo]
    broken: tuple[BrokenEditor, ...]

    def get(self, name: str) -> EditorInfo:
        """Return the editor's declaration.

        Raises:
            EditorError: If no such editor is registered, or its plug-in is broken.
        """
        if name in self.editors:
            return self.editors[name]
        for plug_in in self.broken:
            if plug_in.name == name:
                raise EditorError(f"editor {name!r} ({plug_in.origin}) is broken: {plug_in.reason}")
        near = difflib.get_close_matches(name, self.editors, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise EditorError(
            f"no editor is called {name!r}; {hint}registered: {', '.join(self.editors)}"
        )


def discover(points: list[EntryPoint] | None = None) -> Registry:
    """Find every registered editor.

    Args:
        points: The entry points to read; by default the installed ones of the group.

    Raises:
        EditorError: If two plug-ins claim one name.
    """
    found = list(entry_points(group=GROUP)) if points is None else points
    editors: dict[str, EditorInfo] = {}
    origins: dict[str, str] = {}
    broken: list[BrokenEditor] = []
    for point in sorted(set(found), key=lambda point: (point.name, point.value)):
        origin = f"{point.dist.name if point.dist else 'unknown distribution'}: {point.value}"
        if point.name in origins:
            raise EditorError(
                f"two plug-ins register the editor {point.name!r}: {origins[point.name]} and "
                f"{origin}; uninstall one of them"
            )
        origins[point.name] = origin
        try:
            info = point.load()
        except Exception as error:  # a plug-in may fail in any way; it is named, not hidden
            broken.append(BrokenEditor(point.name, origin, f"{type(error).__name__}: {error}"))
            continue
        if not isinstance(info, EditorInfo) or info.name != point.name:
            reason = f"it must point to an EditorInfo named {point.name!r}, not to {info!r}"
            broken.append(BrokenEditor(point.name, origin, reason))
            continue
        editors[point.name] = info
    return Registry(editors, tuple(broken))


def load_factory(info: EditorInfo) -> EditorFactory:
    """Import an editor's heavy module and return its factory.

    Raises:
        EditorError: If the declared factory does not exist.
    """
    module_name, _, attribute = info.factory.partition(":")
    module = importlib.import_module(module_name)
    factory = getattr(module, attribute, None)
    if not callable(factory):
        raise EditorError(f"editor {info.name!r} names the factory {info.factory!r}: no such thing")
    return cast("EditorFactory", factory)
