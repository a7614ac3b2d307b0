"""The records that every part of ScopeBench reads and writes: frozen, closed, versioned.

Words mean what `docs/architecture.md` says they mean. Nothing here imports torch, datasets or
pandas, so any tool can validate a record cheaply. `json_schema()` is exported to
`docs/records.schema.json`.
"""

from __future__ import annotations

from typing import Any, Final

from pydantic.json_schema import models_json_schema

from scopebench.records.data import (
    ACTIONS,
    CONDITIONS,
    LEGAL_ACTIONS,
    POPULATIONS,
    Action,
    Answer,
    Candidate,
    Condition,
    Decision,
    Edit,
    FactObject,
    Fold,
    Form,
    Hop,
    Interval,
    Matcher,
    Outcome,
    Population,
    Query,
    Record,
    SourceRef,
    Triple,
)
from scopebench.records.report import (
    Cell,
    Comparison,
    Estimate,
    Inference,
    MixRow,
    NoiseRow,
    PolicyRow,
    Report,
    RouterRow,
    Rows,
    Static,
)
from scopebench.records.run import (
    SCHEMA_VERSION,
    BenchmarkRef,
    EditorRef,
    ModelRef,
    Protocol,
    RunResult,
)

EXPORTED: Final[tuple[type[Record], ...]] = (Edit, Query, Decision, Answer, Outcome, RunResult)


def json_schema() -> dict[str, Any]:
    """Return one JSON Schema document holding every exported record under `$defs`."""
    _, document = models_json_schema(
        [(record, "validation") for record in EXPORTED], title="ScopeBench records"
    )
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **document}


__all__ = [
    "ACTIONS",
    "CONDITIONS",
    "LEGAL_ACTIONS",
    "EXPORTED",
    "POPULATIONS",
    "SCHEMA_VERSION",
    "Action",
    "Answer",
    "BenchmarkRef",
    "Candidate",
    "Cell",
    "Comparison",
    "Condition",
    "Decision",
    "Edit",
    "EditorRef",
    "Estimate",
    "FactObject",
    "Fold",
    "Form",
    "Hop",
    "Inference",
    "Interval",
    "Matcher",
    "MixRow",
    "ModelRef",
    "NoiseRow",
    "Outcome",
    "PolicyRow",
    "Population",
    "Protocol",
    "Query",
    "Record",
    "Report",
    "RouterRow",
    "Rows",
    "RunResult",
    "SourceRef",
    "Static",
    "Triple",
    "json_schema",
]
