"""Where downloaded data, converted models and cached generations are kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import platformdirs

CACHE_VARIABLE: Final = "SCOPEBENCH_CACHE"


def cache_dir() -> Path:
    """Return the root of the cache, which need not exist yet.

    The environment variable `SCOPEBENCH_CACHE` names it; without one it is the platform's user
    cache folder for this application.
    """
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named).expanduser()
    return platformdirs.user_cache_path("scopebench", appauthor=False)
