"""A small benchmark of one's own edits to be audited."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scopebench.construct import BuildOptions, build_benchmark

_NAMES = (
    "Ardenbrook Corriston Quellmouth Pellworth Tolvane Ostmere Dunhallow Sarnwick Brackley Hollin "
    "Merrow Vellmark"
).split()


@pytest.fixture(scope="session")
def mills(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve mills that change hands, with `curated` rows; copy it before auditing it."""
    folder = tmp_path_factory.mktemp("mills")
    header = "subject,relation,question,new,old,paraphrases,old_start,old_end,new_start"
    rows = [
        f"{name} Mill,owner,Who owns {name} Mill?,Keeper {letter}orn,Holder {letter}usk,"
        f"To whom does {name} Mill belong?,1990,2001,2001-05"
        for name, letter in zip(_NAMES, "ABCDEFGHIJKL", strict=True)
    ]
    (folder / "mills.csv").write_text("\n".join([header, *rows]) + "\n")
    build_benchmark({"mills": [folder / "mills.csv"]}, folder / "built", BuildOptions())
    return folder / "built"


@pytest.fixture
def bench(mills: Path, tmp_path: Path) -> Path:
    """The benchmark in a folder of the test's own."""
    return Path(shutil.copytree(mills, tmp_path / "bench"))
