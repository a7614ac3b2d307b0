"""Downloads against a real server on this machine, misbehaving in each way servers do."""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import http.server
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from email.message import Message
from http.client import HTTPMessage
from io import BytesIO
from pathlib import Path

import pytest

from scopebench.cache_dir import cache_dir
from scopebench.errors import DataError
from scopebench.sources import fetch
from scopebench.sources.fetch import fetch_file, fetchable_files, file_path
from scopebench.sources.pins import Pin, get_pin, git_blob_id, pins

BODY = bytes(range(256)) * 1200  # 307,200 bytes: some socket buffers full


def blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


PIN = Pin(
    name="sample",
    repo="someone/some-data",
    commit="0123456789abcdef0123456789abcdef01234567",
    path="a folder/facts.json",
    git_blob=blob(BODY),
    licence="CC0-1.0",
    bytes=len(BODY),
)
URL_PATH = f"/{PIN.repo}/{PIN.commit}/a%20folder/facts.json"


@dataclass
class Request:
    path: str
    range: str | None
    status: int = 0
    sent: int = 0


@dataclass
class Script:
    """What the server does; `cuts` and `statuses` are used up one per request."""

    body: bytes = BODY
    honours_range: bool = True
    announces: int | None = None
    chunked: bool = False
    delay: float = 0
    stall: float = 0
    cuts: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    redirects: dict[str, str] = field(default_factory=dict)
    content_range: str | None = None
    seen: list[Request] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: Script

    def __init__(self, *args: object, script: Script) -> None:
        self.script = script
        super().__init__(*args)  # type: ignore[arg-type]

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        script = self.script
        request = Request(self.path, self.headers.get("Range"))
        with script.lock:
            script.seen.append(request)
            cut = script.cuts.pop(0) if script.cuts else None
            status = script.statuses.pop(0) if script.statuses else None
        if self.path in script.redirects:
            return self.plain(request, 302, {"Location": script.redirects[self.path]})
        if status is not None:
            return self.plain(request, status, {})
        start = 0
        if request.range and script.honours_range:
            start = int(request.range.removeprefix("bytes=").removesuffix("-"))
        if start and start >= len(script.body):
            return self.plain(request, 416, {"Content-Range": f"bytes */{len(script.body)}"})
        with contextlib.suppress(ConnectionError):  # the client may hang up on us
            self.answer(request, start, cut)

    def plain(self, request: Request, status: int, headers: dict[str, str]) -> None:
        request.status = status
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer(self, request: Request, start: int, cut: int | None) -> None:
        script, body = self.script, self.script.body[start:]
        time.sleep(script.delay)
        request.status = 206 if start else 200
        self.send_response(request.status)
        if start:
            end = f"{len(script.body) - 1}/{len(script.body)}"
            self.send_header("Content-Range", script.content_range or f"bytes {start}-{end}")
        if script.chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            length = len(body) if script.announces is None else script.announces
            self.send_header("Content-Length", str(length))
        self.end_headers()
        sent = body if cut is None else body[:cut]
        request.sent = len(sent)  # before writing: the client may return before this thread does
        self.wfile.write(b"%x\r\n%s\r\n" % (len(sent), sent) if script.chunked else sent)
        if cut is not None:
            self.wfile.flush()
            time.sleep(script.stall)
        elif script.chunked:
            self.wfile.write(b"0\r\n\r\n")
        if cut is not None or script.announces is not None:
            self.close_connection = True


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def base_url(script: Script, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(fetch, "PAUSES", (0.01, 0.01, 0.01))
    handler = functools.partial(Handler, script=script)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"sample.json.lock"}


def test_plain_download_is_verified_named_by_the_pin_and_done_once(
    script: Script, base_url: str, tmp_path: Path
) -> None:
    told: list[tuple[int, int | None]] = []
    record = lambda done, total: told.append((done, total))  # noqa: E731
    folder = tmp_path / "new" / "folder"
    path = fetch_file(PIN, folder=folder, base_url=base_url + "/", progress=record)
    assert path == folder / "sample.json"
    assert path.read_bytes() == BODY
    assert names(folder) == {"sample.json"}
    assert [(seen.path, seen.range, seen.sent) for seen in script.seen] == [
        (URL_PATH, None, len(BODY))
    ]
    assert told[-1] == (len(BODY), len(BODY))
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert fetch_file(PIN, folder=folder, base_url=base_url) == path
    assert len(script.seen) == 1


