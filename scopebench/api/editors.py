"""Which editor is meant: a registered name, code that is not installed, a class or an object."""

from __future__ import annotations

import copy
import functools
import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from scopebench.api.declared import info_of, missing_methods, origin_name, source_sha256
from scopebench.api.references import import_reference, is_reference
from scopebench.errors import EditorError
from scopebench.protocols import (
    Editor,
    EditorContext,
    EditorFactory,
    EditorInfo,
)
from scopebench.registry import discover, load_factory
from scopebench.run.provenance import CodeOrigin

EditorLike = str | EditorInfo | type | EditorFactory | Editor
"""A registered name, `file.py:Name`, `module:Name`, an `EditorInfo`, a class, a function that
builds an editor, or an editor with nothing written."""


@dataclass(frozen=True)
class ChosenEditor:
    """An editor that was found.

    Attributes:
        factory: Builds an empty one.
        info: What it declares; None: it is read off the first one that is built.
        origin: Where its code is, if it is not registered.
        made_by: The function that builds it, where it is one.
    """

    factory: EditorFactory
    info: EditorInfo | None
    origin: CodeOrigin | None = None
    made_by: Any = None

    def declared(self, context: EditorContext) -> tuple[EditorInfo, CodeOrigin | None]:
        """Build one, see that it is an editor, and return what it declares and where it is from.

        Raises:
            EditorError: If it lacks a method or `params`, or declares what cannot be.
        """
        editor = self.factory(context)
        kind = type(editor)
        if lacking := missing_methods(editor):
            raise EditorError(f"{kind.__name__} is no editor: it lacks {', '.join(lacking)}")
        _check_params(kind.__name__, getattr(editor, "params", None))
        info = self.info or info_of(kind)
        if self.origin is None:
            return info, None
        _refuse_registered_name(info.name)
        if self.made_by is None:
            return info, self.origin
        return info, CodeOrigin(self.origin.name, source_sha256(self.made_by, kind))


def choose_editor(editor: EditorLike, info: EditorInfo | None = None) -> ChosenEditor:
    """Find the editor that is meant, without building one.

    Args:
        editor: See `EditorLike`.
        info: What it declares; not for a registered name.

    Raises:
        EditorError: If it is not there or is no editor.
    """
    origin = None
    if isinstance(editor, str) and is_reference(editor):
        reference = import_reference(editor)
        editor, origin = reference.target, reference.origin
        if isinstance(editor, str):
            raise EditorError(f"{origin} is a text, and no editor")
    if isinstance(editor, str):
        if info is not None:
            raise EditorError(f"{editor!r} is registered with its own declaration; leave info out")
        editor = discover().get(editor)
    if isinstance(editor, EditorInfo):
        return _of_declaration(editor, origin)
    found = _of_code(editor, origin)
    if info is not None:
        name = found.origin or _origin(origin, _code_of(found.factory))
        return replace(found, info=info, origin=name)
    return found


def _of_declaration(info: EditorInfo, origin: str | None) -> ChosenEditor:
    factory = load_factory(info)
    if discover().editors.get(info.name) == info:
        return ChosenEditor(factory, info)
    name = origin or info.factory
    return ChosenEditor(factory, info, CodeOrigin(name, source_sha256(_code_of(factory))))


def _of_code(editor: Any, origin: str | None) -> ChosenEditor:
    if isinstance(editor, type):
        return _of_class(editor, origin)
    if not missing_methods(editor):
        return _of_object(editor, origin)
    if not callable(editor):
        told = ", ".join(missing_methods(editor))
        raise EditorError(f"{origin or repr(editor)} is no editor: it lacks {told}")
    code = _code_of(editor)
    if isinstance(code, type):
        return replace(_of_class(code, origin), factory=editor)
    return ChosenEditor(editor, None, _origin(origin, code), made_by=code)


