"""The exception tree; every message says what, where and what to do next.

    ScopeBenchError
    ├── UsageError         an argument is not what a function or verb takes
    ├── DataError          a source file, record or built benchmark is not as promised
    ├── EditorError        an editor is unknown, broken or asked for what it cannot do
    ├── ModelError         a language model or encoder cannot be found, fetched or loaded
    ├── MissingDependency  an optional package is not installed
    ├── HubError           the Hugging Face Hub refused or could not be reached
    ├── InvalidSubmission  a submission to the leaderboard does not verify
    └── UndefinedMetric    a metric has no value on this data

The command line prints a `ScopeBenchError` as one line and exits with 2; any other exception is a
bug and keeps its traceback.
"""

from __future__ import annotations


class ScopeBenchError(Exception):
    """A fault the user can act on; its message is one line."""


class UsageError(ScopeBenchError):
    """An argument is not what a function or verb takes."""


class DataError(ScopeBenchError):
    """A source file, record or built benchmark is not as promised.

    Args:
        what: What is wrong and, where it helps, what was expected.
        file: The file it was found in.
        record: The record's id or position in the file.
        field: The field's name, dotted when nested.
        fix: What the user can do about it.
    """

    def __init__(
        self,
        what: str,
        *,
        file: object | None = None,
        record: object | None = None,
        field: str | None = None,
        fix: str | None = None,
    ) -> None:
        self.what = what
        self.file = None if file is None else str(file)
        self.record = None if record is None else str(record)
        self.field = field
        self.fix = fix
        places = [
            f"{label} {value}"
            for label, value in (("file", self.file), ("record", self.record), ("field", field))
            if value is not None
        ]
        message = what if not places else f"{', '.join(places)}: {what}"
        super().__init__(message if fix is None else f"{message}; {fix}")


class EditorError(ScopeBenchError):
    """An editor is unknown, broken, or asked for what it cannot do."""


class ModelError(ScopeBenchError):
    """A language model or encoder cannot be found, fetched or loaded."""


class MissingDependency(ScopeBenchError):
    """An optional package is needed and not installed.

    Args:
        package: The package that failed to import.
        extra: The extra of this distribution that brings it.
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; run: pip install 'scopebench[{extra}]'")


class HubError(ScopeBenchError):
    """The Hugging Face Hub refused a request or could not be reached."""


class InvalidSubmission(ScopeBenchError):
    """A submission to the leaderboard does not verify."""


class UndefinedMetric(ScopeBenchError):
    """A metric has no value on this data; the message is the reason to store beside the null."""