def test_a_finished_file_needs_no_network_and_no_write_access(tmp_path: Path) -> None:
    (tmp_path / "sample.json").write_bytes(BODY)
    assert fetch_file(PIN, folder=tmp_path, base_url="http://127.0.0.1:9").read_bytes() == BODY
    assert [path.name for path in tmp_path.iterdir()] == ["sample.json"]  # not even a lock


def test_a_file_with_another_content_is_replaced_by_the_pinned_one(
    base_url: str, tmp_path: Path
) -> None:
    (tmp_path / "sample.json").write_bytes(BODY[:-1] + b"?")
    assert fetch_file(PIN, folder=tmp_path, base_url=base_url).read_bytes() == BODY


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("size", [len(BODY), None])
def test_a_cut_connection_is_resumed_without_sending_bytes_twice(
    script: Script, base_url: str, tmp_path: Path, chunked: bool, size: int | None
) -> None:
    script.cuts = [100_001, 50_000]
    script.chunked = chunked
    pin = replace(PIN, bytes=size)
    assert fetch_file(pin, folder=tmp_path, base_url=base_url).read_bytes() == BODY
    assert [seen.range for seen in script.seen] == [None, "bytes=100001-", "bytes=150001-"]
    assert [seen.sent for seen in script.seen] == [100_001, 50_000, len(BODY) - 150_001]


def test_a_connection_that_stalls_is_resumed(
    script: Script, base_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "_TIMEOUT", 0.2)
    script.cuts, script.stall = [1000], 0.6
    assert fetch_file(PIN, folder=tmp_path, base_url=base_url).read_bytes() == BODY
    assert [seen.range for seen in script.seen] == [None, "bytes=1000-"]


def test_a_connection_cut_each_time_keeps_the_half_file_for_the_next_run(
    script: Script, base_url: str, tmp_path: Path
) -> None:
    script.cuts = [1000, 1000, 1000, 1000]
    with pytest.raises(DataError, match=r"4 attempts.*cut.*resume after the 4000 bytes kept") as no:
        fetch_file(PIN, folder=tmp_path, base_url=base_url)
    assert "\n" not in str(no.value)
    assert names(tmp_path) == {"sample.json.partial"}
    assert (tmp_path / "sample.json.partial").read_bytes() == BODY[:4000]
    assert fetch_file(PIN, folder=tmp_path, base_url=base_url).read_bytes() == BODY
    assert script.seen[-1].range == "bytes=4000-"
    assert names(tmp_path) == {"sample.json"}


def test_a_server_that_ignores_the_range_is_read_from_the_start(
    script: Script, base_url: str, tmp_path: Path
) -> None:
    script.honours_range = False
    (tmp_path / "sample.json.partial").write_bytes(BODY[:5000])
    assert fetch_file(PIN, folder=tmp_path, base_url=base_url).read_bytes() == BODY
    assert [(seen.range, seen.status) for seen in script.seen] == [("bytes=5000-", 200)]


def test_a_half_file_that_is_already_whole_needs_no_request(
    script: Script, base_url: str, tmp_path: Path
) -> None:
    (tmp_path / "sample.json.partial").write_bytes(BODY)
    assert fetch_file(PIN, folder=tmp_path, base_url=base_url).read_bytes() == BODY
    assert script.seen == []


def test_a_half_file_longer_than_the_pin_is_dropped(
    script: Script, base_url: str, tmp_path: Path
) -> None:
    (tmp_path / "sample.json.partial").write_bytes(BODY + b"more")
    assert fetch_file(PIN, folder=tmp_path, base_url=base_url).read_bytes() == BODY
    assert [seen.range for seen in script.seen] == [None]


