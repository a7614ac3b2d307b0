"""One auditor's pass over a sample: rows asked one by one, or answered by a sheet."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from scopebench.audit.answers import Verdict, sheet_verdicts, typed_verdict
from scopebench.audit.context import Describer, sheet_row
from scopebench.audit.records import Audit
from scopebench.audit.rows import Row, audited, digest_of, draw_sample, rows_of, strata_of
from scopebench.audit.sheet import read_sheet, write_sheet
from scopebench.audit.store import Key, OpenAudit, open_audit, read_audit, settle
from scopebench.construct.reader import Benchmark, read_benchmark
from scopebench.errors import UsageError

SAMPLE: Final = 200
"""Rows of a sample by default: two hours of a person, and ends of an error of 2% at 0.5% and 5%."""

STOP: Final = "q"
BACK: Final = "u"

_AUDITOR: Final = re.compile(r"[\w][\w .-]{0,63}")
_DESCRIBED_AT_ONCE: Final = 25

Ask = Callable[[dict[str, Any], int, int], str | None]
"""Shows a described row, with how many are answered and how many there are; returns what was typed,
None at the end of the input."""

Refuse = Callable[[str], None]
"""Told why what was typed is no answer."""


@dataclass(frozen=True)
class Pass:
    """One auditor's pass over a sample of a benchmark.

    Attributes:
        folder: The benchmark's folder.
        auditor: A name for the person.
        size: Rows to draw.
        seed: Seeds the choice.

    Raises:
        UsageError: If the name is none that can stand in a table.
        DataError: If the folder is no built benchmark.
    """

    folder: Path
    auditor: str
    size: int = SAMPLE
    seed: int = 0

    def __post_init__(self) -> None:
        if not _AUDITOR.fullmatch(self.auditor):
            raise UsageError(
                f"{self.auditor[:80]!r} cannot name an auditor; give up to 64 letters, digits, "
                "spaces, dots and dashes"
            )
        if self.size < 1 or self.seed < 0:
            raise UsageError("a sample has at least one row, and a seed is not negative")

    @cached_property
    def benchmark(self) -> Benchmark:
        """The benchmark, verified against its manifest."""
        return read_benchmark(self.folder)

    @cached_property
    def all_rows(self) -> tuple[Row, ...]:
        """Its distinct rows."""
        return rows_of(self.benchmark)

    @cached_property
    def sample(self) -> dict[str, Row]:
        """The rows drawn, by name, in the order in which they are asked."""
        return {row.key: row for row in draw_sample(self.all_rows, self.size, self.seed)}

    @property
    def sheet_id(self) -> str:
        """What every row of the sheet says of itself: benchmark, size and seed."""
        return f"{digest_of(self.benchmark.files)}/{self.size}/{self.seed}"

    @property
    def key(self) -> Key:
        """What tells this pass from others."""
        return self.auditor, self.size, self.seed

    def write_sheet(self, path: Path) -> int:
        """Write the sample as a sheet to be filled in; return its number of rows.

        Raises:
            DataError: If the file is there already or cannot be written.
        """
        described = Describer(self.benchmark).describe(list(self.sample.values()))
        write_sheet([sheet_row(row, self.sheet_id) for row in described], path)
        return len(described)

    def take_sheet(self, path: Path) -> int:
        """Record the answers of a filled-in sheet; return how many are new or changed.

        Nothing is recorded where one of them is at fault.

        Raises:
            DataError: If the sheet cannot be read, or a row is not one of the sample's, stands
                twice or holds a value that cannot be given.
        """
        verdicts = sheet_verdicts(read_sheet(path), self.sample, self.sheet_id, path)
        with self._opened() as opened:
            changed = [
                (self.sample[key], verdict)
                for key, verdict in verdicts.items()
                if opened.judged.get(key) != verdict.on(self.sample[key])
            ]
            for row, verdict in changed:
                opened.answer(row, verdict)
        return len(changed)

    def ask_rows(self, ask: Ask, refuse: Refuse) -> int:
        """Ask every row that is not answered yet; return how many were answered.

        `STOP` and the end of the input end it; `BACK` asks the row before again.
        """
        rows = list(self.sample.values())
        with self._opened() as opened:
            open_rows = [row for row in rows if row.key not in opened.judged]
            described = _Described(Describer(self.benchmark), open_rows)
            at = 0
            while at < len(open_rows):
                told = described[at]
                typed = ask(told, len(opened.judged.keys() & self.sample.keys()), len(rows))
                if typed is None or typed.strip().lower() == STOP:
                    break
                if typed.strip().lower() == BACK:
                    at = max(0, at - 1)
                elif self._took(opened, open_rows[at], typed, refuse):
                    at += 1
            return sum(row.key in opened.judged for row in open_rows)

    def _took(self, opened: OpenAudit, row: Row, typed: str, refuse: Refuse) -> bool:
        try:
            verdict: Verdict = typed_verdict(typed, row)
        except UsageError as error:
            refuse(str(error))
            return False
        opened.answer(row, verdict)
        return True

    def _opened(self) -> Any:
        return open_audit(
            self.folder, audited(self.benchmark), strata_of(self.all_rows), self.key, self.sample
        )


@dataclass
class _Described:
    """Descriptions made a few at a time, so that the first is there at once."""

    describer: Describer
    rows: list[Row]

    def __post_init__(self) -> None:
        self._made: dict[int, dict[str, Any]] = {}

    def __getitem__(self, at: int) -> dict[str, Any]:
        if at not in self._made:
            part = self.rows[at : at + _DESCRIBED_AT_ONCE]
            self._made.update(enumerate(self.describer.describe(part), start=at))
        return self._made[at]


def settled_audit(folder: Path) -> Audit | None:
    """Return the audit beside a benchmark, after finishing what a kill interrupted.

    Raises:
        DataError: If the folder is no built benchmark, or what is there belongs to another.
    """
    settle(folder)
    return read_audit(folder)
