"""`scopebench cache`: what is kept in the cache folder, verified and thrown away."""

from __future__ import annotations

import re

import click

from scopebench.api.upkeep import list_cache, prune_cache, verify_cache
from scopebench.cli.options import echo_json, json_option, tell, usage_errors

_UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([BKMGT]?)(?:i?B)?", re.IGNORECASE)


@click.group(
    "cache",
    epilog="""\b
Examples:
  scopebench cache ls
  scopebench cache prune --kind starter --older-than 30 --dry-run
  scopebench cache prune --to-size 2G
  scopebench cache verify
""",
)
def command() -> None:
    """Show, clean or verify what is kept in the cache folder (SCOPEBENCH_CACHE)."""


@command.command("ls")
@json_option
def ls(as_json: bool) -> None:
    """List everything that is kept, with its size, its last use and what it is."""
    from scopebench.report.upkeep import print_entries

    entries = list_cache()
    if as_json:
        echo_json([entry.as_json() for entry in entries])
    else:
        print_entries(entries)


@command.command("prune")
@click.option("--kind", "kinds", multiple=True, help="Only entries of this kind; repeatable.")
@click.option(
    "--older-than",
    type=click.FloatRange(min=0),
    metavar="DAYS",
    help="Only entries not used for so many days.",
)
@click.option(
    "--to-size",
    metavar="SIZE",
    help="Until all entries together take at most so much (such as 500M or 2G), those not used for "
    "longest first.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@json_option
def prune(
    kinds: tuple[str, ...],
    older_than: float | None,
    to_size: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Throw entries away; what a running process uses stays.

    An entry goes where everything given holds of it; entries not known to this version go only
    with `--kind other`.
    """
    from scopebench.report.upkeep import print_pruned

    with usage_errors():
        pruned = prune_cache(
            kinds=kinds,
            older_than=older_than,
            to_size=None if to_size is None else _bytes(to_size),
            dry_run=dry_run,
        )
    if as_json:
        echo_json([each.as_json() for each in pruned])
    else:
        print_pruned(pruned)


@command.command("verify")
@json_option
@click.pass_context
def verify(ctx: click.Context, as_json: bool) -> None:
    """Hash again what has a known hash, and check databases; exit code 1 where one is damaged."""
    from scopebench.report.upkeep import print_verified

    found = []
    for each in verify_cache():
        tell(f"{each.entry.name}: {each.status}")
        found.append(each)
    if as_json:
        echo_json([each.as_json() for each in found])
    else:
        print_verified(found)
    ctx.exit(1 if any(each.status == "damaged" for each in found) else 0)


def _bytes(text: str) -> int:
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise click.BadParameter(f"{text!r} is no size, such as 500M or 2G", param_hint="--to-size")
    return int(float(found[1]) * _UNITS[found[2].upper()])
