"""`scopebench leaderboard`: serve the board here, build it, or deploy it as a Space."""

from __future__ import annotations

from pathlib import Path

import click

from scopebench.api.leaderboard import build_leaderboard, deploy_leaderboard, serve_leaderboard
from scopebench.cli.options import say, tell


@click.group(
    "leaderboard",
    invoke_without_command=True,
    epilog="""\b
Examples:
  scopebench leaderboard --results results
  scopebench leaderboard --results my-org/scopebench-results --benchmark mquake
  scopebench leaderboard build --results results --out board
  scopebench leaderboard deploy --space my-org/board --results my-org/results --dry-run
""",
)
@click.option(
    "--results",
    metavar="DIR|ORG/NAME",
    help="A folder of results, or a results repository of the Hub.",
)
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    metavar="DIR|ORG/NAME[@REVISION]",
    help="A benchmark that submissions are verified against; repeatable.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="The port [default: the first that is free from 7860 up].",
)
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.pass_context
def command(
    ctx: click.Context,
    results: str | None,
    benchmarks: tuple[str, ...],
    host: str,
    port: int | None,
    no_open: bool,
) -> None:
    """Serve the leaderboard on this machine.

    Other settings are environment variables; leaderboard/README.md lists them.
    """
    if ctx.invoked_subcommand is None:
        serve_leaderboard(
            results, benchmarks, host=host, port=port, open_browser=not no_open, tell=tell
        )


@command.command("build")
@click.option(
    "--results",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of results.",
)
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write the board into.",
)
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="A benchmark that submissions on it are checked against; repeatable.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    help="Processes that compute; 0: none beside this one.",
)
def build(results: Path, out: Path, benchmarks: tuple[Path, ...], workers: int) -> None:
    """Verify every submission of a folder of results, and write the board.

    What is on a board that is there already is not computed again.
    """
    build_leaderboard(results, out, benchmarks=benchmarks, workers=workers, tell=say)
    click.echo(out)


@command.command("deploy")
@click.option("--space", required=True, metavar="ORG/NAME", help="The Space.")
@click.option("--results", required=True, metavar="ORG/NAME", help="The results repository.")
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    metavar="ORG/NAME[@REVISION]",
    help="A published benchmark that submissions are verified against; repeatable.",
)
@click.option(
    "--app",
    "app_dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of the app [default: leaderboard/ of the checkout].",
)
@click.option("--private", is_flag=True, help="Where it creates the Space, make it private.")
@click.option("--dry-run", is_flag=True, help="Tell what would be there; ask the Hub nothing.")
def deploy(
    space: str,
    results: str,
    benchmarks: tuple[str, ...],
    app_dir: Path | None,
    private: bool,
    dry_run: bool,
) -> None:
    """Create or update the Space of a leaderboard: its files and variables.

    Log in first: `hf auth login`, or set HF_TOKEN. Running it again changes only what differs.
    """
    told = deploy_leaderboard(
        space, results, benchmarks, app=app_dir, private=private, dry_run=dry_run
    )
    for line in told:
        click.echo(line)
