"""A plug-in whose editor has another one's name."""

from scopebench.protocols import EditorInfo

INFO = EditorInfo(name="echo", version="2", summary="", factory="nowhere:nothing")
