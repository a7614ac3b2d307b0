"""The exported tasks, run by the harnesses themselves.

They are installed apart from this project: name Pythons that have them in
`SCOPEBENCH_EXPORT_PYTHON` (separated as in PATH), or environments are made in a temporary folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scopebench.hub.exports import AbstainPrompt, ExportOptions, render, write
from scopebench.models.causal_lm import MAX_NEW_TOKENS
from scopebench.models.prompts import PROMPT_SETS
from scopebench.scoring.match import judge

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[3]
CONSTRAINTS = REPOSITORY / "requirements" / "constraints.txt"
TASK = "scopebench_curated_base_model"
INSTALL_SECONDS = 900
LIMIT = 8


def python_with(module: str, requirement: str, folder: Path, *constraint: str) -> list[str]:
    """Return a Python that has a harness: one that was named, or a new environment's.

    Args:
        module: What is imported.
        requirement: What is installed.
        folder: Where an environment may be made.
        constraint: Options of pip that hold other packages to a version.
    """
    named = os.environ.get("SCOPEBENCH_EXPORT_PYTHON", "").split(os.pathsep)
    for python in filter(None, named):
        if subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0:
            return [python]
    python = str(folder / "bin" / "python")
    install = [python, "-m", "pip", "install", "-q", *constraint]
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [*install, requirement, str(REPOSITORY)],
    ):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            pytest.skip(f"NO HARNESS: {requirement} cannot be installed: {error}")
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:]
            pytest.skip(f"NO HARNESS: {requirement} cannot be installed: {last}")
    return [python]


@pytest.fixture(scope="session")
def lm_eval(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A Python with lm-evaluation-harness, and with the build of torch for CPUs."""
    folder = tmp_path_factory.mktemp("lm-eval")
    return python_with("lm_eval", "lm-eval[hf]==0.4.13", folder, "--constraint", str(CONSTRAINTS))


