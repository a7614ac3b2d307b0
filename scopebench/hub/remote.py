"""The Hub as this package uses it: one login, one retry policy, errors of one clear line.

The token is the one of the Hub's own client: `HF_TOKEN`, else what `hf auth login` stored. It is
never printed and never stored here, and it is cut out of every message that passes through.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, TypeVar

from huggingface_hub import HfApi, constants, get_session, get_token
from huggingface_hub.errors import OfflineModeIsEnabled
from huggingface_hub.hf_api import RepoFile

from scopebench.errors import HubError
from scopebench.hub.retry import (
    RetryPolicy,
    Tell,
    asked_wait,
    is_remote,
    status_of,
    underlying,
    with_retries,
)

T = TypeVar("T")
RepoType = Literal["dataset", "model", "space"]

REPO_ID: Final = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_TOKEN: Final = re.compile(r"\b(hf|api_org)_[A-Za-z0-9]{20,}")
_HIDDEN: Final = "[token]"
_LONGEST_MESSAGE: Final = 300


def silent(_: str) -> None:
    """Tell nobody."""


def checked_repo_id(repo_id: str) -> str:
    """Return a repository's name, or raise `HubError` where it is not of the form ORG/NAME."""
    if not REPO_ID.fullmatch(repo_id) or ".." in repo_id or "--" in repo_id:
        raise HubError(f"{repo_id!r} is no name of a repository; give ORG/NAME")
    return repo_id


def redacted(text: str, *tokens: str | None) -> str:
    """Return a text without the given tokens and without anything that looks like one."""
    for token in tokens:
        if token:
            text = text.replace(token, _HIDDEN)
    return _TOKEN.sub(_HIDDEN, text)


def holds_token(text: str) -> bool:
    """Return whether a text holds what looks like a token of the Hub."""
    return _TOKEN.search(text) is not None


@dataclass(frozen=True)
class RemoteFile:
    """A file of a repository, as the Hub lists it.

    Attributes:
        size: Its bytes.
        oid: SHA-256 of its content where it is a large file, else its git object id.
        large: Whether it is a large file.
    """

    size: int
    oid: str
    large: bool


@dataclass(frozen=True)
class Remote:
    """The Hub, seen through one login.

    Attributes:
        endpoint: Its address [default: `HF_ENDPOINT`, else huggingface.co].
        token: The token to use [default: the client's own].
        policy: How requests are tried again.
        tell: Takes one line before each wait.
    """

    endpoint: str | None = None
    token: str | None = None
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    tell: Tell = silent

    def __repr__(self) -> str:
        return f"Remote({self.address})"  # the generated one would show the token

    @cached_property
    def api(self) -> HfApi:
        """The client."""
        return HfApi(endpoint=self.endpoint, token=self.token, library_name="scopebench")

    @property
    def address(self) -> str:
        """The Hub's address."""
        return self.endpoint or constants.ENDPOINT

    def url(self, kind: RepoType, repo_id: str, *, revision: str | None = None) -> str:
        """Return the page of a repository."""
        prefix = "" if kind == "model" else f"{kind}s/"
        suffix = "" if revision is None else f"/tree/{revision}"
        return f"{self.address}/{prefix}{repo_id}{suffix}"

    def call(self, what: str, where: str, action: Callable[[], T]) -> T:
        """Return what `action` returns, tried again while that may help.

        Args:
            what: What it does: "publishing", "looking for the tag".
            where: The repository it does it to.
            action: Uses `api`; safe to repeat.

        Raises:
            HubError: The Hub refused or could not be reached.
        """

        def bounded() -> T:
            # Each time anew: after a failed connection the client starts another session.
            get_session().timeout = self.policy.longest_silence
            return action()

        try:
            return with_retries(
                bounded, what=f"{what} ({where})", policy=self.policy, tell=self._tell
            )
        except Exception as error:
            cause = underlying(error)
            if not is_remote(cause):
                raise
            clear = HubError(self._redacted(f"{what}: {_explain(cause, where, self.address)}"))
            if self._redacted(str(cause)) == str(cause):
                raise clear from cause
            raise clear from None  # what the Hub said holds a token: keep it out of tracebacks

    def files(
        self, kind: RepoType, repo_id: str, *, revision: str | None = None
    ) -> dict[str, RemoteFile]:
        """Return every file of a repository, by path; one request for each thousand entries."""
        listed = self.api.list_repo_tree(repo_id, recursive=True, revision=revision, repo_type=kind)
        return {file.path: _remote_file(file) for file in listed if isinstance(file, RepoFile)}

    def present(self, kind: RepoType, repo_id: str, paths: Iterable[str]) -> set[str]:
        """Return which of some files are on the main branch of a repository, in one request."""
        found = self.api.get_paths_info(repo_id, list(paths), revision="main", repo_type=kind)
        return {file.path for file in found if isinstance(file, RepoFile)}

    def _tell(self, line: str) -> None:
        self.tell(self._redacted(line))

    def _redacted(self, text: str) -> str:
        return redacted(text, self.token, get_token())


def _remote_file(file: RepoFile) -> RemoteFile:
    if file.lfs is not None:
        return RemoteFile(file.lfs.size, file.lfs.sha256, large=True)
    return RemoteFile(file.size, file.blob_id, large=False)


_ADVICE: Final[Mapping[int, str]] = {
    401: "not logged in, or {where} is private or does not exist; run `hf auth login` or set "
    "HF_TOKEN to a token that may write",
    402: "{where} needs a paid plan; see the Hub's billing page",
    403: "the token may not do this to {where}; ask its owner, or use a token that may write",
    404: "{where} does not exist, or is private and this login may not see it; check the name",
    409: "others keep writing to {where}; run the same command again",
    412: "others keep writing to {where}; run the same command again",
    429: "too many requests to {where}; {wait}run the same command again",
}


def _explain(error: BaseException, where: str, address: str) -> str:
    """Return one line: what the Hub answered, where, and what to do."""
    if isinstance(error, OfflineModeIsEnabled):
        return f"{where}: HF_HUB_OFFLINE is set; unset it to reach the Hub"
    status = status_of(error)
    if status is None:
        return (
            f"{where}: {address} cannot be reached ({_short(error)}); check the network and "
            "HF_ENDPOINT, and run the same command again"
        )
    if status in _ADVICE:
        seconds = asked_wait(error)
        wait = f"wait {seconds:.0f} s and " if seconds else "wait a while and "
        advice = _ADVICE[status].format(where=where, wait=wait)
        return f"the Hub answered {status}: {advice}"
    if status >= 500:
        return f"{where}: the Hub answered {status}; it is in trouble, run the same command later"
    return f"{where}: the Hub answered {status}: {_short(error)}"


def _short(error: BaseException) -> str:
    message = getattr(error, "server_message", None) or str(error) or type(error).__name__
    one_line = " ".join(message.split())
    return one_line if len(one_line) <= _LONGEST_MESSAGE else one_line[:_LONGEST_MESSAGE] + "..."
