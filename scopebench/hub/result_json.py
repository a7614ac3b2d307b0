"""Reads a submitted `run.json`: strict JSON first, then the record, then its strings."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from scopebench.errors import InvalidSubmission
from scopebench.records import SCHEMA_VERSION, RunResult

DEEPEST: Final = 32
"""Levels of nesting; a result has 7, parameters of an editor may have some more."""

MOST_VALUES: Final = 250_000
"""Values in all; a result of three data sets has about 30,000."""

LONGEST_STRING: Final = 1_000
LONGEST_KEY: Final = 200

_LARGEST_INTEGER: Final = 2**63
"""What a table or a spreadsheet can hold."""


def read_strict(path: Path) -> RunResult:
    """Read a result that must be exact.

    Raises:
        InvalidSubmission: If it is not UTF-8 JSON without NaN, infinity and repeated keys; is
            nested deeply; holds a long string or an invisible character; or is no result of this
            version. The message begins with the field where there is one.
    """
    try:
        text = path.read_bytes().decode("utf-8")
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_bounded,
        )
    except RecursionError:
        raise InvalidSubmission(f"nested more than {DEEPEST} levels deep") from None
    except UnicodeDecodeError as error:
        raise InvalidSubmission(f"not UTF-8 (byte {error.start:,})") from error
    except json.JSONDecodeError as error:
        raise InvalidSubmission(f"not JSON ({error.msg}, line {error.lineno})") from error
    _check_values(value)
    _check_version(value)
    try:
        return RunResult.model_validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        more = f" (and {error.error_count() - 1:,} more)" if error.error_count() > 1 else ""
        raise InvalidSubmission(f"{place}: {first['msg']}{more}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise InvalidSubmission(f"{key[:LONGEST_KEY]}: the key stands twice")
            seen.add(key)
    return found


def _refuse_constant(word: str) -> float:
    raise InvalidSubmission(f"{word} is not JSON; an undefined number is null")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise InvalidSubmission(f"{digits[:40]} is no finite number")
    return number


def _bounded(digits: str) -> int:
    # Python refuses to convert very long numbers; then it is too large all the more.
    if len(digits) > 20 or abs(int(digits)) >= _LARGEST_INTEGER:
        raise InvalidSubmission(f"{digits[:40]} is too large a number")
    return int(digits)


def _check_values(value: Any) -> None:
    """Refuse deep nesting, many values, long strings and invisible characters."""
    level: list[tuple[str, Any]] = [("", value)]
    total = 0
    for _ in range(DEEPEST):
        total += len(level)
        if total > MOST_VALUES:
            raise InvalidSubmission(f"more than {MOST_VALUES:,} values")
        for place, item in level:
            _check_string(place, item, LONGEST_STRING)
        level = [child for place, item in level for child in _children(place, item)]
        if not level:
            return
    raise InvalidSubmission(f"{level[0][0]}: nested more than {DEEPEST} levels deep")


def _children(place: str, item: Any) -> Iterator[tuple[str, Any]]:
    """Yield the values inside a value; a place names the two outer levels, which is enough."""
    known = place if place.count(".") else None
    if isinstance(item, dict):
        for key, child in item.items():
            _check_string(place or "the whole", key, LONGEST_KEY)
            yield known or (f"{place}.{key}" if place else sys.intern(key)), child
    elif isinstance(item, list):
        for child in item:
            yield place, child


def _check_string(place: str, item: Any, longest: int) -> None:
    if not isinstance(item, str):
        return
    if len(item) > longest:
        raise InvalidSubmission(f"{place}: a string of {len(item):,} characters, over {longest:,}")
    if not item.isprintable():
        # Controls, line breaks, lone surrogates, and marks that turn the direction of writing.
        raise InvalidSubmission(f"{place}: an invisible character in {item[:60]!r}")


def _check_version(value: Any) -> None:
    found = value.get("schema_version") if isinstance(value, dict) else None
    if found != SCHEMA_VERSION or isinstance(found, bool):
        raise InvalidSubmission(
            f"schema_version: {found!r}; this scopebench reads version {SCHEMA_VERSION} only, "
            "so score the run again with it"
        )
