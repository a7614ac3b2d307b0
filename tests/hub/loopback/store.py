"""What a Hub keeps: repositories, their commits, refs, discussions and large objects, in memory."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
TESTER = "tester"
"""Who writes where nobody else is named."""

GITATTRIBUTES = b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"


@dataclass(frozen=True)
class Blob:
    """The content of one file."""

    content: bytes
    large: bool

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def git_oid(self) -> str:
        return hashlib.sha1(b"blob %d\0" % len(self.content) + self.content).hexdigest()

    @property
    def oid(self) -> str:
        """What the client compares its own file with."""
        return self.sha256 if self.large else self.git_oid


@dataclass(frozen=True)
class Commit:
    """One commit and the whole tree it leaves."""

    oid: str
    parent: str | None
    summary: str
    files: dict[str, Blob]


@dataclass
class Discussion:
    """A discussion or, with a head of its own, a pull request."""

    num: int
    title: str
    description: str
    is_pull_request: bool
    status: str
    author: str
    events: list[dict[str, Any]] = field(default_factory=list)
    merge_commit: str | None = None

    def add_event(self, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        event = {
            "id": f"{self.num:08x}{len(self.events):08x}",
            "type": kind,
            "createdAt": stamp(),
            "author": {"name": self.author},
            "data": data,
        }
        self.events.append(event)
        return event


class Refused(Exception):
    """The store refuses: an HTTP status, an error code of the Hub and a message."""

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def stamp() -> str:
    return EPOCH.strftime("%Y-%m-%dT%H:%M:%S.000Z")


class Repo:
    """One repository."""

    def __init__(self, kind: str, repo_id: str, *, private: bool = False) -> None:
        self.kind = kind
        self.repo_id = repo_id
        self.private = private
        self.commits: dict[str, Commit] = {}
        self.refs: dict[str, str] = {}
        self.tags: dict[str, str] = {}
        self.discussions: list[Discussion] = []
        self.variables: dict[str, str] = {}
        self.sdk: str | None = None
        self._add(
            "refs/heads/main", None, "initial commit", {".gitattributes": _git(GITATTRIBUTES)}
        )

    @property
    def head(self) -> Commit:
        return self.commits[self.refs["refs/heads/main"]]

    @property
    def files(self) -> dict[str, bytes]:
        """The files on main."""
        return {path: blob.content for path, blob in self.head.files.items()}

    @property
    def history(self) -> list[Commit]:
        """The commits on main, the newest first."""
        found = [self.head]
        while found[-1].parent is not None:
            found.append(self.commits[found[-1].parent])
        return found

    def resolve(self, revision: str) -> Commit:
        """Return the commit that a branch, tag, ref or sha names."""
        for oid in (
            self.refs.get(f"refs/heads/{revision}"),
            self.refs.get(revision),
            self.tags.get(revision),
        ):
            if oid is not None:
                return self.commits[oid]
        if revision in self.commits:
            return self.commits[revision]
        raise Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")

    def commit(
        self, revision: str, change: dict[str, Any], *, create_pr: bool, author: str = TESTER
    ) -> dict[str, Any]:
        """Apply a parsed commit; return the answer's body."""
        header = change["header"]
        parent = header.get("parentCommit")
        head = self.resolve(revision)
        if parent is not None and parent != head.oid:
            raise Refused(412, "A commit has happened since. Please refresh and try again.")
        files = dict(head.files)
        for path in change["deleted"]:
            if path not in files:
                raise Refused(404, "A file with this name doesn't exist", "EntryNotFound")
            del files[path]
        for folder in change["deleted_folders"]:
            files = {p: b for p, b in files.items() if not p.startswith(folder.rstrip("/") + "/")}
        files |= change["files"]
        ref = f"refs/heads/{revision}" if f"refs/heads/{revision}" in self.refs else revision
        body: dict[str, Any] = {}
        if create_pr:
            description = header.get("description", "")
            pull = self.open(header["summary"], description, pull_request=True, author=author)
            ref = f"refs/pr/{pull.num}"
            body["pullRequestUrl"] = f"@/{self.prefix}{self.repo_id}/discussions/{pull.num}"
        made = self._add(ref, head.oid, header["summary"], files)
        if create_pr:
            data = {"subject": made.summary, "oid": made.oid}
            self.discussions[-1].add_event("commit", data)
        body |= {
            "success": True,
            "commitOid": made.oid,
            "commitUrl": f"@/{self.prefix}{self.repo_id}/commit/{made.oid}",
            "hookOutput": "",
        }
        return body

    @property
    def prefix(self) -> str:
        return "" if self.kind == "model" else f"{self.kind}s/"

    def open(
        self, title: str, description: str, *, pull_request: bool, author: str = TESTER
    ) -> Discussion:
        """Open a discussion, or a pull request at the head of main."""
        num = len(self.discussions) + 1
        made = Discussion(num, title, description, pull_request, "open", author)
        made.add_event("comment", comment_data(description, author))
        self.discussions.append(made)
        if pull_request:
            self.refs[f"refs/pr/{num}"] = self.head.oid
        return made

    def discussion(self, num: int) -> Discussion:
        if not 1 <= num <= len(self.discussions):
            raise Refused(404, f"no discussion {num}")
        return self.discussions[num - 1]

    def merge(self, num: int) -> None:
        """Merge a pull request: its own changes onto main, refusing a conflict."""
        pull = self.discussion(num)
        if not pull.is_pull_request or pull.status not in ("open", "draft"):
            raise Refused(409, "this pull request is not open")
        changed = self._changes(f"refs/pr/{num}")
        summary = f"{pull.title} (#{num})"
        made = self._add("refs/heads/main", self.head.oid, summary, {**self.head.files, **changed})
        pull.status = "merged"
        pull.merge_commit = made.oid
        pull.add_event("status-change", {"status": "merged"})

    def _changes(self, ref: str) -> dict[str, Blob]:
        commit = self.commits[self.refs[ref]]
        base = commit
        mains = {made.oid for made in self.history}
        while base.oid not in mains and base.parent is not None:
            base = self.commits[base.parent]
        return {path: blob for path, blob in commit.files.items() if base.files.get(path) != blob}

    def _add(self, ref: str, parent: str | None, summary: str, files: dict[str, Blob]) -> Commit:
        seed = f"{self.repo_id}\0{ref}\0{parent}\0{summary}\0{len(self.commits)}"
        made = Commit(hashlib.sha1(seed.encode()).hexdigest(), parent, summary, files)
        self.commits[made.oid] = made
        self.refs[ref] = made.oid
        return made


def _git(content: bytes) -> Blob:
    return Blob(content, large=False)


def comment_data(text: str, author: str = TESTER) -> dict[str, Any]:
    latest = {"raw": text, "html": "", "updatedAt": stamp(), "author": {"name": author}}
    return {"edited": False, "hidden": False, "latest": latest}


@dataclass
class Store:
    """All repositories and large objects of a Hub.

    Attributes:
        repos: The repositories, by type and name.
        objects: Large objects, by SHA-256.
        lock: Held by whoever reads or changes any of it.
    """

    repos: dict[tuple[str, str], Repo] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def repo(self, kind: str, repo_id: str) -> Repo:
        try:
            return self.repos[kind, repo_id]
        except KeyError:
            raise Refused(404, "Repository not found", "RepoNotFound") from None

    def create(self, kind: str, repo_id: str, *, private: bool = False) -> Repo:
        if (kind, repo_id) in self.repos:
            raise Refused(409, "You already created this repo")
        self.repos[kind, repo_id] = Repo(kind, repo_id, private=private)
        return self.repos[kind, repo_id]
