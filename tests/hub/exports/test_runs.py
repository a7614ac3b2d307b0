"""Which runs an export takes, and that it takes no number from `run.json`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from scopebench.errors import DataError
from scopebench.hub.exports import FORMATS, ExportOptions, render
from scopebench.hub.exports.runs import read_runs

OF_RUNS = [name for name, each in FORMATS.items() if each.reads != "benchmark"]
OPTIONS = ExportOptions(dataset_id="org/bench")


def quiet(text: str) -> None:
    pass


def copied(run: Path, tmp_path: Path) -> Path:
    return shutil.copytree(run, tmp_path / run.name)


@pytest.mark.parametrize("name", OF_RUNS)
def test_numbers_written_into_run_json_are_not_believed(
    folders: dict[str, Path], tmp_path: Path, name: str
) -> None:
    honest = render(name, [folders["inlay"]], OPTIONS)
    run = copied(folders["inlay"], tmp_path)
    told = json.loads((run / "run.json").read_text())
    for part in (*told["pooled"], *told["router"], *told["paper_matcher"]["router"]):
        for metric in ("headroom", "gain", "scope_accuracy", "auroc"):
            if metric in part:
                part[metric] = {"value": 0.987654, "low": 0.98, "high": 0.99, "method": "ours"}
    (run / "run.json").write_text(json.dumps(told))
    assert render(name, [run], OPTIONS) == honest


@pytest.mark.parametrize("name", OF_RUNS)
def test_changed_tables_are_refused(folders: dict[str, Path], tmp_path: Path, name: str) -> None:
    run = copied(folders["inlay"], tmp_path)
    shutil.copy(folders["static"] / "decisions.parquet", run)
    with pytest.raises(DataError, match=r"not the one that run\.json was made with"):
        render(name, [run], OPTIONS)


@pytest.mark.parametrize("name", ["csv", "latex"])
def test_runs_of_two_benchmarks_are_refused(folders: dict[str, Path], name: str) -> None:
    with pytest.raises(DataError, match="another benchmark"):
        render(name, [folders["static"], folders["apart"]], OPTIONS)


@pytest.mark.parametrize("name", ["csv", "latex"])
def test_runs_of_two_protocols_are_refused(
    folders: dict[str, Path], tmp_path: Path, name: str
) -> None:
    run = copied(folders["inlay"], tmp_path)
    told = json.loads((run / "run.json").read_text())
    told["protocol"]["protocol_id"] = "feedfeedfeedfeed"
    (run / "run.json").write_text(json.dumps(told))
    with pytest.raises(DataError, match="protocol feedfeedfeedfeed"):
        render(name, [folders["static"], run], OPTIONS)


@pytest.mark.parametrize("name", ["hf-eval-results", "model-card"])
def test_a_limited_run_is_no_result(folders: dict[str, Path], name: str) -> None:
    with pytest.raises(DataError, match="at most 3 queries a cell"):
        render(name, [folders["limited"]], OPTIONS)


@pytest.mark.parametrize("name", ["hf-eval-results", "model-card", "lm-eval", "inspect"])
def test_formats_about_one_thing_take_one_path(folders: dict[str, Path], name: str) -> None:
    with pytest.raises(DataError, match="2 were given"):
        render(name, [folders["inlay"], folders["static"]], OPTIONS)


@pytest.mark.parametrize("name", ["hf-eval-results", "model-card", "latex", "csv"])
def test_a_population_the_run_lacks_is_refused_with_those_it_has(
    folders: dict[str, Path], name: str
) -> None:
    options = ExportOptions(dataset_id="org/bench", population="curated")
    with pytest.raises(DataError, match=r"no rows of population 'curated'.*original or withheld"):
        render(name, [folders["apart"]], options)


def test_runs_of_one_editor_are_told_apart_by_folder(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    again = shutil.copytree(folders["inlay"], tmp_path / "again")
    runs = read_runs([folders["inlay"], folders["static"], again], OPTIONS, quiet)
    assert [run.name for run in runs] == ["inlay (inlay)", "static", "inlay (again)"]


@pytest.mark.parametrize("name", ["csv", "latex"])
def test_equal_inputs_give_equal_texts(folders: dict[str, Path], name: str) -> None:
    assert render(name, [folders["static"]], OPTIONS) == render(name, [folders["static"]], OPTIONS)
