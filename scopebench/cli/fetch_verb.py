"""`scopebench fetch`: canonical data files and local models, verified."""

from __future__ import annotations

from pathlib import Path

import click

from scopebench.api.catalogue import fetch_all, list_fetchable
from scopebench.cli.options import echo_json, json_option, tell


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
    from scopebench.report.console import print_rows

    if not names:
        rows = list_fetchable()
        if as_json:
            echo_json(rows)
        else:
            print_rows(rows, title="What can be fetched")
        return
    found = fetch_all(
        names, folder=folder, base_url=base_url, accept_licence=accept_licence, tell=tell
    )
    if as_json:
        echo_json({name: str(path) for name, path in found.items()})
    else:
        for path in found.values():
            click.echo(path)
