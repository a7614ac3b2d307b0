"""Plug-ins that point to the wrong thing."""

from scopebench.protocols import EditorInfo

INFO = EditorInfo(name="another-name", version="1", summary="", factory="nowhere:nothing")
SOMETHING = "not a declaration"
