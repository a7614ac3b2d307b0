"""Editors found by entry point: ours, a third party's, broken ones and duplicates."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from scopebench.errors import EditorError
from scopebench.registry import GROUP, discover, load_factory
from scopebench.testing import run_checks, toy_context

PLUGINS = Path(__file__).parent / "plugin_pkg"
OURS = ["base", "inlay", "rag", "static"]


@pytest.fixture
def install(monkeypatch):
    """Put plug-in packages where `importlib.metadata` looks, and take them away again."""

    def install(*folders: str) -> None:
        for folder in folders:
            monkeypatch.syspath_prepend(str(PLUGINS / folder))

    yield install
    for name in [name for name in sys.modules if name.startswith("scopebench_echo")]:
        del sys.modules[name]


def test_the_built_in_editors_are_registered():
    registry = discover()
    assert list(registry.editors) == OURS
    assert registry.broken == ()
    for name, info in registry.editors.items():
        assert info.name == name
        assert info.summary.endswith(".")
        assert load_factory(info)(toy_context()).params is not None


def test_listing_imports_no_editor():
    code = (
        "import sys; from scopebench.registry import discover; discover(); "
        "print([name for name in ('numpy', 'torch', 'scopebench_editors.inlay.editor') "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_third_partys_editor_is_found_and_keeps_its_promises(install):
    install("good")
    registry = discover()
    assert list(registry.editors) == sorted([*OURS, "echo"])
    results = run_checks(registry.get("echo"), toy_context())
    assert [str(result) for result in results if result.status != "passed"] == []
    assert len(results) == 15


def test_broken_plug_ins_are_named_and_the_others_still_load(install):
    install("good", "broken")
    registry = discover()
    assert list(registry.editors) == sorted([*OURS, "echo"])
    reasons = {plug_in.name: plug_in.reason for plug_in in registry.broken}
    assert reasons == {
        "unimportable": "ModuleNotFoundError: No module named 'a_package_that_nobody_has'",
        "misnamed": reasons["misnamed"],
        "not-an-info": reasons["not-an-info"],
    }
    assert (
        "an EditorInfo named 'misnamed', not to EditorInfo(name='another-name'"
        in (reasons["misnamed"])
    )
    assert reasons["not-an-info"].endswith("not to 'not a declaration'")
    with pytest.raises(EditorError) as raised:
        registry.get("unimportable")
    assert str(raised.value) == (
        "editor 'unimportable' (scopebench-broken: scopebench_broken:INFO) is broken: "
        "ModuleNotFoundError: No module named 'a_package_that_nobody_has'"
    )


def test_a_name_claimed_twice_is_refused(install):
    install("good", "twin")
    with pytest.raises(EditorError) as raised:
        discover()
    assert str(raised.value) == (
        "two plug-ins register the editor 'echo': scopebench-echo: scopebench_echo.info:INFO and "
        "scopebench-twin: scopebench_twin:INFO; uninstall one of them"
    )


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(EditorError) as raised:
        discover().get("inlai")
    assert str(raised.value) == (
        "no editor is called 'inlai'; did you mean 'inlay'? registered: base, inlay, rag, static"
    )
    with pytest.raises(EditorError, match=r"no editor is called 'zzz'; registered: base"):
        discover().get("zzz")


def test_given_entry_points_are_read_instead_of_the_installed_ones():
    point = EntryPoint("rag", "scopebench_editors.rag.info:INFO", GROUP)
    assert list(discover([point, point]).editors) == ["rag"]
    assert discover([]).editors == {}


def test_a_factory_that_does_not_exist_is_refused():
    info = replace(discover().get("rag"), factory="scopebench_editors.rag.editor:Nothing")
    with pytest.raises(EditorError, match=r"names the factory .*Nothing.*: no such thing"):
        load_factory(info)
