"""The columns of a team's own edits: what each means, and how a file's names are matched to them.

A mapping file says `our name = their name`, and of a spreadsheet `sheet = name`. A name set to `-`
(or to nothing) is a column of the file that is left out.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

from scopebench.errors import DataError
from scopebench.sources.fields import kind_of, shown

Holds = Literal["text", "id", "texts", "triples", "date"]


@dataclass(frozen=True)
class Column:
    """One column of a team's own edits.

    Attributes:
        name: Its name.
        required: Whether every record must hold it. Of `prompt` and `relation` one is required.
        holds: The kind of value in it.
        meaning: What it says.
    """

    name: str
    required: bool
    holds: Holds
    meaning: str


OWN_COLUMNS: Final = (
    Column("id", False, "id", "the record's id, used once; without it: the row's number"),
    Column("subject", True, "text", "what the fact is about"),
    Column(
        "prompt",
        False,
        "text",
        "a sentence for the new object to complete, with the subject or {} in it; this or relation",
    ),
    Column(
        "relation",
        False,
        "text",
        "the relation in words (chief executive) or a property id (P169); words alone make the "
        "prompt 'The chief executive of {} is'",
    ),
    Column("new", True, "text", "the object that is right from now on"),
    Column("old", False, "text", "the object that was right before"),
    Column("question", False, "text", "the fact asked as a question"),
    Column("new_aliases", False, "texts", "other accepted names of the new object"),
    Column("old_aliases", False, "texts", "other accepted names of the old object"),
    Column("subject_aliases", False, "texts", "other names of the subject"),
    Column("paraphrases", False, "texts", "the fact asked in other words, with the subject or {}"),
    Column("evidence", False, "text", "a paragraph that states the new fact"),
    Column(
        "triples",
        False,
        "triples",
        "what the paragraph states: objects with subject, prompt (holding {}) and target",
    ),
    Column("old_start", False, "date", "first date of the old object: YYYY, YYYY-MM, YYYY-MM-DD"),
    Column("old_end", False, "date", "last date of the old object"),
    Column("new_start", False, "date", "first date of the new object"),
    Column("new_end", False, "date", "last date of the new object; empty: it still holds"),
    Column("subject_id", False, "id", "the subject's entity id"),
    Column("new_id", False, "id", "the new object's entity id"),
    Column("old_id", False, "id", "the old object's entity id"),
)
"""Every column that is read, in the order of the docs."""

COLUMN: Final[Mapping[str, Column]] = {column.name: column for column in OWN_COLUMNS}

SHEET: Final = "sheet"
"""The line of a mapping that names the sheet of a spreadsheet; it is no column."""

LEFT_OUT: Final = ("", "-")
"""What a mapping sets a column to that is to be left out."""

NEAR: Final = 0.8
"""Ratio of `difflib` from which an unknown name is taken for a misspelt known one."""

_NAME_IN_OTHER_FORMS: Final[Mapping[str, tuple[str, ...]]] = {
    "alias": ("new_aliases", "old_aliases", "subject_aliases"),
    "aliases": ("new_aliases", "old_aliases", "subject_aliases"),
    "target_new": ("new",),
    "target_true": ("old",),
    "ground_truth": ("old",),
    "rephrase_prompt": ("paraphrases",),
}
"""Names that other forms of edits give to a column, or to one of several: never ignored unseen."""

_NEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "direct": ("subject", "new"),
    "subject_alias": ("subject_aliases",),
    "same_subject": ("relation", "old"),
    "near_name": ("old",),
    "temporal": ("old", "old_start", "old_end", "new_start"),
    "side_fact": ("evidence", "triples"),
    "mention": ("old",),
    "relation_swap": ("relation",),
    "refilled": ("old",),
}
"""The columns without which a kind cannot be made or has no gold, where no other will do.

`temporal` does without `new_end`, whose absence says that the new object still holds.
"""

_LONGEST_NAME: Final = 60
"""Characters of the longest name compared: nobody misspells a known name into a longer one."""


def missing_for(columns_present: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return, by kind that cannot be made or has no gold, the columns that would allow it.

    Args:
        columns_present: Names in `OWN_COLUMNS` under which the records hold something
            (`scopebench.sources.own.columns_with_values` tells them).
    """
    present = set(columns_present)
    missing = {kind: tuple(n for n in needs if n not in present) for kind, needs in _NEEDS.items()}
    if not present & {"prompt", "relation"}:
        missing["direct"] += ("prompt",)
    # A question beside the prompt is a second wording of the fact already.
    if not present & {"paraphrases", "question"}:
        missing["paraphrase"] = ("paraphrases",)
    return {kind: columns for kind, columns in missing.items() if columns}


