"""The leaderboard: served here, built into a folder, or deployed as a Space."""

from __future__ import annotations

import errno
import logging
import os
import socket
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scopebench.api.arguments import path_of, silent
from scopebench.errors import DataError, MissingDependency

if TYPE_CHECKING:
    from scopebench_leaderboard.board import Board

Tell = Callable[[str], None]

PORTS: Final = range(7860, 7960)
"""Tried in turn where none is given; the first is that of every Gradio app."""

_APP_FILE: Final = "app.py"


def serve_leaderboard(
    results: str | None = None,
    benchmarks: Sequence[str] = (),
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    open_browser: bool = True,
    tell: Tell = silent,
) -> None:
    """Serve the leaderboard on this machine until it is stopped.

    Other settings are environment variables; leaderboard/README.md lists them.

    Args:
        results: A folder of results, or a results repository of the Hub; None: no results.
        benchmarks: Benchmarks that submissions are verified against: folders, or
            `ORG/NAME[@REVISION]`.
        host: The address to listen at.
        port: The port; None: the first that is free from 7860 up.
        open_browser: Whether to open a browser.
        tell: Told the address.

    Raises:
        MissingDependency: If gradio is not installed.
        DataError: If the results folder is missing or the port is taken.
    """
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
    settings = replace(read_settings(os.environ), results=results, benchmarks=tuple(benchmarks))
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
    tell(f"the leaderboard is at {address} (Ctrl-C stops it)")
    serve_until_told(site)


def build_leaderboard(
    results: str | PathLike[str],
    out: str | PathLike[str],
    *,
    benchmarks: Sequence[str | PathLike[str]] = (),
    workers: int = 2,
    tell: Tell = silent,
) -> Board:
    """Verify every submission of a folder of results, and write the board.

    What is on a board that is there already is not computed again.

    Args:
        results: The folder of results.
        out: The folder to write the board into.
        benchmarks: Benchmarks that submissions on them are checked against.
        workers: Processes that compute; 0: none beside this one.
        tell: Told of each submission when it is done, and of each that is not on the board.

    Raises:
        DataError: If a folder is not what it is to be, or the board cannot be written.
    """
    from scopebench_leaderboard.store import check_folders, rebuild

    check_folders(path_of(results), path_of(out))
    board: Board = rebuild(
        path_of(results),
        path_of(out),
        benchmarks=[path_of(folder) for folder in benchmarks],
        progress=lambda done, total, path: tell(f"{done} of {total}: {path}"),
        workers=workers,
    )
    for row in board.rejected.to_dict("records"):
        tell(f"not on the board: {row['path']}: {row['reasons'].splitlines()[0]}")
    return board


def deploy_leaderboard(
    space: str,
    results: str,
    benchmarks: Sequence[str] = (),
    *,
    app: str | PathLike[str] | None = None,
    private: bool = False,
    dry_run: bool = False,
) -> list[str]:
    """Create or update the Space of a leaderboard, and return what was done, line by line.

    Args:
        space: The Space, ORG/NAME.
        results: The results repository, ORG/NAME.
        benchmarks: Published benchmarks that submissions are verified against.
        app: The folder of the app; None: `leaderboard/` of the checkout.
        private: Where it creates the Space, whether that is private.
        dry_run: Tell what would be there, and ask the Hub nothing.

    Raises:
        DataError: If the app is not there.
        HubError: If the Hub refuses or cannot be reached.
    """
    from scopebench.hub.deploy import deploy_space

    folder = _checkout_app() if app is None else path_of(app)
    told = deploy_space(space, results, list(benchmarks), folder, dry_run=dry_run, private=private)
    return list(told)


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
