"""Loads a published benchmark from the Hub, kept by commit.

The folder that is returned is named by its commit and never changes; its files may be links into
the client's cache. Nothing of it is believed here: reading it compares each file with the manifest.
"""

from __future__ import annotations

from pathlib import Path

from huggingface_hub import snapshot_download
from huggingface_hub.errors import IncompleteSnapshotError, LocalEntryNotFoundError

from scopebench.cache_dir import cache_dir
from scopebench.disk_errors import clear_disk_errors
from scopebench.errors import HubError
from scopebench.hub.remote import REPO_ID, Remote, checked_repo_id
from scopebench.hub.results import NoBar

FILES = ("*.parquet", "manifest.json", "README.md")
"""What a built benchmark consists of."""


def is_repository(name: str) -> bool:
    """Return whether a name has the form ORG/NAME or ORG/NAME@REVISION."""
    return REPO_ID.fullmatch(name.partition("@")[0]) is not None


def fetch_benchmark(
    name: str, cache: Path | None = None, remote: Remote | None = None
) -> tuple[Path, str]:
    """Return the folder of a published benchmark and its commit, fetching what is not there.

    Args:
        name: ORG/NAME, or ORG/NAME@REVISION: a tag, branch or commit [default: main].
        cache: Where it is kept [default: `benchmarks` in this package's cache].
        remote: The Hub.

    Raises:
        HubError: If the Hub refuses, or cannot be reached and the cache does not hold it.
    """
    repo, _, revision = name.partition("@")
    repo = checked_repo_id(repo)
    remote = Remote() if remote is None else remote
    kept = cache_dir() / "benchmarks" / "hub" if cache is None else cache

    def fetch() -> str:
        found = snapshot_download(
            repo,
            repo_type="dataset",
            revision=revision or None,
            cache_dir=kept,
            allow_patterns=list(FILES),
            endpoint=remote.endpoint,
            token=remote.token,
            library_name="scopebench",
            tqdm_class=NoBar,
        )
        return str(found)

    try:
        with clear_disk_errors(kept, HubError):
            folder = Path(remote.call("loading the benchmark", repo, fetch))
    except (LocalEntryNotFoundError, IncompleteSnapshotError) as error:
        raise HubError(
            f"loading the benchmark: {name}: {remote.address} cannot be reached and {kept} does "
            "not hold it whole; check the network and HF_ENDPOINT"
        ) from error
    return folder, folder.name
