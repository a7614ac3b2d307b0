"""Whole journeys over the loopback Hub, with the server as a process of its own.

From an empty results repository to a ranking; and from an upload, signed in, to a pull request.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scopebench.errors import ScopeBenchError
from scopebench.hub.names import slug
from scopebench.hub.submission import SUBMISSION_FILES, submission_id
from scopebench.run.folder import read_result
from scopebench.run.provenance import file_digest
from scopebench_leaderboard.apart import Apart
from scopebench_leaderboard.benchmarks import benchmarks_by_digest
from scopebench_leaderboard.submit import send_on

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hub"))

from loopback.server import LoopbackHub

gradio_client = pytest.importorskip(
    "gradio_client", reason="NO GRADIO: install scopebench[leaderboard]"
)
pytestmark = pytest.mark.slow

RESULTS = "org/results"
SIGNED_IN = "mock-oauth-token-for-local-dev"
"""What Gradio's sign-in gives whoever presses it outside a Space."""

PATIENCE = 120.0
"""Seconds for what takes a few on an idle machine."""

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)


@dataclass(frozen=True)
class Running:
    """A leaderboard that runs in another process.

    Attributes:
        address: Where it is served.
        hub: The Hub it follows.
        log: What it wrote on both its outputs.
    """

    address: str
    hub: LoopbackHub
    log: Path


@pytest.fixture
def running(toy_runs: dict[str, Path], tmp_path: Path) -> Iterator[Running]:
    """A leaderboard of an empty results repository, as the command line starts it."""
    with LoopbackHub() as hub:
        hub.accounts[SIGNED_IN] = "reader"
        hub.store.create("dataset", RESULTS)
        port = free_port()
        command = [
            *(sys.executable, "-m", "scopebench", "leaderboard", "--results", RESULTS),
            *("--benchmark", str(toy_runs["bench"]), "--no-open", "--port", str(port)),
        ]
        log = tmp_path / "server.log"
        with log.open("wb") as out:
            server = subprocess.Popen(
                command,
                env=environment(hub, tmp_path, OAUTH_CLIENT_ID="made-up"),
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=tmp_path,
            )
            try:
                until(lambda: listening(server, port, log), "the server to listen")
                yield Running(f"http://127.0.0.1:{port}/", hub, log)
            finally:
                server.terminate()
                server.wait(timeout=30)


