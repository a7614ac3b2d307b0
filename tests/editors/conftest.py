"""Fixtures of the editor tests: edits and queries by hand, encoders by table, the real models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from scopebench.errors import MissingDependency, ModelError
from scopebench.protocols import EditorContext, Encoder
from scopebench.records import Edit, FactObject, ModelRef, Query, SourceRef

SOURCE = SourceRef(file="invented.json", record="1", sha256="0" * 64)


class TableEncoder:
    """Looks each text up; keeps count of the texts it was asked to encode."""

    def __init__(self, table: Mapping[str, Sequence[float]]) -> None:
        self.table = table
        self.dimension = len(next(iter(table.values())))
        self.ref = ModelRef(id="table", revision="1", dtype="float32", device="cpu")
        self.encoded = 0

    def encode(self, texts: Sequence[str]) -> Any:
        self.encoded += len(texts)
        return np.array([self.table[text] for text in texts], dtype=np.float32)


@pytest.fixture(scope="session")
def table_encoder() -> Callable[[Mapping[str, Sequence[float]]], Encoder]:
    return TableEncoder


@pytest.fixture(scope="session")
def make_edit() -> Callable[..., Edit]:
    """Build an edit from its id, subject, relation and new object."""

    def make(
        edit_id: str, subject: str = "Orla", relation: str = "P1", new: str = "Bo", **more: Any
    ) -> Edit:
        fields: dict[str, Any] = {
            "dataset": "invented",
            "prompt": "{} " + relation,
            "question": f"{relation} of {subject}?",
            "relation_id": relation,
            "target_new": FactObject(text=new),
            "target_true": None,
            "source": SOURCE,
        }
        return Edit(edit_id=edit_id, subject=subject, **{**fields, **more})

    return make


@pytest.fixture(scope="session")
def make_query() -> Callable[..., Query]:
    """Build a query from its question."""

    def make(question: str, query_id: str = "invented/1/0/direct/original") -> Query:
        return Query(
            query_id=query_id,
            dataset="invented",
            population="original",
            kind="direct",
            question=question,
            form="question",
            answers=None,
            pre_edit_answers=None,
            governing_edit_ids=(),
            cluster="c",
            fold="test",
            source=SOURCE,
        )

    return make


@pytest.fixture(scope="session")
def real_encoder() -> Encoder:
    """The packaged sentence encoder, or a loud skip where it is not installed."""
    from scopebench.models import load_encoder

    try:
        return load_encoder(None)
    except (MissingDependency, ModelError) as error:
        pytest.skip(f"NO REAL ENCODER: {error}")


@pytest.fixture(scope="session")
def real_context(
    real_encoder: Encoder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EditorContext]:
    """The small local model and the packaged encoder, or a loud skip where they are not there."""
    from scopebench.models import GenerationCache, load_language_model

    with GenerationCache(tmp_path_factory.mktemp("cache") / "generations.sqlite3") as cache:
        try:
            model = load_language_model("smollm2-135m", cache=cache)
        except (MissingDependency, ModelError) as error:
            pytest.skip(f"NO REAL MODEL: {error}")
        yield EditorContext(model=model, encoder=real_encoder)
