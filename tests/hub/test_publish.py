"""Publishing a benchmark: one commit, one tag, loadable by its pin; the same command finishes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from scopebench.construct import BuildOptions, build_benchmark
from scopebench.errors import DataError, HubError
from scopebench.hub.publish import Plan, plan_publication, publish
from scopebench.hub.remote import Remote
from scopebench.hub.retry import RetryPolicy

sys.path.insert(0, str(Path(__file__).parent))

from loopback.server import LoopbackHub

pytest_plugins = ["loopback.fixtures"]

REPO = "org/starter"
STEPS = ("/repos/create", "/preupload/", "/objects/batch", "^/lfs/", "/commit/", "/tag/")
VERB = """
import sys
from scopebench import cli
cli.VERBS.setdefault("publish", "")
cli.main(sys.argv[1:])
"""
LOAD = """
import json, sys
from datasets import get_dataset_config_names, load_dataset
repo, revision = sys.argv[1:]
found = {}
for config in get_dataset_config_names(repo, revision=revision):
    for split, data in load_dataset(repo, config, revision=revision).items():
        found[f"{config}/{split}"] = data.to_list()
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("publish") / "starter"
    build_benchmark(None, folder, BuildOptions())
    return folder


@pytest.fixture
def folder(starter: Path, tmp_path: Path) -> Path:
    """A copy of the starter to spoil."""
    return Path(shutil.copytree(starter, tmp_path / "bench"))


@pytest.fixture(scope="module")
def plan(starter: Path) -> Plan:
    return plan_publication(starter)


def _python(loopback: LoopbackHub, home: Path, code: str, *arguments: str, login: bool = True):
    variables = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env=variables | loopback.environment(home, login=login),
    )


def _posts(loopback: LoopbackHub, part: str) -> int:
    return sum(method == "POST" and part in path for method, path in loopback.requests)


def test_a_plan_lists_every_file_with_its_hash(starter: Path, plan: Plan) -> None:
    manifest = json.loads((starter / "manifest.json").read_text("utf-8"))
    assert plan.tag == f"v{manifest['version']}"
    assert {file.path for file in plan.files} == {"README.md", "manifest.json", *manifest["files"]}
    for file in plan.files:
        assert file.size == (starter / file.path).stat().st_size
        assert manifest["files"].get(file.path, file.sha256) == file.sha256
    assert plan.configs["counterfact_structured"] == ("original", "withheld", "curated")


def test_the_verb_publishes_what_datasets_loads_by_its_pin(
    loopback: LoopbackHub, starter: Path, plan: Plan, tmp_path: Path
) -> None:
    done = _python(loopback, tmp_path, VERB, "publish", str(starter), "--repo", REPO)
    assert done.returncode == 0, done.stderr
    repo = loopback.repo("dataset", REPO)
    commit = repo.tags[plan.tag]
    assert repo.head.oid == commit
    assert len(repo.history) == 2  # the Hub's own first commit, and ours
    assert f'revision="{commit}")' in done.stdout
    assert loopback.token is not None
    assert loopback.token not in done.stdout + done.stderr
    for pin in (plan.tag, commit):
        loaded = _python(loopback, tmp_path, LOAD, REPO, pin, login=False)
        assert loaded.returncode == 0, loaded.stderr
        found = json.loads(loaded.stdout)
        files = [file.path for file in plan.files if file.path.endswith(".parquet")]
        assert {f"{name}.parquet" for name in found} == set(files)
        for path in files:
            rows = pq.read_table(starter / path).to_pylist()
            assert found[path.removesuffix(".parquet")] == json.loads(json.dumps(rows)), path


def test_a_dry_run_asks_the_hub_nothing(
    loopback: LoopbackHub, starter: Path, plan: Plan, tmp_path: Path
) -> None:
    done = _python(loopback, tmp_path, VERB, "publish", str(starter), "--repo", REPO, "--dry-run")
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    listed = [(digest, int(size.replace(",", "")), path) for digest, size, path in lines]
    assert listed == [(file.sha256, file.size, file.path) for file in plan.files]
    assert loopback.requests == []
    spoken = _python(
        loopback, tmp_path, VERB, "publish", str(starter), "--repo", REPO, "--dry-run", "--json"
    )
    assert [file["path"] for file in json.loads(spoken.stdout)["files"]] == [
        file.path for file in plan.files
    ]