def _of_class(kind: type, origin: str | None) -> ChosenEditor:
    if lacking := missing_methods(kind):
        raise EditorError(
            f"{origin or kind.__name__} is no editor: it lacks {', '.join(lacking)}; "
            "scopebench/protocols.py says what an editor has"
        )
    try:
        inspect.signature(kind).bind(None)
    except TypeError as error:
        raise EditorError(
            f"{origin or kind.__name__} is built with one argument, the context: "
            f"def __init__(self, context) ({error})"
        ) from None
    factory = cast(EditorFactory, kind)
    path = f"{kind.__module__}:{kind.__qualname__}"
    for info in discover().editors.values():
        if info.factory == path:
            return ChosenEditor(factory, info)
    return ChosenEditor(factory, info_of(kind), _origin(origin, kind))


def _of_object(editor: Any, origin: str | None) -> ChosenEditor:
    kind = type(editor)
    info = replace(info_of(kind), can_delete=getattr(editor, "can_delete", True) is not False)
    return ChosenEditor(_Copies(editor), info, _origin(origin, kind))


@dataclass(frozen=True)
class _Copies:
    """Builds copies of an editor that has nothing written; models are shared, never copied.

    Attributes:
        editor: The editor.
    """

    editor: Any

    def __call__(self, context: EditorContext) -> Editor:
        """Return a copy that holds the run's model and encoder in place of its own."""
        if context.params:
            raise EditorError("params are for a class or a factory: an object has its own already")
        given = {id(held): _given(held, context) for held in _held(self.editor)}
        made: Editor = copy.deepcopy(self.editor, given)
        if getattr(made, "context", made) is None:
            made.context = context  # type: ignore[attr-defined]  # asked for by the attribute
        return made


def _given(held: Any, context: EditorContext) -> Any:
    """Return what stands in a copy for a context, model or encoder that an object holds.

    Raises:
        EditorError: If that is another model than the run's.
    """
    if isinstance(held, EditorContext):
        return context
    ours = context.model if hasattr(held, "generate") else context.encoder
    named = [(ref.id, ref.revision, ref.dtype) for ref in (held.ref, ours.ref)]
    if named[0] != named[1]:
        raise EditorError(
            f"the editor was made with {held.ref.id} and the run is with {ours.ref.id}: give "
            "`model` and `encoder` as it was made with, or give the class"
        )
    return ours


def _held(value: Any, seen: set[int] | None = None) -> Iterator[Any]:
    """Yield the contexts, models and encoders inside an object."""
    seen = set() if seen is None else seen
    if id(value) in seen or isinstance(value, str | bytes | type):
        return
    seen.add(id(value))
    is_model = hasattr(value, "ref") and (hasattr(value, "generate") or hasattr(value, "encode"))
    if is_model or isinstance(value, EditorContext):
        yield value
    if is_model:
        return
    if isinstance(value, Mapping):
        inner = list(value.values())
    elif isinstance(value, list | tuple | set | frozenset):
        inner = list(value)
    else:
        inner = list(getattr(value, "__dict__", {}).values())
    for each in inner:
        yield from _held(each, seen)


def _code_of(factory: Callable[..., Any]) -> Any:
    """Return the class or function behind a factory."""
    while isinstance(factory, functools.partial):
        factory = factory.func
    return factory if hasattr(factory, "__qualname__") else type(factory)


def _origin(origin: str | None, code: Any) -> CodeOrigin:
    return CodeOrigin(origin or origin_name(code), source_sha256(code))


def _check_params(name: str, params: Any) -> None:
    if not isinstance(params, Mapping):
        raise EditorError(
            f"{name} has no params: the parameters in force, by name, as JSON values; "
            "an editor without any has `params = {}`"
        )
    try:
        json.dumps(dict(params), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise EditorError(f"{name}.params are no JSON values ({error})") from error


def _refuse_registered_name(name: str) -> None:
    if name in discover().editors:
        raise EditorError(
            f"{name!r} is the name of a registered editor, and this is other code: give the class "
            "another one by its attribute `name`"
        )
