"""Named checks of an editor, to be called one by one, turned into tests, or run together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from scopebench.protocols import EditorContext, EditorFactory, EditorInfo
from scopebench.registry import load_factory
from scopebench.testing.promises import PROMISES
from scopebench.testing.subject import Subject

_NEEDS_MASKING: Final = frozenset({"hidden_edits_never_fire", "masking_equals_deleting"})
_NEEDS_DELETION: Final = frozenset(
    {"unknown_delete_is_refused", "write_then_delete_restores_every_answer"}
)


@dataclass(frozen=True)
class Check:
    """One promise, ready to be checked.

    Attributes:
        name: What is promised, in a few words.
        promise: The promise as a sentence.
        skip: Why the check does not apply to this editor; None: it does.
        run: Raises `AssertionError` where the promise is broken.
    """

    name: str
    promise: str
    skip: str | None
    run: Callable[[], None]

    def __call__(self) -> None:
        """Check the promise."""
        self.run()

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class CheckResult:
    """How a check went.

    Attributes:
        name: The check's name.
        status: Whether the promise is kept, or was not checked.
        message: What was broken, or why it was skipped; empty when passed.
    """

    name: str
    status: Literal["passed", "failed", "skipped"]
    message: str = ""

    def __str__(self) -> str:
        return f"{self.status:7} {self.name}{': ' if self.message else ''}{self.message}"


def check_editor(
    editor: EditorInfo | EditorFactory, context: EditorContext, *, info: EditorInfo | None = None
) -> Iterator[Check]:
    """Yield every check of an editor, to be called or turned into tests.

    Args:
        editor: Its declaration, or a factory of empty editors.
        context: What the editor is built with; `toy_context()` or that of a real model.
        info: What a factory's editor declares; by default all conditions, with masking and exact
            deletion. Not used where `editor` is a declaration.

    Raises:
        EditorError: If the declaration names no factory.
    """
    if isinstance(editor, EditorInfo):
        subject = Subject(editor, load_factory(editor), context)
    else:
        declared = info or EditorInfo(name="unnamed", version="0", summary="", factory="")
        subject = Subject(declared, editor, context)
    for promise in PROMISES:
        yield _bind(promise, subject)


def run_checks(
    editor: EditorInfo | EditorFactory, context: EditorContext, *, info: EditorInfo | None = None
) -> list[CheckResult]:
    """Run every check of an editor and tell how each went; arguments as for `check_editor`.

    An exception from the editor fails the check it was raised in; call the check itself to see its
    traceback.
    """
    results = []
    for check in check_editor(editor, context, info=info):
        if check.skip is not None:
            results.append(CheckResult(check.name, "skipped", check.skip))
            continue
        try:
            check()
        except AssertionError as broken:
            results.append(CheckResult(check.name, "failed", str(broken)))
        except Exception as error:  # whatever the editor raised is the finding
            message = f"raised {type(error).__name__}: {error}"
            results.append(CheckResult(check.name, "failed", message))
        else:
            results.append(CheckResult(check.name, "passed"))
    return results


def _bind(promise: Callable[[Subject], None], subject: Subject) -> Check:
    name = promise.__name__
    skip = None
    if name in _NEEDS_MASKING and not subject.info.can_mask:
        skip = "the editor declares that it cannot mask (can_mask=False)"
    elif name in _NEEDS_DELETION and not subject.info.can_delete:
        skip = "the editor declares that deletion is not exact (can_delete=False)"
    return Check(name, (promise.__doc__ or "").strip(), skip, lambda: promise(subject))