def test_a_second_publishing_sends_nothing(
    loopback: LoopbackHub, plan: Plan, remote: Remote
) -> None:
    first = publish(plan, REPO, remote=remote)
    loopback.requests.clear()
    again = publish(plan, REPO, remote=remote)
    assert first.sent and again == replace(first, sent=False)
    assert _posts(loopback, "/commit/") == _posts(loopback, "/tag/") == 0
    assert len(loopback.repo("dataset", REPO).history) == 2


@pytest.mark.parametrize("path", STEPS)
@pytest.mark.parametrize("kind", ["lost", "cut", "refused"])
def test_a_lost_answer_anywhere_makes_one_commit_and_one_tag(
    loopback: LoopbackHub, plan: Plan, remote: Remote, path: str, kind: str
) -> None:
    fault = loopback.inject(kind, path)
    done = publish(plan, REPO, remote=remote)
    repo = loopback.repo("dataset", REPO)
    assert fault.met == 1
    assert len(repo.history) == 2
    assert repo.tags == {plan.tag: done.commit} == {plan.tag: repo.head.oid}


@pytest.mark.parametrize("status", [409, 412, 429, 500, 503])
def test_trouble_that_passes_is_waited_for(
    loopback: LoopbackHub, plan: Plan, remote: Remote, told: list[str], status: int
) -> None:
    loopback.inject("status", "/commit/", status=status, times=2)
    assert publish(plan, REPO, remote=remote).sent
    assert [f"the Hub answered {status}" in line for line in told] == [True, True]


def test_an_interrupted_publishing_is_finished(
    loopback: LoopbackHub, plan: Plan, remote: Remote
) -> None:
    once = replace(remote, policy=RetryPolicy(attempts=1))
    loopback.inject("status", "/tag/", status=503)
    with pytest.raises(HubError, match="the Hub answered 503"):
        publish(plan, REPO, remote=once)
    repo = loopback.repo("dataset", REPO)
    assert (len(repo.history), repo.tags) == (2, {})
    puts = sum(method == "PUT" for method, _ in loopback.requests)
    done = publish(plan, REPO, remote=remote)
    assert repo.tags == {plan.tag: done.commit}
    assert len(repo.history) == 2
    assert sum(method == "PUT" for method, _ in loopback.requests) == puts  # no file went twice


def test_a_tag_is_never_moved(
    loopback: LoopbackHub, plan: Plan, remote: Remote, folder: Path
) -> None:
    first = publish(plan, REPO, remote=remote)
    card = folder / "README.md"
    card.write_text(card.read_text("utf-8") + "\nA word more.\n", encoding="utf-8")
    changed = plan_publication(folder)
    with pytest.raises(HubError, match=rf"tag {plan.tag} is at {first.commit}.*README\.md"):
        publish(changed, REPO, remote=remote)
    repo = loopback.repo("dataset", REPO)
    assert repo.head.oid == first.commit
    other = publish(plan_publication(folder, tag="v0.1.0-b"), REPO, remote=remote)
    assert repo.tags == {plan.tag: first.commit, "v0.1.0-b": other.commit}


def test_files_of_an_earlier_version_are_deleted(
    loopback: LoopbackHub, plan: Plan, remote: Remote
) -> None:
    repo = loopback.store.create("dataset", REPO)
    old = {"header": {"summary": "old"}, "deleted": [], "deleted_folders": []}
    blob = replace(repo.head.files[".gitattributes"], content=b"x", large=True)
    repo.commit("main", old | {"files": {"gone/a.parquet": blob, "LICENSE": blob}}, create_pr=False)
    publish(plan, REPO, remote=remote)
    assert set(repo.files) == {".gitattributes", "LICENSE", *(file.path for file in plan.files)}


def test_a_repository_is_created_private_where_asked(
    loopback: LoopbackHub, plan: Plan, remote: Remote
) -> None:
    publish(plan, REPO, remote=remote, private=True)
    publish(plan, "org/open", remote=remote)
    assert loopback.repo("dataset", REPO).private
    assert not loopback.repo("dataset", "org/open").private


