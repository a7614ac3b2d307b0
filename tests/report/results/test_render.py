"""Results rendered from run folders: what the rows say, the same bytes twice, no hand's edit."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

from scopebench.errors import DataError
from scopebench.report.results.plan import WANTED, Wanted, build_command, score_command
from scopebench.report.results.render import PAGE, PICTURE, README, rendered
from scopebench.report.results.runs import Runs, read_runs
from scopebench.scoring.summary import Settings

ROOT = Path(__file__).resolve().parents[3]
QUICK = Settings(n_resamples=50)
EMPTY = "".join(
    f"<!-- results:begin {name} --><!-- results:end {name} -->\n"
    for name in ("headroom", "picture", "output")
)


@pytest.fixture(scope="module")
def runs(runs_folder: Path, wanted: Sequence[Wanted]) -> Runs:
    return read_runs(runs_folder, wanted, QUICK)


@pytest.fixture(scope="module")
def files(runs: Runs, wanted: Sequence[Wanted]) -> dict[str, str]:
    return rendered(EMPTY, runs, wanted)


@pytest.fixture(scope="module")
def rows(runs_folder: Path) -> pd.DataFrame:
    """One row a query and condition: whether each legal action is right."""
    folder = runs_folder / "mquake_cf" / "inlay"
    outcomes = pd.read_parquet(folder / "outcomes.parquet")
    legal = outcomes[outcomes["legal"] & outcomes["correct"].notna()]
    wide = legal.pivot(index=["query_id", "condition"], columns="action", values="correct")
    wide["population"] = [query.rpartition("/")[2] for query, _ in wide.index]
    return wide


def line_of(text: str, head: str, after: str) -> list[str]:
    """Return the entries of the first table line of that head after some words."""
    part = text[text.index(after) :]
    found = re.search(rf"^\| {re.escape(head)} \|(.*)\|$", part, re.M)
    assert found is not None
    return [entry.strip() for entry in found.group(1).split("|")]


@pytest.mark.parametrize("population", ["original", "withheld", "curated"])
def test_headroom_is_what_the_rows_say(
    files: dict[str, str], rows: pd.DataFrame, population: str
) -> None:
    here = rows[rows["population"] == population]
    best = here[["recite", "reason", "abstain"]].astype("boolean").any(axis=1).mean()
    static = here["recite"].where(here["recite"].notna(), here["reason"]).astype(bool).mean()
    line = line_of(files[PAGE], population, "**all cells, all rows**")
    gain = f"{(best - static) * 100:+.2f}" if best > static else "0.00"
    assert line[:2] == [f"{static:.1%}", f"{best:.1%}"]
    assert line[2].startswith(f"{gain} (")
    assert line[4] == str(len(here))
    assert f"**{gain}** points on `{population}` (" in files[README]
    for scheme in ("light", "dark"):
        picture = files[PICTURE.format(scheme=scheme)]
        assert f">{gain}</text>" in picture
        assert f">{static:.1%} → {best:.1%}</text>" in picture


def test_every_editor_is_judged_on_its_own_rows(files: dict[str, str], runs_folder: Path) -> None:
    """`static` fires on every row, so it misses none and its false fires are all of them."""
    decisions = pd.read_parquet(runs_folder / "mquake_cf" / "static" / "decisions.parquet")
    curated = decisions[decisions["population"] == "curated"]
    right = curated.apply(lambda row: row["edit_id"] in row["governing_edit_ids"], axis=1).mean()
    place = files[PAGE].index("Editors on the same rows")
    page = files[PAGE][place:]
    line = line_of(page, "static", "**curated**")
    assert line[2].startswith(f"{right:.1%}")
    assert line[3].startswith("100.0%")
    assert line[4].startswith("0.0%")


def test_every_section_says_what_it_rests_on(files: dict[str, str], runs_folder: Path) -> None:
    run = json.loads((runs_folder / "mquake_cf" / "inlay" / "run.json").read_text())
    sections = files[PAGE].split("\n## ")[1:-1]
    assert len(sections) == 7
    for section in sections:
        about = next(line for line in section.splitlines() if line.startswith("*Data: "))
        for told in ("Model: ", "Seed 0;", f"Matcher {run['protocol']['matcher']}", "protocol `"):
            assert told in about
        assert "| n |" in section or "n 1" in section
    assert f"`{run['run_id']}` (inlay)" in sections[0]
    assert run["protocol"]["protocol_id"] in sections[0]


def test_a_dash_has_its_reason(files: dict[str, str]) -> None:
    for section in files[PAGE].split("\n### ")[1:]:
        letters = set(re.findall(r"\((?:no interval: )?([a-z])\)", section))
        assert letters == set(re.findall(r"^- \((\w+)\) ", section, re.M))
        assert not re.search(r"\| – \|", section)


def test_the_quoted_lines_are_those_of_the_terminal(files: dict[str, str]) -> None:
    block = re.search(r"```text\n(.*?)\n```", files[README], re.S)
    assert block is not None
    lines = block.group(1).splitlines()
    assert lines[0] == "inlay beside toy-model, all queries"
    assert [line.split()[0] for line in lines[-6:]] == ["pooled", "known"] * 3
    assert max(map(len, lines)) <= 120


def test_the_same_runs_give_the_same_bytes(
    files: dict[str, str], runs: Runs, wanted: Sequence[Wanted]
) -> None:
    """Also where the places hold what was rendered before."""
    assert rendered(files[README], runs, wanted) == files


def test_a_run_that_is_not_there_or_not_the_one_wanted_is_named(
    runs_folder: Path, wanted: Sequence[Wanted], tmp_path: Path
) -> None:
    with pytest.raises(DataError, match="mquake_cf/rag: the run is not there; make it with"):
        read_runs(runs_folder, [Wanted("mquake_cf", "rag", "rag"), *wanted])
    with pytest.raises(DataError, match="its limit is None, and 48 is wanted"):
        read_runs(runs_folder, [Wanted("starter", "inlay", "inlay", 48)])
    with pytest.raises(DataError, match="its editor is inlay, and rag is wanted"):
        read_runs(runs_folder, [Wanted("starter", "inlay", "rag")])
    shutil.copytree(runs_folder / "starter", tmp_path / "rippleedits")
    with pytest.raises(DataError, match=r"its data set is .*, and rippleedits is wanted"):
        read_runs(tmp_path, [Wanted("rippleedits", "inlay", "inlay")])
    with pytest.raises(DataError, match="there is no run of inlay on starter"):
        rendered(EMPTY, read_runs(runs_folder, wanted[1:2], QUICK), wanted)


def test_a_run_of_another_protocol_or_a_changed_table_is_refused(
    runs_folder: Path, wanted: Sequence[Wanted], tmp_path: Path
) -> None:
    shutil.copytree(runs_folder, tmp_path / "runs")
    folder = tmp_path / "runs" / "mquake_cf" / "static"
    told = json.loads((folder / "run.json").read_text())
    told["protocol"]["protocol_id"] = "beef"
    (folder / "run.json").write_text(json.dumps(told))
    with pytest.raises(DataError, match="its protocol and model are beef"):
        read_runs(tmp_path / "runs", wanted[:3], QUICK)
    shutil.copy(folder.parent / "inlay" / "decisions.parquet", folder / "decisions.parquet")
    with pytest.raises(DataError, match=r"decisions\.parquet"):
        read_runs(tmp_path / "runs", wanted[2:3])


def test_numbers_are_those_of_the_tables_and_not_of_the_result(
    runs: Runs, runs_folder: Path, wanted: Sequence[Wanted], tmp_path: Path
) -> None:
    """A number typed into `run.json` is never shown."""
    shutil.copytree(runs_folder / "starter", tmp_path / "starter")
    file = tmp_path / "starter" / "inlay" / "run.json"
    told = json.loads(file.read_text())
    for cell in told["pooled"]:
        cell["static_fixed"] = cell["oracle"] = 0.123
    file.write_text(json.dumps(told))
    (one,) = (one for one in wanted if (one.source, one.name) == ("starter", "inlay"))
    assert read_runs(tmp_path, [one], QUICK)["starter"]["inlay"] == runs["starter"]["inlay"]


@pytest.fixture
def script(wanted: Sequence[Wanted], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The command, of a repository of its own that wants the runs at hand."""
    spec = importlib.util.spec_from_file_location(
        "render_results", ROOT / "docs" / "render_results.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "WANTED", tuple(wanted))
    (tmp_path / README).write_text(EMPTY)
    return module


def test_what_is_edited_by_hand_is_noticed(
    script: ModuleType, files: dict[str, str], tmp_path: Path
) -> None:
    names = sorted(files)
    assert sorted(script.write(files, check=True)) == names
    assert sorted(script.write(files, check=False)) == names
    assert script.write(files, check=True) == []
    readme, page = tmp_path / README, tmp_path / PAGE
    typed = files[README].replace("**0.00**", "**0.01**", 1)
    assert typed != files[README]
    readme.write_text(typed)
    page.write_text("typed")
    assert script.write(files, check=True) == [README, PAGE]
    assert page.read_text() == "typed"


def test_the_check_looks_at_the_places_alone(
    script: ModuleType,
    runs: Runs,
    wanted: Sequence[Wanted],
    runs_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(script, "read_runs", partial(read_runs, settings=QUICK))
    monkeypatch.setattr(script, "WANTED", tuple(wanted[:2]))
    few = {
        "starter": {"inlay": runs["starter"]["inlay"]},
        "mquake_cf": {"inlay": runs["mquake_cf"]["inlay"]},
    }
    files = rendered(EMPTY, few, wanted[:2])
    script.write(files, check=False)
    readme = tmp_path / README
    readme.write_text("A line outside the places.\n" + files[README])
    assert script.main(["--runs", str(runs_folder), "--check"]) == 0
    readme.write_text(files[README].replace("**0.00**", "**0.01**", 1))
    assert script.main(["--runs", str(runs_folder), "--check"]) == 1
    assert (
        capsys.readouterr().err == "README.md: differs from what the runs say: run `make results`\n"
    )


def test_bad_input_is_one_line(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert script.main(["--runs", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_missing_real_file_is_named_before_anything_is_made(
    script: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(script, "DATA", tmp_path / "none")
    assert script.main(["--runs", str(tmp_path / "runs"), "--make"]) == 2
    said = capsys.readouterr().err
    assert "MQuAKE-CF.json: not at hand; set SCOPEBENCH_DATA" in said
    assert not (tmp_path / "runs").exists()


def test_commands_are_those_of_the_plan() -> None:
    assert build_command("counterfact", "data", "out") == [
        *("scopebench", "build"),
        *("--source", "counterfact=data/counterfact/counterfact-edit.json"),
        *("--source", "counterfact=data/counterfact/counterfact-train.json"),
        *("--on-bad-record", "skip", "--out", "out"),
    ]
    assert build_command("starter", "data", "out") == ["scopebench", "build", "--out", "out"]
    sampled = next(one for one in WANTED if one.name == "inlay-sampled")
    assert " ".join(score_command(sampled, "b", "o")) == (
        "scopebench score --editor inlay --benchmark b --limit 16 --temperature 0.7 --draws 3 "
        "--out o"
    )


@pytest.mark.slow
def test_runs_are_made_and_gone_on_with(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = (Wanted("starter", "base", "base", 1),)
    monkeypatch.setattr(script, "WANTED", tiny)
    for _ in range(2):
        script.make(tmp_path / "runs", tiny)
    runs = read_runs(tmp_path / "runs", tiny)
    assert runs["starter"]["base"].benchmark.limit == 1
    assert sys.modules.get("render_results") is None
