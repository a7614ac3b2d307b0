"""Make the runs that the published results rest on, and render the results from them.

    python docs/render_results.py --runs runs/results --make     # make the runs, then render
    python docs/render_results.py --runs runs/results            # render from the runs alone
    python docs/render_results.py --runs runs/results --check    # exit code 1 if a file differs
    python docs/render_results.py --runs runs/results --shot     # and a picture of a report page

Rendered are `docs/results.md`, the README's marked places and its picture. The real files are
those of `SCOPEBENCH_DATA` (by default `../shared/data/raw`). A benchmark that is built is used as
it is, a run that was stopped goes on: to begin anew, give another folder.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from scopebench.construct.manifest import FILE as MANIFEST_FILE
from scopebench.errors import DataError, ScopeBenchError
from scopebench.report.results.plan import (
    BENCHMARK,
    EDITORS,
    MAIN,
    SOURCES,
    WANTED,
    Wanted,
    build_command,
    score_command,
)
from scopebench.report.results.render import README, rendered
from scopebench.report.results.runs import read_runs

ROOT = Path(__file__).resolve().parents[1]
SHOT = "docs/images/report.png"
DATA = Path(os.environ.get("SCOPEBENCH_DATA", ROOT.parent / "shared" / "data" / "raw"))


def make(folder: Path, wanted: Sequence[Wanted]) -> None:
    """Build the benchmarks that are not built yet, and make the runs or go on with them.

    Raises:
        DataError: If a real file is not at hand.
    """
    for key in dict.fromkeys(one.source for one in wanted):
        absent = [DATA / name for name in SOURCES[key].files if not (DATA / name).is_file()]
        if absent:
            raise DataError(
                "not at hand", file=absent[0], fix="set SCOPEBENCH_DATA to the folder of real files"
            )
    for one in wanted:
        benchmark = folder / one.source / BENCHMARK
        if not (benchmark / MANIFEST_FILE).is_file():
            _run(build_command(one.source, str(DATA), str(benchmark)))
        _run(score_command(one, str(benchmark), str(folder / one.source / one.name)))


def _run(command: Sequence[str]) -> None:
    """Run a command of ScopeBench; what it prints as data is not ours, its progress is shown."""
    print("$", *command, file=sys.stderr, flush=True)  # noqa: T201
    program = [sys.executable, "-m", *command]
    done = subprocess.run(program, stdout=subprocess.DEVNULL, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def write(files: dict[str, str], *, check: bool) -> list[str]:
    """Write the files that differ, or with `check` none, and return their names."""
    changed = []
    for name, text in files.items():
        path = ROOT / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            changed.append(name)
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    return changed


def shoot(folder: Path) -> None:
    """Take a picture of the first screen of a report over the main source's runs.

    It needs Chromium and Playwright, and its bytes depend on them, so `--check` leaves it out.

    Raises:
        DataError: If there is no Chromium.
    """
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    runs = [str(folder / MAIN / editor) for editor in reversed(EDITORS)]
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        page = Path(place, "report.html")
        _run(["scopebench", "report", *runs, "--out", str(page)])
        if program is None and not Path(playwright.chromium.executable_path).is_file():
            raise DataError("there is no Chromium", fix="run `python tests/install_browser.py`")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
        shown.goto(page.as_uri())
        shown.screenshot(path=ROOT / SHOT)
        browser.close()


def main(given: Sequence[str] | None = None) -> int:
    """Do what the command line asks for and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--make", action="store_true", help="make the runs first")
    parser.add_argument("--check", action="store_true", help="write nothing, tell what differs")
    parser.add_argument("--shot", action="store_true", help="take a picture of a report page too")
    parser.add_argument(
        "--only", action="append", metavar="SOURCE", choices=SOURCES, help="make these runs alone"
    )
    options = parser.parse_args(given)
    try:
        if options.make:
            named = options.only or SOURCES
            make(options.runs, [one for one in WANTED if one.source in named])
            if options.only:
                return 0
        if options.shot and not options.check:
            shoot(options.runs)
        readme = (ROOT / README).read_text(encoding="utf-8")
        changed = write(
            rendered(readme, read_runs(options.runs, WANTED), WANTED), check=options.check
        )
    except ScopeBenchError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return 2
    told = "differs from what the runs say: run `make results`" if options.check else "written"
    for name in changed:
        print(f"{name}: {told}", file=sys.stderr)  # noqa: T201
    return int(options.check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
