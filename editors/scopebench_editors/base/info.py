"""Declaration of `base`."""

from __future__ import annotations

from typing import Final

from scopebench.protocols import EditorInfo

INFO: Final = EditorInfo(
    name="base",
    version="1.0",
    summary="The unedited model: abstains on every query.",
    factory="scopebench_editors.base.editor:BaseEditor",
    paper="arXiv:2608.26292, section 5.4, Table 1 (base)",
)
