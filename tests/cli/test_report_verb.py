"""`scopebench report`, as a person calls it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCOPEBENCH = str(Path(sys.executable).with_name("scopebench"))

TABLE = "query_id,action,correct,scope_score,fired_edit,decision_label\n" + "".join(
    f"q{i},{action},{int((i + at) % 3 == 0)},{i / 10},{'e' * (i % 2)},{'e' * (i % 4 > 0)}\n"
    for i in range(8)
    for at, action in enumerate(("recite", "reason", "abstain"))
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "answers.csv"
    path.write_text(TABLE)
    return path


def report(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [SCOPEBENCH, "report", *map(str, arguments), "--resamples", "100"]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd)


def test_page_markdown_and_figures_are_written_and_named(table: Path, tmp_path: Path) -> None:
    done = report(
        table, "--out", "a/page.html", "--out", "page.md", "--figures", "figures", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    named = done.stdout.split()
    assert named[:2] == ["a/page.html", "page.md"]
    assert all((tmp_path / name).is_file() for name in named)
    assert any(name.endswith(".svg") for name in named)
    assert (tmp_path / "a/page.html").read_text().lstrip().startswith("<!doctype html>")
    assert not list(tmp_path.rglob("*.partial"))


def test_equal_calls_write_equal_bytes(table: Path, tmp_path: Path) -> None:
    report(table, "--out", "one.html", cwd=tmp_path)
    report(table, "--out", "two.html", cwd=tmp_path)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["answers.csv"], "nothing to write"),
        (["answers.csv", "--out", "page.pdf"], "ends in none of .html, .htm, .md"),
        (["nowhere", "--out", "page.html"], "nowhere"),
        (["answers.csv", "--out", "page.html", "--mix", "2"], "'2' is not a share from 0 to 1"),
        (["answers.csv", "--out", "page.html", "--mix", "direct=1"], "no row is of kind 'direct'"),
        (["answers.csv", "--out", "page.html", "--static", "reason,,"], "different actions"),
        (["answers.csv", "--out", "answers.csv/page.html"], "answers.csv/page.html"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    table: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    done = report(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not (tmp_path / "page.html").exists()
