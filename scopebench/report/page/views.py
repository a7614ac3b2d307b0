"""Run views from the two tables of a run folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from scopebench.records.report import Report
from scopebench.records.run import RunResult
from scopebench.report.page.content import RiskCurve, RunView
from scopebench.report.page.samples import SAMPLE_SIZE, count_wrong_fires, wrong_fires


def view_of_tables(
    name: str,
    folder: Path,
    decisions: pa.Table,
    outcomes: pa.Table,
    *,
    report: Report,
    paper: Report | None = None,
    result: RunResult | None = None,
    risk_curves: Mapping[str, RiskCurve] | None = None,
) -> RunView:
    """Return the view of a run: its numbers, with scores and wrong fires from its tables.

    Args:
        name: A label no other run on the page has.
        folder: Where it was read from.
        decisions: As in `DECISIONS_SCHEMA`.
        outcomes: As in `OUTCOMES_SCHEMA`.
        report: The numbers under the strict matcher.
        paper: The numbers under the paper's.
        result: The contents of `run.json`.
        risk_curves: By population; see `content.thinned`.
    """
    governed = pc.list_value_length(decisions["governing_edit_ids"])
    return RunView(
        name=name,
        folder=folder,
        result=result,
        report=report,
        paper=paper,
        scores=np.asarray(decisions["scope_score"].to_numpy(), dtype=np.float64),
        in_scope=np.asarray(pc.greater(pc.fill_null(governed, 0), 0).to_numpy(), dtype=bool),
        populations=tuple(decisions["population"].to_pylist()),
        kinds=tuple(decisions["kind"].to_pylist()),
        risk_curves=risk_curves or {},
        wrong_fires=tuple(wrong_fires(decisions, outcomes, SAMPLE_SIZE)),
        wrong_fires_total=count_wrong_fires(decisions),
    )
