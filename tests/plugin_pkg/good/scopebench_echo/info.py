"""Declaration of `echo`; imports nothing heavy."""

from __future__ import annotations

from scopebench.protocols import EditorInfo

INFO = EditorInfo(
    name="echo",
    version="1.0",
    summary="Recites an edit when its question is asked word for word.",
    factory="scopebench_echo.editor:EchoEditor",
    conditions=("structured",),
    actions={"structured": ("recite", "abstain")},
)
