"""Figures: files, sizes, names as text, the same bytes twice, nothing for what is not there."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from scopebench.errors import MissingDependency
from scopebench.records.report import Cell, Estimate, Inference, MixRow, Report, RouterRow
from scopebench.report.figures import write_figures

pytest.importorskip("matplotlib", reason="the figures need `pip install 'scopebench[figures]'`")

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["oracle_vs_static", "action_success", "headroom", "mix", "false_fire_by_kind"]
ACTIONS = ("recite", "reason", "abstain")
DATASETS = ("counterfact", "wikiupdate", "mquake_cf")
CONDITIONS = ("structured", "unstructured", "extracted")
GAIN = {"original": 0.0, "withheld": 0.11, "curated": 0.2}
KINDS = {
    "withheld": {"direct": 0.55, "paraphrase": 0.3, "two_hop": None, "governed": "in scope"},
    "curated": {
        "same_subject": 0.62,
        "same_relation": 0.18,
        "unrelated": 0.0,
        "other_time": 0.41,
        "near_name": 0.07,
    },
}
NOTHING = Estimate(value=None, low=None, high=None, method=None)


def around(value: float | None, half: float = 0.03) -> Estimate:
    if value is None:
        return NOTHING
    return Estimate(value=value, low=value - half, high=value + half, method="bootstrap")


def cell(population: str, static: float | None, oracle: float | None, **values: Any) -> Cell:
    gain = None if static is None or oracle is None else oracle - static
    values = {
        "n": 250,
        "n_scorable": 240,
        "n_clusters": 200,
        "accuracy": {"recite": None, "reason": static, "abstain": 0.05},
        "headroom": around(gain),
        "statics": {},
        "coverage": oracle,
        "unique_wins": {},
        "oracle_without": {},
    } | values
    return Cell(population=population, static_fixed=static, oracle=oracle, **values)


def mix(population: str, name: str, share: float | None, gain: float | None) -> MixRow:
    return MixRow(
        population=population,
        name=name,
        out_of_scope=share,
        static_fixed=None,
        static_const=None,
        oracle=None,
        editor=None,
        headroom=around(gain, 0.02),
    )


def router(population: str, kind: str, rate: float | str | None, **values: Any) -> RouterRow:
    inside = 120 if rate == "in scope" else 20
    estimates = ["accuracy", "gain", "regret", "capture", "scope_accuracy", "credit", "miss"]
    estimates += ["wrong_edit", "masked", "auroc"]
    numbers = ["auprc", "prevalence", "fpr_at_95_tpr", "aurc", "augrc"]
    numbers += ["margin_auroc", "margin_in", "margin_out"]
    return RouterRow(
        population=population,
        kind=kind,
        n=120,
        n_scorable=100,
        n_clusters=90,
        in_scope=inside,
        false_fire=around(rate, 0.05) if isinstance(rate, float) else NOTHING,
        **dict.fromkeys(estimates, NOTHING),
        **dict.fromkeys(numbers),
        **values,
    )


def mixes(population: str, gain: float) -> list[MixRow]:
    if not gain:
        return [mix(population, "curve", share, None) for share in (0.1, 0.5, 0.9)]
    shares = (0.0, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
    return [
        *(mix(population, "curve", share, 2 * gain * share) for share in shares),
        mix(population, "observed", 0.5, gain),
        mix(population, "help desk", 0.3, 2 * gain * 0.3),
        mix(population, "no such traffic", None, None),
    ]


def report(shift: float = 0.0, **parts: Any) -> Report:
    cells = []
    for i, dataset in enumerate(DATASETS):
        for j, condition in enumerate(CONDITIONS):
            for population, gain in GAIN.items():
                static = 0.95 - 0.12 * j - 0.05 * i - gain - shift
                oracle = static + gain * (1 + j / 4)
                place = {"dataset": dataset, "condition": condition}
                accuracy: dict[str, float | None] = {
                    "recite": None if j else static,
                    "reason": static - 0.1 * (1 - min(j, 1)),
                    "abstain": gain * (1 + j),
                }
                cells.append(cell(population, static, oracle, accuracy=accuracy, **place))
                cells.append(cell(population, 0.123, 0.123, stratum="known", **place))
    cells[0] = cells[0].model_copy(update={"static_fixed": None, "headroom": NOTHING})
    cells[2] = cells[2].model_copy(
        update={"headroom": Estimate(value=0.05, low=None, high=None, method=None)}
    )
    whole: dict[str, Any] = {
        "cells": tuple(cells),
        "pooled": tuple(
            cell(population, 0.7 - shift, 0.7 - shift + gain) for population, gain in GAIN.items()
        ),
        "router": tuple(
            router(population, kind, rate + shift if isinstance(rate, float) else rate)
            for population, kinds in KINDS.items()
            for kind, rate in kinds.items()
        ),
        "mixes": tuple(
            row
            for population, gain in GAIN.items()
            for row in mixes(population, gain * (1 + shift))
        ),
    }
    return Report(
        actions=ACTIONS,
        static_rule="recite where legal, else reason",
        inference=Inference(confidence=0.95, seed=0, resamples=2000, folds=5),
        **{"strata": (), "kinds": (), "policies": (), "comparisons": (), "noise": ()},
        **(whole | parts),
    )


def png_size(path: Path) -> tuple[int, int]:
    from PIL import Image

    with Image.open(path) as image:
        image.load()
        return image.size


def texts(path: Path) -> list[str]:
    return [element.text or "" for element in ET.parse(path).iter(f"{SVG}text")]


def written(folder: Path, **reports: Report) -> dict[str, list[str]]:
    """The texts of each figure written as SVG."""
    return {path.stem: texts(path) for path in write_figures(reports, folder, formats=("svg",))}


@pytest.fixture(scope="module")
def one_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("one") / "new" / "figures"
    paths = write_figures({"inlay": report()}, folder)
    assert paths == [folder / f"{name}.{form}" for name in NAMES for form in ("png", "svg")]
    assert sorted(folder.iterdir()) == sorted(paths)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_one_or_two_columns_wide(one_run: Path, name: str) -> None:
    width, height = png_size(one_run / f"{name}.png")
    assert width == (990 if name == "false_fire_by_kind" else 2070)  # 3.3 and 6.9 inches
    assert 400 < height < 2700  # 9 inches: a page's text


def test_cells_are_named_as_text_and_nulls_are_written(one_run: Path) -> None:
    cells = [f"{dataset} {condition}" for dataset in DATASETS for condition in CONDITIONS]
    for name in ("oracle_vs_static", "action_success", "headroom"):
        found = texts(one_run / f"{name}.svg")
        assert [text for text in found if text in cells] == cells  # once, in the report's order
        assert [text for text in found if text in GAIN] == list(GAIN)
    absent = {
        name: [text for text in texts(one_run / f"{name}.svg") if "n/a" in text] for name in NAMES
    }
    assert absent == {
        "oracle_vs_static": ["static n/a"],
        "action_success": ["n/a"] * 18,  # recite in six cells of three populations
        "headroom": ["n/a"],
        "mix": ["n/a", "no such traffic n/a", "no such traffic n/a"],
        "false_fire_by_kind": ["n/a"],
    }


def test_kinds_are_sorted_worst_first_and_those_in_scope_left_out(one_run: Path) -> None:
    found = texts(one_run / "false_fire_by_kind.svg")
    assert [text for text in found if "(100)" in text] == [
        "direct (100)",
        "paraphrase (100)",
        "two hop (100)",
        "same subject (100)",
        "other time (100)",
        "same relation (100)",
        "near name (100)",
        "unrelated (100)",
    ]


def test_the_same_reports_give_the_same_bytes(one_run: Path, tmp_path: Path) -> None:
    again = write_figures({"inlay": report()}, tmp_path)
    for path in again:
        assert path.read_bytes() == (one_run / path.name).read_bytes()


def test_other_numbers_give_other_figures(one_run: Path, tmp_path: Path) -> None:
    other = report(0.02, pooled=(cell("original", 0.5, 0.6),))
    for path in write_figures({"inlay": other}, tmp_path, formats=("svg",)):
        assert path.read_bytes() != (one_run / path.name).read_bytes()


def test_runs_are_told_apart_by_a_legend(tmp_path: Path) -> None:
    found = written(tmp_path, inlay=report(), _rag=report(0.04))
    assert list(found) == NAMES
    for name, told in found.items():
        told = [text.strip() for text in told]
        assert told.count("inlay") == told.count("_rag") == 1, name


@pytest.mark.parametrize(
    ("parts", "names"),
    [
        ({"cells": ()}, ["headroom", "mix", "false_fire_by_kind"]),
        ({"cells": (), "pooled": ()}, ["mix", "false_fire_by_kind"]),
        ({"mixes": ()}, ["oracle_vs_static", "action_success", "headroom", "false_fire_by_kind"]),
        ({"router": ()}, ["oracle_vs_static", "action_success", "headroom", "mix"]),
        (
            {"router": (router("original", "direct", 0.5), router("curated", "all", 0.5))},
            ["oracle_vs_static", "action_success", "headroom", "mix"],
        ),
        ({"cells": (), "pooled": (), "mixes": (), "router": ()}, []),
    ],
)
def test_a_part_that_is_empty_gives_no_file(
    tmp_path: Path, parts: dict[str, Any], names: list[str]
) -> None:
    assert list(written(tmp_path, inlay=report(**parts))) == names
    assert sorted(path.stem for path in tmp_path.iterdir()) == sorted(names)


def test_no_reports_give_no_figures(tmp_path: Path) -> None:
    assert write_figures({}, tmp_path) == []


def test_names_of_any_kind_are_drawn_as_they_are(tmp_path: Path) -> None:
    place = {"dataset": "a$b$ <&> \x07", "condition": "all"}
    long = {"dataset": "a_data_set_with_a_long_name", "condition": "structured"}
    cells = (cell("all", 0.5, 0.6, **place), cell("all", None, None, **long))
    found = written(tmp_path, inlay=report(cells=cells, pooled=(), mixes=(), router=()))
    for told in found.values():
        assert "a$b$ <&>" in [text.strip() for text in told]
        assert "a_data_set_with_a…structured" in told
        assert "n/a" in told


def test_a_single_panel_takes_one_column(tmp_path: Path) -> None:
    cells = (cell("original", 0.5, 0.5), cell("original", 0.5, 0.5, dataset="mquake_cf"))
    for path in write_figures(
        {"inlay": report(cells=cells, pooled=())}, tmp_path, formats=("png",)
    ):
        if path.stem in ("oracle_vs_static", "action_success", "headroom"):
            assert png_size(path)[0] == 990


def test_settings_of_the_user_change_nothing(one_run: Path, tmp_path: Path) -> None:
    import matplotlib

    with matplotlib.rc_context({"font.size": 20, "savefig.dpi": 10, "axes.grid": False}):
        for path in write_figures({"inlay": report()}, tmp_path, formats=("svg",)):
            assert path.read_bytes() == (one_run / path.name).read_bytes()
        assert matplotlib.rcParams["font.size"] == 20


def test_without_matplotlib_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependency, match=r"pip install 'scopebench\[figures\]'"):
        write_figures({"inlay": report()}, tmp_path)


def test_importing_the_figures_loads_no_matplotlib() -> None:
    code = "import sys, scopebench.report.figures; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
