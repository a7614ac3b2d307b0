"""ScopeBench measures the scope decision of memory-based knowledge editors.

Importing the package loads neither torch nor datasets; heavy imports live in the functions and
editor modules that need them.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("scopebench")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0.0.0+uninstalled"

__all__ = ["__version__"]
