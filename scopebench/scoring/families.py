"""The declared families of paired tests: what Holm's correction is over."""

from __future__ import annotations

from typing import Final

STATIC_POOLED: Final = "editor against static_fixed, by population"
STATIC_BY_CELL: Final = "editor against static_fixed, by cell and population"
POLICIES: Final = "editor against policies that understand nothing, right answers"
SCOPE: Final = "editor against policies that understand nothing, right decisions"
EDITORS_POOLED: Final = "accuracy of editors, by population"
EDITORS_BY_CELL: Final = "accuracy of editors, by cell and population"
EDITORS_SCOPE: Final = "scope accuracy of editors, by population"