def environment(hub: LoopbackHub, folder: Path, **more: str) -> dict[str, str]:
    """Return the variables of a process that knows no Hub but this one."""
    plain = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HF_", "SCOPEBENCH_", "GRADIO_", "OAUTH_", "SPACE_"))
    }
    return {
        **plain,
        **hub.environment(folder / "home"),
        "SCOPEBENCH_LEADERBOARD_CACHE": str(folder / "cache"),
        "SCOPEBENCH_LEADERBOARD_REFRESH_SECONDS": "10",
        **more,
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listening(server: subprocess.Popen[bytes], port: int, log: Path) -> bool:
    assert server.poll() is None, log.read_text("utf-8")
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def until(reached: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < end, f"waited {PATIENCE:.0f} s for {what}"
        time.sleep(0.2)


def ranking(client: Any) -> list[str] | str:
    """Return the editors of the ranking, best first; where there is none, what is told instead."""
    try:
        return [row["editor"] for row in client.predict(api_name="/ranking")]
    except gradio_client.exceptions.AppError as error:
        return str(error)


def zipped(run: Path, out: Path) -> Path:
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in SUBMISSION_FILES:
            archive.write(run / name, name)
    return out


def test_from_an_empty_repository_to_a_ranking(
    running: Running, toy_runs: dict[str, Path], tmp_path: Path
) -> None:
    client = gradio_client.Client(running.address, verbose=False)
    until(lambda: "No submission yet" in ranking(client), "the empty repository to be read")

    upload = zipped(toy_runs["static"], tmp_path / "static.zip")
    told = client.predict([gradio_client.handle_file(str(upload))], api_name="/verify")
    assert (told["ok"], told["faults"]) == (True, [])
    assert running.hub.repo("dataset", RESULTS).files.keys() == {".gitattributes"}

    submit = [sys.executable, "-m", "scopebench", "submit", str(toy_runs["static"])]
    options = ["--to", RESULTS, "--benchmark", str(toy_runs["bench"]), "--commit"]
    own = environment(running.hub, tmp_path)
    subprocess.run([*submit, *options], env=own, check=True, cwd=tmp_path)
    folder = f"submissions/static/{slug(read_result(toy_runs['static']).model.id)}"
    sent = set(running.hub.repo("dataset", RESULTS).files) - {".gitattributes"}
    assert sent == {f"{folder}/{told['submission_id']}/{name}" for name in SUBMISSION_FILES}
    until(lambda: ranking(client) == ["static"], "the next look at the repository")
    assert "Traceback" not in running.log.read_text("utf-8")


def test_from_an_upload_to_a_pull_request_in_ones_own_name(
    running: Running, toy_runs: dict[str, Path], tmp_path: Path, chromium: str
) -> None:
    from playwright import sync_api

    upload = zipped(toy_runs["inlay"], tmp_path / "inlay.zip")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        sync_api.expect.set_options(timeout=PATIENCE * 1000)
        page.goto(f"{running.address}?tab=submit")

        verified(page, upload)
        send = page.get_by_role("button", name="Send as a pull request")
        sync_api.expect(page.locator("#verdict")).to_contain_text("Sign in to send it")
        sync_api.expect(send).to_be_disabled()

        page.get_by_role("button", name="Sign in to send").click()
        sync_api.expect(page.get_by_role("button", name="Logout (tester)")).to_be_visible()
        verified(page, upload)
        refused = "no {authorization} of yours"
        running.hub.inject("status", "/commit/", method="POST", status=400, message=refused)
        send.click()
        sync_api.expect(page.locator("#verdict")).to_contain_text("the Hub answered 400")
        assert SIGNED_IN not in page.content()

        send.click()
        sync_api.expect(page.locator("#verdict")).to_contain_text("Sent. A maintainer looks at it")
        sync_api.expect(page.locator("#verdict a")).to_have_attribute(
            "href", f"{running.hub.url}/datasets/{RESULTS}/discussions/1"
        )

        page.goto(f"{running.address}?tab=submit")
        verified(page, upload)
        send.click()
        sync_api.expect(page.locator("#verdict")).to_contain_text("in a pull request already")
        browser.close()

    repo = running.hub.repo("dataset", RESULTS)
    assert repo.files.keys() == {".gitattributes"}  # nothing is on main before it is merged
    (pull,) = repo.discussions
    assert (pull.is_pull_request, pull.status) == (True, "open")
    # The server's own login is that of `tester`: it is not the one that wrote.
    assert pull.author == "reader"
    sent = set(repo.resolve("refs/pr/1").files) - {".gitattributes"}
    key = submission_id({name: file_digest(toy_runs["inlay"] / name) for name in SUBMISSION_FILES})
    assert {Path(path).name for path in sent} == set(SUBMISSION_FILES)
    assert {Path(path).parent.name for path in sent} == {key}
    for path in sent:
        content = repo.resolve("refs/pr/1").files[path].content
        assert content == (toy_runs["inlay"] / Path(path).name).read_bytes()
    log = running.log.read_text("utf-8")
    assert "the leaderboard is at" in log
    assert "Traceback" not in log
    for token in running.hub.accounts:
        assert token not in log


def test_what_does_not_verify_is_refused_and_leaves_the_process_alive(
    toy_runs: dict[str, Path], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(toy_runs["inlay"], run)
    text = (run / "run.json").read_text("utf-8")
    (run / "run.json").write_text(
        text.replace('"status": "success"', '"status": "limited"'), "utf-8"
    )
    upload = zipped(run, tmp_path / "limited.zip")
    apart, known = Apart(), benchmarks_by_digest([toy_runs["bench"]])
    try:
        process = apart.run(os.getpid)
        with pytest.raises(
            ScopeBenchError, match=r"It does not verify: .*nothing was sent"
        ) as told:
            apart.run(send_on, [str(upload)], known, RESULTS, SIGNED_IN)
        assert apart.run(os.getpid) == process
        assert str(tmp_path) not in str(told.value)
    finally:
        apart.stop()


def verified(page: Any, upload: Path) -> None:
    """Have an upload verified, as a reader would."""
    from playwright.sync_api import expect

    page.locator("#upload input[type=file]").set_input_files(str(upload))
    expect(page.locator("#upload")).to_contain_text(upload.stem)
    page.locator("#consent input").check()
    page.get_by_role("button", name="Verify").click()
    expect(page.locator("#verdict")).to_contain_text("✓ Verified")
