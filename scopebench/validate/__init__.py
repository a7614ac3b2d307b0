"""Finds what is wrong in a raw source file, a built benchmark or a run folder.

It scores nothing and needs no model: what it says follows from the files alone.
"""

from __future__ import annotations

from scopebench.validate.finding import CheckInfo, Finding, Validation
from scopebench.validate.paths import kind_of_path, validate_path

__all__ = ["CheckInfo", "Finding", "Validation", "kind_of_path", "validate_path"]
