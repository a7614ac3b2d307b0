"""`scopebench leaderboard`: serve the board here, build it, or deploy it as a Space."""

from __future__ import annotations

import errno
import logging
import socket
from collections.abc import Sequence
from pathlib import Path

import click

from scopebench.errors import DataError, MissingDependency

_APP_FILE = "app.py"

PORTS = range(7860, 7960)
"""Tried in turn where none is given; the first is that of every Gradio app."""


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
        _serve(results, benchmarks, host=host, port=port, open_browser=not no_open)


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
    from scopebench_leaderboard.store import check_folders, rebuild

    check_folders(results, out)
    board = rebuild(
        results,
        out,
        benchmarks=benchmarks,
        progress=lambda done, total, path: click.echo(f"{done} of {total}: {path}", err=True),
        workers=workers,
    )
    for row in board.rejected.to_dict("records"):
        click.echo(f"not on the board: {row['path']}: {row['reasons'].splitlines()[0]}", err=True)
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
    from scopebench.hub.deploy import deploy_space

    folder = _checkout_app() if app_dir is None else app_dir
    told = deploy_space(space, results, list(benchmarks), folder, dry_run=dry_run, private=private)
    for line in told:
        click.echo(line)


def _serve(
    results: str | None,
    benchmarks: tuple[str, ...],
    *,
    host: str,
    port: int | None,
    open_browser: bool,
) -> None:
    import os
    from dataclasses import replace

    try:
        import gradio  # noqa: F401
    except ImportError as error:
        raise MissingDependency("gradio", "leaderboard") from error
    from scopebench_leaderboard.app import build_app, launch_options, make_site
    from scopebench_leaderboard.service import serve_until_told
    from scopebench_leaderboard.settings import read_settings
    from scopebench_leaderboard.store import check_results

    logging.basicConfig(level=logging.WARNING, format="scopebench: %(message)s")
    settings = replace(read_settings(os.environ), results=results, benchmarks=benchmarks)
    if settings.results_folder is not None:
        check_results(settings.results_folder)
    found = _free_port(host, PORTS if port is None else [port])
    site = make_site(settings)
    app = build_app(site)
    try:
        _, address, _ = app.launch(
            server_name=f"[{host}]" if ":" in host else host,  # as in an address
            server_port=found,
            inbrowser=open_browser,
            prevent_thread_lock=True,
            **launch_options(settings),
        )
    except OSError as error:  # somebody else was faster
        raise DataError(
            f"cannot listen at {host}:{found} ({error})", fix="run the same command again"
        ) from error
    site.live.start()
    click.echo(f"scopebench: the leaderboard is at {address} (Ctrl-C stops it)", err=True)
    serve_until_told(site)


def _free_port(host: str, ports: Sequence[int]) -> int:
    """Return the first port that can be listened at."""
    reason = "it is taken"
    for port in ports:
        try:
            (family, kind, protocol, _, address), *_ = socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )
            with socket.socket(family, kind, protocol) as tried:
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                tried.bind(address)
                return port
        except OSError as error:
            reason = error.strerror or str(error)
            if error.errno != errno.EADDRINUSE:
                break
    raise DataError(
        f"cannot listen at {host}:{ports[0]} ({reason})", fix="give another --port or --host"
    )


def _checkout_app() -> Path:
    """Return the folder of the app beside this checkout."""
    import scopebench

    folder = Path(scopebench.__file__).resolve().parent.parent / "leaderboard"
    if not (folder / _APP_FILE).is_file():
        raise DataError(
            "the app is not there", file=folder, fix="run from a checkout, or give --app DIR"
        )
    return folder
