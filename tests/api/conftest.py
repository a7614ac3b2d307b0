"""A small benchmark and runs on it over toy models, made once for all tests of the API."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import scopebench as sb
from scopebench.testing import toy_context

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # `subject_editor`, as beside a notebook


@pytest.fixture(scope="session")
def toys() -> dict[str, Any]:
    """The model and encoder that need no weights, as options of `score`."""
    context = toy_context()
    return {"model": context.model, "encoder": context.encoder}


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> sb.BuiltBenchmark:
    """Twelve edits of one's own: two relations of six subjects, under `structured` alone."""
    folder = tmp_path_factory.mktemp("api")
    lines = ["subject,relation,new,old,question"]
    places = (
        "Brel Mill",
        "Brel Hill",
        "Orsk Bridge",
        "Pell Harbour",
        "Tarsk Ferries",
        "Venn Works",
    )
    people = ("Ona Tarsk", "Per Lund", "Ivo Senn", "Dora Falk", "Mika Roe", "Lena Voss")
    for shift, role in enumerate(("owner", "foreman")):
        for n, place in enumerate(places):
            new, old = people[(n + shift) % 6], people[(n + shift + 2) % 6]
            lines.append(f"{place},{role},{new},{old},Who is the {role} of {place}?")
    (folder / "edits.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sb.build({"mine": folder / "edits.csv"}, folder / "bench")


@pytest.fixture(scope="session")
def runs(
    bench: sb.BuiltBenchmark, toys: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, sb.Run]:
    """Whole runs: `subject`, of an editor that is not registered, and `base`."""
    from subject_editor import SubjectEditor

    folder = tmp_path_factory.mktemp("api-runs")
    return {
        "subject": sb.score(SubjectEditor, bench, out=folder / "subject", **toys),
        "base": sb.score("base", bench, out=folder / "base", **toys),
    }
