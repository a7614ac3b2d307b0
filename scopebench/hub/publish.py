"""Publishes a built benchmark as a dataset repository: one commit, one tag.

Everything that can be checked without the Hub is checked first; a plan holds what would be sent.
Publishing looks before it sends, so that the same command finishes what was interrupted, and does
nothing where everything is there.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, DatasetCard, DatasetCardData

from scopebench.audit import AUDIT_FILE, read_audit, section
from scopebench.construct.manifest import FILE as MANIFEST
from scopebench.construct.reader import read_manifest
from scopebench.construct.writer import sha256_of
from scopebench.errors import DataError, HubError
from scopebench.hub.remote import Remote, RemoteFile, checked_repo_id, holds_token

CARD: Final = "README.md"
TAG: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}", re.ASCII)

_SPLIT: Final = re.compile(r"\w+(\.\w+)*", re.ASCII)  # datasets: no dashes in the name of a split
_REBUILD: Final = "build the benchmark again"


@dataclass(frozen=True)
class PlannedFile:
    """A file that is to be in the repository.

    Attributes:
        path: Its path in the folder and in the repository.
        size: Its bytes.
        sha256: SHA-256 of its content, in hex.
        git_oid: Its git object id, by which the Hub lists it where it is small.
    """

    path: str
    size: int
    sha256: str
    git_oid: str

    def is_at(self, remote: RemoteFile | None) -> bool:
        """Return whether the repository's file has this content."""
        return remote is not None and remote.oid == (self.sha256 if remote.large else self.git_oid)


@dataclass(frozen=True)
class Plan:
    """What a benchmark folder becomes on the Hub.

    Attributes:
        folder: The folder.
        name: The benchmark's name.
        version: Its version.
        tag: The tag its commit gets.
        configs: Its splits, by config.
        files: Its files, in order of their paths.
    """

    folder: Path
    name: str
    version: str
    tag: str
    configs: Mapping[str, tuple[str, ...]]
    files: tuple[PlannedFile, ...]


@dataclass(frozen=True)
class Published:
    """What publishing did.

    Attributes:
        repo: The repository.
        tag: The tag.
        commit: The commit it is at.
        sent: Whether anything was sent; otherwise all was there.
        url: The page of the tag.
    """

    repo: str
    tag: str
    commit: str
    sent: bool
    url: str


def plan_publication(folder: Path, *, tag: str | None = None) -> Plan:
    """Check a benchmark folder and return what publishing it would send.

    Args:
        folder: A folder written by `scopebench build`.
        tag: The tag [default: `v` and the benchmark's version].

    Raises:
        DataError: If a file is missing, left over or not the one in the manifest, if the card does
            not name exactly the files there are, has no licence or does not show the audit that is
            there, if card, manifest or audit hold what looks like a token, or if the benchmark is
            limited.
    """
    manifest = read_manifest(folder)
    if manifest.get("limited"):
        raise DataError("a limited benchmark", file=folder, fix="build it without --limit")
    _check_files(folder, manifest["files"])
    configs = _check_card(folder / CARD, set(manifest["files"]))
    own = (CARD, MANIFEST, *_audit_file(folder))
    for name in own:
        if holds_token((folder / name).read_text("utf-8")):
            raise DataError(
                "holds what looks like a token of the Hub",
                file=folder / name,
                fix="revoke that token and take it out",
            )
    tag = f"v{manifest['version']}" if tag is None else tag
    if not TAG.fullmatch(tag) or ".." in tag or tag in ("main", "HEAD"):
        raise DataError(f"{tag!r} cannot be a tag", fix="give letters, digits, dots and dashes")
    paths = sorted({*own, *manifest["files"]})
    files = tuple(_planned(folder, path) for path in paths)
    return Plan(folder, manifest["name"], manifest["version"], tag, configs, files)


