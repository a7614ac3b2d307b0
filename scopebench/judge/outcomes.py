"""The outcomes of a run under a judge: a table of its own, which `scopebench headroom` reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from scopebench.judge.prompt import Item
from scopebench.judge.verdicts import judge_protocol, judge_with
from scopebench.protocols import LanguageModel
from scopebench.scoring.tables import (
    DECISIONS_FILE,
    DECISIONS_SCHEMA,
    OUTCOMES_FILE,
    OUTCOMES_SCHEMA,
    read_table,
)

PROTOCOL_KEY: Final = b"scopebench.judge"
"""Where the parquet file's metadata holds the judge's protocol."""

_ROW: Final = ["query_id", "condition"]
_SAME: Final = ("dataset", "population", "kind", "cluster", "fold", "scope_score")


@dataclass(frozen=True)
class JudgedOutcomes:
    """What a judge says of a run's answers.

    Attributes:
        protocol: Prompt and model of the judge.
        table: One record for each query, condition, action and draw, as `docs/your_outcomes.md`
            describes long tables.
        n: Outcomes that were judged.
        agreed: Those of them on which the strict matcher says the same.
    """

    protocol: str
    table: pd.DataFrame
    n: int
    agreed: int

    def write(self, path: Path) -> None:
        """Write the table as parquet, with the judge's protocol in its metadata."""
        table = pa.Table.from_pandas(self.table, preserve_index=False)
        table = table.replace_schema_metadata({PROTOCOL_KEY: self.protocol.encode()})
        partial = path.with_name(path.name + ".partial")
        pq.write_table(table, partial, compression="zstd")
        partial.replace(path)


def judge_run(folder: Path, model: LanguageModel) -> JudgedOutcomes:
    """Let a model judge every answer of a run; its decisions stay as they are.

    Args:
        folder: The run folder.
        model: The judge.

    Raises:
        DataError: If a table of the run is missing or damaged.
    """
    outcomes = read_table(folder / OUTCOMES_FILE, OUTCOMES_SCHEMA).to_pandas()
    decisions = read_table(folder / DECISIONS_FILE, DECISIONS_SCHEMA).to_pandas()
    rows = outcomes.merge(
        decisions, on=_ROW, suffixes=("", "_chosen"), how="inner", validate="many_to_one"
    )
    judged = rows["text"].notna() & rows["answers"].notna()
    items = [
        Item(row.question, tuple(row.answers), row.text)
        for row in rows.loc[judged, ["question", "answers", "text"]].itertuples(index=False)
    ]
    verdicts = judge_with(model, items)
    correct = pd.Series(pd.NA, index=rows.index, dtype="boolean")
    correct[judged] = verdicts
    strict = rows.loc[judged, "correct"].astype(bool).to_numpy()
    agreed = int((strict == verdicts).sum()) if len(items) else 0
    return JudgedOutcomes(judge_protocol(model), _long(rows, correct), len(items), agreed)


def _long(rows: pd.DataFrame, correct: pd.Series[Any]) -> pd.DataFrame:
    """Return the long table of outcomes that `scopebench headroom` reads."""
    hidden = rows["hidden_edit_ids"]
    return pd.DataFrame(
        {
            "query_id": rows["query_id"],
            "condition": rows["condition"],
            "action": rows["action"],
            "draw": rows["draw"],
            "correct": correct,
            "legal": rows["legal"],
            "chosen": rows["action"] == rows["action_chosen"],
            **{name: rows[name] for name in _SAME},
            "runner_up_score": rows["runner_up_score"],
            "fired_edit": rows["edit_id_chosen"].where(rows["action_chosen"] != "abstain", None),
            "decision_label": ["|".join(edits) for edits in rows["governing_edit_ids"]],
            "hidden": [edits is not None and len(edits) > 0 for edits in hidden],
            "subject_match": rows["subject_match"],
            "template_match": rows["template_match"],
        }
    )
