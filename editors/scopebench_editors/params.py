"""Editor parameters: defaults, overridden by name and checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from scopebench.errors import EditorError


def merge_params(
    editor: str, defaults: Mapping[str, int | float], overrides: Mapping[str, Any]
) -> dict[str, int | float]:
    """Return the defaults with the overrides in place.

    An override has its default's type: a whole number, or any finite number.

    Raises:
        EditorError: If an override's name is unknown or its value is not such a number.
    """
    merged = dict(defaults)
    for name, value in overrides.items():
        if name not in defaults:
            known = f"it has {', '.join(defaults)}" if defaults else "it has none"
            raise EditorError(f"editor {editor!r} has no parameter {name!r}; {known}")
        whole = isinstance(defaults[name], int)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or (whole and value != int(value)):
            wanted = "a whole number" if whole else "a finite number"
            raise EditorError(
                f"parameter {name!r} of editor {editor!r} must be {wanted}, not {value!r}"
            )
        merged[name] = int(value) if whole else float(value)
    return merged
