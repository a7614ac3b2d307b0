"""A Hub on 127.0.0.1: a real HTTP server over an in-memory store, with faults on demand.

    with LoopbackHub() as hub:
        api = HfApi(endpoint=hub.url, token=hub.token)

`hub.environment(home)` is what a subprocess needs to use it instead of the real Hub.
"""

from __future__ import annotations

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from loopback import discussions as _discussions  # noqa: F401  registers its routes
from loopback.faults import Fault, Faults
from loopback.routes import Answer, Request, dispatch, refusal
from loopback.store import TESTER, Repo, Store

TOKEN = "hf_" + "LoopbackTokenNeverShown" * 2


class LoopbackHub:
    """A Hub that lives as long as its `with` block.

    Args:
        token: The token of `tester`, who may write; none: anybody may.

    Attributes:
        url: Its address.
        accounts: Who may write, by token.
        store: What it keeps.
        faults: The faults in force.
        requests: Method and path of every request, in order of arrival.
    """

    def __init__(self, token: str | None = TOKEN) -> None:
        self.token = token
        self.accounts = {} if token is None else {token: TESTER}
        self.store = Store()
        self.faults = Faults()
        self.requests: list[tuple[str, str]] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.hub = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> LoopbackHub:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def repo(self, kind: str, repo_id: str) -> Repo:
        return self.store.repo(kind, repo_id)

    def inject(self, kind: Any, path: str = ".", **more: Any) -> Fault:
        """Put a fault in force; see `Fault`."""
        return self.faults.add(Fault(kind, path, **more))

    def environment(self, home: Path, *, login: bool = True) -> dict[str, str]:
        """Return the variables that point the hub's client and `datasets` at this server."""
        found = {
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(home),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_UPDATE_CHECK": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        }
        return found | ({"HF_TOKEN": self.token} if login and self.token else {})


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512
    hub: LoopbackHub

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet for headers and body
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent."""

    def _serve(self) -> None:
        hub = self.server.hub
        headers = {key.lower(): value for key, value in self.headers.items()}
        user = hub.accounts.get(headers.get("authorization", "").removeprefix("Bearer "))
        body = self._read_body(headers)
        request = Request(self.command, self.path, headers, body, hub.url, user)
        hub.requests.append((self.command, self.path))
        fault = hub.faults.meet(self.command, self.path)
        if fault is not None and fault.kind == "refused":
            self.close_connection = True
            return
        if fault is not None and fault.kind == "slow":
            time.sleep(fault.seconds)
        if fault is not None and fault.kind == "status":
            sent = headers.get("authorization", "")
            message = fault.message.replace("{authorization}", sent)
            self._send(refusal(fault.status, message, headers=fault.headers))
            return
        answer = self._answer(hub, request)
        if fault is not None and fault.kind == "lost":
            self.close_connection = True
            return
        self._send(answer, cut=fault is not None and fault.kind == "cut")

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _serve

    def _answer(self, hub: LoopbackHub, request: Request) -> Answer:
        open_to_all = request.method in ("GET", "HEAD") or request.path.startswith("/lfs/")
        if hub.accounts and not open_to_all and request.user is None:
            return refusal(401, "Invalid credentials in Authorization header")
        with hub.store.lock:
            return dispatch(hub.store, request)

    def _read_body(self, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(headers.get("content-length", "0")))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _send(self, answer: Answer, *, cut: bool = False) -> None:
        self.send_response(answer.status)
        for key, value in answer.headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        body = b"" if self.command == "HEAD" else answer.body
        self.wfile.write(body[: len(body) // 2] if cut else body)
        if cut:
            self.close_connection = True
