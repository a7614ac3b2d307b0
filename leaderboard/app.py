"""The Space's entry: reads the settings, starts the board and launches the page.

`python leaderboard/app.py` does the same anywhere; `scopebench leaderboard` takes options instead.
"""

from __future__ import annotations

import logging
import os
import sys

from scopebench.errors import ScopeBenchError


def main() -> None:
    """Serve the leaderboard until it is stopped."""
    # Imported here, because the processes that compute the board import this module too.
    from scopebench_leaderboard.app import build_app, launch_options, make_site
    from scopebench_leaderboard.service import serve_until_told
    from scopebench_leaderboard.settings import read_settings

    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    settings = read_settings(os.environ)
    site = make_site(settings)
    site.live.start()
    build_app(site).launch(prevent_thread_lock=True, **launch_options(settings))
    serve_until_told(site)


if __name__ == "__main__":
    try:
        main()
    except ScopeBenchError as error:
        sys.exit(f"leaderboard: error: {error}")