def test_a_file_that_changes_while_it_is_sent_gets_no_tag(
    loopback: LoopbackHub, folder: Path, remote: Remote
) -> None:
    plan = plan_publication(folder)
    (folder / "manifest.json").write_text("{}", encoding="utf-8")
    with pytest.raises(HubError, match=r"manifest\.json at .* is not the file that was checked"):
        publish(plan, REPO, remote=remote)
    assert loopback.repo("dataset", REPO).tags == {}


def _edit(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def _edit_manifest(folder: Path, **fields: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | fields), encoding="utf-8")


FAKE = "hf_" + "x" * 34
SPOILED = {
    "no card": (lambda f: (f / "README.md").unlink(), "the file is missing"),
    "no front matter": (lambda f: _edit(f, "README.md", "---", ""), "license: names no licence"),
    "bad front matter": (
        lambda f: _edit(f, "README.md", "license: ", "license: [}"),
        "the front matter cannot be read",
    ),
    "no licence": (lambda f: _edit(f, "README.md", "license:", "x:"), "names no licence"),
    "no configs": (lambda f: _edit(f, "README.md", "configs:", "x:"), "no configs"),
    "a config without a split": (
        lambda f: _edit(f, "README.md", "  - split: original\n", "  - other: original\n"),
        "not a name with splits and paths",
    ),
    "a dash in a split": (
        lambda f: _edit(f, "README.md", "split: original", "split: ori-ginal"),
        "'ori-ginal' cannot name a split",
    ),
    "a split twice": (
        lambda f: _edit(f, "README.md", "split: withheld", "split: original"),
        "stands twice",
    ),
    "a file that no config names": (
        lambda f: _edit(f, "README.md", "structured/withheld.p", "structured/original.p"),
        "do not name each file of the manifest once",
    ),
    "a path outside": (
        lambda f: _edit(f, "README.md", "path: counterfact_structured/original", "path: ../o"),
        "do not name each file of the manifest once",
    ),
    "a token in the card": (lambda f: _edit(f, "README.md", "# ", f"# {FAKE} "), "like a token"),
    "a token in the manifest": (lambda f: _edit_manifest(f, note=FAKE), "like a token"),
    "a changed file": (
        lambda f: (f / "counterfact_edits" / "index.parquet").write_bytes(b"PAR1"),
        "the SHA-256 is not the one in the manifest",
    ),
    "a lost file": (
        lambda f: (f / "counterfact_edits" / "index.parquet").unlink(),
        "the file is missing",
    ),
    "a file left over": (
        lambda f: (f / "starter.py").write_text("", encoding="utf-8"),
        "starter.py is not in the manifest",
    ),
    "a limited benchmark": (lambda f: _edit_manifest(f, limited=True), "a limited benchmark"),
    "no manifest": (lambda f: (f / "manifest.json").unlink(), "not a built benchmark"),
    "a version that is no tag": (lambda f: _edit_manifest(f, version="0 1"), "cannot be a tag"),
}


@pytest.mark.parametrize("case", SPOILED)
def test_what_may_not_be_published(folder: Path, case: str) -> None:
    spoil, said = SPOILED[case]
    spoil(folder)
    with pytest.raises(DataError, match=said) as caught:
        plan_publication(folder)
    assert FAKE not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_hidden_files_are_not_sent(folder: Path, plan: Plan) -> None:
    (folder / ".DS_Store").write_bytes(b"x")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text(FAKE, encoding="utf-8")
    assert plan_publication(folder).files == plan.files


def test_a_refusal_is_one_line_without_the_token(
    loopback: LoopbackHub, starter: Path, tmp_path: Path
) -> None:
    loopback.inject("status", "/repos/create", status=401, message="{authorization}")
    done = _python(loopback, tmp_path, VERB, "publish", str(starter), "--repo", REPO)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "scopebench: error: creating the repository: the Hub answered 401"
    )
    assert "run `hf auth login`" in done.stderr and done.stderr.count("\n") == 1
    assert loopback.token is not None
    assert loopback.token not in done.stdout + done.stderr
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or loopback.token.encode() not in file.read_bytes()
