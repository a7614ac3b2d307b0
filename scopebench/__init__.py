"""ScopeBench measures the scope decision of memory-based knowledge editors.

    import scopebench as sb

    bench = sb.build({"mine": "edits.csv"}, out="bench")
    run = sb.score(MyEditor, bench, model="smollm2-135m")
    run.headroom()

docs/api.md shows all of it. A name is imported when it is first used: importing the package loads
neither torch nor datasets.
"""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from scopebench.api.auditing import audit, audit_sheet
    from scopebench.api.benchmarks import BuiltBenchmark, build, load
    from scopebench.api.catalogue import (
        fetch,
        list_editors,
        list_fetchable,
        list_models,
        list_sources,
    )
    from scopebench.api.checking import validate, verify
    from scopebench.api.judging import judge
    from scopebench.api.leaderboard import (
        build_leaderboard,
        deploy_leaderboard,
        serve_leaderboard,
    )
    from scopebench.api.reports import Report, SideBySide, compare, headroom
    from scopebench.api.reproducing import reproduce, rerun
    from scopebench.api.runs import Run, open_run, score
    from scopebench.api.scaffold import new_editor
    from scopebench.api.sharing import export, publish, submit
    from scopebench.api.upkeep import doctor, list_cache, prune_cache, verify_cache
    from scopebench.errors import ScopeBenchError
    from scopebench.protocols import EditorContext, EditorInfo

try:
    __version__ = version("scopebench")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0.0.0+uninstalled"

__all__ = [
    "BuiltBenchmark",
    "EditorContext",
    "EditorInfo",
    "Report",
    "Run",
    "ScopeBenchError",
    "SideBySide",
    "__version__",
    "audit",
    "audit_sheet",
    "build",
    "build_leaderboard",
    "compare",
    "deploy_leaderboard",
    "doctor",
    "export",
    "fetch",
    "headroom",
    "judge",
    "list_cache",
    "list_editors",
    "list_fetchable",
    "list_models",
    "list_sources",
    "load",
    "new_editor",
    "open_run",
    "prune_cache",
    "publish",
    "reproduce",
    "rerun",
    "score",
    "serve_leaderboard",
    "submit",
    "validate",
    "verify",
    "verify_cache",
]

_HOMES: Final = {
    "api.auditing": ("audit", "audit_sheet"),
    "api.benchmarks": ("BuiltBenchmark", "build", "load"),
    "api.catalogue": ("fetch", "list_editors", "list_fetchable", "list_models", "list_sources"),
    "api.checking": ("validate", "verify"),
    "api.judging": ("judge",),
    "api.leaderboard": ("build_leaderboard", "deploy_leaderboard", "serve_leaderboard"),
    "api.reports": ("Report", "SideBySide", "compare", "headroom"),
    "api.reproducing": ("reproduce", "rerun"),
    "api.runs": ("Run", "open_run", "score"),
    "api.scaffold": ("new_editor",),
    "api.sharing": ("export", "publish", "submit"),
    "api.upkeep": ("doctor", "list_cache", "prune_cache", "verify_cache"),
    "errors": ("ScopeBenchError",),
    "protocols": ("EditorContext", "EditorInfo"),
}
_HOME: Final = {name: home for home, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # a type checker reads the imports above, and finds a name that is not there

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """This package: a module below it never takes the place of a function of the same name."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