def test_a_range_the_server_cannot_satisfy_starts_over(
    script: Script, base_url: str, tmp_path: Path
) -> None:
    (tmp_path / "sample.json.partial").write_bytes(BODY + b"more")
    pin = replace(PIN, bytes=None)  # only the server can tell that the half file is too long
    assert fetch_file(pin, folder=tmp_path, base_url=base_url).read_bytes() == BODY
    assert [seen.status for seen in script.seen] == [416, 200]


@pytest.mark.parametrize("content_range", ["bytes 4-9/10", "nonsense"])
def test_a_part_from_another_offset_is_never_appended(
    script: Script, base_url: str, tmp_path: Path, content_range: str
) -> None:
    script.content_range = content_range
    (tmp_path / "sample.json.partial").write_bytes(BODY[:5000])
    assert fetch_file(PIN, folder=tmp_path, base_url=base_url).read_bytes() == BODY
    assert [seen.range for seen in script.seen] == ["bytes=5000-", None]


def test_a_wrong_body_is_removed_and_both_hashes_are_named(
    script: Script, base_url: str, tmp_path: Path
) -> None:
    script.body = BODY[:-1] + b"?"
    with pytest.raises(DataError) as wrong:
        fetch_file(PIN, folder=tmp_path, base_url=base_url)
    assert PIN.git_blob in str(wrong.value)
    assert blob(script.body) in str(wrong.value)
    assert names(tmp_path) == set()
    assert len(script.seen) == 1  # asking again would bring the same bytes


@pytest.mark.parametrize("announces", [None, 1 << 60])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_longer_than_expected_is_stopped_and_removed(
    script: Script, base_url: str, tmp_path: Path, announces: int | None, chunked: bool
) -> None:
    script.body, script.announces, script.chunked = BODY + b"x", announces, chunked
    with pytest.raises(DataError, match=f"more than the {len(BODY)} bytes expected"):
        fetch_file(PIN, folder=tmp_path, base_url=base_url)
    assert names(tmp_path) == set()


def test_a_body_of_unknown_size_is_bounded(
    script: Script, base_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "MAX_BYTES", 1000)
    script.chunked = True
    with pytest.raises(DataError, match="more than the 1000 bytes expected"):
        fetch_file(replace(PIN, bytes=None), folder=tmp_path, base_url=base_url)
    assert names(tmp_path) == set()


def test_redirects_are_followed_relative_and_absolute_with_the_range(
    script: Script, base_url: str, tmp_path: Path
) -> None:
    script.redirects = {URL_PATH: "/second", "/second": f"{base_url}/third"}
    (tmp_path / "sample.json.partial").write_bytes(BODY[:7])
    assert fetch_file(PIN, folder=tmp_path, base_url=base_url).read_bytes() == BODY
    assert [seen.path for seen in script.seen] == [URL_PATH, "/second", "/third"]
    assert script.seen[-1].range == "bytes=7-"


@pytest.mark.parametrize(
    "redirects",
    [
        {URL_PATH: "/other", "/other": URL_PATH},
        {URL_PATH: "/0"} | {f"/{n}": f"/{n + 1}" for n in range(40)},
    ],
    ids=["loop", "too many"],
)
def test_redirects_end(
    script: Script, base_url: str, tmp_path: Path, redirects: dict[str, str]
) -> None:
    script.redirects = redirects
    with pytest.raises(DataError, match=r"HTTP 302.*infinite loop") as no:
        fetch_file(PIN, folder=tmp_path, base_url=base_url)
    assert "\n" not in str(no.value)
    assert len(script.seen) <= 12
    assert names(tmp_path) == set()


