"""Text between two markers, which a command fills in and nobody writes by hand.

A place is `<!-- results:begin NAME -->` ... `<!-- results:end NAME -->`. On a line that begins
with a comment nothing is read as Markdown, so a part begins and ends with a line break of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from scopebench.errors import DataError

_PLACE: Final = re.compile(
    r"(?P<begin><!-- results:begin (?P<name>[\w-]+) -->)(?P<held>.*?)"
    r"(?P<end><!-- results:end (?P=name) -->)",
    re.DOTALL,
)
_MARKER: Final = re.compile(r"<!-- results:(begin|end)\b.*?-->")


def filled(text: str, parts: Mapping[str, str], file: Path) -> str:
    """Return a text with every marked place filled in.

    Args:
        text: The text around.
        parts: What each place is to hold, by its name.
        file: Where the text is from, for errors.

    Raises:
        DataError: If a marker has no partner, a place has a name that no part has or that another
            place has, or a part has no place.
    """
    names = [match["name"] for match in _PLACE.finditer(text)]
    if 2 * len(names) != len(_MARKER.findall(text)):
        raise DataError(
            "a `results:begin` or `results:end` marker has no partner",
            file=file,
            fix="write them in pairs of one name, and no pair inside another",
        )
    if sorted(names) != sorted(parts):
        raise DataError(
            f"its marked places are {', '.join(sorted(names)) or 'none'}; they must be "
            f"{', '.join(sorted(parts))}, each once",
            file=file,
            fix="add or remove the markers",
        )
    return _PLACE.sub(lambda m: f"{m['begin']}{parts[m['name']]}{m['end']}", text)
