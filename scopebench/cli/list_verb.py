"""`scopebench list`: what is registered or at hand, without importing anything heavy."""

from __future__ import annotations

from typing import Any

import click

from scopebench.api import catalogue as api
from scopebench.cli.options import echo_json, json_option, tell


@click.group("list")
def command() -> None:
    """List editors, sources or models."""


@command.command("editors")
@json_option
def list_editors(as_json: bool) -> None:
    """List the registered editors; a broken plug-in is named on stderr."""
    rows = api.list_editors(tell=tell)
    _print(rows, as_json, "Editors", ("name", "version", "summary"))


@command.command("sources")
@json_option
def list_sources(as_json: bool) -> None:
    """List the data sets and the schemas read for each."""
    _print(api.list_sources(), as_json, "Sources", ("name", "summary", "schemas"))


@command.command("models")
@json_option
def list_models(as_json: bool) -> None:
    """List the local models and encoders, and whether they are fetched."""
    _print(api.list_models(), as_json, "Local models", ("name", "role", "licence", "present"))


def _print(rows: list[dict[str, Any]], as_json: bool, title: str, columns: tuple[str, ...]) -> None:
    from scopebench.report.console import print_rows

    if as_json:
        echo_json(rows)
    else:
        print_rows([{name: row[name] for name in columns} for row in rows], title=title)
