from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from earlier_run import rename_matcher

import scopebench as sb
from scopebench.cli.verify_verb import command
from scopebench.construct import BuildOptions, build_benchmark, read_benchmark
from scopebench.registry import discover
from scopebench.run.engine import Job, run_job
from scopebench.run.folder import read_result, write_result
from scopebench.scoring.match import MATCHER_VERSIONS, judge
from scopebench.scoring.summary import read_reports
from scopebench.scoring.tables import OUTCOMES_FILE, OUTCOMES_SCHEMA, write_table
from scopebench.testing import toy_context

RUN = """
import sys
from scopebench.cli import VERBS, main
VERBS.setdefault("verify", "")
main(sys.argv[1:])
"""


def verify(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", RUN, "verify", *map(str, arguments)], capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run and the benchmark it was made on."""
    folder = tmp_path_factory.mktemp("verify-verb")
    build_benchmark(None, folder / "bench", BuildOptions(limit=4, curated_size=4))
    base = discover().get("base")
    run_job(Job(read_benchmark(folder / "bench"), base, toy_context(), folder / "run"))
    return folder / "run", folder / "bench"


def test_a_whole_run(made: tuple[Path, Path]) -> None:
    run, bench = made
    done = verify(run, "--benchmark", bench, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert (told["ok"], told["faults"], len(told["submission_id"])) == (True, [], 32)


def test_one_line_a_fault_and_exit_code_1(made: tuple[Path, Path], tmp_path: Path) -> None:
    run, bench = made
    for file in ("run.json", "outcomes.parquet", "decisions.parquet"):
        (tmp_path / file).write_bytes((run / file).read_bytes())
    stored = json.loads((tmp_path / "run.json").read_text())
    stored["editor"]["name"] = '=HYPERLINK("x")'
    stored["pooled"][0]["oracle"] = 0.75
    (tmp_path / "run.json").write_text(json.dumps(stored))
    done = verify(tmp_path, "--benchmark", bench)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "bad_name",
        "hash_mismatch",
        "hash_mismatch",
        "number_mismatch",
    ]
    assert lines[3].startswith("number_mismatch: run.json, field pooled[0].oracle: stored as 0.75,")
    told = json.loads(verify(tmp_path, "--benchmark", bench, "--json").stdout)
    assert [f"{f['check']}: {f['where']}: {f['text']}" for f in told["faults"]] == lines


def test_no_submission_at_all_is_exit_code_2(made: tuple[Path, Path], tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path, Path(__file__)):
        done = verify(path)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("scopebench: error: ")
        assert len(done.stderr.splitlines()) == 1
    done = verify(made[0], "--benchmark", tmp_path / "none")
    assert done.returncode == 2


def test_help_says_what_the_exit_codes_mean() -> None:
    assert command.epilog is not None
    assert "1 with faults or where the sample is not reproduced, 2 where" in command.epilog


def test_a_model_that_is_not_here_is_one_line_and_no_fault(made: tuple[Path, Path]) -> None:
    run, bench = made
    done = verify(run, "--benchmark", bench, "--rerun", 20)
    assert done.returncode == 0
    first, last = done.stdout.splitlines()
    assert first.startswith(f"ok: {run} is submission ")
    assert last == (
        "not tried: model toy-model was a folder, and none that was given holds revision 1; "
        "name its folder with --model-folder"
    )
    told = json.loads(verify(run, "--benchmark", bench, "--rerun", 20, "--json").stdout)
    assert told["ok"] and told["reproduction"]["state"] == "not tried"
    assert told["reproduction"]["low"] is None


@pytest.mark.slow
def test_a_real_run_is_reproduced_and_an_invented_one_is_not(
    tmp_path: Path, smollm2_dir: Path
) -> None:
    build_benchmark(None, tmp_path / "bench", BuildOptions(limit=2, curated_size=2))
    run = sb.score("static", tmp_path / "bench", out=tmp_path / "run")
    options = ("--benchmark", tmp_path / "bench", "--rerun", 20, "--seed", 7, "--batch-size", 3)
    done = verify(run.path, *options)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].startswith("reproduced: 20 of 20 answers to the letter (")

    rows = pq.read_table(run.path / OUTCOMES_FILE).to_pylist()
    asked = {row["query_id"]: row for row in run.decisions.to_pylist()}
    for row in rows:
        if row["action"] == "abstain":
            about = asked[row["query_id"]]
            row["text"] = "an invented\x1b[31m answer"
            row |= judge(row["text"], about["answers"], question=about["question"])._asdict()
    write_table(rows, OUTCOMES_SCHEMA, run.path / OUTCOMES_FILE)
    strict, paper = read_reports(run.path)
    changed = read_result(run.path).model_copy(update={**dict(strict), "paper_matcher": paper})
    write_result(run.path, changed)
    rename_matcher(run.path, MATCHER_VERSIONS["strict"])
    done = verify(run.path, *options)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[-1].startswith("not reproduced: ")
    assert lines[1].startswith("other_text: ") and lines[1].isprintable()
    told = json.loads(verify(run.path, *options, "--json").stdout)
    assert told["ok"] and told["reproduction"]["state"] == "not reproduced"
    assert told["reproduction"]["equal"]["abstain"] == 0
    mismatch = told["reproduction"]["mismatches"][0]
    assert mismatch["stored"] == "an invented\x1b[31m answer" != mismatch["generated"]
