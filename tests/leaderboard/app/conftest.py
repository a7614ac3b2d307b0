"""The page, served on loopback over the toy results, and uploads good and bad."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

gr = pytest.importorskip("gradio", reason="NO GRADIO: install scopebench[leaderboard]")

from scopebench.hub.submission import SUBMISSION_FILES  # noqa: E402
from scopebench_leaderboard.app import build_app, launch_options, make_site  # noqa: E402
from scopebench_leaderboard.live import board_folder  # noqa: E402
from scopebench_leaderboard.settings import Settings  # noqa: E402
from scopebench_leaderboard.site import Site  # noqa: E402

Server = Callable[[Site], AbstractContextManager[str]]


@contextmanager
def serving(site: Site) -> Iterator[str]:
    """Serve a page on a free port of loopback and yield its address."""
    app = build_app(site)
    _, address, _ = app.launch(
        server_name="127.0.0.1", prevent_thread_lock=True, **launch_options(site.settings)
    )
    try:
        yield address
    finally:
        app.close()


@pytest.fixture(scope="session")
def server() -> Server:
    """Serves a page for as long as a context is open."""
    return serving


@pytest.fixture(scope="session")
def site(
    toy_runs: dict[str, Path],
    toy_results: tuple[Path, dict[str, str]],
    toy_board_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Site:
    """The leaderboard of the toy results, with its board."""
    settings = Settings(
        results=str(toy_results[0]),
        benchmarks=(str(toy_runs["bench"]),),
        cache=tmp_path_factory.mktemp("board-cache"),
        max_upload_mb=8,
        submissions_per_hour=100,
    )
    shutil.copytree(toy_board_folder, board_folder(settings))
    made = make_site(settings)
    made.live.refresh()
    assert made.live.shown.fault is None
    return made


@pytest.fixture(scope="session")
def served(site: Site) -> Iterator[str]:
    """The address of the page."""
    with serving(site) as address:
        yield address


def zipped(folder: Path, out: Path) -> Path:
    """Zip the three files of a run folder."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in SUBMISSION_FILES:
            if (folder / name).is_file():
                archive.write(folder / name, name)
    return out


@pytest.fixture(scope="session")
def good_zip(toy_runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A zip that verifies."""
    return zipped(toy_runs["inlay"], tmp_path_factory.mktemp("upload") / "good.zip")


@pytest.fixture(scope="session")
def bad_uploads(
    toy_runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[Path, str]]:
    """Uploads that must not verify, by what is wrong, each with a word of its fault."""
    folder = tmp_path_factory.mktemp("bad")

    def changed(name: str, change: Callable[[Path], None]) -> Path:
        run = folder / name
        run.mkdir()
        for file in SUBMISSION_FILES:
            shutil.copy(toy_runs["inlay"] / file, run / file)
        change(run)
        return zipped(run, folder / f"{name}.zip")

    def replace(old: str, new: str) -> Callable[[Path], None]:
        def apply(run: Path) -> None:
            text = (run / "run.json").read_text(encoding="utf-8")
            assert old in text
            (run / "run.json").write_text(text.replace(old, new), encoding="utf-8")

        return apply

    not_a_zip = folder / "text.zip"
    not_a_zip.write_text("<script>alert(1)</script>", encoding="utf-8")
    escaping = folder / "escaping.zip"
    with zipfile.ZipFile(escaping, "w") as archive:
        archive.writestr("../run.json", "{}")
    return {
        "not a zip": (not_a_zip, "neither a run folder nor a zip"),
        "a path outside": (escaping, "not a plain path"),
        "a table missing": (
            changed("missing", lambda run: (run / "outcomes.parquet").unlink()),
            "missing",
        ),
        "markup for a name": (
            changed("markup", replace('"name": "inlay"', '"name": "<img src=x onerror=alert(1)>"')),
            "editor.name",
        ),
        "a limited run": (
            changed("limited", replace('"status": "success"', '"status": "limited"')),
            "limited",
        ),
        "a number improved": (
            changed("improved", replace('"oracle": 0.', '"oracle": 0.9')),
            "oracle",
        ),
    }
