"""`scopebench doctor`: what is installed and there, and what to do about problems."""

from __future__ import annotations

import click

from scopebench.api.upkeep import doctor
from scopebench.cli.options import echo_json, json_option


@click.command(
    "doctor",
    epilog="""\b
Examples:
  scopebench doctor
  scopebench doctor --deep --json

Exit code: 0 where `scopebench score` with its defaults can run, else 1.
""",
)
@click.option("--deep", is_flag=True, help="Ask torch for devices; verify models and files.")
@json_option
@click.pass_context
def command(ctx: click.Context, deep: bool, as_json: bool) -> None:
    """Look at packages, machine, cache, models, data files and the Hub, changing nothing."""
    found = doctor(deep=deep)
    if as_json:
        echo_json(found.as_json())
    else:
        from scopebench.report.upkeep import print_checkup

        print_checkup(found)
    ctx.exit(0 if found.ok else 1)
