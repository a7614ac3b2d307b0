"""What is wrong with files, benchmarks and runs, and whether a run may be submitted."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from scopebench.api.arguments import PathLikes, path_of
from scopebench.api.benchmarks import benchmark_path

if TYPE_CHECKING:
    from scopebench.api.benchmarks import BenchmarkLike
    from scopebench.api.runs import RunLike
    from scopebench.hub.verify import Verification
    from scopebench.validate import Validation


def validate(
    source: PathLikes,
    *,
    benchmark: BenchmarkLike | None = None,
    columns: str | PathLike[str] | None = None,
) -> Validation:
    """Find what is wrong in a raw source file, a built benchmark or a run; needs no model.

    Args:
        source: The file, benchmark or run.
        benchmark: For a run: the benchmark whose files and rows it must have.
        columns: For one's own edits: the mapping file of their columns.

    Returns:
        The findings; `fails()` says whether one is an error, `as_json()` gives them as JSON values.

    Raises:
        DataError: If the path is missing, of no known form, or not readable at all.
    """
    from scopebench.validate import validate_path

    return validate_path(
        path_of(source),
        benchmark=benchmark_path(benchmark),
        columns=None if columns is None else path_of(columns),
    )


def verify(run: RunLike, *, benchmark: BenchmarkLike | None = None) -> Verification:
    """Verify that a run can be submitted: every answer judged and every number computed again.

    Args:
        run: The run, its folder, or a zip of its three files.
        benchmark: The benchmark it was made on; None: the starter, where it was made on that.

    Returns:
        What was found; `ok` says whether nothing is wrong, `faults` what is.

    Raises:
        InvalidSubmission: If the path is no submission at all.
        DataError: If the benchmark that is given cannot be read.
    """
    from scopebench.errors import InvalidSubmission
    from scopebench.hub.verify import NOT_A_SUBMISSION, verify_submission

    found = verify_submission(path_of(run), benchmark=benchmark_path(benchmark))
    if any(fault.check == NOT_A_SUBMISSION for fault in found.faults):
        raise InvalidSubmission(found.faults[0].text)
    return found
