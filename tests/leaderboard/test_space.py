from __future__ import annotations

import ast
import re
from importlib.metadata import version
from pathlib import Path

import pytest
from huggingface_hub import SpaceCard
from packaging.requirements import Requirement

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

    assert top <= {"__future__", "logging", "os", "sys", "scopebench.errors"}


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
