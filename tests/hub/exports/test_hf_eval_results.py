"""The Hub's eval-result entries: read back by the library that serialises them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest
import yaml
from huggingface_hub import EvalResultEntry, parse_eval_result_entries

from scopebench.errors import DataError
from scopebench.hub.exports import ExportOptions, Rendered, render
from scopebench.hub.exports.hf_eval_results import render_run
from scopebench.hub.exports.runs import ScoredRun
from scopebench.scoring.summary import read_reports

REVISION = "0123456789abcdef0123456789abcdef01234567"
MADE = ExportOptions(dataset_id="org/made")


def entries(rendered: Rendered) -> dict[str, EvalResultEntry]:
    """Return the one entry of each file, by its metric."""
    found = {}
    for name, text in rendered.files.items():
        (entry,) = parse_eval_result_entries(yaml.safe_load(text))
        found[PurePosixPath(name).stem.rpartition("-")[2]] = entry
    return found


@pytest.mark.parametrize("matcher", ["strict", "paper"])
def test_values_come_back_and_are_those_of_the_tables(
    folders: dict[str, Path], matcher: str
) -> None:
    options = ExportOptions(matcher, "withheld", "org/bench", REVISION)  # type: ignore[arg-type]
    rendered = render("hf-eval-results", [folders["inlay"]], options)
    strict, paper = read_reports(folders["inlay"])
    router = next(
        row
        for row in (strict if matcher == "strict" else paper).router
        if (row.population, row.dataset, row.kind, row.stratum) == ("withheld", "all", "all", "all")
    )
    found = entries(rendered)
    assert {"scope_accuracy", "false_fire", "miss", "accuracy", "gain"} <= set(found)
    for metric, entry in found.items():
        share = getattr(router, metric).value
        assert entry.value == pytest.approx(100 * share, abs=0.005)
        assert (entry.dataset_id, entry.dataset_revision) == ("org/bench", REVISION)
        assert entry.task_id == f"withheld_{metric}"
        assert f"{matcher} matcher" in entry.notes
    assert all(
        name.startswith(".eval_results/scopebench-inlay-withheld-") for name in rendered.files
    )


def test_notes_say_what_the_number_depends_on(made_run: Callable[..., ScoredRun]) -> None:
    run = made_run({"miss": (0.25, 0.125, 0.5)})
    notes = entries(render_run(run, MADE, "org/made"))["miss"].notes
    assert notes.startswith(
        "miss (%, lower is better); editor inlay 1.0 on toy; "
        "95% interval 12.50 to 50.00 (by hand); population curated, 10 rows in 5 clusters; "
        "strict matcher; protocol p0; benchmark made 1.2, sha256 "
    )
    assert notes.endswith(run.benchmark_hash[:16])


def test_a_metric_without_a_value_is_left_out_and_told(made_run: Callable[..., ScoredRun]) -> None:
    run = made_run(
        {"auroc": (None, None, None), "capture": (0.5, None, None)},
        undefined={"auroc": "no scores", "capture.interval": "one cluster only"},
    )
    rendered = render_run(run, MADE, "org/made")
    found = entries(rendered)
    assert rendered.left_out == ("auroc: no scores",)
    assert "auroc" not in found
    assert "no interval: one cluster only" in found["capture"].notes


@pytest.mark.parametrize("name", ["../../etc/x", "a/b", "=1+1", "é", "x" * 300, ".", "a\nb: c"])
def test_no_name_leaves_the_folder_or_the_yaml(
    made_run: Callable[..., ScoredRun], name: str
) -> None:
    rendered = render_run(made_run(editor=name), MADE, "org/made")
    assert len(entries(rendered)) == 7
    for path in rendered.files:
        folder, _, base = path.partition("/")
        assert folder == ".eval_results"
        assert set(base) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
        assert len(base) < 130


def test_names_that_are_made_safe_stay_different(made_run: Callable[..., ScoredRun]) -> None:
    one, two = (
        set(render_run(made_run(editor=name), MADE, "org/made").files) for name in ("a/b", "a b")
    )
    assert not one & two


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ExportOptions(), "--dataset-id: an eval result names the dataset"),
        (ExportOptions(dataset_id="bench"), "not a dataset id: 'bench'"),
        (ExportOptions(dataset_id="a/b/c"), "not a dataset id: 'a/b/c'"),
        (ExportOptions(dataset_id="a/.."), "not a dataset id"),
        (ExportOptions(dataset_id="a/b", dataset_revision="main"), "not a commit: 'main'"),
    ],
)
def test_what_the_hub_would_refuse_is_refused_here(
    folders: dict[str, Path], options: ExportOptions, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        render("hf-eval-results", [folders["inlay"]], options)
