"""`new-editor`: a package that is whole, whose test passes, and that lists, scores and submits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scopebench as sb
from scopebench.errors import DataError, UsageError
from scopebench.hub.names import safe_name
from scopebench.new_editor import NAME

SCOPEBENCH = Path(sys.executable).with_name("scopebench")


def scopebench(*arguments: object, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    variables = os.environ | ({} if path is None else {"PYTHONPATH": str(path)})
    return subprocess.run(
        [str(SCOPEBENCH), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=variables,
    )


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sb.new_editor("my-gate", tmp_path_factory.mktemp("new") / "my-gate")


def test_the_package_passes_its_own_test(package: Path) -> None:
    files = {str(path.relative_to(package)) for path in package.rglob("*") if path.is_file()}
    assert files == {
        "README.md",
        "pyproject.toml",
        "scopebench_my_gate/__init__.py",
        "scopebench_my_gate/editor.py",
        "scopebench_my_gate/info.py",
        "tests/test_editor.py",
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", package],
        capture_output=True,
        text=True,
        check=False,
        cwd=package,
    )
    assert done.returncode == 0, done.stdout
    assert "15 passed" in done.stdout
    for text in (path.read_text("utf-8") for path in package.rglob("*.*") if path.is_file()):
        assert "{{" not in text


def test_the_package_is_well_kept(package: Path) -> None:
    for arguments in (("check", "--select", "E,F,I,B,UP"), ("format", "--check")):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", arguments[0], "--isolated", "--line-length", "100",
             *arguments[1:], package],
            capture_output=True,
            text=True,
            check=False,
            cwd=package,  # what is here is the package's own, and nothing else
            )  # fmt: skip
        assert done.returncode == 0, done.stdout


def test_it_is_scored_from_its_file_before_it_is_installed(
    package: Path, bench: sb.BuiltBenchmark, toys: dict[str, object], tmp_path: Path
) -> None:
    reference = f"{package / 'scopebench_my_gate' / 'editor.py'}:MyGateEditor"
    run = sb.score(reference, bench, **toys)  # type: ignore[arg-type]
    assert sb.verify(run, benchmark=bench).ok
    # The two questions of a place have three words of seven apart at most: each fires on its own.
    decided = run.decisions.to_pandas().query("population == 'original'")
    assert set(decided.action) == {"recite"}
    assert run.result.pooled[0].accuracy["recite"] == 1


def test_nothing_is_overwritten(package: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in package.rglob("*") if path.is_file()}
    with pytest.raises(DataError, match="is there already"):
        sb.new_editor("my-gate", package)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for taken in ("file", "dangling"):
        with pytest.raises(DataError, match="is there already"):
            sb.new_editor("other", tmp_path / taken)
    assert {path: path.read_bytes() for path in before} == before
    (tmp_path / "empty").mkdir()
    assert (sb.new_editor("other", tmp_path / "empty") / "pyproject.toml").is_file()
    assert {path.name for path in tmp_path.iterdir()} == {"file", "dangling", "empty"}


@pytest.mark.parametrize(
    "name", ["", "Mine", "1st", "a/b", "../up", "a b", "a--b", "-a", "a-", "ä", "x" * 41, "a.b"]
)
def test_a_bad_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot name an editor"):
        sb.new_editor(name, tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


@given(st.from_regex(NAME, fullmatch=True))
def test_a_name_that_is_allowed_may_stand_on_a_board(name: str) -> None:
    assert len(name) > 40 or safe_name(name) == name or name in {"con", "prn", "aux", "nul"}


def test_the_verb_says_what_is_next_and_refuses_in_one_line(tmp_path: Path) -> None:
    done = scopebench("new-editor", "mine", "--out", tmp_path / "mine")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{tmp_path / 'mine'}\n"
    assert "pip install -e" in done.stderr
    for arguments, said in (
        (("mine", "--out", tmp_path / "mine"), "is there already"),
        (("inlay", "--out", tmp_path / "inlay"), "an editor that is called 'inlay' is installed"),
        (("Mine", "--out", tmp_path / "x"), "'Mine' cannot name an editor"),
    ):
        refused = scopebench("new-editor", *arguments)
        assert refused.returncode == 2
        assert refused.stdout == ""
        [line] = refused.stderr.splitlines()
        assert said in line


@pytest.mark.slow
def test_from_nothing_to_a_first_table_in_five_minutes(
    smollm2_dir: Path, bench: sb.BuiltBenchmark, tmp_path: Path
) -> None:
    """Written, installed, tested, listed, scored with the real model, verified and submitted."""
    begun = time.monotonic()
    package, site, run = tmp_path / "my-gate", tmp_path / "site", tmp_path / "run"
    assert scopebench("new-editor", "my-gate", "--out", package).returncode == 0
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--target", site, package], check=True)
    listed = json.loads(scopebench("list", "editors", "--json", path=site).stdout)
    assert "my-gate" in {editor["name"] for editor in listed}
    scored = scopebench(
        "score", "--editor", "my-gate", "--benchmark", bench.path, "--out", run, path=site
    )
    assert scored.returncode == 0, scored.stderr
    assert "my-gate beside smollm2-135m" in scored.stdout
    assert time.monotonic() - begun < 300
    (tmp_path / "results").mkdir()
    submitted = scopebench(
        "submit", run, "--to", tmp_path / "results", "--benchmark", bench.path, path=site
    )
    assert submitted.returncode == 0, submitted.stderr
    assert "my-gate" in submitted.stdout
