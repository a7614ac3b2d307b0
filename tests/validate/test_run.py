"""Every check of a run folder, on a sound one that is broken by hand."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

import pytest

from scopebench.construct.tables import read_records
from scopebench.errors import DataError
from scopebench.records import Query
from scopebench.validate import run_rows, validate_path


def test_a_sound_run_has_no_finding(run_folder: Any) -> None:
    validation = run_folder.validate()
    assert validation.kind == "run"
    assert validation.findings == ()


def test_tables_that_are_not_those_of_the_result(run_folder: Any) -> None:
    run_folder.decisions[0]["scope_score"] = 0.5
    run_folder.write()
    counts = validate_path(run_folder.path).counts
    assert counts["hash_mismatch"] == 1


def test_a_number_that_the_tables_do_not_give(run_folder: Any) -> None:
    pooled = run_folder.result.pooled[0].model_copy(update={"oracle": 0.125})
    run_folder.result = run_folder.result.model_copy(update={"pooled": (pooled,)})
    validation = run_folder.validate()
    assert [(f.check, f.field) for f in validation.findings] == [
        ("number_mismatch", "pooled[0].oracle")
    ]
    assert "stored as 0.125, the tables give 0.666" in validation.findings[0].reason


def test_missing_repeated_and_orphan_rows(run_folder: Any) -> None:
    orphan = {**run_folder.outcomes[0], "query_id": "z"}
    run_folder.outcomes.remove(run_folder.outcome("a", "recite"))
    run_folder.outcomes += [run_folder.outcome("b", "reason"), orphan]
    run_folder.decisions.append(run_folder.decisions[0])
    validation = run_folder.validate()
    found = {f.check: f.record for f in validation.findings}
    assert found["missing_outcome"] == "a structured"
    assert found["duplicate_outcome"] == "b structured reason"
    assert found["orphan_outcome"] == "z structured recite"
    assert found["duplicate_decision"] == "a structured"
    assert "unscorable_tables" in found


def test_a_sound_run_of_several_draws_has_no_finding(run_folder: Any) -> None:
    run_folder.draw_again()
    assert run_folder.result.noise
    assert run_folder.validate().findings == ()


def test_every_action_needs_every_draw(run_folder: Any) -> None:
    run_folder.draw_again()
    first, second = (row for row in run_folder.outcomes if _is(row, "a", "reason"))
    run_folder.outcomes.remove(second)
    run_folder.outcomes.append(first)
    found = run_folder.validate().findings
    told = {f.check: (f.record, f.reason) for f in found}
    assert told["missing_outcome"] == (
        "a structured",
        "outcomes.parquet has no outcome of 'reason' in draw 1",
    )
    assert told["duplicate_outcome"][0] == "a structured reason"


def test_draws_are_numbered_without_a_gap(run_folder: Any) -> None:
    run_folder.draw_again()
    for row in run_folder.outcomes:
        row["draw"] *= 2
    found = [f for f in run_folder.validate().findings if f.check == "bad_draw"]
    assert [f.reason for f in found] == ["they are 0, 2"]


def test_what_is_legal_does_not_depend_on_the_draw(run_folder: Any) -> None:
    run_folder.draw_again()
    second = [row for row in run_folder.outcomes if _is(row, "c", "abstain")][1]
    nothing = dict.fromkeys(("text", "correct", "correct_paper", "refused", "edit_id"))
    second.update(legal=False, **nothing)
    found = [f for f in run_folder.validate().findings if f.check == "illegal_choice"]
    assert [(f.record, f.reason) for f in found] == [
        ("c structured", "'abstain' is legal in some draws only")
    ]


def test_a_verdict_names_its_draw(run_folder: Any) -> None:
    run_folder.draw_again()
    second = [row for row in run_folder.outcomes if _is(row, "a", "reason")][1]
    second["correct"] = False
    found = [f for f in run_folder.validate().findings if f.check == "verdict_mismatch"]
    assert [f.record for f in found] == ["a structured reason draw 1"]


def _is(row: Any, query_id: str, action: str) -> bool:
    return (row["query_id"], row["action"]) == (query_id, action)


def test_an_illegal_choice_and_an_unknown_action(run_folder: Any) -> None:
    run_folder.decisions[1]["action"] = "recite"  # which has no answer for it
    run_folder.decisions[2]["action"] = "guess"
    found = {f.check: f.record for f in run_folder.validate().findings}
    assert found["illegal_choice"] == "b structured"
    assert found["unknown_word"] == "c structured"


def test_a_text_where_no_action_is_legal(run_folder: Any) -> None:
    run_folder.outcome("a", "reason")["legal"] = False
    found = {f.check: f.record for f in run_folder.validate().findings}
    assert found["illegal_text"] == "a structured reason"


def test_hidden_cards_are_not_used(run_folder: Any) -> None:
    run_folder.decisions[0]["hidden_edit_ids"] = ["boats/1/0"]
    found = run_folder.validate().findings
    used = [(f.file, f.field) for f in found if f.check == "hidden_edit_used"]
    assert used == [
        ("outcomes.parquet", "edit_id"),
        ("outcomes.parquet", "edit_id"),
        ("decisions.parquet", "edit_id"),
        ("decisions.parquet", "candidates[0].edit_id"),
    ]


@pytest.mark.parametrize("name", ["correct", "correct_paper", "refused"])
def test_a_verdict_that_judging_again_does_not_give(run_folder: Any, name: str) -> None:
    outcome = run_folder.outcome("a", "reason")
    outcome[name] = not outcome[name]
    found = [f for f in run_folder.validate().findings if f.check == "verdict_mismatch"]
    assert [(f.record, f.field) for f in found] == [("a structured reason", name)]


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_scores_that_are_no_numbers(run_folder: Any, score: float) -> None:
    run_folder.decisions[0].update(scope_score=score, runner_up_score=None)
    run_folder.decisions[1]["candidates"] = [{"edit_id": "boats/1/0", "score": score}]
    found = [f for f in run_folder.validate().findings if f.check == "bad_score"]
    assert [f.field for f in found] == ["scope_score", "candidates[0].score"]


@pytest.mark.parametrize(
    ("action", "check"), [("reason", "always_fires"), ("abstain", "never_fires")]
)
def test_an_editor_that_decides_nothing(run_folder: Any, action: str, check: str) -> None:
    for row in run_folder.decisions:
        row["action"] = action
    validation = run_folder.validate()
    assert validation.counts[check] == 1
    assert validation.checks[check].severity == "warning"


@pytest.mark.parametrize(
    ("editor", "action", "check"),
    [
        ("base", "abstain", "never_fires"),
        ("static", "reason", "always_fires"),
        ("rag", "reason", "always_fires"),
    ],
)
def test_an_editor_that_is_made_to_decide_alike_passes(
    run_folder: Any, editor: str, action: str, check: str
) -> None:
    for row in run_folder.decisions:
        row["action"] = action
    renamed = run_folder.result.editor.model_copy(update={"name": editor})
    run_folder.result = run_folder.result.model_copy(update={"editor": renamed})
    validation = run_folder.validate()
    assert validation.checks[check].severity == "note"
    assert validation.counts[check] == 1
    assert validation.number_of("warning") == 0


@pytest.mark.parametrize(("editor", "action"), [("base", "reason"), ("static", "abstain")])
def test_a_fixed_policy_turned_round_is_a_warning(
    run_folder: Any, editor: str, action: str
) -> None:
    for row in run_folder.decisions:
        row["action"] = action
    renamed = run_folder.result.editor.model_copy(update={"name": editor})
    run_folder.result = run_folder.result.model_copy(update={"editor": renamed})
    assert run_folder.validate().number_of("warning") == 1


def test_empty_answers_are_told_above_a_fifth(run_folder: Any) -> None:
    outcome = run_folder.outcome("b", "reason")
    outcome.update(text=" ", correct=False, correct_paper=False, refused=False)
    validation = run_folder.validate()
    reasons = [f.reason for f in validation.findings if f.check == "empty_answers"]
    assert reasons == ["1 of 3 answers of 'reason' are empty"]


def test_a_run_without_its_result_is_checked_by_its_tables(run_folder: Any) -> None:
    (run_folder.path / "run.json").unlink()
    assert validate_path(run_folder.path).counts == {"missing_file": 1}
    (run_folder.path / "run.json").write_text("{")
    assert validate_path(run_folder.path).counts == {"bad_result": 1}


def test_damaged_tables(run_folder: Any) -> None:
    (run_folder.path / "outcomes.parquet").write_bytes(b"")
    (run_folder.path / "decisions.parquet").unlink()
    assert validate_path(run_folder.path).counts == {"missing_file": 1, "bad_table": 1}


def _run_on(run_folder: Any, folder: Path) -> Any:
    """Make the run one on a benchmark: its first query, answered by every action."""
    query = read_records(folder / "towns_structured" / "original.parquet", Query)[0]
    decision = run_folder.decisions[0]
    for name in decision:
        if name in Query.model_fields:
            decision[name] = getattr(query, name)
    decision.update(
        edit_id=f"towns/{query.query_id.split('/')[1]}/0",
        subject_match=True,
        template_match=True,
        card_question=query.question,
        card_answer=query.answers[0],
    )
    run_folder.decisions = [decision]
    run_folder.outcomes = run_folder.outcomes[:3]
    for outcome in run_folder.outcomes:
        outcome["query_id"] = query.query_id
    files = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*.parquet")
    }
    ref = run_folder.result.benchmark.model_copy(update={"files": files})
    run_folder.result = run_folder.result.model_copy(update={"benchmark": ref})
    return run_folder


def test_the_benchmark_it_was_made_on(run_folder: Any, benchmark: Path) -> None:
    counts = _run_on(run_folder, benchmark).validate(benchmark).counts
    assert not {"benchmark_mismatch", "unknown_query", "row_mismatch"} & counts.keys()


def test_another_benchmark(run_folder: Any, benchmark: Path, shared_benchmark: Path) -> None:
    run = _run_on(run_folder, benchmark)
    run.decisions[0]["cluster"] = "elsewhere"
    validation = run.validate(shared_benchmark)
    fields = {f.field for f in validation.findings if f.check == "benchmark_mismatch"}
    assert "benchmark.files.towns_edits/withheld.parquet" in fields
    assert [f.field for f in validation.findings if f.check == "row_mismatch"] == ["cluster"]
    run.decisions[0]["query_id"] = "towns/77/0/direct/original"
    assert run.validate(benchmark).counts["unknown_query"] == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("subject_match", False),
        ("template_match", False),
        ("card_question", "Where?"),
        ("card_answer", None),
    ],
)
def test_what_is_computed_of_a_query_is_computed_again(
    run_folder: Any, benchmark: Path, name: str, value: object
) -> None:
    run = _run_on(run_folder, benchmark)
    run.decisions[0][name] = value
    found = [f for f in run.validate(benchmark).findings if f.check == "row_mismatch"]
    assert [f.field for f in found] == [name]


def test_a_card_that_is_not_in_the_index(run_folder: Any, benchmark: Path) -> None:
    run = _run_on(run_folder, benchmark)
    run.decisions[0]["edit_id"] = "towns/99/0"
    found = [f for f in run.validate(benchmark).findings if f.check == "row_mismatch"]
    assert [f.field for f in found] == ["edit_id", "card_question", "card_answer"]


def test_a_benchmark_is_for_run_folders(benchmark: Path) -> None:
    with pytest.raises(DataError, match="no run folder"):
        validate_path(benchmark, benchmark=benchmark)


@pytest.mark.parametrize("name", ["query_id", "question", "governing_edit_ids", "action"])
def test_nulls_are_told_by_position(run_folder: Any, name: str) -> None:
    run_folder.decisions[1][name] = None
    run_folder.outcomes[8]["legal"] = None
    found = run_folder.validate().findings
    told = [(f.file, f.record, f.field) for f in found if f.check == "null_value"]
    assert told == [("outcomes.parquet", "#9", "legal"), ("decisions.parquet", "#2", name)]


def test_a_null_among_the_candidates_is_told_by_position(run_folder: Any) -> None:
    run_folder.decisions[1]["candidates"] = [None]
    found = run_folder.validate().findings
    told = [(f.record, f.field) for f in found if f.check == "null_value"]
    assert told == [("#2", "candidates")]


def test_outcomes_that_all_name_another_draw_are_told_at_once(
    run_folder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_rows, "MOST_MISSING", 50)
    for draw, row in enumerate(run_folder.outcomes):
        row["draw"] = draw + 1
    queries, outcomes = len(run_folder.decisions), len(run_folder.outcomes)
    found = run_folder.validate().findings
    (missing,) = (f for f in found if f.check == "missing_outcome")
    assert f"{outcomes} rows, where {queries * 3 * outcomes} would be" in missing.reason
    (bad,) = (f for f in found if f.check == "bad_draw")
    assert bad.reason.startswith("they are 1, 2, 3,")
