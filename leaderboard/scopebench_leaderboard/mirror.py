"""A results repo of the Hub as a folder of plain files, one commit at a time.

`scopebench.hub.results` mirrors into the Hub's own cache, whose files are links; a submission that
is a link is refused, so the board keeps plain files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from huggingface_hub import snapshot_download

from scopebench.hub.remote import Remote, checked_repo_id

KEPT: Final = ("submissions", "verified")
"""Folders of a results repo that the board reads."""


def revision_of(repo: str, remote: Remote) -> str:
    """Return the commit a results repo is at.

    Raises:
        HubError: If the Hub refuses or cannot be reached.
    """
    repo = checked_repo_id(repo)
    found = remote.call(
        "looking at the results", repo, lambda: remote.api.repo_info(repo, repo_type="dataset").sha
    )
    return str(found)


def mirror_results(repo: str, revision: str, into: Path, remote: Remote) -> Path:
    """Make a folder hold the results of one commit, fetching what is not there yet.

    Args:
        repo: The results repo, ORG/NAME.
        revision: The commit.
        into: The folder; what the commit does not hold any more is removed.
        remote: The Hub.

    Raises:
        HubError: If the Hub refuses or cannot be reached.
    """
    repo = checked_repo_id(repo)

    def fetch() -> set[str]:
        snapshot_download(
            repo,
            repo_type="dataset",
            revision=revision,
            local_dir=into,
            allow_patterns=[f"{name}/**" for name in KEPT],
            endpoint=remote.endpoint,
            token=remote.token,
            library_name="scopebench",
        )
        return set(remote.files("dataset", repo, revision=revision))

    there = remote.call("fetching the results", repo, fetch)
    for name in KEPT:
        (into / name).mkdir(parents=True, exist_ok=True)
        for path in sorted((into / name).rglob("*"), reverse=True):
            if path.is_file() and path.relative_to(into).as_posix() not in there:
                path.unlink()
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()
    return into


def fetch_benchmark(name: str, cache: Path, remote: Remote) -> Path:
    """Return the folder of a benchmark, `ORG/NAME` or `ORG/NAME@REVISION`, fetched if need be.

    Raises:
        HubError: If the Hub refuses or cannot be reached.
    """
    repo, _, revision = name.partition("@")
    repo = checked_repo_id(repo)
    into = cache / "benchmarks" / name.replace("/", "--")

    def fetch() -> str:
        return snapshot_download(
            repo,
            repo_type="dataset",
            revision=revision or None,
            local_dir=into,
            endpoint=remote.endpoint,
            token=remote.token,
            library_name="scopebench",
        )

    return Path(str(remote.call("fetching the benchmark", repo, fetch)))
