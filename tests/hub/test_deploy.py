"""Deploying the leaderboard: the Space holds what runs, and running it again changes nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import scopebench
from scopebench.errors import DataError, HubError
from scopebench.hub.deploy import deploy_space, plan_space
from scopebench.hub.remote import Remote

sys.path.insert(0, str(Path(__file__).parent))

from loopback.server import LoopbackHub
from loopback.store import Repo

pytest_plugins = ["loopback.fixtures"]

SPACE = "org/board"
CARD = "---\ntitle: Board\nsdk: gradio\napp_file: app.py\n---\n\n# Board\n"
DATASETS = ("org/bench@v0.1.0", "org/other")


@pytest.fixture
def board(tmp_path: Path) -> Path:
    folder = tmp_path / "leaderboard"
    (folder / "pkg" / "__pycache__").mkdir(parents=True)
    (folder / "pkg" / "__pycache__" / "x.pyc").write_bytes(b"x")
    (folder / ".secret").write_text("x", encoding="utf-8")
    (folder / "README.md").write_text(CARD, encoding="utf-8")
    (folder / "requirements.txt").write_text("gradio>=6\n# scopebench lies beside\n", "utf-8")
    (folder / "app.py").write_text("import pkg.page\n", encoding="utf-8")
    (folder / "pkg" / "page.py").write_text(
        "import scopebench, scopebench.hub.names\n"
        "print(scopebench.__version__, scopebench.__file__)\n",
        encoding="utf-8",
    )
    return folder


def _deploy(board: Path, remote: Remote, **more: object) -> list[str]:
    return deploy_space(SPACE, "org/results", DATASETS, board, dry_run=False, remote=remote, **more)


def _space(loopback: LoopbackHub) -> Repo:
    return loopback.repo("space", SPACE)


def test_a_dry_run_lists_settings_and_files_and_asks_nothing(
    loopback: LoopbackHub, board: Path, remote: Remote
) -> None:
    told = deploy_space(SPACE, "org/results", DATASETS, board, dry_run=True, remote=remote)
    assert loopback.requests == []
    assert told[:3] == [
        "Space org/board: create it, of sdk gradio, where it is not there",
        "variable SCOPEBENCH_LEADERBOARD_RESULTS=org/results",
        "variable SCOPEBENCH_LEADERBOARD_BENCHMARK=org/bench@v0.1.0 org/other",
    ]
    assert all(line.startswith("file ") for line in told[3:])
    names = {line.split()[1] for line in told[3:]}
    assert {"README.md", "app.py", "pkg/page.py", "requirements.txt"} <= names
    assert {"scopebench/hub/names.py", "scopebench/construct/relations.toml"} <= names
    assert not [name for name in names if "__pycache__" in name or "/." in f"/{name}"]


def test_the_space_runs_what_was_sent(
    loopback: LoopbackHub, board: Path, remote: Remote, tmp_path: Path
) -> None:
    done = _deploy(board, remote)
    space = _space(loopback)
    assert done[0] == f"Space org/board is there: {loopback.url}/spaces/org/board"
    assert space.sdk == "gradio"
    assert space.variables == {
        "SCOPEBENCH_LEADERBOARD_RESULTS": "org/results",
        "SCOPEBENCH_LEADERBOARD_BENCHMARK": "org/bench@v0.1.0 org/other",
    }
    assert len(space.history) == 2
    card = space.files["README.md"].decode()
    assert "datasets:\n- org/results\n- org/bench\n- org/other\n" in card
    assert card.endswith("# Board\n")
    root = tmp_path / "space"
    for name, content in space.files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    ran = subprocess.run([sys.executable, "app.py"], cwd=root, capture_output=True, text=True)
    where = root / "scopebench" / "__init__.py"
    assert ran.stdout.split() == [scopebench.__version__, str(where)], ran.stderr


def test_a_second_deployment_changes_only_what_differs(
    loopback: LoopbackHub, board: Path, remote: Remote
) -> None:
    _deploy(board, remote)
    space = _space(loopback)
    head = space.head.oid
    told = _deploy(board, remote)
    assert space.head.oid == head
    assert told[1:3] == [
        "variable SCOPEBENCH_LEADERBOARD_RESULTS is org/results already",
        "variable SCOPEBENCH_LEADERBOARD_BENCHMARK is org/bench@v0.1.0 org/other already",
    ]
    assert told[3].endswith(f"are there already, at {head}")
    (board / "pkg" / "page.py").rename(board / "pkg" / "sheet.py")
    _deploy(board, remote, variables={"SCOPEBENCH_LEADERBOARD_QUEUE_SIZE": "9"})
    assert {"pkg/sheet.py"} == {name for name in space.files if name.startswith("pkg/")}
    assert space.variables["SCOPEBENCH_LEADERBOARD_QUEUE_SIZE"] == "9"


def test_files_of_others_and_of_an_earlier_version(
    loopback: LoopbackHub, board: Path, remote: Remote
) -> None:
    _deploy(board, remote)
    space = _space(loopback)
    blob = space.head.files["README.md"]
    added = {"notes.txt": blob, "data/x.csv": blob, "scopebench-0.0.1.dist-info/METADATA": blob}
    change = {"header": {"summary": "by hand"}, "deleted": [], "deleted_folders": []}
    space.commit("main", change | {"files": added}, create_pr=False)
    told = _deploy(board, remote)
    assert "1 deleted" in told[-1]
    assert {"notes.txt", "data/x.csv"} <= set(space.files)
    assert "scopebench-0.0.1.dist-info/METADATA" not in space.files


@pytest.mark.parametrize("path", ["/repos/create", "/variables", "/commit/"])
@pytest.mark.parametrize("kind", ["lost", "refused"])
def test_a_lost_answer_makes_one_commit(
    loopback: LoopbackHub, board: Path, remote: Remote, path: str, kind: str
) -> None:
    loopback.inject(kind, path)
    _deploy(board, remote)
    assert len(_space(loopback).history) == 2
    assert len(_space(loopback).variables) == 2


@pytest.mark.parametrize("line", ["scopebench", "scopebench[leaderboard]==0.1.0", "scopebench @ x"])
def test_requirements_that_bring_the_package_need_no_sources(board: Path, line: str) -> None:
    (board / "requirements.txt").write_text(f"gradio>=6\n{line}\n", encoding="utf-8")
    plan = plan_space(SPACE, "org/results", (), board)
    assert set(plan.files) == {"README.md", "app.py", "pkg/page.py", "requirements.txt"}
    assert plan.variables == {"SCOPEBENCH_LEADERBOARD_RESULTS": "org/results"}


def test_what_may_not_be_deployed(board: Path) -> None:
    def refused(said: str, **more: object) -> None:
        with pytest.raises(DataError, match=said):
            plan_space(SPACE, "org/results", DATASETS, board, **more)

    token = "hf_" + "y" * 34
    refused("variables of a Space are public", variables={"KEY": token})
    (board / "pkg" / "page.py").write_text(f"x = '{token}'", encoding="utf-8")
    refused("file pkg/page.py: holds what looks like a token")
    (board / "pkg" / "page.py").unlink()
    (board / "README.md").write_text(CARD.replace("app.py", "main.py"), encoding="utf-8")
    refused("field app_file: names no file of the folder")
    (board / "README.md").write_text(CARD.replace("gradio", "docker"), encoding="utf-8")
    refused("field sdk: not the card of a Gradio Space")
    (board / "README.md").write_text("---\na: [\n---\n", encoding="utf-8")
    refused("the front matter cannot be read")
    (board / "requirements.txt").unlink()
    refused("the file is missing")
    with pytest.raises(HubError, match="give ORG/NAME"):
        plan_space("board", "org/results", DATASETS, board)
    with pytest.raises(HubError, match="give ORG/NAME"):
        plan_space(SPACE, "org/results", ["bench@v1"], board)
