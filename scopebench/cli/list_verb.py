"""`scopebench list`: what is registered or at hand, without importing anything heavy."""

from __future__ import annotations

from typing import Any

import click

from scopebench.cli.options import echo_json, json_option


@click.group("list")
def command() -> None:
    """List editors, sources or models."""


@command.command("editors")
@json_option
def list_editors(as_json: bool) -> None:
    """List the registered editors; a broken plug-in is named on stderr."""
    from scopebench.registry import discover

    registry = discover()
    for plug_in in registry.broken:
        click.echo(
            f"scopebench: skipped editor {plug_in.name!r} ({plug_in.origin}): {plug_in.reason}",
            err=True,
        )
    rows = [
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
    _print(rows, as_json, "Editors", ("name", "version", "summary"))


@command.command("sources")
@json_option
def list_sources(as_json: bool) -> None:
    """List the data sets and the schemas read for each."""
    from scopebench.sources import SOURCES

    rows = [
        {
            "name": source.name,
            "summary": source.summary,
            "schemas": [schema.name for schema in source.schemas],
        }
        for source in SOURCES.values()
    ]
    _print(rows, as_json, "Sources", ("name", "summary", "schemas"))


@command.command("models")
@json_option
def list_models(as_json: bool) -> None:
    """List the local models and encoders, and whether they are fetched."""
    from scopebench.models.packaged import local_models

    rows = [model._asdict() for model in local_models()]
    _print(rows, as_json, "Local models", ("name", "role", "licence", "present"))


def _print(rows: list[dict[str, Any]], as_json: bool, title: str, columns: tuple[str, ...]) -> None:
    from scopebench.report.console import print_rows

    if as_json:
        echo_json(rows)
    else:
        print_rows([{name: row[name] for name in columns} for row in rows], title=title)
