"""Runs and benchmarks in the forms that other tools read: one module per format.

`render` turns inputs into the texts of files and touches no disk but to read; `write` puts them
there. Nothing is sent anywhere.
"""

from __future__ import annotations

from scopebench.hub.exports.options import AbstainPrompt, ExportOptions, Rendered
from scopebench.hub.exports.registry import FORMATS, ExportFormat, render
from scopebench.hub.exports.write import write

__all__ = [
    "FORMATS",
    "AbstainPrompt",
    "ExportFormat",
    "ExportOptions",
    "Rendered",
    "render",
    "write",
]
