"""Promises about the whole tree: which way imports point, and what importing costs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "scopebench"

ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "records": {"errors"},
    "protocols": {"records", "errors"},
    "registry": {"protocols", "records", "errors"},
    "cache_dir": {"errors"},
    "disk_errors": {"errors"},
    "sources": {"records", "errors", "cache_dir", "disk_errors"},
    "scoring": {"records", "errors"},
    "construct": {"records", "errors", "cache_dir", "disk_errors", "sources", "scoring"},
    "models": {
        "records",
        "errors",
        "disk_errors",
        "protocols",
        "cache_dir",
        "construct",
        "sources",
    },
    "run": {
        "records",
        "errors",
        "disk_errors",
        "protocols",
        "registry",
        "construct",
        "scoring",
        "models",
    },
    "testing": {"records", "errors", "protocols", "registry"},
    "judge": {"protocols", "scoring"},
    "new_editor": {"errors", "disk_errors", "registry"},
    "validate": {"records", "errors", "sources", "scoring", "construct", "run"},
    "audit": {"records", "errors", "disk_errors", "sources", "scoring", "construct"},
    "cache": {"errors", "cache_dir", "disk_errors", "sources", "construct", "models"},
    "doctor": {"errors", "cache_dir", "sources", "models", "cache"},
    "report": {
        "records",
        "errors",
        "disk_errors",
        "scoring",
        "construct",
        "run",
        "validate",
        "audit",
        "cache",
        "doctor",
    },
    "hub": {
        "records",
        "errors",
        "cache_dir",
        "disk_errors",
        "scoring",
        "construct",
        "run",
        "validate",
        "audit",
    },
    "reproduce": {
        "records",
        "errors",
        "disk_errors",
        "protocols",
        "registry",
        "construct",
        "scoring",
        "models",
        "run",
        "hub",
    },
    "api": set(),  # puts the parts together, so it may use everything but the command line
    "cli": set(),  # its own table is below
}
"""Which parts a part may import: docs/architecture.md draws the same arrows."""

HEAVY = {
    "torch",
    "transformers",
    "sentence_transformers",
    "datasets",
    "gradio",
    "sklearn",
    "matplotlib",
}


def _modules(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


SHIPPED = [
    path for folder in ("scopebench", "editors", "leaderboard") for path in _modules(ROOT / folder)
]


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def _part(path: Path) -> str:
    first = path.relative_to(CORE).parts[0]
    return first.removesuffix(".py")


@pytest.mark.parametrize("path", _modules(CORE), ids=lambda path: str(path.relative_to(ROOT)))
def test_core_imports_point_one_way(path: Path) -> None:
    part = _part(path)
    if part in {"__init__", "__main__", "api", "cli"}:
        return
    for name in _imports(path):
        assert not name.startswith(("scopebench_editors", "scopebench_leaderboard")), name
        if name.startswith("scopebench."):
            other = name.split(".")[1]
            assert other == part or other in ALLOWED[part], f"{part} must not import {other}"


@pytest.mark.parametrize(
    "path", _modules(ROOT / "editors"), ids=lambda path: str(path.relative_to(ROOT))
)
def test_editors_import_only_records_models_and_protocols(path: Path) -> None:
    for name in _imports(path):
        if name.startswith("scopebench."):
            assert name.split(".")[1] in {"records", "errors", "protocols", "models"}, name


PRINTING = {
    f"report.{name}" for name in ("audit", "console", "findings", "numbers", "query", "upkeep")
}
"""The modules of `report` that print on a terminal."""


@pytest.mark.parametrize(
    "path", _modules(CORE / "cli"), ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_command_line_is_a_layer_over_the_api(path: Path) -> None:
    """No verb reads files, loads models or puts parts together: the same call does from Python."""
    for name in _imports(path):
        assert not name.startswith(("scopebench_editors", "scopebench_leaderboard")), name
        if name.startswith("scopebench."):
            below = name.removeprefix("scopebench.")
            assert below.split(".")[0] in {"api", "cli", "errors"} or below in PRINTING, name


@pytest.mark.parametrize(
    "path", _modules(CORE / "api"), ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_api_knows_nothing_of_the_command_line(path: Path) -> None:
    for name in _imports(path):
        assert name != "click"
        assert not name.startswith(("click.", "scopebench.cli", "scopebench_editors")), name


def test_the_public_names_are_there_and_named_once() -> None:
    code = (
        "import scopebench as sb; import scopebench.validate; "
        "print(sorted(name for name in sb.__all__ if not hasattr(sb, name)), callable(sb.validate),"
        " sorted(sb.__all__, key=str.lower) == sorted(set(sb.__all__), key=str.lower),"
        " set(sb.__all__) - {'__version__'} == set(sb._HOME))"
    )
    assert _python(code) == "[] True True True"


LEADERBOARD_MAY_USE = {
    *("records", "errors", "cache_dir", "disk_errors", "scoring", "construct", "run", "validate"),
    *("report", "hub"),
}


@pytest.mark.parametrize(
    "path", _modules(ROOT / "leaderboard"), ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_leaderboard_imports_neither_models_nor_editors(path: Path) -> None:
    for name in _imports(path):
        assert not name.startswith("scopebench_editors"), name
        if name.startswith("scopebench."):
            assert name.split(".")[1] in LEADERBOARD_MAY_USE, name


RUNS_WHAT_IT_READS = re.compile(
    r"\b(pickle|marshal|dill|joblib)\b|yaml\.(unsafe_|full_)?load\(|allow_pickle\s*=\s*True"
    r"|\btorch\.load\(|(?<![\w.])(eval|exec)\("
)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_that_is_read_is_executed(path: Path) -> None:
    code = "\n".join(_code_lines(path))
    found = RUNS_WHAT_IT_READS.search(code)
    assert found is None, f"{found.group()!r}: read data as data" if found else ""


def _code_lines(path: Path) -> list[str]:
    """Return the code of a module without its texts and comments."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.unparse(tree).splitlines()


def _python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    "statement",
    [
        "import scopebench",
        "import scopebench as sb; sb.score, sb.headroom, sb.build, sb.load",
        "import scopebench.cli",
        "from scopebench.registry import discover; assert not discover().broken",
        "import scopebench.sources",
        "import scopebench.records",
        "import scopebench.construct.reader",
        "import scopebench.models.packaged",
    ],
)
def test_light_imports_load_nothing_heavy(statement: str) -> None:
    code = f"import sys; {statement}; print(' '.join({HEAVY!r} & set(sys.modules)))"
    assert _python(code) == ""


def test_help_answers_in_half_a_second() -> None:
    command = [str(Path(sys.executable).with_name("scopebench")), "--help"]
    subprocess.run(command, capture_output=True, check=True)  # warm the disk
    seconds = []
    for _ in range(3):
        begun = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        seconds.append(time.perf_counter() - begun)
    assert min(seconds) < 0.5


@pytest.mark.parametrize(
    "path",
    SHIPPED,
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_modules_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 450
