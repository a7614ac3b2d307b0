"""A language model as a judge: what it is asked, what its name says, and its table of outcomes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import scopebench as sb
from scopebench.cli import cli
from scopebench.errors import DataError
from scopebench.judge import Item, judge_protocol, judge_with, prompt
from scopebench.judge.outcomes import PROTOCOL_KEY
from scopebench.models import load_language_model

ASKED = Item("Who leads the\nferry line?", ("Ida Holm", "I. Holm"), "It is\nIda.")


def test_the_question_the_golds_and_the_answer_stand_on_a_line_each() -> None:
    end = prompt(ASKED).rpartition("\n\n")[2]
    assert end.splitlines() == [
        "Question: Who leads the ferry line?",
        "Accepted: Ida Holm; I. Holm",
        "Given: It is Ida.",
        "Does the given answer mean an accepted one?",
    ]


def test_half_of_the_worked_examples_are_right() -> None:
    head = prompt(ASKED)
    assert head.count("one? Yes\n") == head.count("one? No\n") == 3


def test_an_answer_without_text_or_golds_is_wrong_without_being_asked(toys: dict[str, Any]) -> None:
    nothing = [Item("Who?", (), "Ida"), Item("Who?", ("Ida",), "  ")]
    assert judge_with(toys["model"], nothing) == [False, False]


def test_the_name_of_a_judge_says_prompt_and_model(toys: dict[str, Any]) -> None:
    version, fingerprint, rest = judge_protocol(toys["model"]).split(":", 2)
    assert version == "judge/1" and len(fingerprint) == 12
    assert rest.startswith(f"{toys['model'].ref.id}@")


def test_a_run_under_a_judge_is_a_table_that_headroom_reads(
    runs: dict[str, sb.Run], toys: dict[str, Any], tmp_path: Path
) -> None:
    run = runs["subject"]
    before = {path.name: path.read_bytes() for path in run.path.iterdir() if path.is_file()}
    found = sb.judge(run, model=toys["model"])
    outcomes = run.outcomes.to_pandas()
    assert len(found.table) == len(outcomes)
    assert found.n == int(outcomes["correct"].notna().sum())

    path = tmp_path / "judged.parquet"
    found.write(path)
    assert pq.read_schema(path).metadata[PROTOCOL_KEY].decode() == found.protocol
    judged = sb.headroom(path)
    rows = {cell.population: cell.n for cell in judged.pooled}
    assert rows == {cell.population: cell.n for cell in run.headroom().pooled}
    assert 0 <= pd.read_parquet(path)["correct"].sum() <= found.n
    assert decided(judged) == decided(run.headroom())  # the decisions are the run's own
    after = {path.name: path.read_bytes() for path in run.path.iterdir() if path.is_file()}
    assert after == before


@pytest.mark.slow
def test_a_real_model_judges(smollm2_dir: Path) -> None:
    model = load_language_model(str(smollm2_dir))
    first, again = (judge_with(model, [ASKED, ASKED._replace(text="Somebody")]) for _ in range(2))
    assert first == again and len(first) == 2


def test_a_folder_that_is_no_run_is_told(smollm2_dir: Path, tmp_path: Path) -> None:
    arguments = ["judge", str(tmp_path), "--model", str(smollm2_dir), "--out", "x.parquet"]
    done = CliRunner().invoke(cli, arguments)
    assert isinstance(done.exception, DataError)
    assert not Path("x.parquet").exists()


def decided(report: sb.Report) -> dict[str, tuple[float | None, float | None]]:
    """The false fires and misses of each population."""
    return {
        row.population: (row.false_fire, row.miss)
        for row in report.router
        if (row.dataset, row.kind, row.stratum) == ("all", "all", "all")
    }
