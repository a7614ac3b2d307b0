"""Installs Chromium for the browser tests, where it can be; prints where it is, or why it is not.

Tried in turn: one that is there, Playwright's own, the system's package (where this user may
install one). Without any the browser tests skip, loudly, and nothing else is affected.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
PATIENCE: Final = 600
"""Seconds an installation may take."""


def chromium() -> str | None:
    """Return the program of a Chromium that is there: on the path, else Playwright's own."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is not None:
        return found
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def _ways() -> Iterator[list[list[str]]]:
    """Yield ways to install one, each a list of commands."""
    yield [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if shutil.which("apt-get") and getattr(os, "geteuid", lambda: 1)() == 0:
        yield [["apt-get", "-qq", "update"], ["apt-get", "-qq", "install", "--yes", NAMES[0]]]


def main() -> None:
    """Install one unless it is there."""
    path = chromium()
    for way in [] if path else _ways():
        try:
            for command in way:
                subprocess.run(command, check=True, timeout=PATIENCE, stdout=sys.stderr)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"no browser that way: {error}", file=sys.stderr)
        if path := chromium():
            break
    print(path or "no Chromium: the browser tests will be skipped")


if __name__ == "__main__":
    main()
