"""Submits a verified run to a results repository: one immutable folder, never twice.

A submission lies at `submissions/<editor>/<model>/<submission id>/`, and its id is a hash of its
content: disjoint folders cannot overwrite each other, so no commit names its parent and any number
of submitters may write at once. Before each sending the repository is looked at, so that an answer
that was lost on its way cannot make a duplicate.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from huggingface_hub import CommitOperationAdd

from scopebench.disk_errors import clear_disk_errors
from scopebench.errors import DataError, HubError, InvalidSubmission
from scopebench.hub.fault import Fault
from scopebench.hub.names import safe_name, slug
from scopebench.hub.remote import Remote, checked_repo_id
from scopebench.hub.submission import SUBMISSION_FILES, NotASubmission, open_submission
from scopebench.hub.verify import verify_submission
from scopebench.records import RunResult

SUBMISSIONS: Final = "submissions"


class RefusedSubmission(InvalidSubmission):
    """A submission that does not verify.

    Attributes:
        path: Where it is.
        faults: What is wrong with it.
    """

    def __init__(self, path: Path, faults: tuple[Fault, ...]) -> None:
        self.path = path
        self.faults = faults
        super().__init__(f"{path}: {faults[0]} ({len(faults)} in all); nothing was sent")


@dataclass(frozen=True)
class Upload:
    """What a submission becomes in a results repository.

    Attributes:
        submission_id: Hash over its content.
        title: Its title, which holds the id.
        folder: Its folder in the repository.
        files: Its files, by name.
    """

    submission_id: str
    title: str
    folder: str
    files: Mapping[str, Path | bytes]


@dataclass(frozen=True)
class Sent:
    """Where a submission is.

    Attributes:
        state: `sent` now, or there before: in the `repository` or in an open `pull request`.
        url: Its page.
        pull_request: The number of the pull request that holds it; none: it is on main.
    """

    state: Literal["sent", "in the repository", "in a pull request"]
    url: str
    pull_request: int | None = None


def upload_of(submission_id: str, result: RunResult, files: Mapping[str, Path | bytes]) -> Upload:
    """Return what a submission becomes, from its verified `run.json`.

    Raises:
        InvalidSubmission: If the editor's or the model's name may not stand in a path.
    """
    editor, model = result.editor.name, result.model.id
    if safe_name(editor) is None:
        raise InvalidSubmission(f"run.json, field editor.name: {editor!r} may not name a folder")
    try:
        folder = f"{SUBMISSIONS}/{editor}/{slug(model)}/{submission_id}"
    except ValueError as error:
        raise InvalidSubmission(f"run.json, field model.id: {error}; score with an id") from error
    # The whole id is what an earlier sending is found by, and the Hub cuts titles at 200.
    title = f"Submission {submission_id}: {editor} on {model}"[:200]
    return Upload(submission_id, title, folder, dict(files))


def place(upload: Upload, results: Path) -> Sent:
    """Put a submission into a folder of results on this machine, unless it is there.

    Args:
        upload: The submission.
        results: The folder of results; its layout is that of a repository.

    Raises:
        DataError: If the disk is full or may not be written there.
    """
    folder = results / upload.folder
    if folder.is_dir():
        return Sent("in the repository", str(folder))
    partial = folder.with_name(f".{folder.name}.partial")
    with clear_disk_errors(folder, DataError):
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        for name, content in upload.files.items():
            bytes_ = content if isinstance(content, bytes) else content.read_bytes()
            (partial / name).write_bytes(bytes_)
        partial.rename(folder)
    return Sent("sent", str(folder))


@contextmanager
def verified_upload(path: Path, *, benchmark: Path | None = None) -> Iterator[Upload]:
    """Verify a run folder or a zip of one, and yield what is to be sent.

    The verified bytes are a private copy, so that they are the ones sent; it is removed when the
    context is left.

    Args:
        path: The run folder or zip.
        benchmark: The benchmark it was scored on [default: the one its `run.json` names].

    Raises:
        RefusedSubmission: If it does not verify.
        NotASubmission: If the path is neither a run folder nor a zip.
    """
    with ExitStack() as stack:
        try:
            submission = stack.enter_context(open_submission(path))
        except NotASubmission:
            raise
        except InvalidSubmission as error:
            raise RefusedSubmission(path, (Fault("bad_package", "", str(error)),)) from error
        found = verify_submission(submission.folder, benchmark=benchmark)
        if not found.ok:
            raise RefusedSubmission(path, found.faults)
        if found.result is None:
            raise AssertionError("a verified submission without a result")
        files = {name: submission.folder / name for name in SUBMISSION_FILES}
        yield upload_of(submission.submission_id, found.result, files)


def send(upload: Upload, repo: str, *, remote: Remote, pull_request: bool) -> Sent:
    """Put a submission into a results repository, unless it is there.

    Args:
        upload: The submission.
        repo: The results repository, ORG/NAME.
        remote: The Hub.
        pull_request: Whether to open a pull request; otherwise to commit to main.

    Raises:
        HubError: If the Hub refuses or cannot be reached, or if the folder is there with a file
            missing.
    """
    repo = checked_repo_id(repo)
    sent = False

    def attempt() -> Sent:
        nonlocal sent
        there = find(upload, repo, remote=remote)
        if there is not None:
            return replace(there, state="sent") if sent else there
        sent = True
        return _send_once(upload, repo, remote, pull_request=pull_request)

    found = remote.call("submitting", repo, attempt)
    if found.pull_request is not None and found.state == "sent":
        return remote.call("looking for a twin", repo, _twin_closer(upload, repo, found, remote))
    return found


def find(upload: Upload, repo: str, *, remote: Remote) -> Sent | None:
    """Return where a submission is on main or in an open pull request; None: nowhere.

    Raises:
        HubError: If its folder is there with a file missing.
    """
    paths = {f"{upload.folder}/{name}" for name in upload.files}
    there = remote.present("dataset", repo, paths)
    if there:
        if missing := sorted(paths - there):
            raise HubError(
                f"{repo}: {missing[0]} is missing beside the others; tell the maintainers"
            )
        url = f"{remote.url('dataset', repo, revision='main')}/{upload.folder}"
        return Sent("in the repository", url)
    numbers = _open_pull_requests(upload, repo, remote)
    if not numbers:
        return None
    return Sent("in a pull request", _page(remote, repo, numbers[0]), numbers[0])


def _open_pull_requests(upload: Upload, repo: str, remote: Remote) -> list[int]:
    """Return the open pull requests that hold a submission, the oldest first."""
    found = remote.api.get_repo_discussions(
        repo, repo_type="dataset", discussion_type="pull_request", discussion_status="open"
    )
    return sorted(pull.num for pull in found if upload.submission_id in pull.title)


def _send_once(upload: Upload, repo: str, remote: Remote, *, pull_request: bool) -> Sent:
    operations = [
        CommitOperationAdd(path_in_repo=f"{upload.folder}/{name}", path_or_fileobj=content)
        for name, content in upload.files.items()
    ]
    made = remote.api.create_commit(
        repo,
        operations=operations,
        repo_type="dataset",
        commit_message=upload.title,
        create_pr=pull_request,
    )
    if made.pr_num is not None:
        return Sent("sent", _page(remote, repo, made.pr_num), made.pr_num)
    return Sent("sent", f"{remote.url('dataset', repo, revision='main')}/{upload.folder}")


def _twin_closer(upload: Upload, repo: str, mine: Sent, remote: Remote) -> Callable[[], Sent]:
    """Return what leaves one open pull request where two sendings met: the oldest stays."""

    def close() -> Sent:
        oldest, *_ = [*_open_pull_requests(upload, repo, remote), mine.pull_request or 0]
        if mine.pull_request is None or oldest >= mine.pull_request:
            return mine
        remote.api.change_discussion_status(
            repo,
            mine.pull_request,
            "closed",
            comment=f"The same submission as #{oldest}.",
            repo_type="dataset",
        )
        return Sent("in a pull request", _page(remote, repo, oldest), oldest)

    return close


def _page(remote: Remote, repo: str, number: int) -> str:
    return f"{remote.url('dataset', repo)}/discussions/{number}"
