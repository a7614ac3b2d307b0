"""A small benchmark folder with a `curated` population and a deleted edit, written by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scopebench.construct.manifest import FILE, FORMAT, FORMAT_VERSION
from scopebench.construct.tables import write_records
from scopebench.records import Edit, FactObject, Hop, Query, SourceRef
from scopebench.run.provenance import file_digest

SOURCE = SourceRef(file="towns.json", record="1", sha256="0" * 64)
TOWNS = ("Ardenbrook", "Corriston", "Quellmouth", "Pellworth")
DELETED = 2


def _edit(number: int) -> Edit:
    return Edit(
        edit_id=f"toy/{number}/0",
        dataset="toy",
        subject=TOWNS[number],
        prompt="{} lies in",
        question=f"Where does {TOWNS[number]} lie?",
        target_new=FactObject(text="Vell"),
        target_true=FactObject(text="Ostmark"),
        source=SOURCE,
    )


def _query(number: int, kind: str, population: str, question: str, **fields: Any) -> Query:
    edit_id = f"toy/{number}/0"
    inside = kind == "direct"
    return Query.model_validate(
        {
            "query_id": f"{edit_id}/{kind}/{population}",
            "dataset": "toy",
            "population": population,
            "kind": kind,
            "question": question,
            "form": "question",
            "answers": ("Vell",) if inside else ("Ostmark",),
            "pre_edit_answers": ("Ostmark",),
            "governing_edit_ids": (edit_id,) if inside else (),
            "cluster": edit_id,
            "fold": "test" if number % 2 else "dev",
            "source": SOURCE.model_copy(update={"record": str(number)}),
            **fields,
        }
    )


def _write(folder: Path, index: tuple[Edit, ...], curated: tuple[Edit, ...] | None) -> Path:
    whole = tuple(_edit(number) for number in range(len(TOWNS)))
    tables: dict[str, tuple[tuple[Any, ...], type]] = {
        "toy_edits/index": (index, Edit),
        "toy_structured/original": (
            tuple(_query(n, "direct", "original", e.asked) for n, e in enumerate(whole)),
            Query,
        ),
        "toy_structured/curated": (
            (
                _query(0, "direct", "curated", whole[0].asked),
                _query(
                    1,
                    "same_subject",
                    "curated",
                    "Who founded Corriston?",
                    answers=None,
                    pre_edit_answers=None,
                    near_edit_id="toy/1/0",
                    twin_id="toy/1/0/direct/original",
                    hops=(Hop(subject="Corriston", relation="R9"),),
                    date="1999",
                    flags=("short_alias",),
                ),
                _query(
                    DELETED,
                    "refilled",
                    "curated",
                    whole[DELETED].asked,
                    hidden_edit_ids=(f"toy/{DELETED}/0",),
                ),
            ),
            Query,
        ),
    }
    if curated is not None:
        tables["toy_edits/curated"] = (curated, Edit)
    files = {}
    for name, (records, kind) in tables.items():
        path = folder / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_records(records, kind, path)
        files[f"{name}.parquet"] = file_digest(path)
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "name": "toy",
        "version": "1",
        "files": files,
        "datasets": {"toy": {}},
        "configs": {},
    }
    (folder / FILE).write_text(json.dumps(manifest), encoding="utf-8")
    return folder


@pytest.fixture
def toy_folder(tmp_path: Path) -> Callable[..., Path]:
    """Write a folder; by default edit 2 of 4 is deleted before `curated` is asked."""

    def make(
        name: str = "toy",
        *,
        index: tuple[int, ...] = (0, 1, 2, 3),
        curated: tuple[int, ...] | None = (0, 1, 3),
    ) -> Path:
        kept = None if curated is None else tuple(map(_edit, curated))
        return _write(tmp_path / name, tuple(map(_edit, index)), kept)

    return make
