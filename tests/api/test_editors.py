"""Which editor is meant, what it declares and where a run says that it comes from."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from subject_editor import NoEditor, SubjectEditor

import scopebench as sb
from scopebench.api.declared import info_of, source_sha256
from scopebench.api.editors import choose_editor
from scopebench.errors import EditorError
from scopebench.registry import discover
from scopebench.testing import toy_context
from scopebench_editors.rag.editor import RagEditor

FILE = Path(__file__).with_name("subject_editor.py")
SOURCE = hashlib.sha256(FILE.read_bytes()).hexdigest()
EVERY = {
    "structured": ("recite", "reason", "abstain"),
    "unstructured": ("reason", "abstain"),
    "extracted": ("reason", "abstain"),
}


def kind(**attributes: Any) -> type:
    """Return an editor's class with other attributes."""
    return type("Made", (SubjectEditor,), attributes)


def test_a_class_declares_itself() -> None:
    info = info_of(SubjectEditor)
    assert (info.name, info.version) == ("SubjectEditor", "1.5")
    assert info.summary == "Fires where the question names the subject of an edit."
    assert info.conditions == tuple(EVERY)
    assert info.actions == EVERY
    assert (info.can_mask, info.can_delete, info.needs_gradients) == (True, True, False)


def test_name_and_version_are_not_inherited() -> None:
    assert (info_of(kind()).name, info_of(kind()).version) == ("Made", "0")
    assert info_of(type("Mine", (RagEditor,), {})).name == "Mine"


@pytest.mark.parametrize(
    ("attributes", "actions"),
    [
        ({"conditions": ("extracted",)}, {"extracted": ("reason", "abstain")}),
        (
            {"actions": ("recite", "abstain")},
            {
                "structured": ("recite", "abstain"),
                "unstructured": ("abstain",),
                "extracted": ("abstain",),
            },
        ),
        ({"actions": {"structured": ("abstain",)}}, {"structured": ("abstain",)}),
        (
            {"actions": ["reason"], "conditions": ["structured"]},
            {"structured": ("reason",)},
        ),
    ],
)
def test_actions_and_conditions_are_read_off_the_class(
    attributes: dict[str, Any], actions: dict[str, tuple[str, ...]]
) -> None:
    info = info_of(kind(**attributes))
    assert info.actions == actions
    assert info.conditions == tuple(actions)


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ({"name": "my editor"}, "Made.name: 'my editor' cannot name an editor's name"),
        ({"name": 3}, "Made.name: 3 cannot name"),
        ({"version": "1/2"}, "Made.version: '1/2' cannot name"),
        ({"actions": ("recite", "guess")}, "Made.actions: 'guess'; known: recite, reason, abstain"),
        ({"actions": "recite"}, "Made.actions: 'recite'; known"),
        ({"conditions": ("spoken",)}, "Made.conditions: 'spoken'; known: structured"),
        ({"actions": {"spoken": ("recite",)}}, "Made.conditions: 'spoken'"),
    ],
)
def test_what_cannot_be_declared_is_told(attributes: dict[str, Any], said: str) -> None:
    with pytest.raises(EditorError) as raised:
        info_of(kind(**attributes))
    assert said in str(raised.value)


def declared(editor: Any, **options: Any) -> tuple[sb.EditorInfo, Any]:
    return choose_editor(editor, **options).declared(toy_context())


@pytest.mark.parametrize(
    "editor",
    [
        SubjectEditor,
        "subject_editor:SubjectEditor",
        f"{FILE}:SubjectEditor",
        lambda context: SubjectEditor(context),
        partial(SubjectEditor, floor=2),
        SubjectEditor(toy_context()),
    ],
    ids=["class", "module", "file", "function", "partial", "object"],
)
def test_every_form_of_one_editor_is_told_alike(editor: Any) -> None:
    info, origin = declared(editor)
    assert (info.name, info.version, info.actions) == ("SubjectEditor", "1.5", EVERY)
    if callable(editor) and getattr(editor, "__name__", "") == "<lambda>":
        assert origin.name == f"{__name__}:lambda"
        both = hashlib.sha256()
        for content in sorted([Path(__file__).read_bytes(), FILE.read_bytes()]):
            both.update(content)
        assert origin.sha256 == both.hexdigest()
    else:
        assert origin.name in ("subject_editor:SubjectEditor", "subject_editor.py:SubjectEditor")
        assert origin.sha256 == SOURCE


def test_a_registered_editor_is_itself_by_every_name() -> None:
    rag = discover().get("rag")
    for editor in ("rag", rag, RagEditor, "scopebench_editors.rag.editor:RagEditor"):
        assert declared(editor) == (rag, None)


def test_other_code_under_a_registered_name_is_refused() -> None:
    with pytest.raises(EditorError, match="'rag' is the name of a registered editor"):
        declared(kind(name="rag"))
    posing = replace(discover().get("rag"), version="2.0")
    with pytest.raises(EditorError, match="'rag' is the name of a registered editor"):
        declared(posing)


