"""Downloads a pinned data file: verified by its git blob id, resumable, safe beside other runs.

The body goes to `<file>.partial`, which is renamed only after its hash was found right, so a file
under its final name is always whole. A commit pins the content, so a half file of any age can be
continued without asking whether the file changed.
"""

from __future__ import annotations

import http.client
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import IO, Final, Literal, NamedTuple

from filelock import FileLock

from scopebench import __version__
from scopebench.cache_dir import cache_dir
from scopebench.disk_errors import clear_disk_errors
from scopebench.errors import DataError
from scopebench.sources.pins import Pin, get_pin, git_blob_id, pins

Progress = Callable[[int, int | None], None]
"""Called with the bytes held so far and the whole size, if it is known."""

PAUSES: Final = (0.5, 1.0, 2.0)
"""Seconds waited before each further attempt; so there is one attempt more than pauses."""

MAX_BYTES: Final = 1 << 29
"""Bound on a body whose pin states no size, some ten times the largest of the canonical files."""

_TIMEOUT: Final = 30.0
_CHUNK: Final = 1 << 16


class Fetchable(NamedTuple):
    """Something that can be fetched by name.

    Attributes:
        name: The name to ask for.
        kind: Whether it is a data file or a model.
        licence: Its licence, as stated upstream.
        where: The path it has, or will have.
        present: Whether it is there, whole.
    """

    name: str
    kind: Literal["file", "model"]
    licence: str
    where: Path
    present: bool


class _Interrupted(Exception):
    """An attempt failed in a way that a further attempt may mend."""


class _Unreachable(_Interrupted):
    """No connection came about."""


@dataclass(frozen=True)
class _Job:
    pin: Pin
    address: str
    target: Path
    progress: Progress | None

    @property
    def partial(self) -> Path:
        return self.target.with_name(f"{self.target.name}.partial")

    def held(self) -> int:
        """Bytes of the half file; 0 where there is none."""
        return self.partial.stat().st_size if self.partial.exists() else 0


def file_path(pin: Pin, folder: Path | None = None) -> Path:
    """Return where the file of a pin lies, by default in the cache's `data` folder."""
    return (cache_dir() / "data" if folder is None else folder) / pin.file_name


def fetchable_files(folder: Path | None = None) -> list[Fetchable]:
    """Return every data file that can be fetched, and whether `folder` holds it with its hash."""
    return [
        Fetchable(pin.name, "file", pin.licence, path, _is_valid(path, pin))
        for pin in pins().values()
        for path in (file_path(pin, folder),)
    ]


def fetch_file(
    name: str | Pin,
    *,
    folder: Path | None = None,
    base_url: str | None = None,
    progress: Progress | None = None,
) -> Path:
    """Return the path of a data file, downloading it unless it is there with the right hash.

    Args:
        name: A name of `pins.toml`, or a pin of one's own.
        folder: Where the file goes; by default the cache's `data` folder.
        base_url: Mirror to ask instead of GitHub, laid out `<base>/<repo>/<commit>/<path>`.
        progress: Told how far the download is.

    Raises:
        DataError: If the name is unknown, the server cannot be reached or refuses, the body is
            not the pinned one, or the file cannot be written.
    """
    pin = get_pin(name) if isinstance(name, str) else name
    address = pin.address(base_url)
    if urllib.parse.urlsplit(address).scheme not in ("http", "https"):
        raise DataError(f"{base_url!r} is no http(s) address", fix="give --base-url https://...")
    job = _Job(pin, address, file_path(pin, folder), progress)
    with clear_disk_errors(job.target, DataError):
        if _is_valid(job.target, pin):
            return job.target
        job.target.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{job.target}.lock"):
            if not _is_valid(job.target, pin):  # another process may just have fetched it
                _complete(job)
                job.partial.replace(job.target)
    return job.target


def _is_valid(path: Path, pin: Pin) -> bool:
    if not path.is_file() or pin.bytes not in (None, path.stat().st_size):
        return False
    return git_blob_id(path) == pin.git_blob


def _complete(job: _Job) -> None:
    """Bring the half file to its full, verified content, in a few attempts."""
    if _is_valid(job.partial, job.pin):  # a run ended between the last byte and the renaming
        return
    connected = False
    failure: _Interrupted | None = None
    for pause in (0.0, *PAUSES):
        time.sleep(pause)
        try:
            _transfer(job)
        except _Unreachable as error:
            failure = error
            if not connected:
                raise _unreachable(job, error) from error
        except _Interrupted as error:
            failure, connected = error, True
        else:
            return _verify(job)
    held = job.held()
    raise DataError(
        f"{job.address} could not be had in {len(PAUSES) + 1} attempts: {failure}",
        fix=f"run again to resume after the {held} bytes kept" if held else "run again later",
    ) from failure


