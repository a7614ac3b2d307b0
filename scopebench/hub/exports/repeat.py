"""How a run is repeated: the commands, in words that a shell reads as they stand."""

from __future__ import annotations

import json
import shlex
from typing import Any, Final

from scopebench.records import RunResult

_DEFAULT_ENCODER: Final = "all-minilm-l6-v2"


def one_line(text: str) -> str:
    """Return a text without line breaks and control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def score_command(result: RunResult) -> str:
    """Return the `scopebench score` command of a run; the benchmark's folder is left to name."""
    editor = result.editor.origin or result.editor.name
    words = ["scopebench", "score", "--editor", editor, "--benchmark", "BENCHMARK"]
    words += ["--model", result.model.id, "--dtype", result.model.dtype]
    if result.encoder is not None and result.encoder.id.lower() != _DEFAULT_ENCODER:
        words += ["--encoder", result.encoder.id]
    seed = result.seeds.get("run", 0)
    words += ["--seed", str(seed)]
    for name, value in sorted(result.editor.params.items()):
        if (name, value) != ("seed", seed):  # --seed gives the editor its own
            words += ["--param", f"{name}={_value(value)}"]
    return " ".join(shlex.quote(one_line(word)) for word in [*words, "--out", "RUN"])


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