def read_columns(path: Path) -> dict[str, str]:
    """Read a mapping file, TOML or JSON: `our name = their name`.

    Raises:
        DataError: If it is missing, neither TOML nor JSON, or not such a mapping.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise DataError(
            f"it cannot be read ({error.strerror})", file=path, fix="check the path"
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"byte {error.start} is not UTF-8 text", file=path, fix="save the file as UTF-8"
        ) from error
    as_json = text.lstrip().startswith("{")
    try:
        value = json.loads(text) if as_json else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        form = "JSON" if as_json else "TOML"
        raise DataError(
            f"it is not {form}: {' '.join(str(error).split())}",
            file=path,
            fix='write one line for each column, such as: subject = "Entity"',
        ) from error
    for name, theirs in value.items():
        if not isinstance(theirs, str):
            raise DataError(
                f"expected the name of a column, found {kind_of(theirs)}",
                file=path,
                field=shown(name),
                fix='write one line for each column, such as: subject = "Entity"',
            )
    try:
        ColumnMap.of(value)
    except DataError as error:
        raise DataError(error.what, file=path, field=error.field, fix=error.fix) from error
    return dict(value)


def plain(name: str) -> str:
    """Return a column's name as it is compared: `New Aliases` is `new_aliases`."""
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())


@dataclass(frozen=True)
class ColumnMap:
    """Which of our columns a file's column is.

    Attributes:
        ours: Our name by their plain name.
        left_out: Their plain names that are left out on purpose.
        mapped: Our name to their name, for those that the mapping names.
        sheet: The sheet of a spreadsheet to read; None: the first.
    """

    ours: Mapping[str, str]
    left_out: frozenset[str]
    mapped: Mapping[str, str]
    sheet: str | None = None

    @classmethod
    def of(cls, columns: Mapping[str, str] | None) -> ColumnMap:
        """Check a mapping.

        Raises:
            DataError: If it maps a name that is not ours, or one column to two of ours.
        """
        columns = dict(columns or {})
        sheet = columns.pop(SHEET, None) or None
        mapped = {ours: theirs for ours, theirs in columns.items() if theirs not in LEFT_OUT}
        for ours, theirs in mapped.items():
            if ours not in COLUMN:
                raise _not_ours(ours, theirs)
        found: dict[str, str] = {}
        for ours, theirs in mapped.items():
            other = found.setdefault(plain(theirs), ours)
            if other != ours:
                raise DataError(
                    f"the column {shown(theirs)} is mapped to {other} already",
                    field=ours,
                    fix="map each column of the file to one of ours",
                )
        free = {name: name for name in COLUMN if name not in columns}
        left_out = {plain(name) for name in columns} | {
            plain(name) for name, theirs in columns.items() if theirs in LEFT_OUT
        }
        return cls({**free, **found}, frozenset(left_out), mapped, sheet)

    def place(self, theirs: str) -> str | None:
        """Return our name of a file's column, None where the column is not read.

        Raises:
            DataError: If the name is not known and so near to one of ours that it may be misspelt.
        """
        name = plain(theirs)
        if name in self.ours:
            return self.ours[name]
        if name in self.left_out or len(name) > _LONGEST_NAME:
            return None
        meant = [near for near in _near(name) if near not in self.mapped]
        if not meant:
            return None
        shown_name = json.dumps(theirs)
        raise DataError(
            f"no column is called {shown(theirs)}; did you mean {' or '.join(meant)}?",
            field=shown(theirs)[1:-1],
            fix=f"rename it, or say in the mapping file {meant[0]} = {shown_name}, or "
            f'{shown_name} = "-" to leave it out',
        )

    def require(self, present: Iterable[str], names: Iterable[str]) -> None:
        """Check that no required column is missing.

        Args:
            present: Our names of the columns there are.
            names: Their names of all columns there are, for the message.

        Raises:
            DataError: If one is missing.
        """
        have = set(present)
        missing = [column.name for column in OWN_COLUMNS if column.required]
        missing = [name for name in missing if name not in have]
        if not have & {"prompt", "relation"}:
            missing.append("prompt or relation")
        if not missing:
            return
        shown_names = [shown(name) for name in names]
        found = ", ".join(shown_names[:8]) + (", ..." if len(shown_names) > 8 else "")
        raise DataError(
            f"there is no column for {', '.join(self._theirs(name) for name in missing)}; "
            f"found {found or 'no column'}",
            fix="name the columns so in the first line, or give a mapping file with lines such as "
            'subject = "Entity"',
        )

    def _theirs(self, name: str) -> str:
        return f"{name} ({shown(self.mapped[name])})" if name in self.mapped else name


@lru_cache(maxsize=4096)
def _near(name: str) -> tuple[str, ...]:
    """Return our columns that a plain name may be meant for, nearest first."""
    known = (*COLUMN, *_NAME_IN_OTHER_FORMS)
    found = difflib.get_close_matches(name, known, n=1, cutoff=NEAR)
    return _NAME_IN_OTHER_FORMS.get(found[0], (found[0],)) if found else ()


def _not_ours(name: str, theirs: str) -> DataError:
    if theirs in COLUMN:
        fix = f"write it the other way round: {theirs} = {json.dumps(name)}"
    else:
        near = _near(plain(name)) if len(name) <= _LONGEST_NAME else ()
        known = f"did you mean {near[0]}? known: " if near else "known: "
        fix = known + ", ".join(COLUMN)
    return DataError(f"none of our columns is called {shown(name)}", field=shown(name), fix=fix)
