"""What the board reads of the Hub: results and benchmarks, as folders of plain files."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from scopebench.hub import benchmarks as hub_benchmarks
from scopebench.hub.marks import VERIFIED
from scopebench.hub.remote import Remote, checked_repo_id
from scopebench.hub.results import sync_results
from scopebench.hub.submit import SUBMISSIONS

KEPT: Final = (SUBMISSIONS, VERIFIED)
"""Folders of a results repository that the board reads."""


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


def fetch_results(
    repo: str, cache: Path, remote: Remote, *, revision: str | None = None, offline: bool = False
) -> Path:
    """Return a folder that holds the results of one commit, fetching what is not there yet.

    Args:
        repo: The results repository, ORG/NAME.
        cache: Where downloads are kept.
        remote: The Hub.
        revision: The commit; None: that of main.
        offline: Whether to take only what was fetched before, asking the Hub nothing.

    Raises:
        HubError: If the Hub refuses, or cannot be reached and nothing was fetched before.
    """
    folder, _ = sync_results(
        repo, cache / "results", revision, remote=remote, offline=offline, folders=KEPT
    )
    return folder


def fetch_benchmark(name: str, cache: Path, remote: Remote) -> Path:
    """Return the folder of a benchmark, `ORG/NAME` or `ORG/NAME@REVISION`, fetched if need be.

    Raises:
        HubError: If the Hub refuses or cannot be reached.
    """
    folder, _ = hub_benchmarks.fetch_benchmark(name, cache / "benchmarks", remote)
    return folder