def publish(plan: Plan, repo: str, *, remote: Remote, private: bool = False) -> Published:
    """Make a dataset repository hold a benchmark at a tag.

    The repository is created where it is not there. Files of an earlier version that this one does
    not have are deleted in the same commit; its tag keeps them.

    Args:
        plan: What to send.
        repo: The repository, ORG/NAME.
        remote: The Hub.
        private: Whether a repository that is created is private.

    Raises:
        HubError: If the Hub refuses or cannot be reached, or if the tag is at other content.
    """
    repo = checked_repo_id(repo)
    url = remote.url("dataset", repo, revision=plan.tag)
    remote.call(
        "creating the repository",
        repo,
        lambda: remote.api.create_repo(
            repo, repo_type="dataset", private=private or None, exist_ok=True
        ),
    )
    tagged = remote.call("looking for the tag", repo, lambda: _tagged(remote, repo, plan.tag))
    if tagged is not None:
        _refuse_other_content(plan, repo, tagged, remote)
        return Published(repo, plan.tag, tagged, sent=False, url=url)
    additions = [
        CommitOperationAdd(path_in_repo=file.path, path_or_fileobj=plan.folder / file.path)
        for file in plan.files
    ]
    commit = remote.call("publishing", repo, lambda: _commit(plan, repo, additions, remote))
    # Read back before the tag makes it official: a file may have changed while it was sent.
    there = remote.call(
        "reading back", repo, lambda: remote.files("dataset", repo, revision=commit)
    )
    wrong = _differing(plan, there)
    if wrong:
        raise HubError(
            f"{repo}: {wrong[0]} at {commit} is not the file that was checked; publish again"
        )
    tagged = remote.call("tagging", repo, lambda: _tag(remote, repo, plan.tag, commit))
    if tagged != commit:
        _refuse_other_content(plan, repo, tagged, remote)
    return Published(repo, plan.tag, tagged, sent=True, url=url)


def _check_files(folder: Path, files: Mapping[str, str]) -> None:
    """Check that exactly the manifest's files are there, with the content it names."""
    if not files:
        raise DataError("names no file", file=folder / MANIFEST, field="files", fix=_REBUILD)
    known = {CARD, MANIFEST, *files, *_audit_file(folder)}
    present = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not _hidden(path.relative_to(folder))
    }
    if left_over := sorted(present - known):
        raise DataError(
            f"{left_over[0]} is not in the manifest ({len(left_over)} such)",
            file=folder,
            fix="take it out of the folder",
        )
    for path in sorted(known):
        file = folder / path
        if not file.is_file() or not file.resolve().is_relative_to(folder.resolve()):
            raise DataError("the file is missing", file=file, fix=_REBUILD)
        if path in files and sha256_of(file) != files[path]:
            raise DataError("the SHA-256 is not the one in the manifest", file=file, fix=_REBUILD)


def _audit_file(folder: Path) -> tuple[str, ...]:
    """Return the name of the audit beside a benchmark, checked to be its own and on the card."""
    audit = read_audit(folder)
    if audit is None:
        return ()
    if (folder / CARD).is_file() and section(audit) not in (folder / CARD).read_text("utf-8"):
        raise DataError(
            f"the card does not show what {AUDIT_FILE} holds",
            file=folder / CARD,
            fix=f"run: scopebench audit {folder} --summary",
        )
    return (AUDIT_FILE,)


def _hidden(path: Path) -> bool:
    """Return whether a file or a folder it lies in is hidden; such are never sent."""
    return any(part.startswith(".") for part in path.parts)


def _check_card(path: Path, files: set[str]) -> dict[str, tuple[str, ...]]:
    """Return the configs of a card, checked to name exactly the given files."""
    try:
        data = DatasetCard(path.read_text("utf-8")).data
    except Exception as error:  # whatever its front matter makes the YAML reader raise
        reason = " ".join(str(error).split())
        raise DataError(
            f"the front matter cannot be read ({reason})", file=path, fix=_REBUILD
        ) from error
    assert isinstance(data, DatasetCardData)
    if not data.license:
        raise DataError("names no licence", file=path, field="license", fix=_REBUILD)
    splits = _splits(path, data.get("configs"))
    named = [file for config in splits.values() for file in config.values()]
    if len(named) != len(set(named)) or set(named) != files:
        odd = sorted(set(named) ^ files) or sorted(named)
        raise DataError(
            f"the configs do not name each file of the manifest once ({odd[0]})",
            file=path,
            field="configs",
            fix=_REBUILD,
        )
    return {config: tuple(found) for config, found in splits.items()}


