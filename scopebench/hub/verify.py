"""Verifies a submission: nothing that it says is believed that can be computed or compared.

In this order, each step only where the earlier ones leave something to look at:

1. The path opens as a submission (`submission`).
2. `run.json` is strict JSON and a result of this version (`result_json`), its names are allowed,
   its protocol is ours, its hashes are those of what they are hashes of (`identity`).
3. The tables can be read in bounded memory and have our columns (`table_guard`).
4. The benchmark is the one the run was made on, and the rows are its queries, all of them (`rows`).
5. Every answer, judged again, gives the stored verdict, where that is of today's matcher; every
   decision is legal (`rows`).
6. Every number, computed again from the tables, is the stored one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scopebench.construct.embedded import starter_benchmark
from scopebench.construct.reader import Benchmark, read_benchmark
from scopebench.errors import DataError, InvalidSubmission
from scopebench.hub.fault import Fault, told
from scopebench.hub.identity import check_result, draws_of, matcher_of
from scopebench.hub.result_json import read_strict
from scopebench.hub.rows import (
    absent_conditions,
    check_decisions,
    check_outcomes,
    check_sizes,
    read_rows,
)
from scopebench.hub.submission import NotASubmission, Submission, open_submission
from scopebench.hub.table_guard import faults_of_tables
from scopebench.records import Report, RunResult
from scopebench.run.folder import RESULT_FILE
from scopebench.run.provenance import first_difference
from scopebench.scoring.summary import read_run_rows, reports_of
from scopebench.scoring.tables import DECISIONS_FILE, OUTCOMES_FILE
from scopebench.validate.numbers import differences, same_computation

__all__ = ["NOT_A_SUBMISSION", "Fault", "Verification", "verify_submission"]

NOT_A_SUBMISSION: Final = "not_a_submission"
"""The check that fails where the path is nothing that could be verified."""

_STARTER: Final = "scopebench-starter"


OTHER_COMPUTATION: Final = (
    "run.json was computed in another way than today's; its numbers were computed anew"
)


@dataclass(frozen=True)
class Verification:
    """What verifying a submission found.

    Attributes:
        submission_id: Its id; None: it could not be opened.
        result: Its `run.json`; None: it could not be read.
        report: Every number under the strict matcher, computed again; None: the rows are faulty.
        paper: The same under the paper's matcher.
        faults: What is wrong, the same check together; empty: it may be ranked.
        notes: What is allowed and worth knowing.
    """

    submission_id: str | None
    result: RunResult | None
    report: Report | None
    paper: Report | None
    faults: tuple[Fault, ...]
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


@dataclass(frozen=True)
class _Scored:
    """What the tables give.

    Attributes:
        faults: What is wrong with them.
        reports: Their numbers under the strict and the paper's matcher, if they could be computed.
        notes: What is allowed and worth knowing.
    """

    faults: tuple[Fault, ...]
    reports: tuple[Report, Report] | None = None
    notes: tuple[str, ...] = ()


def verify_submission(path: Path, *, benchmark: Path | None = None) -> Verification:
    """Verify a submission; whatever it holds, this returns.

    Args:
        path: A run folder, or a zip of its three files.
        benchmark: The folder of the benchmark it was made on; None: the embedded starter, where it
            was made on that.

    Raises:
        DataError: If the benchmark that is given cannot be read.
    """
    with ExitStack() as stack:
        try:
            submission = stack.enter_context(open_submission(path))
        except NotASubmission as error:
            fault = Fault(NOT_A_SUBMISSION, "", str(error))
        except InvalidSubmission as error:
            fault = Fault("bad_package", "", str(error))
        except OSError as error:
            fault = Fault("bad_package", str(path), f"cannot be read ({error.strerror or error})")
        else:
            return _verify(submission, benchmark)
    return Verification(None, None, None, None, (fault,))


def _verify(submission: Submission, benchmark: Path | None) -> Verification:
    result, faults = _read_result(submission.folder)
    scored = _score(submission.folder, result, benchmark)
    faults = faults + scored.faults
    notes = scored.notes
    if scored.reports is not None and result is not None:
        if same_computation(result, scored.reports[0]):
            faults += tuple(told(_check_numbers(result, *scored.reports)))
        else:
            notes += (OTHER_COMPUTATION,)
    strict, paper = scored.reports or (None, None)
    return Verification(
        submission.submission_id, result, strict, paper, faults, () if faults else notes
    )


def _read_result(folder: Path) -> tuple[RunResult | None, tuple[Fault, ...]]:
    try:
        result = read_strict(folder / RESULT_FILE)
    except InvalidSubmission as error:
        return None, (Fault("bad_result", RESULT_FILE, str(error)),)
    return result, tuple(told(check_result(result, folder)))


def _score(folder: Path, result: RunResult | None, benchmark: Path | None) -> _Scored:
    """Check the tables row by row, and compute every number from them where they are sound."""
    unreadable = faults_of_tables(folder)
    if unreadable:
        return _Scored(tuple(Fault("bad_table", name, reason) for name, reason in unreadable))
    if result is None and benchmark is None:
        return _Scored(())  # what to compare with stands in the file that could not be read
    compared = _benchmark_of(result, benchmark)
    if isinstance(compared, Fault):
        return _Scored((compared,))
    found = _check_rows(folder, result, compared)
    if found.faults:
        return found
    try:
        rows = read_run_rows(folder, stored=matcher_of(result))
        anew = () if rows.judged_anew is None else (rows.judged_anew.words,)
        return _Scored((), reports_of(rows), found.notes + anew)
    except DataError as error:
        return _Scored((Fault("unscorable_tables", "", error.what),))


def _benchmark_of(result: RunResult | None, given: Path | None) -> Benchmark | Fault:
    """Return the benchmark to compare with, or why there is none."""
    if given is None and (result is None or result.benchmark.name != _STARTER):
        named = "" if result is None else f" (name: {result.benchmark.name!r})"
        reason = (
            f"the rows cannot be checked without the benchmark{named}; give its folder "
            "with --benchmark DIR"
        )
        return Fault("no_benchmark", "", reason)
    benchmark = read_benchmark(starter_benchmark() if given is None else given)
    difference = result and first_difference(result.benchmark.files, benchmark.files)
    if not difference:
        return benchmark
    if given is None:
        reason = (
            f"made on another starter than this scopebench builds: {difference}; give its folder "
            "with --benchmark DIR"
        )
        return Fault("no_benchmark", "", reason)
    reason = f"made on another benchmark than the one given: {difference}"
    return Fault("benchmark_mismatch", f"{RESULT_FILE}, field benchmark.files", reason)


def _check_rows(folder: Path, result: RunResult | None, benchmark: Benchmark) -> _Scored:
    draws = None if result is None else draws_of(result.protocol)
    found = tuple(check_sizes(folder, benchmark, draws))
    if found:
        return _Scored(found)
    decisions, nulls = read_rows(folder, DECISIONS_FILE)
    # Questions and golds first: only those of a benchmark are known to be judged in short time.
    found = tuple(told(nulls or check_decisions(decisions, benchmark)))
    if found:
        return _Scored(found)
    outcomes, nulls = read_rows(folder, OUTCOMES_FILE)
    editor = None if result is None else result.editor.name
    stored = matcher_of(result)
    checked = nulls or check_outcomes(outcomes, decisions, benchmark, draws, editor, stored)
    found = tuple(told(checked))
    absent = absent_conditions(decisions, benchmark)
    return _Scored(found, notes=tuple(f"no row under the {name} condition" for name in absent))


def _check_numbers(result: RunResult, strict: Report, paper: Report) -> Iterator[Fault]:
    """Yield stored numbers that are not those of the tables."""
    for path, stored, computed in differences(result, strict, paper):
        reason = f"stored as {stored}, the tables give {computed}"
        yield Fault("number_mismatch", f"{RESULT_FILE}, field {path}", reason)
