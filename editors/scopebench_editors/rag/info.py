"""Declaration of `rag`."""

from __future__ import annotations

from typing import Final

from scopebench.protocols import EditorInfo

INFO: Final = EditorInfo(
    name="rag",
    version="1.0",
    summary="Retrieval-augmented generation: reasons over the nearest edit on every query.",
    factory="scopebench_editors.rag.editor:RagEditor",
    paper="arXiv:2608.26292, section 5.4, Table 1 (in-context)",
)
