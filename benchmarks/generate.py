"""Queries per second of ScopeBench's decoding against a plain Hugging Face loop.

    python benchmarks/generate.py [--model smollm2-135m] [--edits 100] [--threads 2]

Both answer the same prompts with the same weights, length limit and stop rule, greedily. `ratio` is
taken over the prompts of a structured cell: an `abstain` and a `reason` prompt (the fact as a
sentence) of each edit, 200 by default. A quarter as many prompts with a paragraph and with triples
as evidence are timed beside them. The plain loop calls `model.generate` on one prompt at a time.
ScopeBench is called once a kind, as a run does, with an empty generation cache. Its gain comes from
computing the worked examples once a batch and from decoding many rows at a time; evidence must be
read either way, so the longer it is, the less there is to gain on a CPU.

The edits are the first of AKEW's MQuAKE-CF.json in `SCOPEBENCH_DATA` (by default
`../shared/data/raw`); without that file, the starter's. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from scopebench.models import GenerationCache, load_language_model
from scopebench.models.causal_lm import MAX_NEW_TOKENS, CausalLM, first_line
from scopebench.models.load import DEFAULT_MODEL
from scopebench.protocols import GenerationRequest
from scopebench.records import Edit
from scopebench.sources import read_source
from scopebench.sources.starter import write_starter

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "raw"


def read_edits(count: int) -> tuple[str, list[Edit]]:
    """Return the source's name and its first edits that have a question and all evidence."""
    real = Path(os.environ.get("SCOPEBENCH_DATA", DATA)) / "akew" / "MQuAKE-CF.json"
    if real.is_file():
        name, source = "AKEW MQuAKE-CF", read_source("mquake_cf", [real])
    else:
        with tempfile.TemporaryDirectory() as folder:
            write_starter(Path(folder))
            files = sorted(Path(folder).rglob("*quake*.json"))
            name, source = "starter", read_source("mquake_cf", files)
    usable = (
        edit
        for case in source.cases
        for edit in case.edits
        if edit.form == "question" and edit.evidence_unstructured and edit.evidence_triples
    )
    return name, list(islice(usable, count))


def build_requests(model: CausalLM, edits: Sequence[Edit]) -> dict[str, list[GenerationRequest]]:
    """Return the prompts of every kind."""
    prompts: dict[str, list[str]] = {"abstain": [], "sentence": [], "paragraph": [], "triples": []}
    for number, edit in enumerate(edits):
        triples = (
            f"{triple.prompt.replace('{}', triple.subject)} {triple.target}."
            for triple in edit.evidence_triples or ()
        )
        evidence = {
            "sentence": edit.statement,
            "paragraph": edit.evidence_unstructured or "",
            "triples": " ".join(triples),
        }
        prompts["abstain"].append(model.prompts.abstain(edit.asked, edit.form))
        for kind, text in evidence.items():
            if kind != "sentence" and number % 4:
                continue
            prompts[kind].append(model.prompts.reason(edit.asked, edit.form, text))
    return {
        kind: [GenerationRequest(prompt, MAX_NEW_TOKENS) for prompt in texts]
        for kind, texts in prompts.items()
    }


def run_engine(model: CausalLM, requests: Sequence[GenerationRequest]) -> tuple[list[str], float]:
    """Answer with ScopeBench; return the texts and the seconds taken."""
    start = time.perf_counter()
    texts = model.generate(requests)
    return texts, time.perf_counter() - start


def run_plain(
    model: Any, tokenizer: Any, requests: Sequence[GenerationRequest]
) -> tuple[list[str], float]:
    """Answer with `model.generate`, one prompt at a time; return the texts and the seconds."""
    import torch
    from transformers import StoppingCriteria, StoppingCriteriaList

    class AfterLine(StoppingCriteria):  # type: ignore[misc]
        """Stops at the first line break after text, as ScopeBench does."""

        def __init__(self, start: int) -> None:
            self.start = start

        def __call__(self, ids: Any, scores: Any, **more: Any) -> Any:
            text = tokenizer.decode(ids[0, self.start :], skip_special_tokens=True)
            return torch.tensor(["\n" in text.lstrip()], device=ids.device)

    texts = []
    start = time.perf_counter()
    for request in requests:
        inputs = tokenizer(request.prompt, return_tensors="pt").to(model.device)
        length = inputs.input_ids.shape[1]
        with torch.inference_mode():
            ids = model.generate(
                **inputs,
                max_new_tokens=request.max_new_tokens,
                do_sample=False,
                stopping_criteria=StoppingCriteriaList([AfterLine(length)]),
            )
        texts.append(first_line(tokenizer.decode(ids[0, length:], skip_special_tokens=True)))
    return texts, time.perf_counter() - start


def main() -> None:
    """Time both, and print a table and one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--edits", type=int, default=100)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    options = parser.parse_args()
    import torch
    from transformers.utils import logging

    from scopebench.models.loading import load_causal_lm, load_tokenizer
    from scopebench.models.locate import locate

    logging.set_verbosity_error()
    torch.set_num_threads(options.threads)
    source, edits = read_edits(options.edits)
    files = locate(options.model)
    rows = []
    with tempfile.TemporaryDirectory() as folder, GenerationCache(Path(folder) / "c") as cache:
        model = load_language_model(options.model, device="cpu", cache=cache)
        plain, tokenizer = load_causal_lm(files, "cpu", "float32"), load_tokenizer(files)
        warm = [GenerationRequest("An invented opening", 2)]
        run_engine(model, warm)
        run_plain(plain, tokenizer, warm)
        for kind, requests in build_requests(model, edits).items():
            ours, seconds = run_engine(model, requests)
            theirs, plain_seconds = run_plain(plain, tokenizer, requests)
            equal = sum(a == b for a, b in zip(ours, theirs, strict=True))
            rows.append((kind, len(requests), seconds, plain_seconds, equal))
    cell = ("structured", *(sum(row[column] for row in rows[:2]) for column in range(1, 5)))
    rows.insert(2, cell)
    print(f"{options.model}, {source}, {options.threads} threads, {platform.machine()}")
    print(f"{'kind':<11}{'queries':>8}{'ours q/s':>10}{'plain q/s':>11}{'ratio':>7}{'equal':>7}")
    for kind, n, seconds, plain_seconds, equal in rows:
        ratio = plain_seconds / seconds
        print(
            f"{kind:<11}{n:>8}{n / seconds:>10.2f}{n / plain_seconds:>11.2f}{ratio:>7.1f}{equal:>7}"
        )
    _, n, seconds, plain_seconds, equal = cell
    print(
        json.dumps(
            {
                "benchmark": "generate",
                "model": options.model,
                "source": source,
                "threads": options.threads,
                "queries": n,
                "queries_per_second": round(n / seconds, 3),
                "plain_queries_per_second": round(n / plain_seconds, 3),
                "equal_texts": equal,
                "ratio_by_kind": {row[0]: round(row[3] / row[2], 2) for row in rows},
                "ratio": round(plain_seconds / seconds, 2),
            }
        )
    )


if __name__ == "__main__":
    main()
