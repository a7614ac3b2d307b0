"""JSON files read record by record, in memory that does not grow with the file.

The standard library's decoder runs over a sliding window of text, so that every fault is told and
belongs to one record where it can. ijson does neither: its yajl2 backend turns an unpaired
surrogate escape into `?` without a word, its backends give up a whole file for one NaN, and both
keep a path for every open bracket, which takes memory quadratic in the nesting depth.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, Final, Literal

from scopebench.errors import DataError

Layout = Literal["array", "lines"]

_BLOCK: Final = 1 << 18
"""Bytes read at a time."""

_MAX_VALUE: Final = 1 << 24
"""Characters a record may have; the records of the data sets read have some ten thousand."""

# Raw control characters inside strings are let through here, so that a NUL is the fault of one
# field of one record and not of the whole file.
_DECODER: Final = json.JSONDecoder(strict=False)


class WrittenNumber(float):
    """A number with a fraction or an exponent that keeps how it was written: `0.50`.

    Attributes:
        text: As it was written.
    """

    text: str

    def __new__(cls, text: str) -> WrittenNumber:
        """Read a number."""
        number = super().__new__(cls, text)
        number.text = text
        return number


_WRITTEN_DECODER: Final = json.JSONDecoder(strict=False, parse_float=WrittenNumber)
_SPACE: Final = re.compile(r"[ \t\n\r]*")


@dataclass(frozen=True)
class RecordFile:
    """A file of records: a JSON array, or JSON Lines.

    Iterating reads it from the start, one record at a time; it raises `DataError` where the file
    is cut off, damaged, not UTF-8, nested too deeply or followed by something else.

    Attributes:
        path: Where it is.
        sha256: SHA-256 of its bytes, in hex.
        layout: `array` or `lines`.
        written: Whether numbers keep how they were written (`WrittenNumber`).
    """

    path: Path
    sha256: str
    layout: Layout
    written: bool = False

    @classmethod
    def open(cls, path: Path) -> RecordFile:
        """Check a file, hash it in blocks and tell its layout from its first character.

        Raises:
            DataError: If it is missing, a folder, unreadable, empty or not made of records.
        """
        with _opened(path) as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            first = _Window(file, path).peek()
        if first == "[":
            return cls(path, sha256, "array")
        if first == "{":
            return cls(path, sha256, "lines")
        found = "an empty file" if not first else f"a file that begins with {first!r}"
        raise DataError(
            f"expected a JSON array of records or JSON Lines, found {found}",
            file=path,
            fix="fetch the file again or name another",
        )

    def __iter__(self) -> Iterator[Any]:
        with _opened(self.path) as file:
            decoder = _WRITTEN_DECODER if self.written else _DECODER
            window = _Window(file, self.path, decoder)
            yield from _array(window) if self.layout == "array" else _lines(window)


def _opened(path: Path) -> BufferedReader:
    try:
        if path.is_file():
            return path.open("rb")
        what = "expected a file, found a folder or device" if path.exists() else "no such file"
    except OSError as error:
        what = f"it cannot be read ({error.strerror})"
    raise DataError(what, file=path, fix="check the path")


def _array(window: _Window) -> Iterator[Any]:
    window.take()
    number = 0
    more = window.peek() != "]"
    while more:
        number += 1
        yield window.value(number)
        if window.peek() not in (",", "]"):
            raise window.damaged(number, "expected ',' or ']' after it")
        more = window.take() == ","
    if not number:
        window.take()
    if window.peek():
        raise window.damaged(number, "the array is over, but the file goes on")


def _lines(window: _Window) -> Iterator[Any]:
    number = 0
    while window.peek():
        number += 1
        yield window.value(number)


class _Window:
    """The part of a file's text that is being decoded."""

    def __init__(
        self, file: BufferedReader, path: Path, decoder: json.JSONDecoder = _DECODER
    ) -> None:
        self._file = file
        self._decoder = decoder
        self._path = path
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0
        self._begun = False
        self._bytes_read = 0

    def peek(self) -> str:
        """Return the next character that is not white space, or nothing at the end."""
        while True:
            space = _SPACE.match(self._text, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._text) or not self._grow():
                return self._text[self._at : self._at + 1]

    def take(self) -> str:
        """Return the next character that is not white space, and pass it."""
        character = self.peek()
        self._at += 1
        return character

    def value(self, number: int) -> Any:
        """Decode the next value and pass it; `number` is its position, for messages."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                # It may only be that the window ends too early. A window twice as long is tried
                # each time, so that the work stays linear in the length of the value.
                too_long = len(self._text) - self._at > _MAX_VALUE
                if too_long or not self._grow():
                    hint = f", or a record of over {_MAX_VALUE} characters" if too_long else ""
                    raise self.damaged(number, error.msg + hint, at=error.pos) from error
            except (RecursionError, ValueError) as error:
                deep = isinstance(error, RecursionError)
                what = "it is nested too deeply" if deep else "it holds a number too long to read"
                raise self.damaged(number, what) from error
            else:
                # A number near the window's end may go on in the next block: after the 1 of
                # `1e-5`, two more characters do not yet tell.
                unsure = isinstance(value, int | float) and len(self._text) - end < 3
                if not (unsure and self._grow()):
                    self._at = end
                    return value

    def damaged(self, number: int, what: str, *, at: int | None = None) -> DataError:
        """Return the error for JSON that cannot be read on, with the byte it happened at."""
        unread = self._text[self._at if at is None else at :]
        byte = self._bytes_read - len(self._utf8.getstate()[0]) - len(unread.encode())
        return DataError(
            f"the JSON is cut off or damaged at byte {byte} of {self._path.stat().st_size}: {what}",
            file=self._path,
            record=f"#{number}",
            fix="fetch the file again or mend it",
        )

    def _grow(self) -> bool:
        """Drop what was passed and read on; false at the end of the file."""
        rest = self._text[self._at :]
        block = self._file.read(max(_BLOCK, len(rest)))
        waiting = len(self._utf8.getstate()[0])
        try:
            text = self._utf8.decode(block, final=not block)
        except UnicodeDecodeError as error:
            byte = self._bytes_read - waiting + error.start
            raise DataError(
                f"byte {byte} is not UTF-8 text", file=self._path, fix="save the file as UTF-8"
            ) from error
        if not block:
            return False
        if not self._begun:
            self._begun = bool(text)
            text = text.removeprefix("\ufeff")
        self._bytes_read += len(block)
        self._text, self._at = rest + text, 0
        return True
