"""`scopebench export` from the command line: what it writes, and how it says no."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scopebench import cli
from scopebench.construct import BuildOptions, build_benchmark, read_benchmark
from scopebench.hub.exports import FORMATS
from scopebench.registry import discover
from scopebench.run.engine import Job, run_job
from scopebench.testing import toy_context

HELP = "Export runs or a benchmark for the Hub, LaTeX, CSV, lm-eval or Inspect."


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a benchmark, `bench`, and a run on it, `base`."""
    folder = tmp_path_factory.mktemp("export-verb")
    build_benchmark(None, folder / "bench", BuildOptions(limit=6, curated_size=12))
    bench = read_benchmark(folder / "bench")
    run_job(Job(bench, discover().get("base"), toy_context(), folder / "base"))
    run_job(Job(bench, discover().get("base"), toy_context(), folder / "limited", limit=2))
    return folder


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch, folders: Path) -> None:
    monkeypatch.setitem(cli.VERBS, "export", HELP)
    monkeypatch.chdir(folders)


def export(*arguments: object) -> int:
    """Run the verb and return its exit code."""
    with pytest.raises(SystemExit) as ended:
        cli.main(["export", *map(str, arguments)])
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_writes_what_it_names(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "out"
    source = "bench" if FORMATS[name].reads == "benchmark" else "base"
    assert export(source, "--format", name, "--dataset-id", "org/bench", "--out", out) == 0
    told = capsys.readouterr()
    written = sorted(path for path in (tmp_path / "new").rglob("*") if path.is_file())
    assert sorted(map(Path, told.out.splitlines())) == written
    assert out.is_file() == (FORMATS[name].writes == "file")
    assert all(path.stat().st_size > 0 for path in written)
    if name == "hf-eval-results":
        # `base` gives no scope score; an undefined metric is told, not written as a zero.
        assert "left out auroc:" in told.err
        assert not [path for path in written if "auroc" in path.name]


def test_the_prompt_set_is_the_one_asked_for(tmp_path: Path) -> None:
    from scopebench.models.prompts import PROMPT_SETS

    assert export("bench", "--format", "inspect", "--prompts", "gemma3", "--out", tmp_path) == 0
    about = json.loads((tmp_path / "about.json").read_text())
    assert about["prompts"] == f"gemma3/1/{PROMPT_SETS['gemma3'].fingerprint()}"
    rows = map(json.loads, (tmp_path / "queries.jsonl").read_text().splitlines())
    assert all(
        row["prompt"] == PROMPT_SETS["gemma3"].abstain(row["question"], row["form"]) for row in rows
    )


def test_the_task_of_another_harness_is_not_overwritten(
    folders: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["bench", "--format", "lm-eval", "--out", str(tmp_path)]
    assert export(*asked) == export(*asked) == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*")}
    assert export("bench", "--format", "inspect", "--out", tmp_path) == 2
    assert "belongs to a task for lm-eval" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "--format", "csv", "--out", "x.csv"], "nowhere/run.json: no such result"),
        (["base", "--format", "lm-eval", "--out", "x"], "not a built benchmark"),
        (["bench", "--format", "latex", "--out", "x"], "no such result"),
        (["base", "--format", "docx", "--out", "x"], "'docx' is not one of"),
        (["base", "--format", "csv", "--out", "bench"], "bench is a folder; give a file"),
        (["bench", "--format", "inspect", "--out", "base/run.json"], "is a file; give a folder"),
        (["base", "--format", "csv", "--out", "base/run.json/x"], "cannot write"),
        (["base", "--format", "hf-eval-results", "--out", "x"], "--dataset-id"),
        (["limited", "--format", "model-card", "--out", "x"], "a limited run"),
        (["base", "--format", "latex"], "Missing option '--out'"),
    ],
)
def test_bad_input_is_told_and_exits_with_2(
    arguments: list[str],
    message: str,
    folders: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = sorted(folders.rglob("*"))
    assert export(*arguments) == 2
    told = capsys.readouterr()
    assert message in told.err
    assert told.out == ""
    assert sorted(folders.rglob("*")) == before
