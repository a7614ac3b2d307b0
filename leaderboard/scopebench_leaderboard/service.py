"""How long a page is served, and how it ends: in order if it can, and soon in any case."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Final

from scopebench_leaderboard.site import Site

PATIENCE: Final = 10.0
"""Seconds that ending in order may take: what is being computed is computed again next time."""

_LOOK: Final = 0.2


def serve_until_told(site: Site) -> None:
    """Wait for Ctrl-C or SIGTERM, and let go of what goes on in the background.

    A handler that raises does so wherever the interpreter happens to be, even where nothing can be
    raised: so it only takes note.
    """
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    try:
        while not told:
            time.sleep(_LOOK)
    except KeyboardInterrupt:
        pass
    _leave_soon()
    site.stop()


def _leave_soon() -> None:
    """End this process within `PATIENCE`: a pool whose worker was killed may wait for ever."""
    timer = threading.Timer(PATIENCE, os._exit, (0,))
    timer.daemon = True
    timer.start()
