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
