"""Declaration of `inlay`."""

from __future__ import annotations

from typing import Final

from scopebench.protocols import EditorInfo

INFO: Final = EditorInfo(
    name="inlay",
    version="1.0",
    summary="Gradient-free gated memory: fires when similarity, margin and relation all pass.",
    factory="scopebench_editors.inlay.editor:InlayEditor",
    paper="arXiv:2608.26292, section 3",
)
