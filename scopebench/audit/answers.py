"""What a person says of a row: checked values, from a filled-in sheet or from one typed line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from scopebench.audit.records import FITNESSES, JUDGEMENTS, Fitness, JudgedRow, Judgement
from scopebench.audit.rows import Row
from scopebench.errors import DataError, UsageError

LABEL: Final = "label_is"
GOLD: Final = "gold_is"
QUESTION: Final = "question_is"
NOTE: Final = "note"
FILLED_IN: Final = (LABEL, GOLD, QUESTION, NOTE)
"""The columns of a sheet that are filled in."""

LONGEST_NOTE: Final = 2000
"""Characters of a note: enough to say what is wrong, too few to copy a document into."""

KEYS: Final[Mapping[str, str]] = {
    "r": "all right",
    "w": "label wrong",
    "d": "label doubtful",
    "g": "gold wrong",
    "h": "gold doubtful",
    "b": "question bad",
}
"""What is typed for a row: one key, or several in one word; a note may follow after a space."""


@dataclass(frozen=True)
class Verdict:
    """What a person says of one row.

    Attributes:
        label: Whether the decision label is right.
        gold: Whether the gold is right; None: the row has none.
        question: Whether the question can be understood and answered.
        note: What the person remarked.
    """

    label: Judgement
    gold: Judgement | None
    question: Fitness
    note: str = ""

    def on(self, row: Row) -> JudgedRow:
        """Return the row as it was judged."""
        return JudgedRow(
            row=row.key,
            dataset=row.query.dataset,
            population=row.query.population,
            kind=row.query.kind,
            label=self.label,
            gold=self.gold,
            question=self.question,
            note=self.note,
        )


def typed_verdict(line: str, row: Row) -> Verdict:
    """Return the verdict that was typed: keys of `KEYS`, then perhaps a note.

    Raises:
        UsageError: If a key is not known, two contradict one another, or the row has no gold to
            judge.
    """
    word, _, note = line.strip().partition(" ")
    keys = word.lower()
    if not keys or set(keys) - set(KEYS):
        known = ", ".join(f"{key} {meaning}" for key, meaning in KEYS.items())
        raise UsageError(f"{word[:20]!r} is no answer; type one or several of: {known}")
    has_gold = row.query.answers is not None
    for one, other in (("w", "d"), ("g", "h")):
        if one in keys and other in keys:
            raise UsageError(f"{one} and {other} contradict one another; type one of them")
    if "r" in keys and keys != "r":
        raise UsageError("r says that all is right; type it alone")
    if not has_gold and set(keys) & {"g", "h"}:
        raise UsageError("this row has no gold to judge; it is decision-only")
    gold = "wrong" if "g" in keys else "doubtful" if "h" in keys else "right"
    return Verdict(
        label="wrong" if "w" in keys else "doubtful" if "d" in keys else "right",
        gold=cast(Judgement, gold) if has_gold else None,
        question="bad" if "b" in keys else "fine",
        note=_note(note, None),
    )


def sheet_verdicts(
    rows: Iterable[Mapping[str, Any]], sample: Mapping[str, Row], sheet_id: str, path: Path
) -> dict[str, Verdict]:
    """Return the verdicts of a filled-in sheet, by the row's name; rows left empty are left out.

    Args:
        rows: The rows of the file, texts by name of column.
        sample: The rows that may be answered, by name.
        sheet_id: What the sheet of this benchmark and sample is called.
        path: The file, for messages.

    Raises:
        DataError: If a row is of another benchmark or sample, is not known or stands twice, or a
            value is not one of those that can be given.
    """
    found: dict[str, Verdict] = {}
    places: dict[str, int] = {}
    for number, cells in enumerate(rows, start=1):
        place = _Place(path, number)
        _check_sheet(cells, sheet_id, place)
        key = _text(cells, "row", place)
        if key not in sample:
            what = f"expected a row of the sheet, found {key[:80]!r}"
            raise place.fault(what, "row", "take the line out, or copy the name from the sheet")
        if key in places:
            what = f"{key} is answered in record #{places[key]} already"
            raise place.fault(what, "row", "answer each row once")
        places[key] = number
        verdict = _verdict(cells, sample[key], place)
        if verdict is not None:
            found[key] = verdict
    return found


@dataclass(frozen=True)
class _Place:
    path: Path
    number: int

    def fault(self, what: str, field: str, fix: str) -> DataError:
        return DataError(what, file=self.path, record=f"#{self.number}", field=field, fix=fix)


def _check_sheet(cells: Mapping[str, Any], sheet_id: str, place: _Place) -> None:
    given = _text(cells, "sheet", place)
    if given == sheet_id:
        return
    ours, theirs = sheet_id.split("/"), given.split("/")
    if len(theirs) != len(ours):
        what = f"expected {sheet_id}, found {given[:80]!r}"
        raise place.fault(what, "sheet", "leave the columns sheet and row as they were written")
    if theirs[0] != ours[0]:
        what = f"a row of another benchmark ({theirs[0]}, this one is {ours[0]})"
        raise place.fault(what, "sheet", "answer a sheet written for this benchmark")
    what = f"a row of the sample --sample {theirs[1]} --seed {theirs[2]}"
    raise place.fault(what, "sheet", "give these options, or answer the sheet of the ones given")


def _verdict(cells: Mapping[str, Any], row: Row, place: _Place) -> Verdict | None:
    label = _choice(cells, LABEL, JUDGEMENTS, place)
    gold = _choice(cells, GOLD, JUDGEMENTS, place)
    question = _choice(cells, QUESTION, FITNESSES, place)
    note = _note(_text(cells, NOTE, place), place)
    if label is None and gold is None and question is None:
        return None
    has_gold = row.query.answers is not None
    wanted = {LABEL: label, QUESTION: question, **({GOLD: gold} if has_gold else {})}
    for name, value in wanted.items():
        if value is None:
            what = "expected an answer, as other columns of the row hold one, found an empty cell"
            raise place.fault(what, name, f"answer it, or empty {', '.join(wanted)} of the row")
    if gold is not None and not has_gold:
        raise place.fault("the row has no gold to judge", GOLD, "empty the cell")
    return Verdict(
        label=cast(Judgement, label),
        gold=cast("Judgement | None", gold),
        question=cast(Fitness, question),
        note=note,
    )


def _text(cells: Mapping[str, Any], name: str, place: _Place) -> str:
    value = cells.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        what = f"expected text, found {type(value).__name__}"
        raise place.fault(what, name, "write a text, or nothing")
    return value.strip()


def _choice(
    cells: Mapping[str, Any], name: str, known: tuple[str, ...], place: _Place
) -> str | None:
    value = _text(cells, name, place).casefold()
    if value and value not in known:
        what = f"expected {', '.join(known[:-1])} or {known[-1]}, found {value[:40]!r}"
        raise place.fault(what, name, "correct the cell")
    return value or None


def _note(text: str, place: _Place | None) -> str:
    note = " ".join(text.split())
    if len(note) > LONGEST_NOTE:
        what = f"expected at most {LONGEST_NOTE} characters, found {len(note)}"
        if place is None:
            raise UsageError(f"a note: {what}")
        raise place.fault(what, NOTE, "shorten it")
    return note
