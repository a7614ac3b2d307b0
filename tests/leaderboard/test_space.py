"""The Space: its card, its pins, what it may not do, and its own files in an environment apart."""

from __future__ import annotations

import ast
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import SpaceCard
from packaging.requirements import Requirement

from scopebench.hub.deploy import plan_space
from scopebench.hub.submission import SUBMISSION_FILES

LEADERBOARD = Path(__file__).resolve().parents[2] / "leaderboard"
PYPROJECT = LEADERBOARD.parent / "pyproject.toml"
PACKAGE = LEADERBOARD / "scopebench_leaderboard"


@pytest.fixture(scope="module")
def card() -> SpaceCard:
    return SpaceCard.load(LEADERBOARD / "README.md")


def _requirements() -> dict[str, Requirement]:
    lines = (LEADERBOARD / "requirements.txt").read_text(encoding="utf-8").splitlines()
    found = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {each.name.lower(): each for each in found}


def test_the_front_matter_makes_a_gradio_space(card: SpaceCard) -> None:
    data = card.data.to_dict()

    assert data["sdk"] == "gradio"
    assert (LEADERBOARD / data["app_file"]).is_file()
    assert data["hf_oauth"] is True
    assert set(data["hf_oauth_scopes"]) <= {
        *("email", "read-repos", "write-repos", "manage-repos", "contribute-repos"),
        *("read-billing", "inference-api", "jobs", "webhooks", "write-discussions"),
    }
    assert "leaderboard" in data["tags"]
    assert len(data["short_description"]) <= 60
    assert re.fullmatch(r"3\.\d+", data["python_version"])
    assert {data["colorFrom"], data["colorTo"]} <= {
        *("red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"),
    }


def test_the_space_runs_the_gradio_that_is_tested(card: SpaceCard) -> None:
    assert card.data.to_dict()["sdk_version"] == version("gradio")
    assert str(_requirements()["gradio"].specifier) == f"=={version('gradio')}"
    assert _requirements()["gradio"].extras == {"oauth"}


def test_requirements_are_pinned_to_what_is_tested() -> None:
    for name, requirement in _requirements().items():
        assert str(requirement.specifier) == f"=={version(name)}", name


def test_requirements_hold_all_the_package_needs() -> None:
    import tomllib

    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    needed = {Requirement(line).name.lower() for line in project["dependencies"]}

    assert needed <= set(_requirements())


def test_the_app_imports_nothing_heavy_before_it_runs() -> None:
    tree = ast.parse((LEADERBOARD / "app.py").read_text(encoding="utf-8"))
    top = {
        name
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [getattr(node, "module", None) or node.names[0].name]
    }

    assert top <= {"__future__", "logging", "os", "signal", "sys", "scopebench.errors"}


def test_nothing_is_unpickled_and_no_yaml_object_is_made() -> None:
    banned = re.compile(
        r"\bimport (pickle|dill|joblib|marshal|shelve)\b|yaml\.(unsafe_)?load\b|read_pickle"
        r"|allow_pickle=True|\beval\(|\bexec\("
    )
    for path in PACKAGE.rglob("*.py"):
        assert not banned.search(path.read_text(encoding="utf-8")), path


def test_no_template_passes_text_unescaped() -> None:
    for path in (PACKAGE / "templates").glob("*.jinja"):
        assert "|safe" not in path.read_text(encoding="utf-8").replace(" ", ""), path


def test_the_page_names_no_outside_address() -> None:
    for path in [*(PACKAGE / "assets").iterdir(), *(PACKAGE / "templates").iterdir()]:
        assert "://" not in path.read_text(encoding="utf-8"), path


PATIENCE = 120.0
"""Seconds for a start that takes ten on an idle machine."""


@pytest.fixture
def space(tmp_path: Path) -> Path:
    """The files of the Space, as deploying would lay them out."""
    plan = plan_space("org/board", "org/results", ["org/bench"], LEADERBOARD)
    for name, content in plan.files.items():
        path = tmp_path / "space" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.read_bytes())
    return tmp_path / "space"


@pytest.fixture
def python(space: Path, tmp_path: Path) -> Iterator[Path]:
    """An interpreter that has what the Space's requirements name and nothing else."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    found = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [str(found), "-m", "pip", "--disable-pip-version-check", "-qq", "install"]
    pinned = str(_requirements()["tenacity"])
    probe = [*pip, "--dry-run", "--no-deps", "--retries", "0", "--timeout", "20", pinned]
    if subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("NO REGISTRY: pip cannot fetch; the requirements are not installed apart")
    try:
        subprocess.run([*pip, "--requirement", str(space / "requirements.txt")], check=True)
        yield found
    finally:
        shutil.rmtree(tmp_path / "venv")  # some 800 MB


@pytest.mark.slow
def test_the_files_of_the_space_serve_a_board_in_an_environment_of_their_own(
    space: Path,
    python: Path,
    toy_runs: dict[str, Path],
    toy_results: tuple[Path, dict[str, str]],
    tmp_path: Path,
) -> None:
    client = pytest.importorskip("gradio_client", reason="NO GRADIO: install the leaderboard extra")
    told = subprocess.run(
        [python, "-c", "import scopebench, torch"], cwd=space, capture_output=True, text=True
    )
    assert "No module named 'torch'" in told.stderr
    port = _free_port()
    environment = {
        **{name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ},
        "HOME": str(tmp_path / "home"),
        "GRADIO_SERVER_PORT": str(port),
        "SCOPEBENCH_LEADERBOARD_RESULTS": str(toy_results[0]),
        "SCOPEBENCH_LEADERBOARD_BENCHMARK": str(toy_runs["bench"]),
        "SCOPEBENCH_LEADERBOARD_CACHE": str(tmp_path / "cache"),
    }
    log = tmp_path / "server.log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [python, "app.py"], cwd=space, env=environment, stdout=out, stderr=subprocess.STDOUT
        )
        try:
            board = _client(client, server, f"http://127.0.0.1:{port}/", log)
            rows = board.predict(api_name="/ranking")
            keys = [row["submission_id"] for row in rows]
            both = board.predict(*keys[:2], api_name="/compare")
            upload = client.handle_file(str(_zipped(toy_runs["inlay"], tmp_path / "inlay.zip")))
            verdict = board.predict([upload], api_name="/verify")
        finally:
            server.terminate()
            ended = server.wait(timeout=30)
    # Of the three runs one is decoded otherwise, which is another protocol.
    assert set(keys) == {toy_results[1]["inlay"], toy_results[1]["static"]}
    assert [both["first"], both["second"]] == [row["editor"] for row in rows]
    assert (verdict["ok"], verdict["submission_id"]) == (True, toy_results[1]["inlay"])
    assert (ended, log.read_text("utf-8")) == (0, "")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _client(client: Any, server: subprocess.Popen[bytes], address: str, log: Path) -> Any:
    """Return a client of a server once its board is built."""
    end, opened = time.monotonic() + PATIENCE, None
    while time.monotonic() < end:
        assert server.poll() is None, log.read_text("utf-8")
        try:
            opened = opened or client.Client(address, verbose=False)
            opened.predict(api_name="/ranking")
            return opened
        except Exception:  # not listening yet, of a type of the client's; or the board is not built
            time.sleep(0.5)
    pytest.fail(f"no board after {PATIENCE:.0f} s: {log.read_text('utf-8')}")


def _zipped(run: Path, out: Path) -> Path:
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in SUBMISSION_FILES:
            archive.write(run / name, name)
    return out
