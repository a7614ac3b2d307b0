"""`scopebench new-editor`: the package of an editor of one's own."""

from __future__ import annotations

from pathlib import Path

import click

from scopebench.api.scaffold import new_editor


@click.command(
    "new-editor",
    epilog="""\b
Examples:
  scopebench new-editor mine
  scopebench new-editor my-gate --out editors/my-gate
""",
)
@click.argument("name")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write [default: scopebench-NAME].",
)
def command(name: str, out: Path | None) -> None:
    """Write a package with an editor called NAME: it lists, passes its test, scores and submits.

    Nothing that is there is overwritten.
    """
    folder = new_editor(name, out)
    click.echo(folder)
    click.echo(
        f"Next: pip install -e '{folder}[dev]' && pytest {folder}\n"
        f"      scopebench score --editor {name} --limit 16 --out runs/{name}",
        err=True,
    )