def _verify(job: _Job) -> None:
    found = git_blob_id(job.partial)
    if found != job.pin.git_blob:
        size = job.held()
        job.partial.unlink()
        raise DataError(
            f"{job.address} sent a wrong body: expected git blob {job.pin.git_blob}, "
            f"found {found} ({size} bytes)",
            fix="nothing was kept; run again, or check the mirror given by --base-url",
        )


def _transfer(job: _Job) -> None:
    """Append to the half file what is missing of it, in one request."""
    limit = MAX_BYTES if job.pin.bytes is None else job.pin.bytes
    if job.held() >= limit:  # not the pinned content, or it would have been found valid
        job.partial.unlink()
    with _open(job) as response:
        start = _start(job, response)
        total = job.pin.bytes if response.length is None else start + response.length
        done = start
        with job.partial.open("ab" if start else "wb") as sink:
            for chunk in _chunks(response):
                done += len(chunk)
                if done > limit:
                    raise _too_long(job, limit)
                sink.write(chunk)
                if job.progress is not None:
                    job.progress(done, total)
        if response.length:  # the announced bytes that never came
            raise _Interrupted(f"the connection was cut {response.length} bytes early")


def _open(job: _Job) -> http.client.HTTPResponse:
    """Ask for the file from where the half file ends."""
    headers = {"User-Agent": f"scopebench/{__version__}", "Accept-Encoding": "identity"}
    if held := job.held():
        headers["Range"] = f"bytes={held}-"
    request = urllib.request.Request(job.address, headers=headers)  # noqa: S310 http(s) only
    opener = urllib.request.build_opener(_SafeRedirects)
    try:
        response: http.client.HTTPResponse = opener.open(request, timeout=_TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        raise _refused(job, error) from error
    except urllib.error.URLError as error:
        raise _Unreachable(str(error.reason)) from error
    except http.client.InvalidURL as error:
        raise DataError(
            f"{job.address!r} is no address: {error}", fix="check --base-url"
        ) from error
    except (OSError, http.client.HTTPException) as error:
        raise _Interrupted(_reason(error)) from error
    return response


def _start(job: _Job, response: http.client.HTTPResponse) -> int:
    """Return the offset at which the answer's body begins: a server may ignore the range."""
    if response.status != HTTPStatus.PARTIAL_CONTENT:
        return 0
    content_range = response.headers.get("Content-Range", "")
    match = re.fullmatch(r"bytes (\d+)-\d+/(?:\d+|\*)", content_range.strip())
    if match is None or int(match[1]) != job.held():
        job.partial.unlink(missing_ok=True)
        raise _Interrupted(f"the server resumed at {content_range!r}")
    return job.held()


def _chunks(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """Yield the body as it comes; `read1` hands over what there is before a cut is noticed."""
    while True:
        try:
            chunk = response.read1(_CHUNK)
        except (OSError, http.client.HTTPException) as error:
            raise _Interrupted(_reason(error)) from error
        if not chunk:
            return
        yield chunk


class _SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, a bounded number, never to a less safe scheme."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        scheme = urllib.parse.urlsplit(newurl).scheme
        if scheme not in ("http", "https") or (req.type == "https" and scheme == "http"):
            reason = f"a redirect from {req.type} to {scheme} is not followed"
            raise urllib.error.HTTPError(req.full_url, code, reason, headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _refused(job: _Job, error: urllib.error.HTTPError) -> Exception:
    """Return the exception that an HTTP error status means."""
    status = f"HTTP {error.code} {_reason(error.reason)}"
    if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and job.held():
        job.partial.unlink()  # the half file is not a beginning of this body
        return _Interrupted(status)
    if error.code == HTTPStatus.TOO_MANY_REQUESTS or error.code >= 500:
        return _Interrupted(status)
    return DataError(f"{job.address} answered {status}", fix="check --base-url, if you gave one")


def _unreachable(job: _Job, error: _Unreachable) -> DataError:
    host = urllib.parse.urlsplit(job.address).netloc
    wrong = "a file with another content is at that path, " if job.target.exists() else ""
    return DataError(
        f"cannot reach {host} ({error})",
        fix=f"{wrong}put {job.pin.address()} at {job.target} by hand, or name a mirror with "
        "--base-url",
    )


def _too_long(job: _Job, limit: int) -> DataError:
    job.partial.unlink(missing_ok=True)
    return DataError(
        f"{job.address} sent a wrong body: more than the {limit} bytes expected",
        fix="nothing was kept; run again, or check the mirror given by --base-url",
    )


def _reason(error: object) -> str:
    """Return the first line of an error, or its type where it has no text."""
    return (str(error) or type(error).__name__).splitlines()[0]
