"""How many of the starter's pre-edit questions the default model answers without any edit.

The build prints the stored figures on the starter's card; `--write` stores them anew.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from scopebench.construct import BuildOptions, build_benchmark, read_benchmark
from scopebench.models import GenerationCache, load_language_model
from scopebench.protocols import GenerationRequest
from scopebench.scoring.match import match
from scopebench.sources import starter

STORED = Path(starter.__file__).with_name("knowledge.json")


def measure(model_name: str = "smollm2-135m") -> dict[str, object]:
    """Ask every distinct pre-edit question once; return right and asked by data set."""
    with tempfile.TemporaryDirectory() as folder, GenerationCache() as cache:
        build_benchmark(None, Path(folder) / "starter", BuildOptions())
        benchmark = read_benchmark(Path(folder) / "starter")
        model = load_language_model(model_name, cache=cache)
        counts: dict[str, list[int]] = {}
        for name, dataset in benchmark.datasets.items():
            queries = dataset.queries["structured", "original"]
            texts = model.generate(
                [
                    GenerationRequest(
                        model.prompts.abstain(query.question, query.form), model.max_new_tokens
                    )
                    for query in queries
                ]
            )
            right = sum(
                match(
                    text, query.pre_edit_answers or (), question=query.question, matcher="strict"
                ).correct
                for text, query in zip(texts, queries, strict=True)
            )
            counts[name] = [right, len(queries)]
        counts["all"] = [sum(count[i] for count in counts.values()) for i in (0, 1)]
        return {
            "model": model.ref.id,
            "revision": model.ref.revision,
            "prompts": f"{model.prompts.family}/{model.prompts.version}",
            "pre_edit": counts,
        }


def main() -> None:
    """Measure, print, and store on demand."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="store the figures for the card")
    arguments = parser.parse_args()
    measured = measure()
    for name, (right, asked) in measured["pre_edit"].items():  # type: ignore[attr-defined]
        print(f"{name:12} {right:4} of {asked:4}  {right / asked:6.1%}")
    if arguments.write:
        STORED.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(measured))


if __name__ == "__main__":
    main()
