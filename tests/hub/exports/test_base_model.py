"""Task folders for harnesses: every negative is asked, and each can be credited."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from scopebench.construct import read_benchmark
from scopebench.errors import DataError
from scopebench.hub.exports import AbstainPrompt, ExportOptions, render, write
from scopebench.hub.exports.base_model import BaseModelTask
from scopebench.hub.exports.lm_eval import _yaml
from scopebench.scoring.match import ORDINARY_REFUSALS


def rows_of(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "queries.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


@pytest.fixture
def task(folders: dict[str, Path], prompt: AbstainPrompt, tmp_path: Path) -> Path:
    """The lm-eval folder of the small starter."""
    write(render("lm-eval", [folders["bench"]], ExportOptions(prompt=prompt)), tmp_path / "task")
    return tmp_path / "task"


def loaded(task: Path) -> ModuleType:
    """Import the folder's functions as the harness does: from their path, by no package."""
    spec = importlib.util.spec_from_file_location("utils", task / "utils.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["lm-eval", "inspect"])
def test_every_out_of_scope_query_is_asked_once(
    folders: dict[str, Path], prompt: AbstainPrompt, tmp_path: Path, name: str
) -> None:
    write(render(name, [folders["bench"]], ExportOptions(prompt=prompt)), tmp_path)
    rows = rows_of(tmp_path)
    benchmark = read_benchmark(folders["bench"])
    asked = [
        query
        for splits in benchmark.datasets.values()
        for (_, population), part in splits.queries.items()
        if population == "curated"
        for query in part
    ]
    # `side_fact` is out of scope under one condition and in scope under the others.
    queries = {query.query_id: query for query in asked if not query.in_scope}
    outside = set(queries)
    assert 0 < len(outside) < len({query.query_id for query in asked})
    assert Counter(row["query_id"] for row in rows) == Counter(outside)
    # Those without gold are not filtered out, and are told apart from those that are.
    silent = {row["query_id"] for row in rows if not row["scorable"]}
    assert silent == {key for key in outside if queries[key].answers is None}
    assert silent
    for row in rows:
        query = queries[row["query_id"]]
        assert row["prompt"] == f"{query.form}> {query.question}"
        assert tuple(row["answers"]) == (query.answers or ())
    about = json.loads((tmp_path / "about.json").read_text())
    assert (about["queries"], about["scorable"]) == (len(rows), len(rows) - len(silent))


def test_a_right_answer_is_credited_and_a_refusal_never(task: Path) -> None:
    functions = loaded(task)
    for row in functions.load_queries(version=1.0)["test"]:
        for gold in row["answers"]:
            scores = functions.process_results(row, [f"\n {gold}\n\nQ: and then?"])
            kind = f"known_{row['kind']}"
            assert scores == {"refused": 0.0, "known": 1.0, kind: 1.0, "known_paper": 1.0}
        for refusal in ORDINARY_REFUSALS:
            scores = functions.process_results(row, [refusal])
            assert scores["refused"] == 1.0
            assert scores.get("known", 0.0) == 0.0
            assert ("known" in scores) == row["scorable"]


def test_another_matcher_is_refused(task: Path) -> None:
    about = json.loads((task / "about.json").read_text())
    about["matchers"]["strict"] = "strict/0"
    (task / "about.json").write_text(json.dumps(about))
    with pytest.raises(RuntimeError, match=r"strict/0.*export it again"):
        loaded(task).load_queries()


class Loader(yaml.SafeLoader):
    """Reads `!function` as its text."""


Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


def test_the_yaml_names_every_metric_that_the_functions_give(task: Path) -> None:
    (path,) = task.glob("*.yaml")
    config = yaml.load(path.read_text(), Loader)  # derived from SafeLoader
    assert config["task"] == path.stem == "scopebench_curated_base_model"
    assert config["process_results"] == "utils.process_results"
    assert config["generation_kwargs"] == {"until": [], "do_sample": False, "max_gen_toks": 16}
    named = {metric["metric"] for metric in config["metric_list"]}
    kinds = {row["kind"] for row in rows_of(task) if row["scorable"]}
    assert named == {"known", "known_paper", "refused"} | {f"known_{kind}" for kind in kinds}


def test_a_kind_of_somebodys_own_cannot_leave_its_scalar() -> None:
    kind = 'x"\nprocess_results: !!python/name:os.system'
    rows = ({"kind": kind, "scorable": True},)
    text = _yaml(BaseModelTask(rows, {"max_new_tokens": 16}), "t")
    config = yaml.load(text, Loader)  # derived from SafeLoader
    assert config["process_results"] == "utils.process_results"
    assert config["metric_list"][-1]["metric"] == f"known_{kind}"


def test_nothing_of_a_benchmark_stands_in_code(
    folders: dict[str, Path], prompt: AbstainPrompt
) -> None:
    for name in ("lm-eval", "inspect"):
        texts = [
            render(name, [folders[of]], ExportOptions(population=population, prompt=prompt)).files
            for of, population in (("bench", "curated"), ("other", "withheld"))
        ]
        (code,) = (path for path in texts[0] if path.endswith(".py"))
        assert texts[0][code] == texts[1][code]
        assert texts[0]["queries.jsonl"] != texts[1]["queries.jsonl"]


def test_the_code_is_kept_to_the_rules_of_the_house(
    folders: dict[str, Path], prompt: AbstainPrompt, tmp_path: Path
) -> None:
    for name in ("lm-eval", "inspect"):
        write(render(name, [folders["bench"]], ExportOptions(prompt=prompt)), tmp_path / name)
    ruff = Path(sys.executable).with_name("ruff")
    settings = Path(__file__).resolve().parents[3] / "pyproject.toml"
    for command in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [ruff, *command, "--config", settings, "--no-cache", tmp_path],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_population_without_negatives_is_refused(
    folders: dict[str, Path], prompt: AbstainPrompt
) -> None:
    with pytest.raises(DataError, match="'original' is out of scope"):
        render("lm-eval", [folders["bench"]], ExportOptions(population="original", prompt=prompt))


def test_a_run_is_no_benchmark(folders: dict[str, Path], prompt: AbstainPrompt) -> None:
    with pytest.raises(DataError, match="not a built benchmark"):
        render("inspect", [folders["inlay"]], ExportOptions(prompt=prompt))
