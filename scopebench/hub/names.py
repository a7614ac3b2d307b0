"""The allow-list of names: what may stand in a folder's name, in a table or in a link of the board.

A name that passes holds ASCII letters, digits, dots, dashes and underscores only, so that it can be
neither markup nor a spreadsheet formula nor a path, and looks like no other name.
"""

from __future__ import annotations

import re
from typing import Final

LONGEST_NAME: Final = 96
"""Characters of a name, or of either half of a model id; the Hub's own limit for a repo id."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}", re.ASCII)

NAME_RULE: Final = (
    "up to 96 of the letters A-Z and a-z, digits, '.', '_' and '-', a letter or digit first, "
    "no '..', no '.' at the end"
)
"""The rule in words, for messages."""

_RESERVED: Final = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)}
)
"""Names that Windows takes for devices, whatever follows their first dot."""


LONGEST_PARAMETER: Final = 100
"""Characters of a parameter's value that is text."""

_PARAMETER: Final = re.compile(r"[A-Za-z0-9 ._:/+\-=,()@%~]{0,100}", re.ASCII)

PARAMETER_RULE: Final = (
    f"up to {LONGEST_PARAMETER} of the letters A-Z and a-z, digits, space and ._:/+-=,()@%~, "
    "no '=', '+' or '@' first"
)
"""The rule for a parameter's text in words, for messages."""


def safe_name(text: str) -> str | None:
    """Return a name of an editor, submitter, benchmark or version as it is; None: not allowed."""
    if _NAME.fullmatch(text) is None or ".." in text or text.endswith("."):
        return None
    return None if text.partition(".")[0].lower() in _RESERVED else text


def safe_model_id(text: str) -> str | None:
    """Return a model's id, `NAME` or `OWNER/NAME`, as it is; None: not allowed."""
    parts = text.split("/")
    if len(parts) > 2 or any(safe_name(part) is None or "--" in part for part in parts):
        return None
    return text


def slug(model_id: str) -> str:
    """Return a model's id as one name for a folder: `OWNER--NAME`; no two ids share one.

    Raises:
        ValueError: If the id is not allowed.
    """
    if safe_model_id(model_id) is None:
        raise ValueError(f"not a model id: {model_id[:LONGEST_NAME]!r}")
    return model_id.replace("/", "--")


def safe_parameter(text: str) -> str | None:
    """Return a parameter's text as it is; None: not allowed.

    Letters that look like others can say what no parameter says, and a board shows parameters.
    """
    return None if _PARAMETER.fullmatch(text) is None else safe_text(text)


def safe_text(text: str) -> str | None:
    """Return free text, such as a platform's name, as it is; None: markup or a formula."""
    if not text.isprintable() or any(mark in text for mark in "<>`"):
        return None
    return None if text.startswith(("=", "+", "@")) else text
