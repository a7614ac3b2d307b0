"""Reads a results repository, or a local folder laid out like one.

A repository is mirrored into a cache by revision: files that did not change are not fetched again,
a revision that is there whole is used without the network, and a fetch that stopped goes on. The
client's cache holds links to its files, and a submission that is a link is refused: so each
revision gets a folder of plain files, which share their bytes with that cache.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from huggingface_hub import snapshot_download
from huggingface_hub.errors import IncompleteSnapshotError, LocalEntryNotFoundError
from tqdm.auto import tqdm

from scopebench.cache_dir import cache_dir as default_cache
from scopebench.disk_errors import clear_disk_errors
from scopebench.errors import HubError
from scopebench.hub.names import safe_name
from scopebench.hub.remote import REPO_ID, Remote, checked_repo_id
from scopebench.hub.submission import SUBMISSION_FILES
from scopebench.hub.submit import SUBMISSIONS

KEPT_REVISIONS: Final = 3
"""Revisions of a repository whose plain folders are kept, for readers of an earlier one."""


@dataclass(frozen=True)
class Source:
    """Where results come from: exactly one of a folder and a repository.

    Attributes:
        folder: A local folder that holds `submissions/`.
        repo: A results repository, ORG/NAME.
    """

    folder: Path | None = None
    repo: str | None = None


@dataclass(frozen=True, order=True)
class Stored:
    """A submission as it lies in a results repository; its content is not verified here.

    Attributes:
        editor: The editor's name, as its path has it.
        model: The model's id, as its path has it: `OWNER--NAME`.
        submission_id: The id, as its path has it.
        folder: The folder that holds its files.
        complete: Whether exactly the files of a submission are there.
    """

    editor: str
    model: str
    submission_id: str
    folder: Path
    complete: bool


def resolve_source(source: str | Path) -> Source:
    """Return the folder or repository that a name means: a folder where one is there.

    Raises:
        HubError: If it is neither a folder nor of the form ORG/NAME.
    """
    folder = Path(source).expanduser()
    if folder.is_dir():
        return Source(folder=folder)
    if isinstance(source, str) and REPO_ID.fullmatch(source):
        return Source(repo=checked_repo_id(source))
    raise HubError(f"{source}: no such folder; give a folder of results or a repository ORG/NAME")


def list_submissions(source: Path) -> list[Stored]:
    """Return the submissions below a folder, in order of editor, model and id.

    What is not laid out like a submission is passed over; one with files missing or left over is
    returned as not complete, to be told apart by whoever shows it.
    """
    return sorted(_submissions(source / SUBMISSIONS))


def _submissions(root: Path) -> Iterator[Stored]:
    if not root.is_dir():
        return
    for folder in root.glob("*/*/*"):
        editor, model, submission_id = folder.relative_to(root).parts
        if folder.is_dir() and all(map(safe_name, (editor, model, submission_id))):
            names = {path.name for path in folder.iterdir()}
            complete = names == set(SUBMISSION_FILES)
            yield Stored(editor, model, submission_id, folder, complete)


def sync_results(
    repo: str,
    cache_dir: Path | None = None,
    revision: str | None = None,
    *,
    remote: Remote | None = None,
    offline: bool = False,
    folders: Sequence[str] = (SUBMISSIONS,),
) -> tuple[Path, str]:
    """Mirror the submissions of a results repository and return their folder and revision.

    Where the Hub cannot be reached, the last revision that was mirrored whole is returned.

    Args:
        repo: The repository, ORG/NAME.
        cache_dir: Where mirrors are kept [default: `results` in this package's cache].
        revision: A branch, tag or commit [default: main].
        remote: The Hub.
        offline: Whether to use the cache alone.
        folders: The folders of the repository to mirror.

    Returns:
        The folder, which holds those `folders` that are there, in plain files that are not to be
        changed, and the commit it is of.

    Raises:
        HubError: If the Hub refuses, or cannot be reached and the cache does not hold it.
    """
    repo = checked_repo_id(repo)
    remote = Remote() if remote is None else remote
    cache = default_cache() / "results" if cache_dir is None else cache_dir

    def download() -> str:
        found = snapshot_download(
            repo,
            repo_type="dataset",
            revision=revision,
            cache_dir=cache,
            allow_patterns=[f"{folder}/**" for folder in folders],
            endpoint=remote.endpoint,
            token=remote.token,
            local_files_only=offline,
            library_name="scopebench",
            tqdm_class=NoBar,
        )
        return str(found)

    parent = cache / "plain" / repo.replace("/", "--") / "+".join(sorted(folders))
    try:
        with clear_disk_errors(cache, HubError):
            snapshot = Path(remote.call("fetching results", repo, download))
            return _plain(snapshot, parent, folders), snapshot.name
    except (LocalEntryNotFoundError, IncompleteSnapshotError) as error:
        raise HubError(
            f"fetching results: {repo}: {remote.address} cannot be reached and {cache} does not "
            "hold them whole; check the network and HF_ENDPOINT"
        ) from error


class NoBar(tqdm):  # type: ignore[type-arg]  # a generic in the stubs only
    """A progress bar that draws nothing: a library does not."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        options.pop("name", None)  # the client's own bars take it
        super().__init__(*arguments, **(options | {"disable": True}))


def _plain(snapshot: Path, parent: Path, folders: Sequence[str]) -> Path:
    """Return a folder of plain files below `parent` that holds folders of a snapshot."""
    target = parent / snapshot.name
    if target.is_dir():
        return target
    parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=".part-", dir=parent))
    try:
        for folder in folders:
            for file in sorted((snapshot / folder).rglob("*")):
                if file.is_file():
                    _link(file.resolve(), part / file.relative_to(snapshot))
        part.replace(target)
    except OSError:
        if not target.is_dir():  # else another process was faster
            raise
    finally:
        shutil.rmtree(part, ignore_errors=True)
    _forget_older(parent)
    return target


def _link(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(file, target)
    except OSError:  # a file system without links
        shutil.copyfile(file, target)


def _forget_older(parent: Path) -> None:
    made = [path for path in parent.iterdir() if not path.name.startswith(".")]
    made.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in made[KEPT_REVISIONS:]:
        shutil.rmtree(path, ignore_errors=True)
