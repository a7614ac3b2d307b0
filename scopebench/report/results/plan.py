"""Which runs the published results rest on, and the commands that make them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

BENCHMARK: Final = "benchmark"
"""The folder of a built benchmark, beside the runs on it."""


@dataclass(frozen=True)
class Source:
    """A source of a benchmark.

    Attributes:
        words: Its name as a reader knows it.
        dataset: Its name in `scopebench build --source`.
        files: Its files, relative to the folder of real data; none: the embedded starter.
        options: Further options of `scopebench build`.
    """

    words: str
    dataset: str = ""
    files: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """A run that the results need.

    Attributes:
        source: A key of `SOURCES`.
        name: The name of its folder.
        editor: The editor scored.
        limit: At most so many queries a cell and population; None: all.
        options: Further options of `scopebench score`.
    """

    source: str
    name: str
    editor: str
    limit: int | None = None
    options: tuple[str, ...] = ()


SOURCES: Final[Mapping[str, Source]] = {
    "starter": Source("the embedded starter"),
    "mquake_cf": Source("AKEW's MQuAKE-CF", "mquake_cf", ("akew/MQuAKE-CF.json",)),
    "counterfact": Source(
        "CounterFact",
        "counterfact",
        ("counterfact/counterfact-edit.json", "counterfact/counterfact-train.json"),
        ("--on-bad-record", "skip"),
    ),
    "rippleedits": Source(
        "RippleEdits",
        "rippleedits",
        ("rippleedits/wiki_counterfact_test_cf-generate-10.json",),
        ("--on-bad-record", "skip"),
    ),
    "wikifactdiff": Source(
        "WikiFactDiff",
        "wikifactdiff",
        ("wikifactdiff/wfd-train.json",),
        ("--on-bad-record", "skip"),
    ),
}

MAIN: Final = "mquake_cf"
"""The source that the README shows: whole, under three conditions, by four editors."""

SAMPLED: Final = "inlay-sampled"
EDITORS: Final = ("base", "rag", "static", "inlay")

WANTED: Final = (
    Wanted("starter", "inlay", "inlay", 48),
    *(Wanted(MAIN, editor, editor) for editor in reversed(EDITORS)),
    Wanted("rippleedits", "inlay", "inlay", 200),
    Wanted("wikifactdiff", "inlay", "inlay", 200),
    Wanted("counterfact", "inlay", "inlay", 300),
    Wanted("starter", SAMPLED, "inlay", 16, ("--temperature", "0.7", "--draws", "3")),
)
"""In the order they are made: what the README shows comes first."""


def build_command(key: str, data: str, out: str) -> list[str]:
    """Return the command that builds a source's benchmark.

    Args:
        key: A key of `SOURCES`.
        data: The folder of real data.
        out: The folder to write.
    """
    source = SOURCES[key]
    given = [f"{source.dataset}={Path(data, name)}" for name in source.files]
    sources = [word for one in given for word in ("--source", one)]
    return ["scopebench", "build", *sources, *source.options, "--out", out]


def score_command(wanted: Wanted, benchmark: str, out: str) -> list[str]:
    """Return the command that makes a run.

    Args:
        wanted: The run.
        benchmark: The built benchmark.
        out: The run folder; a run that was stopped goes on.
    """
    limit = [] if wanted.limit is None else ["--limit", str(wanted.limit)]
    options = [*limit, *wanted.options, "--out", out]
    return ["scopebench", "score", "--editor", wanted.editor, "--benchmark", benchmark, *options]
