"""Makes of a run one that an earlier version of the strict matcher judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from scopebench.hub.identity import run_id_of
from scopebench.records import RunResult
from scopebench.run.provenance import digest, file_digest
from scopebench.scoring.match import MATCHER_VERSIONS
from scopebench.scoring.tables import (
    DECISIONS_FILE,
    OUTCOMES_FILE,
    OUTCOMES_SCHEMA,
    write_table,
)

NAME, NUMBER = MATCHER_VERSIONS["strict"].split("/")
EARLIER = f"{NAME}/{int(NUMBER) - 1}"


def flip_verdicts(folder: Path, flips: int) -> None:
    """Store the opposite strict verdict for the first so many outcomes that have one."""
    rows = pq.read_table(folder / OUTCOMES_FILE).to_pylist()
    for row in [row for row in rows if row["correct"] is not None][:flips]:
        row["correct"] = not row["correct"]
    write_table(rows, OUTCOMES_SCHEMA, folder / OUTCOMES_FILE)


def rename_matcher(folder: Path, matcher: str = EARLIER) -> None:
    """Let `run.json` say that the verdicts are of a matcher, every hash following."""
    path = folder / "run.json"
    stored: dict[str, Any] = json.loads(path.read_text("utf-8"))
    protocol = {name: value for name, value in stored["protocol"].items() if name != "protocol_id"}
    protocol["matcher"] = matcher
    stored["protocol"] = {"protocol_id": digest(protocol)[:16], **protocol}
    stored["tables"] = {
        name: file_digest(folder / name) for name in (OUTCOMES_FILE, DECISIONS_FILE)
    }
    stored["run_id"] = run_id_of(RunResult.model_validate(stored))
    path.write_text(json.dumps(stored), encoding="utf-8")


def make_earlier(folder: Path, flips: int = 3) -> None:
    """Make a run folder one whose verdicts an earlier matcher made, some of them otherwise."""
    flip_verdicts(folder, flips)
    rename_matcher(folder)
