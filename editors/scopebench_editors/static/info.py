"""Declaration of `static`."""

from __future__ import annotations

from typing import Final

from scopebench.protocols import EditorInfo

INFO: Final = EditorInfo(
    name="static",
    version="1.0",
    summary="The paper's static policy: recites where legal, else reasons, on every query.",
    factory="scopebench_editors.static.editor:StaticEditor",
    paper="arXiv:2608.26292, section 6.2",
)
