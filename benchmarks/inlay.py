"""What INLAY's writes and decisions cost, encoder included.

    python benchmarks/inlay.py [--repeats 3] [--threads 2]

Reads AKEW's MQuAKE-CF.json from the folder of real data (`SCOPEBENCH_DATA`, by default
`../shared/data/raw` beside the checkout); without it, the starter's edits are used. Writing one at
a time and writing in batches of 128 are timed in turns, so that both meet the same machine, each
with an encoder that has not seen the texts before. Where decisions are timed the memory is filled
up with random unit vectors, and the queries are clozes, which no write has encoded. The paper gives
5 to 15 ms for a write (section 3.1), on hardware it does not name.

Prints a table; the last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from scopebench.errors import ModelError
from scopebench.models import load_encoder, load_language_model
from scopebench.protocols import EditorContext, Encoder, LanguageModel
from scopebench.records import Edit, Query, SourceRef
from scopebench.sources import read_source
from scopebench.sources.starter import write_starter
from scopebench.testing import ToyModel
from scopebench_editors.inlay.editor import InlayEditor

BATCH: Final = 128
SINGLES: Final = 32
SIZES: Final = (1_000, 10_000, 20_000)
PAPER_MS: Final = (5.0, 15.0)
TARGET_SINGLE_MS: Final = 25.0
TARGET_BATCHED_MS: Final = 5.0


def main() -> None:
    """Time writes and decisions, and print a table and one JSON line."""
    parser = argparse.ArgumentParser(description="Time INLAY's writes and decisions.")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    options = parser.parse_args()
    limit_threads(options.threads)
    source, edits = real_edits()
    model, tokenizer = load_tokenizer()
    single, batched = time_writes(model, edits, options.repeats)
    routes = [time_route(edits, size) for size in SIZES]
    result = {
        "benchmark": "inlay",
        "edits": source,
        "tokenizer": tokenizer,
        "encoder": load_encoder(None).ref.id,
        "threads": options.threads,
        "machine": platform.machine(),
        "write_one_ms": spread(single),
        "write_batched_ms_each": spread(batched),
        "ratio": round(float(np.median(single) / np.median(batched)), 2),
        "targets_met": {
            "write_one": bool(np.median(single) < TARGET_SINGLE_MS),
            "write_batched": bool(np.median(batched) <= TARGET_BATCHED_MS),
        },
        "route": routes,
    }
    print_table(result)
    print(json.dumps(result))


def limit_threads(threads: int) -> None:
    """Use so many threads in the encoder and in numpy."""
    import torch
    from threadpoolctl import threadpool_limits

    torch.set_num_threads(threads)
    threadpool_limits(threads)


def real_edits() -> tuple[str, list[Edit]]:
    """Return the edits to write, without repeated facts, and where they came from."""
    default = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "raw"
    path = Path(os.environ.get("SCOPEBENCH_DATA", default)) / "akew" / "MQuAKE-CF.json"
    if path.is_file():
        sources, name = [read_source("mquake_cf", [path])], path.name
    else:
        with tempfile.TemporaryDirectory() as folder:
            files = write_starter(Path(folder))
            sources = [read_source(dataset, [file]) for dataset, file in files.items()]
        name = "starter"
    edits = {
        (edit.subject, edit.asked): edit
        for source in sources
        for case in source.cases
        for edit in case.edits
    }
    return name, list(edits.values())


def load_tokenizer() -> tuple[LanguageModel, str]:
    """Return the model whose tokenizer turns answers into tokens; its weights are not loaded."""
    try:
        return load_language_model("smollm2-135m"), "smollm2-135m"
    except ModelError as error:
        print(f"no local model ({error}); answers are cut into bytes instead", file=sys.stderr)
        return ToyModel(), "bytes"


def warm_encoder() -> Encoder:
    """Return an encoder whose weights are loaded and which has seen no text of ours."""
    encoder = load_encoder(None)
    encoder.encode(["warm", "weights and the tokenizer are loaded by these two texts"])
    return encoder


def time_writes(
    model: LanguageModel, edits: Sequence[Edit], repeats: int
) -> tuple[list[float], list[float]]:
    """Return milliseconds per edit, written one at a time and in batches, taken in turns."""
    model.answer_tokens("warm")
    single: list[float] = []
    batched: list[float] = []
    for _ in range(repeats):
        at_once = InlayEditor(EditorContext(model=model, encoder=warm_encoder()))
        one_by_one = InlayEditor(EditorContext(model=model, encoder=warm_encoder()))
        for start in range(0, len(edits) - BATCH + 1, BATCH):
            batch = edits[start : start + BATCH]
            batched.append(clock(partial(at_once.write, batch)) / BATCH)
            for edit in batch[:SINGLES]:
                single.append(clock(partial(one_by_one.write, [edit])))
    return single, batched


class Filler:
    """An encoder that returns prepared vectors for made-up edits and encodes real texts."""

    def __init__(self, encoder: Encoder, seed: int = 0) -> None:
        self.ref, self.dimension, self.encoder = encoder.ref, encoder.dimension, encoder
        self.generator = np.random.default_rng(seed)

    def encode(self, texts: Sequence[str]) -> Any:
        """Return random unit vectors for texts that begin with `filler`, else the embeddings."""
        if not all(text.startswith("filler") for text in texts):
            return self.encoder.encode(texts)
        rows = self.generator.standard_normal((len(texts), self.dimension))
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def time_route(edits: Sequence[Edit], size: int) -> dict[str, Any]:
    """Return what a decision costs with so many cards: alone, in a batch, and the search alone."""
    encoder = Filler(warm_encoder())
    editor = InlayEditor(EditorContext(model=ToyModel(), encoder=encoder))
    editor.write([*fillers(edits[0], size - len(edits)), *edits])
    queries = [ask(edit, number) for number, edit in enumerate(edits)]

    def route(some: Sequence[Query]) -> Callable[[], object]:
        hidden = [frozenset[str]()] * len(some)
        return lambda: editor.route(some, condition="structured", hidden=hidden)

    after_write = clock(route(queries[:1]))
    alone = [clock(route([query])) for query in queries[1:SINGLES]]
    rest = queries[SINGLES:]
    batches = [rest[at : at + BATCH] for at in range(0, len(rest) - BATCH + 1, BATCH)]
    batched = [clock(route(batch)) / BATCH for batch in batches]
    again = [clock(route(batch)) / BATCH for batch in batches]  # every text is known by now
    return {
        "cards": size,
        "first_after_write_ms": round(after_write, 2),
        "one_ms": spread(alone),
        "batched_ms_each": spread(batched),
        "encoded_before_ms_each": spread(again),
    }


def fillers(like: Edit, count: int) -> Iterator[Edit]:
    """Yield made-up edits."""
    for number in range(count):
        yield like.model_copy(
            update={
                "edit_id": f"filler/{number}/0",
                "subject": f"filler {number}",
                "subject_id": None,
                "question": f"filler question {number}",
            }
        )


def ask(edit: Edit, number: int) -> Query:
    """Return a query for an edit, worded otherwise than its key."""
    return Query(
        query_id=f"{edit.dataset}/{number}/0/direct/original",
        dataset=edit.dataset,
        population="original",
        kind="direct",
        question=edit.cloze,
        form="cloze",
        answers=None,
        pre_edit_answers=None,
        governing_edit_ids=(edit.edit_id,),
        cluster="c",
        fold="test",
        source=SourceRef(file="", record="", sha256=""),
    )


def clock(work: Callable[[], object]) -> float:
    """Return how many milliseconds the work takes."""
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return the median and the 90th percentile."""
    return {
        "median": round(float(np.median(values)), 3),
        "p90": round(float(np.quantile(values, 0.9)), 3),
        "n": len(values),
    }


def print_table(result: dict[str, Any]) -> None:
    """Print the figures for a person."""
    print(f"edits: {result['edits']}, encoder: {result['encoder']}, threads: {result['threads']}")
    print(f"{'':40}{'median ms':>10}{'p90 ms':>10}  target")
    rows = [
        ("write, one edit", result["write_one_ms"], f"< {TARGET_SINGLE_MS:g}"),
        (f"write, each in {BATCH}", result["write_batched_ms_each"], f"<= {TARGET_BATCHED_MS:g}"),
    ]
    for route in result["route"]:
        cards = f"{route['cards']:,} cards"
        rows.append((f"decide, one query, {cards}", route["one_ms"], ""))
        rows.append((f"decide, each in {BATCH}, {cards}", route["batched_ms_each"], ""))
        rows.append((f"  the same, encoded before, {cards}", route["encoded_before_ms_each"], ""))
    for label, figures, target in rows:
        print(f"{label:40}{figures['median']:10.2f}{figures['p90']:10.2f}  {target}")
    low, high = PAPER_MS
    print(f"one at a time costs {result['ratio']}x a batched write; ", end="")
    print(f"the paper's write: {low:g} to {high:g} ms")


if __name__ == "__main__":
    main()
