"""What people found in a sample of a benchmark's rows."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scopebench.api.arguments import path_of
from scopebench.api.benchmarks import BuiltBenchmark, benchmark_path
from scopebench.errors import UsageError

if TYPE_CHECKING:
    from scopebench.api.benchmarks import BenchmarkLike
    from scopebench.audit.summary import AuditSummary

SAMPLE = 200
AUDITOR = "first"


def audit(
    benchmark: BenchmarkLike,
    *,
    sample: int = SAMPLE,
    seed: int = 0,
    auditor: str = AUDITOR,
    answers: str | PathLike[str] | None = None,
    ask: Callable[[dict[str, Any], int, int], str | None] | None = None,
    refuse: Callable[[str], None] | None = None,
) -> AuditSummary | None:
    """Record what a person says of a sample of rows, and return what the whole audit found.

    The answers lie in `audit.json` in the benchmark's folder, and its card shows the counts.

    Args:
        benchmark: The benchmark.
        sample: Rows to draw, equally many of each kind.
        seed: Seeds the choice.
        auditor: A name for the person.
        answers: A filled-in sheet (`audit_sheet`) whose answers are recorded.
        ask: Shows a row and returns what was typed; rows that are not answered yet are asked.
        refuse: Told why what was typed is no answer.

    Returns:
        The error rates by kind and over the benchmark's mix, with intervals, and how far auditors
        agree; None where nothing was judged yet.

    Raises:
        UsageError: If the benchmark is not in a folder of one's own.
        DataError: If the benchmark cannot be read, or an answer is not one that can be given.
    """
    from scopebench.audit.session import Pass, settled_audit
    from scopebench.audit.summary import summarise

    folder = _own_folder(benchmark)
    whose = Pass(folder, auditor, sample, seed)
    if answers is not None:
        whose.take_sheet(path_of(answers))
    if ask is not None:
        whose.ask_rows(ask, refuse or (lambda _: None))
    found = settled_audit(folder)
    return None if found is None else summarise(found)


def audit_sheet(
    benchmark: BenchmarkLike,
    out: str | PathLike[str],
    *,
    sample: int = SAMPLE,
    seed: int = 0,
) -> int:
    """Write the rows of a sample, with all that a person needs to judge them, to be filled in.

    Args:
        benchmark: The benchmark.
        out: The sheet to write: `.csv`, `.jsonl` or `.xlsx`.
        sample: Rows to draw, equally many of each kind.
        seed: Seeds the choice.

    Returns:
        The number of its rows.

    Raises:
        DataError: If the benchmark cannot be read, or the sheet is there already.
    """
    from scopebench.audit.session import Pass

    folder = benchmark_path(benchmark)
    assert folder is not None
    return Pass(folder, AUDITOR, sample, seed).write_sheet(path_of(out))


def _own_folder(benchmark: BenchmarkLike) -> Path:
    """Return a benchmark's folder, in which the audit is written."""
    kept = isinstance(benchmark, BuiltBenchmark) and benchmark.revision is not None
    path = path_of(benchmark)
    if kept or not path.is_dir():
        raise UsageError(
            f"{benchmark} is no folder of your own, in which an audit could be written; build it, "
            "or copy what was loaded from the Hub to a folder"
        )
    return path