def test_a_declaration_may_be_given() -> None:
    info = sb.EditorInfo(name="given", version="3", summary="", factory="", can_mask=False)
    found, origin = declared(lambda context: SubjectEditor(context), info=info)
    assert found == info
    assert origin.name.endswith(".lambda")
    with pytest.raises(EditorError, match="leave info out"):
        choose_editor("rag", info)


class WithoutParams(SubjectEditor):
    def __init__(self, context: Any) -> None:
        super().__init__(context)
        del self.params


class WithStrangeParams(SubjectEditor):
    def __init__(self, context: Any) -> None:
        super().__init__(context)
        self.params = {"model": context.model}


class NoContext(SubjectEditor):
    def __init__(self) -> None:
        super().__init__(toy_context())


@pytest.mark.parametrize(
    ("editor", "said"),
    [
        ("inlai", "did you mean 'inlay'?"),
        ("nowhere.py:Mine", "nowhere.py: no such file; give path/to/file.py:Class"),
        ("nowhere.py", "names no class; give path/to/file.py:Class"),
        (f"{FILE}:SubjectEditr", "holds no 'SubjectEditr'; did you mean 'SubjectEditor'?"),
        (f"{FILE}:NoEditor", "NoEditor is no editor: it lacks write, route, act, delete"),
        (f"{FILE}:NOT_A_CLASS", "subject_editor.py:NOT_A_CLASS is no editor"),
        ("no_such_module:Mine", "no module is called 'no_such_module'"),
        ("subject_editor.deeper:Mine", "no module is called 'subject_editor.deeper'"),
        ("subject_editor:", "names no class"),
        (":Mine", "names no class"),
        (NoEditor, "NoEditor is no editor: it lacks write, route, act, delete"),
        (NoEditor(), "is no editor: it lacks write, route, act, delete"),
        (7, "7 is no editor"),
        (NoContext, "NoContext is built with one argument, the context"),
        (WithoutParams, "WithoutParams has no params"),
        (WithStrangeParams, "WithStrangeParams.params are no JSON values"),
        (lambda context: NoEditor(), "NoEditor is no editor: it lacks"),
    ],
)
def test_what_is_no_editor_is_told_in_one_line(editor: Any, said: str) -> None:
    with pytest.raises(EditorError) as raised:
        declared(editor)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_error_inside_the_users_file_is_theirs_to_see(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import json\nlimits = json.loads('{')\n", encoding="utf-8")
    with pytest.raises(ValueError, match="Expecting property name") as raised:
        choose_editor(f"{broken}:Mine")
    assert str(broken) in {str(entry.path) for entry in raised.traceback}
    assert not [name for name in sys.modules if name.startswith("broken_")]
    needy = tmp_path / "needy.py"
    needy.write_text("import a_package_that_nobody_has\n", encoding="utf-8")
    with pytest.raises(ModuleNotFoundError, match="a_package_that_nobody_has"):
        choose_editor(f"{needy}:Mine")
    with pytest.raises(ModuleNotFoundError, match="a_package_that_nobody_has"):
        choose_editor("needy:Mine")


def test_a_file_finds_the_modules_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "beside_it_is.py").write_text("from subject_editor import SubjectEditor as Base\n")
    file = tmp_path / "mine.py"
    file.write_text("from beside_it_is import Base\nclass Mine(Base):\n    pass\n")
    info, origin = declared(f"{file}:Mine")
    assert (info.name, origin.name) == ("Mine", "mine.py:Mine")
    assert origin.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


def typed(text: str) -> Any:
    """Return the class that a text defines, as one typed into an interpreter has it: no file."""
    names: dict[str, Any] = {"__name__": "typed_in", "Base": SubjectEditor}
    exec(text, names)
    return names["Mine"]


def test_code_that_has_no_file_is_known_by_its_methods() -> None:
    text = "class Mine(Base):\n    def decide(self): return {}\n    names = {}\n"
    one, same, other = (typed(text.format(n, "0")) for n in (1, 1, 2))
    assert source_sha256(one) == source_sha256(same) != source_sha256(other)
    nested = "class Mine(Base):\n    def decide(self):\n        return {'b', 'a', 'c'} & {1, 2}\n"
    assert source_sha256(typed(nested)) == source_sha256(typed(nested))


def test_an_object_is_copied_with_the_runs_own_models(toys: dict[str, Any]) -> None:
    mine = SubjectEditor(toy_context(), floor=4)
    chosen = choose_editor(mine)
    context = toy_context()
    copy = chosen.factory(context)
    assert copy is not mine
    assert copy.params == {"floor": 4}
    assert copy.context is context
    copy.write(list(toy_edits()))
    assert not mine.edits
    mine.context = None
    assert chosen.factory(context).context is context
    with pytest.raises(EditorError, match="params are for a class or a factory"):
        chosen.factory(replace(context, params={"floor": 1}))


def toy_edits() -> Any:
    from scopebench.testing import EDITS

    return EDITS


def test_an_object_that_was_made_with_another_model_is_refused() -> None:
    mine = SubjectEditor(toy_context())
    other = toy_context()
    other.model.ref = other.model.ref.model_copy(update={"id": "another-model"})
    with pytest.raises(EditorError, match="made with toy-model and the run is with another-model"):
        choose_editor(mine).factory(other)
