"""What an editor without an `EditorInfo` declares, read off its class, and a hash of its source."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final, cast

from scopebench.errors import EditorError
from scopebench.hub.names import NAME_RULE, safe_name
from scopebench.protocols import EditorInfo
from scopebench.records import ACTIONS, CONDITIONS, Action, Condition

METHODS: Final = ("write", "route", "act")
"""What every editor has; `delete` is asked for unless it declares `can_delete = False`."""

_LONGEST_ORIGIN: Final = 100
_LEGAL: Final[Mapping[Condition, tuple[Action, ...]]] = EditorInfo("", "", "", "").actions


def missing_methods(editor: Any) -> list[str]:
    """Return the methods of an editor that a class or object lacks."""
    asked = METHODS if getattr(editor, "can_delete", True) is False else (*METHODS, "delete")
    return [name for name in asked if not callable(getattr(editor, name, None))]


def info_of(kind: type) -> EditorInfo:
    """Return what a class declares by its attributes.

    `name` and `version` count only where the class itself has them, since it is another editor than
    the one it inherits from; the name of the class and "0" stand in for them. `summary` is the
    first line of its docstring. `conditions`, `actions`, `paper`, `can_mask`, `can_delete` and
    `needs_gradients` mean what they mean in `EditorInfo`; `actions` may also be one list for all
    conditions, of which `recite` is legal under `structured` alone.

    Raises:
        EditorError: If an attribute is not of its kind.
    """
    own = vars(kind)
    name, version = own.get("name", kind.__name__), own.get("version", "0")
    actions = _actions(kind)
    return EditorInfo(
        name=_safe(kind, "name", name),
        version=_safe(kind, "version", str(version)),
        summary=(inspect.getdoc(kind) or "").partition("\n")[0],
        factory=f"{kind.__module__}:{kind.__qualname__}",
        paper=getattr(kind, "paper", None),
        conditions=tuple(actions),
        actions=actions,
        needs_gradients=bool(getattr(kind, "needs_gradients", False)),
        can_mask=bool(getattr(kind, "can_mask", True)),
        can_delete=bool(getattr(kind, "can_delete", True)),
    )


def origin_name(target: Any) -> str:
    """Return `module:name` of a class or function, short enough for a run to tell."""
    qualified = target.__qualname__.replace("<locals>.", "").replace("<lambda>", "lambda")
    name = f"{target.__module__}:{qualified}"
    return name if len(name) <= _LONGEST_ORIGIN else name[-_LONGEST_ORIGIN:]


def source_sha256(*targets: Any) -> str:
    """Return the SHA-256 of the source of classes and functions.

    It is that of the file of the module where there is one, so that helpers beside the class count.
    What was typed into a notebook has no file: there it is the source of every method, or its
    compiled code where no source is kept.

    Args:
        targets: Classes and functions.
    """
    digest = hashlib.sha256()
    for part in sorted({part for target in targets for part in _source(target)}):
        digest.update(part)
    return digest.hexdigest()


def _safe(kind: type, field: str, value: Any) -> str:
    if not isinstance(value, str) or safe_name(value) is None:
        raise EditorError(
            f"{kind.__name__}.{field}: {value!r} cannot name an editor's {field}; "
            f"allowed: {NAME_RULE}"
        )
    return value


def _actions(kind: type) -> dict[Condition, tuple[Action, ...]]:
    """Return the legal actions under each condition the class can be given edits in."""
    conditions = getattr(kind, "conditions", None)
    declared = getattr(kind, "actions", None)
    if isinstance(declared, Mapping):
        found = {condition: _words(kind, actions) for condition, actions in declared.items()}
        kept = tuple(found) if conditions is None else conditions
    else:
        names = ACTIONS if declared is None else _words(kind, declared)
        found = {
            condition: tuple(action for action in legal if action in names)
            for condition, legal in _LEGAL.items()
        }
        kept = CONDITIONS if conditions is None else conditions
    for condition in kept:
        if condition not in CONDITIONS or condition not in found:
            raise EditorError(
                f"{kind.__name__}.conditions: {condition!r}; known: {', '.join(CONDITIONS)}"
            )
    return {condition: found[condition] for condition in kept if found[condition]}


def _words(kind: type, actions: Any) -> tuple[Action, ...]:
    words = () if isinstance(actions, str) else tuple(actions)
    strange = [word for word in words if word not in ACTIONS]
    if not words or strange:
        told = repr(strange[0] if strange else actions)
        raise EditorError(f"{kind.__name__}.actions: {told}; known: {', '.join(ACTIONS)}")
    return cast(tuple[Action, ...], words)


def _source(target: Any) -> Iterator[bytes]:
    module = sys.modules.get(target.__module__)
    file = getattr(module, "__file__", None)
    if file is not None and Path(file).is_file():
        yield Path(file).read_bytes()
        return
    functions = [target] if isinstance(target, FunctionType) else _functions(target)
    for function in functions:
        try:
            yield inspect.getsource(function).encode()
        except (OSError, TypeError):
            yield _code(function.__code__).encode()


def _functions(kind: type) -> Iterator[FunctionType]:
    """Yield the functions of a class and of what it inherits from, where those have no file."""
    for each in kind.__mro__:
        if each.__module__ != kind.__module__:
            continue
        for value in vars(each).values():
            inner = value.fget if isinstance(value, property) else value
            inner = getattr(inner, "__func__", inner)
            if isinstance(inner, FunctionType):
                yield inner


def _code(code: CodeType) -> str:
    """Return compiled code as text that is the same in every process."""
    constants = [
        _code(value)
        if isinstance(value, CodeType)
        else repr(sorted(map(repr, value)) if isinstance(value, frozenset) else value)
        for value in code.co_consts
    ]
    return repr((code.co_name, code.co_code.hex(), code.co_names, code.co_varnames, constants))
