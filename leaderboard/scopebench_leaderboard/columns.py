"""The columns of the board's tables, each said once."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from scopebench.records import ACTIONS
from scopebench_leaderboard.metrics import METRICS

PART_COLUMNS: Final = ("population", "dataset", "condition", "kind", "stratum")
STATICS: Final = ("static_const", "static_cell", "static_cv")

_TEXT: Final = pa.string()

SUBMISSION_SCHEMA: Final = pa.schema(
    [
        ("submission_id", _TEXT),
        ("path", _TEXT),
        ("editor", _TEXT),
        ("editor_version", _TEXT),
        ("params", _TEXT),
        ("model", _TEXT),
        ("model_revision", _TEXT),
        ("model_dtype", _TEXT),
        ("model_parameters", pa.int64()),
        ("encoder", _TEXT),
        ("benchmark", _TEXT),
        ("benchmark_version", _TEXT),
        ("benchmark_digest", _TEXT),
        ("protocol_id", _TEXT),
        ("matcher", _TEXT),
        ("stored_matcher", _TEXT),
        ("prompts", _TEXT),
        ("decoding", _TEXT),
        ("seed", pa.int64()),
        ("static_rule", _TEXT),
        ("lacking", _TEXT),
        ("gradient_free", pa.bool_()),
        ("write_ms_per_edit", pa.float64()),
        ("edits_written", pa.int64()),
        ("run_id", _TEXT),
        ("schema_version", pa.int32()),
        ("n", pa.int64()),
        ("bytes", pa.int64()),
    ]
)
"""What a submission's own files say.

`bytes` is their size, by which a changed one is noticed; `lacking` the actions that are legal
nowhere in a condition that allows them, see `flatten.lacking_actions`. `protocol_id` and `matcher`
are those of the numbers shown; `stored_matcher` is the one of the run's own verdicts, null where it
is the same.
"""

MARK_SCHEMA: Final = pa.schema(
    [
        ("reproduction", _TEXT),
        ("verified", pa.bool_()),
        ("verified_by", _TEXT),
        ("verified_date", _TEXT),
        ("verified_note", _TEXT),
        ("rerun_equal", pa.int64()),
        ("rerun_n", pa.int64()),
        ("rerun_low", pa.float64()),
    ]
)
"""What a maintainer's mark says of a submission.

`reproduction` is `reproduced`, `not reproduced` or `not tried`; `verified` is whether it is the
first. Of the texts that were generated again `rerun_equal` of `rerun_n` are equal, so that at least
`rerun_low` of all are as generated; null where a person's word alone says it.
"""

LIKENESS_SCHEMA: Final = pa.schema(
    [
        ("differs", pa.bool_()),
        ("differs_share", pa.float64()),
        ("differs_over", pa.int64()),
        ("differs_from", _TEXT),
    ]
)
"""How a submission's unedited answers stand to those of other runs of the same model, see `alike`.

`differs_from` names other runs that it differs from, by id, parted by spaces; the share is null
where there is no other run.
"""

REJECTED_SCHEMA: Final = pa.schema([("path", _TEXT), ("reasons", _TEXT)])

_COUNTS: Final = ("n", "n_scorable", "n_clusters", "in_scope")
_OTHER: Final = (
    *STATICS,
    *(f"headroom_over_{name}{end}" for name in STATICS for end in ("", "_low", "_high")),
    *(f"accuracy_{action}" for action in ACTIONS),
    "coverage",
    "margin_in",
    "margin_out",
)

SCORE_SCHEMA: Final = pa.schema(
    [
        *((name, pa.int64()) for name in _COUNTS),
        *((name, pa.float64()) for metric in METRICS.values() for name in metric.columns),
        *((name, pa.float64()) for name in _OTHER),
        *((f"unique_wins_{action}", pa.int64()) for action in ACTIONS),
        ("undefined", _TEXT),
    ]
)
"""The numbers of one part of one submission."""

MIX_SCHEMA: Final = pa.schema(
    [
        ("population", _TEXT),
        ("name", _TEXT),
        *(
            (name, pa.float64())
            for name in (
                "out_of_scope",
                "static_fixed",
                "static_const",
                "oracle",
                "accuracy",
                "headroom",
                "headroom_low",
                "headroom_high",
            )
        ),
    ]
)
"""One point of H(pi), or the mix of the benchmark itself; `accuracy` is the editor's own."""


def part_schema() -> pa.Schema:
    """Return the columns of a submission's scores: the part, then its numbers."""
    return pa.schema([*((name, _TEXT) for name in PART_COLUMNS), *SCORE_SCHEMA])
