"""The command line as a user meets it: data on stdout, one clear line on stderr, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCOPEBENCH = Path(sys.executable).with_name("scopebench")


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(SCOPEBENCH), *map(str, arguments)], capture_output=True, text=True, check=False
    )


def refusal(*arguments: object) -> str:
    """Run what must be refused: exit code 2, nothing on stdout, one line on stderr."""
    done = run(*arguments)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("scopebench: error: ")
    return lines[0]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "starter"
    done = run("build", "--limit", 12, "--out", out)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert f"Written: {out}" in done.stdout
    assert "Next: scopebench score" in done.stdout
    return out


def test_build_prints_its_manifest_as_json(tmp_path: Path, built: Path) -> None:
    done = run("build", "--limit", 12, "--json", "--out", tmp_path / "again")
    manifest = json.loads(done.stdout)
    assert manifest == json.loads((built / "manifest.json").read_text())
    assert manifest["limited"] is True
    configs = manifest["configs"]
    assert len([name for name in configs if not name.endswith("_edits")]) == 9


def test_show_tells_label_twin_and_hidden_edit(built: Path) -> None:
    manifest = json.loads((built / "manifest.json").read_text())
    assert manifest["datasets"]["counterfact"]["withheld"]["hidden"] == 6
    import pyarrow.parquet as pq

    rows = pq.read_table(built / "counterfact_structured" / "withheld.parquet").to_pylist()
    hidden = next(row for row in rows if row["hidden_edit_ids"])
    done = run("show", hidden["query_id"], "--benchmark", built)
    assert "out of scope" in done.stdout
    assert hidden["question"] in done.stdout
    assert hidden["twin_id"] in done.stdout
    described = json.loads(run("show", hidden["query_id"], "--benchmark", built, "--json").stdout)
    assert described["query"]["answers"] == hidden["answers"]
    assert [edit["edit_id"] for edit in described["hidden_edits"]] == hidden["hidden_edit_ids"]
    assert described["governing_edits"] == []


def test_lists_are_json_on_demand() -> None:
    editors = {row["name"]: row for row in json.loads(run("list", "editors", "--json").stdout)}
    assert {"base", "inlay", "rag", "static"} <= set(editors)
    assert editors["inlay"]["actions"]["extracted"] == ["reason", "abstain"]
    sources = {row["name"] for row in json.loads(run("list", "sources", "--json").stdout)}
    assert sources >= {"counterfact", "mquake_cf", "wikiupdate", "wikifactdiff"}
    models = {row["name"] for row in json.loads(run("list", "models", "--json").stdout)}
    assert models >= {"smollm2-135m", "gemma3-270m", "all-minilm-l6-v2"}
    for kind in ("editors", "sources", "models"):
        assert run("list", kind).returncode == 0


def test_fetch_without_a_name_lists_what_there_is() -> None:
    rows = {row["name"]: row["kind"] for row in json.loads(run("fetch", "--json").stdout)}
    assert rows["akew_wikiupdate"] == "file"
    assert rows["smollm2-135m"] == "model"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("score", "--editor", "inlai", "--out", "x"), "did you mean 'inlay'?"),
        (("score", "--editor", "nowhere.py:Mine", "--out", "x"), "nowhere.py: no such file"),
        (("score", "--editor", "no_such_module:Mine", "--out", "x"), "no module is called"),
        (("score", "--editor", "json:JSONDecoder", "--out", "x"), "is no editor: it lacks write"),
        (("score", "--editor", "json:Decoder", "--out", "x"), "holds no 'Decoder'; did you mean"),
        (("score", "--editor", "inlay", "--model", "./nowhere", "--out", "x"), "nowhere"),
        (("score", "--editor", "inlay", "--device", "abacus", "--out", "x"), "abacus"),
        (("headroom", "nowhere"), "nowhere: no such file or folder"),
        (("fetch", "smolm2-135m"), "did you mean 'smollm2-135m'?"),
        (("build", "--source", "counterfat=x.json", "--out", "y"), "counterfat"),
        (("build", "--source", "counterfact=nowhere.json", "--out", "y"), "nowhere.json"),
    ],
)
def test_bad_input_is_one_line(
    arguments: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in refusal(*arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_no_benchmark_is_refused(tmp_path: Path) -> None:
    assert "not a built benchmark" in refusal(
        "score", "--editor", "base", "--benchmark", tmp_path, "--out", tmp_path / "run"
    )


def test_an_editors_file_that_raises_keeps_its_traceback(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import json\nlimits = json.loads('{')\n", encoding="utf-8")
    done = run("score", "--editor", f"{broken}:Mine", "--out", tmp_path / "run")
    assert (done.returncode, done.stdout) == (1, "")
    assert f'File "{broken}", line 2, in <module>' in done.stderr
    assert "json.decoder.JSONDecodeError" in done.stderr
    assert not (tmp_path / "run").exists()


def test_an_editor_that_is_not_installed_is_scored(
    smollm2_dir: Path, built: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(
        "from scopebench_editors.base.editor import BaseEditor\n\n\n"
        "class Mine(BaseEditor):\n    conditions = ('structured',)\n    version = '2.0'\n"
        "    actions = ('abstain',)\n",
        encoding="utf-8",
    )
    done = run(
        *("score", "--editor", f"{tmp_path / 'mine.py'}:Mine", "--benchmark", built),
        *("--limit", 1, "--json", "--out", tmp_path / "run"),
    )
    assert done.returncode == 0, done.stderr
    editor = json.loads(done.stdout)["editor"]
    assert (editor["name"], editor["version"], editor["origin"]) == ("Mine", "2.0", "mine.py:Mine")


def test_a_changed_benchmark_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "built"
    run("build", "--limit", 4, "--out", out)
    victim = out / "counterfact_edits" / "index.parquet"
    victim.write_bytes(victim.read_bytes()[:-1] + b"\0")
    said = refusal("score", "--editor", "base", "--benchmark", out, "--out", tmp_path / "run")
    assert "SHA-256" in said
    assert "index.parquet" in said


def test_a_cache_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SCOPEBENCH_CACHE", str(tmp_path / "file" / "cache"))
    said = refusal("score", "--editor", "base", "--out", tmp_path / "run")
    assert "cannot write" in said


def test_an_unknown_query_gets_a_hint(built: Path) -> None:
    said = refusal("show", "counterfact/1/0/direct/orignal", "--benchmark", built)
    assert "did you mean counterfact/" in said


def test_a_misspelt_source_is_a_usage_error(tmp_path: Path) -> None:
    done = run("build", "--source", "counterfact", "--out", tmp_path / "x")
    assert done.returncode == 2
    assert "is not DATASET=PATH" in done.stderr


def test_foreign_files_are_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    assert "not a built benchmark" in refusal("build", "--limit", 2, "--out", tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_version_and_help() -> None:
    assert run("--version").stdout.startswith("scopebench ")
    for verb in ("build", "fetch", "headroom", "list", "score", "show"):
        done = run(verb, "--help")
        assert done.returncode == 0
        if verb != "list":
            assert "Examples:" in done.stdout