def _splits(path: Path, configs: Any) -> dict[str, dict[str, str]]:
    """Return the file of each split of each config."""
    if not isinstance(configs, list) or not configs:
        raise DataError(
            "no configs: all of them would be loaded as one",
            file=path,
            field="configs",
            fix=_REBUILD,
        )
    found: dict[str, dict[str, str]] = {}
    for position, config in enumerate(configs):
        field = f"configs.{position}"
        try:
            name = config["config_name"]
            pairs = [(entry["split"], entry["path"]) for entry in config["data_files"]]
        except (KeyError, TypeError) as error:
            raise DataError(
                "not a name with splits and paths", file=path, field=field, fix=_REBUILD
            ) from error
        texts = [name, *(text for pair in pairs for text in pair)]
        if not pairs or not all(isinstance(text, str) for text in texts):
            raise DataError("a name, split or path is no text", file=path, field=field)
        splits = dict(pairs)
        if name in found or len(splits) != len(pairs):
            raise DataError(f"{name!r} or a split of it stands twice", file=path, field=field)
        for split in splits:
            if not _SPLIT.fullmatch(split):
                raise DataError(f"{split!r} cannot name a split", file=path, field=field)
        found[name] = splits
    return found


def _planned(folder: Path, path: str) -> PlannedFile:
    file = folder / path
    size = file.stat().st_size
    git = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with file.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            git.update(chunk)
    return PlannedFile(path, size, sha256_of(file), git.hexdigest())


def _tagged(remote: Remote, repo: str, tag: str) -> str | None:
    """Return the commit a tag is at, or None where there is no such tag."""
    refs = remote.api.list_repo_refs(repo, repo_type="dataset")
    return next((ref.target_commit for ref in refs.tags if ref.name == tag), None)


def _commit(plan: Plan, repo: str, additions: list[CommitOperationAdd], remote: Remote) -> str:
    """Return the commit on main that holds the plan's files, made where there is none.

    An answer that was lost shows in the listing: then nothing is sent again.
    """
    head = remote.api.repo_info(repo, repo_type="dataset").sha
    there = remote.files("dataset", repo, revision=head)
    planned = {file.path for file in plan.files}
    stale = [path for path in there if path.endswith(".parquet") and path not in planned]
    if head is not None and not stale and not _differing(plan, there):
        return head
    deletions = [CommitOperationDelete(path_in_repo=path) for path in stale]
    made = remote.api.create_commit(
        repo,
        operations=[*additions, *deletions],
        repo_type="dataset",
        commit_message=f"{plan.name} {plan.version}",
    )
    return made.oid


def _tag(remote: Remote, repo: str, tag: str, commit: str) -> str:
    """Return the commit a tag is at, which is set to `commit` where there is none."""
    there = _tagged(remote, repo, tag)
    if there is None:
        remote.api.create_tag(repo, tag=tag, revision=commit, repo_type="dataset")
    return there or commit


def _differing(plan: Plan, there: Mapping[str, RemoteFile]) -> list[str]:
    """Return the paths that a repository lacks or holds with other content."""
    return [file.path for file in plan.files if not file.is_at(there.get(file.path))]


def _refuse_other_content(plan: Plan, repo: str, commit: str, remote: Remote) -> None:
    there = remote.call(
        "comparing the tag", repo, lambda: remote.files("dataset", repo, revision=commit)
    )
    wrong = _differing(plan, there)
    if wrong:
        raise HubError(
            f"{repo}: the tag {plan.tag} is at {commit}, where {wrong[0]} is another "
            f"({len(wrong)} files differ); a published version never changes: give another --tag"
        )