def test_a_redirect_to_a_file_is_not_followed(
    script: Script, base_url: str, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_bytes(BODY)
    script.redirects = {URL_PATH: f"file://{tmp_path}/secret"}
    with pytest.raises(DataError, match="HTTP 302"):
        fetch_file(PIN, folder=tmp_path, base_url=base_url)


@pytest.mark.parametrize(
    ("old", "new", "follows"),
    [
        ("https", "https", True),
        ("http", "https", True),
        ("http", "http", True),
        ("https", "http", False),
        ("https", "ftp", False),
        ("http", "file", False),
    ],
)
def test_a_redirect_never_goes_to_a_less_safe_scheme(old: str, new: str, follows: bool) -> None:
    request = urllib.request.Request(f"{old}://a.example/file")
    follow = functools.partial(
        fetch._SafeRedirects().redirect_request,
        request,
        BytesIO(),
        302,
        "Found",
        HTTPMessage(Message()),  # type: ignore[arg-type]
    )
    if follows:
        followed = follow(f"{new}://b.example/file")
        assert followed is not None
        assert followed.full_url == f"{new}://b.example/file"
    else:
        with pytest.raises(urllib.error.HTTPError, match=f"from {old} to {new} is not followed"):
            follow(f"{new}://b.example/file")


def test_a_missing_file_is_one_line_and_is_not_asked_for_again(
    script: Script, base_url: str, tmp_path: Path
) -> None:
    script.statuses = [404]
    with pytest.raises(DataError, match=f"{URL_PATH} answered HTTP 404 Not Found"):
        fetch_file(PIN, folder=tmp_path, base_url=base_url)
    assert len(script.seen) == 1
    assert names(tmp_path) == set()


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_passing_refusal_is_tried_again(
    script: Script, base_url: str, tmp_path: Path, status: int
) -> None:
    script.statuses = [status, status]
    assert fetch_file(PIN, folder=tmp_path, base_url=base_url).read_bytes() == BODY
    assert [seen.status for seen in script.seen] == [status, status, 200]


def test_a_lasting_refusal_is_given_up(script: Script, base_url: str, tmp_path: Path) -> None:
    script.statuses = [503] * 9
    with pytest.raises(DataError, match="4 attempts: HTTP 503 Service Unavailable; run again"):
        fetch_file(PIN, folder=tmp_path, base_url=base_url)
    assert len(script.seen) == 4


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_without_network_one_line_says_what_to_put_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with pytest.raises(DataError) as no:
        fetch_file(PIN, folder=tmp_path, base_url=f"http://127.0.0.1:{closed_port()}")
    message = str(no.value)
    assert "\n" not in message
    assert f"put https://raw.githubusercontent.com{URL_PATH} at {tmp_path}/sample.json" in message
    assert "another content" not in message
    (tmp_path / "sample.json").write_bytes(b"put here by hand, and wrong")
    with pytest.raises(DataError, match="a file with another content is at that path"):
        fetch_file(PIN, folder=tmp_path, base_url=f"http://127.0.0.1:{closed_port()}")


@pytest.mark.parametrize("base_url", ["file:///data", "/data", "ftp://mirror.example", ""])
def test_a_mirror_must_be_an_http_address(base_url: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is no http"):
        fetch_file(PIN, folder=tmp_path, base_url=base_url)


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:port", "http://127.0.0.1/with blank"])
def test_a_malformed_mirror_is_one_line(base_url: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is no address"):
        fetch_file(PIN, folder=tmp_path, base_url=base_url)


FETCH = """
import resource, sys
from pathlib import Path
from scopebench.errors import DataError
from scopebench.sources.fetch import fetch_file
from scopebench.sources.pins import Pin
pin, folder, base_url, limit = eval(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    print(fetch_file(pin, folder=folder, base_url=base_url))
except DataError as error:
    print("DataError:", error)
"""


def start_fetch(folder: Path, base_url: str, limit: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", FETCH, repr(PIN), str(folder), base_url, str(limit)]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_a_file_size_limit_is_one_line_and_the_half_file_resumes(
    script: Script, base_url: str, tmp_path: Path
) -> None:
    pytest.importorskip("resource", reason="no RLIMIT_FSIZE on this platform")
    output, errors = start_fetch(tmp_path, base_url, limit=100_000).communicate(timeout=60)
    assert errors == ""
    assert output.count("\n") == 1
    assert output.startswith(f"DataError: no space left to write {tmp_path}/sample.json; free")
    assert names(tmp_path) == {"sample.json.partial"}
    assert (tmp_path / "sample.json.partial").stat().st_size == 100_000
    assert fetch_file(PIN, folder=tmp_path, base_url=base_url).read_bytes() == BODY
    assert script.seen[-1].range == "bytes=100000-"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full to stand for a full disk")
def test_a_full_disk_is_one_line_and_leaves_no_file(base_url: str, tmp_path: Path) -> None:
    (tmp_path / "sample.json.partial").symlink_to("/dev/full")
    with pytest.raises(DataError, match="no space left to write") as no:
        fetch_file(PIN, folder=tmp_path, base_url=base_url)
    cause = no.value.__cause__
    assert isinstance(cause, OSError)
    assert cause.errno == errno.ENOSPC
    assert not (tmp_path / "sample.json").exists()


def test_a_folder_that_is_a_file_is_one_line(base_url: str, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("not a folder")
    with pytest.raises(DataError, match=r"cannot write .*choose another folder"):
        fetch_file(PIN, folder=tmp_path / "taken", base_url=base_url)


def test_two_processes_fetch_one_file_once(script: Script, base_url: str, tmp_path: Path) -> None:
    script.delay = 0.5  # both are running by the time the first byte comes
    processes = [start_fetch(tmp_path, base_url) for _ in range(2)]
    results = [process.communicate(timeout=60) for process in processes]
    assert results == [(f"{tmp_path / 'sample.json'}\n", "")] * 2
    assert len(script.seen) == 1
    assert (tmp_path / "sample.json").read_bytes() == BODY


def test_blob_id_of_known_contents(tmp_path: Path) -> None:
    # The two ids any git repository shows: the empty file and "hello\n".
    (tmp_path / "file").write_bytes(b"")
    assert git_blob_id(tmp_path / "file") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    (tmp_path / "file").write_bytes(b"hello\n")
    assert git_blob_id(tmp_path / "file") == "ce013625030ba8dba906f756967f9e9ca394464a"
    (tmp_path / "file").write_bytes(BODY * 9)  # 2.7 MB: read in several chunks
    assert git_blob_id(tmp_path / "file") == blob(BODY * 9)


@pytest.mark.real
def test_a_real_file_has_its_pinned_hash(real_data: Path) -> None:
    pin = get_pin("akew_mquake_cf")
    path = real_data / "akew" / "MQuAKE-CF.json"
    assert path.stat().st_size == pin.bytes
    assert git_blob_id(path) == pin.git_blob


def test_pins_are_well_formed_and_never_share_a_file() -> None:
    every = pins()
    assert list(every) == [
        *("counterfact", "akew_counterfact", "akew_wikiupdate", "akew_mquake_cf", "mquake_cf"),
        *("mquake_cf_3k_v2", "rippleedits_popular", "rippleedits_random", "rippleedits_recent"),
        "zsre_eval",
    ]
    for pin in every.values():
        assert {len(pin.commit), len(pin.git_blob)} == {40}
        assert int(pin.commit, 16) and int(pin.git_blob, 16)
    assert len({pin.file_name.lower() for pin in every.values()}) == len(every)
    assert get_pin("mquake_cf").address() == (
        "https://raw.githubusercontent.com/princeton-nlp/MQuAKE/"
        "fb43dadc2d8cd19d08ce81c63d957b59deb3f3cd/datasets/MQuAKE-CF.json"
    )


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(DataError, match="did you mean 'counterfact'"):
        fetch_file("counterfacts")


def test_the_cache_root_follows_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCOPEBENCH_CACHE", str(tmp_path))
    assert cache_dir() == tmp_path
    assert file_path(PIN) == tmp_path / "data" / "sample.json"
    monkeypatch.setenv("SCOPEBENCH_CACHE", "~/elsewhere")
    assert cache_dir() == Path.home() / "elsewhere"
    monkeypatch.delenv("SCOPEBENCH_CACHE")
    assert cache_dir().name == "scopebench"


def test_listing_says_what_is_present_by_hash(tmp_path: Path) -> None:
    (tmp_path / "mquake_cf.json").write_bytes(b"[]")
    listed = {entry.name: entry for entry in fetchable_files(tmp_path)}
    assert list(listed) == list(pins())
    assert listed["mquake_cf"].where == tmp_path / "mquake_cf.json"
    assert not any(entry.present for entry in listed.values())