@pytest.fixture(scope="session")
def inspect_ai(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A Python with Inspect, whose s3fs wants an older fsspec than this project is tested with."""
    return python_with("inspect_ai", "inspect_ai==0.3.285", tmp_path_factory.mktemp("inspect"))


def exported(name: str, folders: dict[str, Path], out: Path) -> list[dict[str, Any]]:
    """Export the small starter under the protocol's own prompt; return its rows."""
    prompts = PROMPT_SETS["smollm2"]
    asked = AbstainPrompt("smollm2", prompts.abstain, MAX_NEW_TOKENS)
    write(render(name, [folders["bench"]], ExportOptions(prompt=asked)), out)
    lines = (out / "queries.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def run(python: list[str], tmp_path: Path, *arguments: str) -> str:
    """Run the harness without a network, on the checkout's own package."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY),
        "HF_HOME": str(tmp_path / "hf"),
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "OMP_NUM_THREADS": "2",
    }
    done = subprocess.run(
        [*python, *arguments],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


KNOWING = """
import json, sys
import lm_eval
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

class Knowing(LM):
    def generate_until(self, requests, **_):
        if sys.argv[2] == "refuse":
            return ["I don't know."] * len(requests)
        return [request.doc["target"] or "I don't know." for request in requests]

    def loglikelihood(self, requests):
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood

found = lm_eval.simple_evaluate(
    model=Knowing(), tasks=[sys.argv[3]], task_manager=TaskManager(include_path=sys.argv[1])
)
print(json.dumps([found["results"][sys.argv[3]], found["n-samples"][sys.argv[3]]]))
"""


@pytest.mark.parametrize(("answering", "known"), [("gold", 1.0), ("refuse", 0.0)])
def test_lm_eval_asks_every_negative_and_credits_it(
    lm_eval: list[str],
    folders: dict[str, Path],
    tmp_path: Path,
    answering: str,
    known: float,
) -> None:
    rows = exported("lm-eval", folders, tmp_path / "task")
    told = run(lm_eval, tmp_path, "-c", KNOWING, str(tmp_path / "task"), answering, TASK)
    results, samples = json.loads(told.strip().split("\n")[-1])
    scores = {key.removesuffix(",none"): value for key, value in results.items()}
    assert samples == {"original": len(rows), "effective": len(rows)}
    assert scores["known"] == scores["known_paper"] == known
    for kind in {row["kind"] for row in rows if row["scorable"]}:
        assert scores[f"known_{kind}"] == known
    silent = sum(not row["scorable"] for row in rows)
    expected = silent / len(rows) if answering == "gold" else 1.0
    assert scores["refused"] == pytest.approx(expected)


def test_lm_eval_hears_from_a_real_model_what_the_engine_hears(
    lm_eval: list[str], folders: dict[str, Path], smollm2_dir: Path, tmp_path: Path
) -> None:
    from scopebench.models import load_language_model
    from scopebench.protocols import GenerationRequest

    rows = exported("lm-eval", folders, tmp_path / "task")[:LIMIT]
    run(
        lm_eval,
        tmp_path,
        *("-m", "lm_eval", "run", "--model", "hf", "--tasks", TASK, "--include_path", "task"),
        *("--model_args", f"pretrained={smollm2_dir},dtype=float32", "--device", "cpu"),
        *("--limit", str(LIMIT), "--batch_size", "8", "--log_samples", "--output_path", "out"),
    )
    (log,) = tmp_path.glob("out/**/samples_*.jsonl")
    samples = {
        sample["doc"]["query_id"]: sample for sample in map(json.loads, log.open(encoding="utf-8"))
    }
    assert list(samples) == [row["query_id"] for row in rows]
    model = load_language_model("smollm2-135m", device="cpu")
    texts = model.generate([GenerationRequest(row["prompt"], MAX_NEW_TOKENS) for row in rows])
    for row, text in zip(rows, texts, strict=True):
        sample = samples[row["query_id"]]
        assert sample["resps"][0][0].strip().split("\n")[0].strip() == text
        golds = row["answers"] if row["scorable"] else None
        verdict = judge(text, golds, question=row["question"])
        assert sample["refused"] == float(bool(verdict.refused))
        assert sample.get("known") == (None if verdict.correct is None else float(verdict.correct))
    (results,) = tmp_path.glob("out/**/results_*.json")
    scores = json.loads(results.read_text())["results"][TASK]
    known = [sample["known"] for sample in samples.values() if "known" in sample]
    assert scores["known,none"] == pytest.approx(sum(known) / len(known))


MOCKED = """
import json, math, sys
from pathlib import Path
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

folder, answering = Path(sys.argv[1]), sys.argv[2]
lines = (folder / "queries.jsonl").read_text("utf-8").split("\\n")
golds = {row["prompt"]: row["target"] for row in map(json.loads, filter(None, lines))}

def answer(input, tools, tool_choice, config):
    gold = golds[input[-1].text] if answering == "gold" else ""
    output = ModelOutput.from_content("mockllm/model", f"\\n {gold or 'I do not know.'}\\nQ: x")
    # Without it the mock counts tokens with a vocabulary that it fetches.
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output

(log,) = eval(
    f"{folder}/scopebench_task.py",
    model=get_model("mockllm/model", custom_outputs=answer),
    log_dir="logs",
    display="none",
)
assert log.status == "success", log.error
print(json.dumps({
    "scores": {
        score.name: {
            "scored": score.scored_samples,
            "unscored": score.unscored_samples,
            **{name: metric.value for name, metric in score.metrics.items()},
        }
        for score in log.results.scores
    },
    "samples": log.results.completed_samples,
    "tokens": log.eval.model_generate_config.max_tokens or log.plan.config.max_tokens,
}))
"""


@pytest.mark.parametrize(("answering", "known"), [("gold", 1.0), ("refuse", 0.0)])
def test_inspect_asks_every_negative_and_credits_it(
    inspect_ai: list[str],
    folders: dict[str, Path],
    tmp_path: Path,
    answering: str,
    known: float,
) -> None:
    rows = exported("inspect", folders, tmp_path / "task")
    told = json.loads(
        run(inspect_ai, tmp_path, "-c", MOCKED, "task", answering).strip().split("\n")[-1]
    )
    silent = sum(not row["scorable"] for row in rows)
    assert told["samples"] == len(rows)
    assert told["tokens"] == MAX_NEW_TOKENS
    scores = told["scores"]
    for name in ("known", "known_paper"):
        assert (scores[name]["scored"], scores[name]["unscored"]) == (len(rows) - silent, silent)
        assert scores[name]["share"] == known
    for kind in {row["kind"] for row in rows if row["scorable"]}:
        assert scores["known"][f"grouped_{kind}"] == known
    assert scores["refused"]["scored"] == len(rows)
    expected = silent / len(rows) if answering == "gold" else 1.0
    assert scores["refused"]["share"] == pytest.approx(expected)


def test_inspect_runs_the_folder_from_its_command_line(
    inspect_ai: list[str], folders: dict[str, Path], tmp_path: Path
) -> None:
    exported("inspect", folders, tmp_path / "task")
    told = run(
        inspect_ai,
        tmp_path,
        *("-m", "inspect_ai", "list", "tasks", "task", "--json"),
    )
    (found,) = json.loads(told)
    assert found["name"] == "scopebench_base_model"
