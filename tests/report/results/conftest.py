"""A folder of runs as `make results` leaves it, of tiny real runs on the starter."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from scopebench.report.results.plan import SAMPLED, Wanted

RUNS = {
    "starter/inlay": ("inlay", Wanted("starter", "inlay", "inlay")),
    "mquake_cf/inlay": ("inlay", Wanted("mquake_cf", "inlay", "inlay")),
    "mquake_cf/static": ("static", Wanted("mquake_cf", "static", "static")),
    f"starter/{SAMPLED}": ("drawn", Wanted("starter", SAMPLED, "static")),
}
"""By folder: which of the starter's runs is there, and how the plan asks for it."""


@pytest.fixture(scope="session")
def wanted() -> Sequence[Wanted]:
    return [one for _, one in RUNS.values()]


@pytest.fixture(scope="session")
def runs_folder(starter_runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs; the starter's own stand in for those on real files."""
    folder = tmp_path_factory.mktemp("results")
    for place, (name, _) in RUNS.items():
        shutil.copytree(starter_runs[name], folder / place)
    return folder
