from __future__ import annotations

import importlib
import json
import math
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scopebench.construct import read_benchmark
from scopebench.errors import DataError
from scopebench.hub.identity import STANDARD, run_id_of
from scopebench.hub.rows import BUILT_IN
from scopebench.hub.verify import OTHER_COMPUTATION, Fault, verify_submission
from scopebench.records import LEGAL_ACTIONS, RunResult
from scopebench.registry import discover
from scopebench.run.engine import Job, run_job
from scopebench.run.folder import dump
from scopebench.run.provenance import digest
from scopebench.scoring.match import judge
from scopebench.scoring.summary import COMPUTATION, read_reports
from scopebench.scoring.tables import DECISIONS_FILE, OUTCOMES_FILE, OUTCOMES_SCHEMA
from scopebench.testing import toy_context
from scopebench.validate.run import validate_run

Change = Callable[[Any], object]


def faults(path: Path, bench: Path | None) -> tuple[Fault, ...]:
    found = verify_submission(path, benchmark=bench)
    assert found.ok == (not found.faults)
    for fault in found.faults:
        line = str(fault)
        assert line.isprintable() and len(line) < 1500
    return found.faults


def checks(path: Path, bench: Path | None) -> set[str]:
    return {fault.check for fault in faults(path, bench)}


def test_whole_runs_verify(hub_runs: dict[str, Path]) -> None:
    for name in ("inlay", "drawn"):
        found = verify_submission(hub_runs[name], benchmark=hub_runs["bench"])
        assert found.faults == () and found.notes == ()
        assert found.result is not None
        assert dump(found.result) + "\n" == (hub_runs[name] / "run.json").read_text("utf-8")
        assert (found.report, found.paper) == read_reports(hub_runs[name])


def test_a_zip_verifies_as_its_folder(hub_runs: dict[str, Path], tmp_path: Path, zips: Any) -> None:
    packed = zips.write(tmp_path / "a.zip", zips.entries(hub_runs["inlay"], "inlay/"))
    first = verify_submission(hub_runs["inlay"], benchmark=hub_runs["bench"])
    assert verify_submission(packed, benchmark=hub_runs["bench"]) == first


def test_a_limited_run_is_refused(hub_runs: dict[str, Path]) -> None:
    assert checks(hub_runs["limited"], hub_runs["bench"]) == {"limited", "missing_rows"}


def test_rows_cannot_be_checked_without_the_benchmark(copy: Any) -> None:
    found = faults(copy.folder, None)
    assert [fault.check for fault in found] == ["no_benchmark"]
    assert "--benchmark DIR" in found[0].text


def test_another_benchmark_is_told(hub_runs: dict[str, Path], copy: Any, tmp_path: Path) -> None:
    first, *_ = json.loads((copy.folder / "run.json").read_text())["benchmark"]["files"]
    copy.result(lambda stored: stored["benchmark"]["files"].update({first: "0" * 64}))
    assert checks(copy.folder, hub_runs["bench"]) == {"benchmark_mismatch", "hash_mismatch"}
    with pytest.raises(DataError):
        verify_submission(hub_runs["inlay"], benchmark=tmp_path / "none")


def test_a_condition_may_be_wholly_absent_and_is_named(
    hub_runs: dict[str, Path], copy: Any
) -> None:
    def without(rows: list[dict[str, Any]]) -> None:
        rows[:] = [row for row in rows if row["condition"] != "extracted"]

    copy.rows(DECISIONS_FILE, without).rows(OUTCOMES_FILE, without)
    rescore(copy)
    found = verify_submission(copy.folder, benchmark=hub_runs["bench"])
    assert (found.faults, found.notes) == ((), ("no row under the extracted condition",))


def rescore(copy: Any) -> None:
    """Make every number in `run.json` the tables', as a careful cheat would."""
    strict, paper = read_reports(copy.folder)
    numbers = {**strict.model_dump(mode="json"), "paper_matcher": paper.model_dump(mode="json")}
    copy.result(lambda stored: stored.update(numbers))


def put(*path: str | int) -> Callable[[Any], Change]:
    """Return a maker of changes that put a value at a path."""

    def maker(value: Any) -> Change:
        def change(stored: Any) -> None:
            for key in path[:-1]:
                stored = stored[key]
            stored[path[-1]] = value

        return change

    return maker


NAMES = (
    '=HYPERLINK("http://x","y")',
    "@SUM(A1)",
    "<script>alert(1)</script>",
    "![x](http://x)",
    "../../etc",
    "inl\u0430y",
    "a\uff0eb",
    "a\u2215b",
    "a" * 97,
    "",
)


@pytest.mark.parametrize("field", [("editor", "name"), ("editor", "version"), ("model", "id")])
def test_names_are_allow_listed(hub_runs: dict[str, Path], copy: Any, field: Any) -> None:
    for name in NAMES[:3] if field != ("editor", "name") else NAMES:
        copy.result(put(*field)(name))
        assert "bad_name" in {fault.check for fault in result_faults(copy)}, name


def result_faults(copy: Any) -> tuple[Fault, ...]:
    """The faults of `run.json` alone, which need no table."""
    from scopebench.hub.verify import _read_result

    return _read_result(copy.folder)[1]


RESULTS: dict[str, tuple[Change, str]] = {
    "limit": (put("benchmark", "limit")(50), "limited"),
    "status": (put("status")("limited"), "limited"),
    "old schema": (put("schema_version")(2), "bad_result"),
    "no schema": (lambda stored: stored.pop("schema_version"), "bad_result"),
    "schema as text": (put("schema_version")("3"), "bad_result"),
    "matcher": (put("protocol", "matcher")("strict/99"), "unknown_protocol"),
    "static rule": (put("protocol", "static_rule")("always abstain"), "unknown_protocol"),
    "actions": (put("protocol", "actions")(["recite", "abstain"]), "unknown_protocol"),
    "prompts": (put("protocol", "prompts")("mine"), "unknown_protocol"),
    "decoding": (put("protocol", "decoding")("best of 100"), "unknown_protocol"),
    "protocol id": (put("protocol", "protocol_id")("0" * 16), "unknown_protocol"),
    "run id": (put("run_id")("../../x"), "hash_mismatch"),
    "parameters": (put("editor", "params", "threshold")(0.9), "hash_mismatch"),
    "table hash": (put("tables", OUTCOMES_FILE)("0" * 64), "hash_mismatch"),
    "another table": (put("tables", "x")("0" * 64), "hash_mismatch"),
    "html parameter": (put("editor", "params", "note")("<img src=x onerror=y>"), "bad_text"),
    "formula parameter": (put("editor", "params", "note")("=1+1"), "bad_text"),
    "html key": (put("editor", "params", "<b>")(1), "bad_name"),
    "html platform": (put("environment", "platform")("<b>"), "bad_text"),
    "commit": (put("git", "commit")("javascript:alert(1)"), "bad_value"),
    "Cyrillic parameter": (
        put("editor", "params", "note")("o\u0444\u0444i\u0441ial winner"),
        "bad_text",
    ),
    "long parameter": (put("editor", "params", "note")("x" * 101), "bad_text"),
    "inner parameter": (put("editor", "params", "note")([{"a": "\u2713"}]), "bad_text"),
    "many parameters": (
        lambda stored: stored["editor"]["params"].update({f"p{n}": n for n in range(60)}),
        "bad_value",
    ),
    "long list": (put("editor", "params", "layers")([0] * 251), "bad_value"),
    "empty lists": (put("editor", "params", "layers")([[]] * 251), "bad_value"),
    "many packages": (
        lambda stored: stored["environment"].update({f"p{n}": "1" for n in range(65)}),
        "bad_value",
    ),
    "time": (put("timings", "write")(-1.0), "bad_value"),
    "no time": (put("timings", "write")(1e-300), "bad_value"),
    "time not told": (lambda stored: stored["timings"].pop("write"), "bad_value"),
    "no time for many": (
        lambda stored: stored.update(edits_written=600_000, timings={"write": 0.0}),
        "bad_value",
    ),
    "endless time": (put("timings", "write")(1e300), "bad_value"),
    "seed": (put("seeds", "bootstrap")(7), "bad_value"),
    "commit as yes": (put("git", "commit")(True), "bad_value"),
    "edits": (put("edits_written")(-1), "bad_value"),
    "text as number": (put("cells", 0, "oracle")("0.5"), "bad_result"),
    "yes as number": (put("cells", 0, "n")(True), "bad_result"),
    "null name": (put("editor", "name")(None), "bad_result"),
    "extra field": (put("rank")(1), "bad_result"),
    "missing field": (lambda stored: stored.pop("cells"), "bad_result"),
    "huge name": (put("editor", "name")("x" * 10_000_000), "bad_result"),
    "huge key": (put("editor", "params", "x" * 1000)(1), "bad_result"),
    "right to left": (put("editor", "name")("\u202eyalni"), "bad_result"),
    "lone surrogate": (put("editor", "name")("a\ud800"), "bad_result"),
    "line break": (put("editor", "name")("a\nb"), "bad_result"),
    "huge number": (put("cells", 0, "n")(10**400), "bad_result"),
    "long number": (put("cells", 0, "n")(2**63), "bad_result"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_that_lie(copy: Any, name: str) -> None:
    change, check = RESULTS[name]
    copy.result(change)
    found = result_faults(copy)
    assert check in {fault.check for fault in found}, found


def test_the_parameters_of_honest_editors_pass(copy: Any) -> None:
    """Those of `inlay` and 59 more are 64 parameters: only the hash does not fit.

    With the object that holds them, 63 plain ones and a list of 191 they are 256 values.
    """
    texts = {f"p{n}": f"layers.{n} (a=1, b~2%): C:/x@y+z" for n in range(58)}
    values = {**texts, "layers": list(range(191))}
    copy.result(lambda stored: stored["editor"]["params"].update(values))
    assert {fault.check for fault in result_faults(copy)} == {"hash_mismatch"}
    copy.result(lambda stored: stored["editor"]["params"]["layers"].append(0))
    assert {fault.check for fault in result_faults(copy)} == {"hash_mismatch", "bad_value"}


def test_a_time_under_half_a_millisecond_is_stored_as_none(copy: Any) -> None:
    """Seventy edits kept in a list: the run rounds its times to milliseconds."""
    copy.result(put("timings", "write")(0.0))
    assert result_faults(copy) == ()


INFERENCES: dict[str, tuple[str, Any, str]] = {
    "before the first": ("version", 0, "no such version of the computations; there are 1 to"),
    "below": ("version", -1, "no such version"),
    "newer": ("version", COMPUTATION + 1, "made by a newer scopebench"),
    "confidence": ("confidence", 0.5, "0.5, by version 1 always 0.95"),
    "resamples": ("resamples", 10, "10, by version 1 always 2000"),
    "folds": ("folds", 2, "2, by version 1 always 5"),
    "seed": ("seed", 7, "7, by version 1 always 0"),
}


@pytest.mark.parametrize("name", INFERENCES)
def test_how_intervals_are_made_is_not_chosen(
    hub_runs: dict[str, Path], copy: Any, name: str
) -> None:
    field, value, told = INFERENCES[name]

    def change(stored: dict[str, Any]) -> None:
        stored["inference"][field] = value
        stored["paper_matcher"]["inference"][field] = value
        stored["seeds"]["bootstrap"] = stored["inference"]["seed"]
        stored["pooled"][0]["oracle"] = 1.0

    copy.result(change)
    found = verify_submission(copy.folder, benchmark=hub_runs["bench"])
    assert [fault.check for fault in found.faults] == ["bad_inference"] * 2
    assert found.faults[0].where == f"run.json, field inference.{field}"
    assert told in found.faults[0].text


def test_every_version_has_its_standard(hub_runs: dict[str, Path]) -> None:
    assert list(STANDARD) == list(range(1, COMPUTATION + 1))
    for name in ("inlay", "drawn"):
        stored = json.loads((hub_runs[name] / "run.json").read_text("utf-8"))
        assert stored["inference"] == STANDARD[COMPUTATION].model_dump()


def test_a_version_that_existed_is_noted(
    hub_runs: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the computations had been raised since: the run's are then of an older version."""
    monkeypatch.setattr("scopebench.scoring.summary.COMPUTATION", COMPUTATION + 1)
    monkeypatch.setattr("scopebench.hub.identity.COMPUTATION", COMPUTATION + 1)
    found = verify_submission(hub_runs["inlay"], benchmark=hub_runs["bench"])
    assert (found.faults, found.notes) == ((), (OTHER_COMPUTATION,))


def raw(pattern: str, value: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert pattern in text
        return text.replace(pattern, value, 1)

    return change


TEXTS: dict[str, tuple[Callable[[str], str], str]] = {
    "NaN": (raw('"oracle": 1.0', '"oracle": NaN'), "NaN"),
    "infinity": (raw('"oracle": 1.0', '"oracle": -Infinity'), "Infinity"),
    "overflow": (raw('"oracle": 1.0', '"oracle": 1e999'), "1e999"),
    "repeated key": (raw('"run_id"', '"run_id": "x", "run_id"'), "stands twice"),
    "deep": (lambda text: "[" * 2_000_000, "levels deep"),
    "rather deep": (raw('"params": {', '"params": {"x": ' + "[" * 40 + "]" * 40 + ","), "levels"),
    "empty": (lambda text: "", "not JSON"),
    "cut": (lambda text: text[: len(text) // 2], "not JSON"),
    "a list": (lambda text: "[1, 2]", "schema_version"),
    "a number": (lambda text: "7", "schema_version"),
    "byte order mark": (lambda text: "\ufeff" + text, "not JSON"),
    "many values": (lambda text: "[" + "0," * 1_100_000 + "0]", "values"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_json_is_strict(copy: Any, name: str) -> None:
    change, told = TEXTS[name]
    path = copy.folder / "run.json"
    path.write_text(change(path.read_text("utf-8")), encoding="utf-8")
    (fault,) = result_faults(copy)
    assert fault.check == "bad_result" and told in fault.text


def test_other_encodings_are_refused(copy: Any) -> None:
    path = copy.folder / "run.json"
    path.write_bytes(path.read_text("utf-8").encode("utf-16"))
    (fault,) = result_faults(copy)
    assert "not UTF-8" in fault.text


def first(**values: Any) -> Change:
    def change(rows: list[dict[str, Any]]) -> None:
        rows[0].update(values)

    return change


def flip(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if row["correct"] is not None:
            row["correct"] = not row["correct"]


def swap_labels(rows: list[dict[str, Any]]) -> None:
    inside = next(row for row in rows if row["governing_edit_ids"])
    outside = next(row for row in rows if not row["governing_edit_ids"])
    name = "governing_edit_ids"
    inside[name], outside[name] = outside[name], inside[name]


def illegal_where_wrong(rows: list[dict[str, Any]]) -> None:
    """Make the static policy better than it is: no action is legal where it fails."""
    for row in rows:
        if row["action"] == "recite" and row["legal"] and row["correct"] is False:
            row.update(legal=False, text=None, correct=None, correct_paper=None, refused=None)


ROWS: dict[str, tuple[str, Change, str]] = {
    "verdicts": (OUTCOMES_FILE, flip, "verdict_mismatch"),
    "text": (OUTCOMES_FILE, first(text="something else entirely"), "verdict_mismatch"),
    "legality": (OUTCOMES_FILE, illegal_where_wrong, "uneven_legality"),
    "labels": (DECISIONS_FILE, swap_labels, "row_mismatch"),
    "question": (DECISIONS_FILE, first(question="a a a"), "row_mismatch"),
    "gold": (DECISIONS_FILE, first(answers=["the", "a"]), "row_mismatch"),
    "no gold": (DECISIONS_FILE, first(answers=None), "row_mismatch"),
    "cluster": (DECISIONS_FILE, first(cluster="x"), "row_mismatch"),
    "fold": (DECISIONS_FILE, first(fold="train"), "row_mismatch"),
    "kind": (DECISIONS_FILE, first(kind="<b>"), "row_mismatch"),
    "dataset": (DECISIONS_FILE, first(dataset="=1+1"), "row_mismatch"),
    "hidden": (DECISIONS_FILE, first(hidden_edit_ids=None), "row_mismatch"),
    "null in a list": (DECISIONS_FILE, first(hidden_edit_ids=[None]), "row_mismatch"),
    "card": (DECISIONS_FILE, first(edit_id="x"), "row_mismatch"),
    "null card": (DECISIONS_FILE, first(candidates=[None]), "null_value"),
    "unknown card": (
        DECISIONS_FILE,
        first(candidates=[{"edit_id": "x", "score": 1.0}]),
        "unknown_edit",
    ),
    "NaN score": (DECISIONS_FILE, first(scope_score=math.nan), "bad_score"),
    "infinite score": (DECISIONS_FILE, first(runner_up_score=-math.inf), "bad_score"),
    "large score": (DECISIONS_FILE, first(scope_score=1e300), "bad_score"),
    "action": (DECISIONS_FILE, first(action="win"), "unknown_word"),
    "one query missing": (DECISIONS_FILE, lambda rows: rows.pop(), "missing_rows"),
    "all missing": (DECISIONS_FILE, lambda rows: rows.clear(), "missing_rows"),
    "query twice": (DECISIONS_FILE, lambda rows: rows.append(dict(rows[0])), "duplicate_decision"),
    "an extra query": (
        DECISIONS_FILE,
        lambda rows: rows.append({**rows[0], "query_id": "x"}),
        "unknown_query",
    ),
    "many extra": (DECISIONS_FILE, lambda rows: rows.extend(rows * 3), "extra_rows"),
    "outcome missing": (OUTCOMES_FILE, lambda rows: rows.pop(), "missing_outcome"),
    "outcome twice": (OUTCOMES_FILE, lambda rows: rows.append(dict(rows[0])), "duplicate_outcome"),
    "orphan": (
        OUTCOMES_FILE,
        lambda rows: rows.append({**rows[0], "query_id": "x"}),
        "orphan_outcome",
    ),
    "a second draw": (OUTCOMES_FILE, lambda rows: rows.append({**rows[0], "draw": 1}), "bad_draw"),
    "a far draw": (OUTCOMES_FILE, first(draw=2_000_000_000), "bad_draw"),
    "a draw below": (OUTCOMES_FILE, first(draw=-1), "bad_draw"),
    "outcome's card": (OUTCOMES_FILE, first(edit_id="x"), "unknown_edit"),
    "null": (OUTCOMES_FILE, first(query_id=None), "null_value"),
    "huge text": (OUTCOMES_FILE, first(text="x" * 100_000_000), "bad_table"),
    "long list": (DECISIONS_FILE, first(answers=["x"] * 5000), "bad_table"),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_that_lie(hub_runs: dict[str, Path], copy: Any, name: str) -> None:
    table, change, check = ROWS[name]
    copy.rows(table, change)
    found = checks(copy.folder, hub_runs["bench"])
    assert check in found, found


@pytest.mark.parametrize("name", ["verdicts", "text", "labels", "legality", "question"])
def test_numbers_made_to_fit_the_lie_do_not_help(
    hub_runs: dict[str, Path], copy: Any, name: str
) -> None:
    table, change, check = ROWS[name]
    copy.rows(table, change)
    try:
        rescore(copy)
    except DataError:
        pass  # the scorer refuses the tables already
    assert check in checks(copy.folder, hub_runs["bench"])


def test_a_changed_number_is_named(hub_runs: dict[str, Path], copy: Any) -> None:
    copy.result(lambda stored: stored["pooled"][0].update(oracle=0.123))
    (fault,) = faults(copy.folder, hub_runs["bench"])
    assert fault.check == "number_mismatch"
    assert fault.where == "run.json, field pooled[0].oracle"
    assert fault.text.startswith("stored as 0.123, the tables give ")


def test_whatever_validate_finds_is_a_fault(hub_runs: dict[str, Path], copy: Any) -> None:
    bench = hub_runs["bench"]
    for name in ("inlay", "drawn"):
        assert not validate_run(hub_runs[name], bench).fails()
    for name in ("verdicts", "labels", "query twice", "outcome missing"):
        table, change, _ = ROWS[name]
        shutil.copy(hub_runs["inlay"] / table, copy.folder / table)
        copy.rows(table, change)
        assert validate_run(copy.folder, bench).fails()
        assert faults(copy.folder, bench)


# What a careful cheat would do: every verdict and number made to fit.


def refit(copy: Any, change: Change) -> Any:
    """Change the outcomes, judge them again and compute every number again."""
    decisions = pq.read_table(copy.folder / DECISIONS_FILE).to_pylist()
    asked = {(row["query_id"], row["condition"]): row for row in decisions}

    def changed(rows: list[dict[str, Any]]) -> None:
        change(rows)
        for row in rows:
            query = asked[row["query_id"], row["condition"]]
            row.update(judge(row["text"], query["answers"], question=query["question"])._asdict())

    copy.rows(OUTCOMES_FILE, changed)
    rescore(copy)
    return copy


def of(action: str, **values: Any) -> Change:
    """Return a change of all legal outcomes of an action."""

    def change(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            if row["action"] == action and row["legal"]:
                row.update(values)

    return change


def recite_golds(copy: Any) -> Change:
    decisions = pq.read_table(copy.folder / DECISIONS_FILE).to_pylist()
    golds = {row["query_id"]: (row["answers"] or [None])[0] for row in decisions}

    def change(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            if row["action"] == "recite" and row["legal"] and golds[row["query_id"]]:
                row["text"] = golds[row["query_id"]]

    return change


@pytest.mark.parametrize("how", ["nonsense", "nothing", "golds"])
def test_what_is_recited_is_the_cards_answer(
    hub_runs: dict[str, Path], copy: Any, how: str
) -> None:
    texts = {"nonsense": "xyzzy", "nothing": ""}
    refit(copy, of("recite", text=texts[how]) if how in texts else recite_golds(copy))
    found = faults(copy.folder, hub_runs["bench"])
    assert {fault.check for fault in found} == {"recited_otherwise"}
    assert found[0].where.endswith(" structured recite, field text")
    assert "the card's answer is" in found[0].text


def test_a_single_draw_recited_otherwise_is_told(
    hub_runs: dict[str, Path], copy: Any, tmp_path: Path
) -> None:
    shutil.copytree(hub_runs["drawn"], tmp_path / "drawn")
    drawn = type(copy)(tmp_path / "drawn")

    def change(rows: list[dict[str, Any]]) -> None:
        row = next(r for r in rows if r["action"] == "recite" and r["legal"] and r["draw"] == 1)
        row["text"] = "xyzzy"

    refit(drawn, change)
    (fault,) = faults(drawn.folder, hub_runs["bench"])
    assert fault.check == "recited_otherwise" and " recite draw 1, field text" in fault.where


@pytest.mark.parametrize("action", ["recite", "reason"])
def test_an_outcome_names_the_decisions_card(
    hub_runs: dict[str, Path], copy: Any, action: str
) -> None:
    cards = pq.read_table(copy.folder / DECISIONS_FILE)["edit_id"].to_pylist()
    refit(copy, of(action, edit_id=None))
    assert checks(copy.folder, hub_runs["bench"]) == {"other_card"}
    refit(copy, of(action, edit_id=cards[0]))
    assert "other_card" in checks(copy.folder, hub_runs["bench"])


def test_the_unedited_model_has_no_card_but_may_name_the_decisions(
    hub_runs: dict[str, Path], copy: Any
) -> None:
    decisions = pq.read_table(copy.folder / DECISIONS_FILE).to_pylist()
    cards = {(row["query_id"], row["condition"]): row["edit_id"] for row in decisions}

    def named(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            if row["action"] == "abstain":
                row["edit_id"] = cards[row["query_id"], row["condition"]]

    refit(copy, named)
    assert faults(copy.folder, hub_runs["bench"]) == ()

    def illegal(rows: list[dict[str, Any]]) -> None:
        row = next(row for row in rows if not row["legal"])
        row["edit_id"] = cards[row["query_id"], row["condition"]]

    refit(copy, illegal)
    (fault,) = faults(copy.folder, hub_runs["bench"])
    assert fault.check == "other_card" and "not legal" in fault.text


def test_a_decision_names_a_card_where_one_is_visible(hub_runs: dict[str, Path], copy: Any) -> None:
    """Without a card nothing is recited, which would make the static policy worse."""

    def without(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row.update(edit_id=None, card_question=None, card_answer=None)

    def unused(rows: list[dict[str, Any]]) -> None:
        of("recite", edit_id=None, text="")(rows)
        of("reason", edit_id=None)(rows)

    copy.rows(DECISIONS_FILE, without)
    refit(copy, unused)
    assert checks(copy.folder, hub_runs["bench"]) == {"no_card"}


def forbid(condition: str, *actions: str) -> Change:
    def change(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            if row["condition"] == condition and row["action"] in actions:
                row.update(legal=False, text=None, edit_id=None)

    return change


def choose(copy: Any, condition: str, action: str) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            if row["condition"] == condition:
                row["action"] = action

    copy.rows(DECISIONS_FILE, change)


def rename(copy: Any, name: str) -> None:
    """Give the run another editor's name, and the hashes that follow from it."""

    def named(stored: dict[str, Any]) -> None:
        editor = stored["editor"]
        editor["name"] = name
        editor["sha256"] = digest({key: editor[key] for key in ("name", "version", "params")})

    copy.result(named)
    text = (copy.folder / "run.json").read_text("utf-8")
    run_id = run_id_of(RunResult.model_validate_json(text))
    copy.result(lambda stored: stored.update(run_id=run_id))


@pytest.mark.parametrize(
    ("condition", "actions", "left", "told"),
    [
        ("structured", ("abstain",), "reason", "'abstain' is illegal under structured"),
        ("structured", ("recite", "reason"), "abstain", "neither 'recite' nor 'reason' is legal"),
        ("extracted", ("reason",), "abstain", "neither 'recite' nor 'reason' is legal"),
    ],
)
def test_what_is_always_legal_cannot_be_forbidden(
    hub_runs: dict[str, Path],
    copy: Any,
    condition: str,
    actions: tuple[str, ...],
    left: str,
    told: str,
) -> None:
    rename(copy, "mine")
    choose(copy, condition, left)
    copy.rows(OUTCOMES_FILE, forbid(condition, *actions))
    try:
        refit(copy, lambda rows: None)
    except DataError:
        pass  # the scorer refuses the tables already
    found = [f for f in faults(copy.folder, hub_runs["bench"]) if f.check == "bad_legality"]
    assert len(found) == 1 and told in found[0].text


def test_an_editor_may_be_without_recite_but_ours_are_not(
    hub_runs: dict[str, Path], copy: Any
) -> None:
    choose(copy, "structured", "reason")
    refit(copy, forbid("structured", "recite"))
    (fault,) = faults(copy.folder, hub_runs["bench"])
    assert fault.check == "bad_legality"
    assert fault.text == (
        "'inlay' has abstain, reason, recite under structured, here abstain, reason"
    )
    rename(copy, "mine")
    assert faults(copy.folder, hub_runs["bench"]) == ()


def test_the_legal_actions_are_those_the_built_in_editors_declare() -> None:
    editors = discover()
    for name in BUILT_IN:
        declared = editors.get(name).actions
        assert declared == LEGAL_ACTIONS


def test_a_whole_run_of_a_third_partys_editor_verifies(
    hub_runs: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its legal actions are its own, and it writes too fast for a clock of milliseconds."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "plugin_pkg" / "good"))
    for module in ("scopebench_echo", "scopebench_echo.info", "scopebench_echo.editor"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    info = importlib.import_module("scopebench_echo.info").INFO
    run_job(Job(read_benchmark(hub_runs["bench"]), info, toy_context(), tmp_path / "run"))
    assert faults(tmp_path / "run", hub_runs["bench"]) == ()


# Tables that are not what they should be as files.


def columns(copy: Any, name: str, change: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(change(pq.read_table(copy.folder / name)), copy.folder / name)
    copy.rehash()


def column(name: str, values: Callable[[pa.Table], Any]) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        return table.set_column(table.schema.get_field_index(name), name, values(table))

    return change


TABLES: dict[str, tuple[Callable[[pa.Table], pa.Table], str]] = {
    "missing column": (lambda table: table.drop_columns(["legal"]), "column legal: missing"),
    "extra column": (lambda t: t.append_column("pickle", t["text"]), "column pickle: not one"),
    "other type": (column("draw", lambda t: t["draw"].cast("int64")), "column draw: int64"),
    "bytes": (column("text", lambda t: t["text"].cast("binary")), "column text: binary"),
    "dictionary": (column("text", lambda t: t["text"].dictionary_encode()), "column text: dict"),
    "no text": (
        column("text", lambda t: pa.array([b"\xff"] * len(t), "binary").view("string")),
        "not readable",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_have_our_columns(hub_runs: dict[str, Path], copy: Any, name: str) -> None:
    change, told = TABLES[name]
    columns(copy, OUTCOMES_FILE, change)
    (fault,) = faults(copy.folder, hub_runs["bench"])
    assert fault.check == "bad_table" and told in fault.text, fault


def test_tables_that_are_no_tables(hub_runs: dict[str, Path], copy: Any) -> None:
    path = copy.folder / DECISIONS_FILE
    whole = path.read_bytes()
    wide = whole[:-8] + struct.pack("<I", 2**32 - 1) + b"PAR1"
    for spoiled in (b"", b"PAR1", whole[:-100], whole[:4] + whole[104:], wide, b"\x80\x04." * 9):
        path.write_bytes(spoiled)
        assert "bad_table" in checks(copy.folder, hub_runs["bench"])
    path.unlink()
    path.mkdir()
    assert checks(copy.folder, hub_runs["bench"]) == {"bad_package"}


def varint(number: int) -> bytes:
    """A signed number as thrift's compact protocol writes it."""
    number *= 2
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def claim(path: Path, true: int, claimed: int) -> None:
    """Change a number in the footer of a parquet file."""
    data = path.read_bytes()
    size = struct.unpack("<I", data[-8:-4])[0]
    body, footer = data[: -8 - size], data[-8 - size : -8]
    assert varint(true) in footer
    footer = footer.replace(varint(true), varint(claimed))
    path.write_bytes(body + footer + struct.pack("<I", len(footer)) + b"PAR1")


def test_claims_of_ten_gigabytes_are_refused_unread(hub_runs: dict[str, Path], copy: Any) -> None:
    path = copy.folder / OUTCOMES_FILE
    metadata = pq.read_metadata(path)
    text = metadata.row_group(0).column(5)
    claim(path, text.total_uncompressed_size, 10_000_000_000)
    (fault,) = faults(copy.rehash().folder, hub_runs["bench"])
    assert "it claims 10,00" in fault.text
    shutil.copy(hub_runs["inlay"] / OUTCOMES_FILE, path)
    claim(path, metadata.num_rows, 10_000_000_000)
    (fault,) = faults(copy.rehash().folder, hub_runs["bench"])
    assert "10,000,000,000 rows" in fault.text


SCRIPT = """
import json, resource, sys
from pathlib import Path
from scopebench.hub.verify import verify_submission
bench, *paths = map(Path, sys.argv[1:])
told = [[str(fault) for fault in verify_submission(p, benchmark=bench).faults] for p in paths]
# The process's own peak: that of getrusage would be its parent's where that is larger.
status = Path("/proc/self/status").read_text().split()
own = int(status[status.index("VmHWM:") + 1])
child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps([max(own, child), told]))
"""


@pytest.fixture(autouse=True)
def _needs_proc(request: pytest.FixtureRequest) -> None:
    if "memory" in request.node.name and not Path("/proc/self/status").is_file():
        pytest.skip("NO /proc: peak memory is measured on Linux only")


def bounded(bench: Path, *paths: Path) -> list[list[str]]:
    """Verify in a process of its own, whose memory and children's memory stay under 2 GB."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *map(str, (bench, *paths))],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    peak, told = json.loads(done.stdout)
    assert peak * 1024 < 2_000_000_000
    assert len(told) == len(paths) and all(told)
    return list(told)


def test_a_dictionary_of_one_huge_text_takes_little_memory(
    hub_runs: dict[str, Path], copy: Any
) -> None:
    """Ten gigabytes from one hundred kilobytes: one long text, named by many rows."""
    path = copy.folder / OUTCOMES_FILE
    table = pq.read_table(path)
    values = pa.array(["x" * 50_000_000])
    rows = pa.array([0] * table.num_rows, "int32")
    table = column("text", lambda t: pa.DictionaryArray.from_arrays(rows, values))(table)
    parquet = pq.ParquetWriter(path, table.schema, compression="zstd", store_schema=False)
    with parquet:
        parquet.write_table(table)
    assert path.stat().st_size < 200_000
    (lines,) = bounded(hub_runs["bench"], copy.rehash().folder)
    assert any(line.startswith("bad_table: outcomes.parquet: ") for line in lines)


def test_prefix_coded_texts_take_little_memory(hub_runs: dict[str, Path], copy: Any) -> None:
    """Each text is the one before it, which is stored as a length only."""
    path = copy.folder / OUTCOMES_FILE
    table = pq.read_table(path)
    rows = pa.concat_tables([table] * (600 // table.num_rows + 1)).slice(0, 600)
    texts = pa.array(["x" * 500_000] * 600)
    rows = column("text", lambda t: texts)(rows)
    pq.write_table(
        rows,
        path,
        use_dictionary=False,
        column_encoding={"text": "DELTA_BYTE_ARRAY"},
        write_statistics=False,
    )
    (lines,) = bounded(hub_runs["bench"], copy.rehash().folder)
    assert any(line.startswith("bad_table: outcomes.parquet: ") for line in lines)


@pytest.mark.slow
def test_a_large_json_takes_little_memory(
    hub_runs: dict[str, Path], copy: Any, tmp_path: Path
) -> None:
    stored = json.loads((copy.folder / "run.json").read_text())
    spoiled = {
        "objects": '{"x":[' + ",".join(["{}"] * 5_000_000) + "]}",
        "keys": "{" + ",".join(f'"{n}":0' for n in range(1_200_000)) + "}",
        "unknown": json.dumps({**stored, **{f"k{n}": 0 for n in range(200_000)}}),
        "too large": "[" + " " * 16_000_000 + "]",
    }
    for name, text in spoiled.items():
        shutil.copytree(copy.folder, tmp_path / name)
        (tmp_path / name / "run.json").write_text(text)
    found = bounded(hub_runs["bench"], *(tmp_path / name for name in spoiled))
    assert [lines[0].partition(":")[0] for lines in found] == [*["bad_result"] * 3, "bad_package"]


def test_bombs_and_many_faults_take_little_memory(
    hub_runs: dict[str, Path], copy: Any, tmp_path: Path, zips: Any
) -> None:
    first, outcomes, last = zips.entries(copy.folder)
    bomb = zips.Entry(outcomes.name, zips.zeros(10_000), method=8, size=1000, crc=0)
    nested = [zips.Entry(f"lib {n}.zip", zips.zeros(100), method=8) for n in range(16)]
    packed = [
        zips.write(tmp_path / "bomb.zip", [first, bomb, last]),
        zips.write(tmp_path / "42.zip", nested),
    ]
    path = copy.folder / OUTCOMES_FILE
    rows = pq.read_table(path)
    many = pa.concat_tables([rows] * (600_000 // rows.num_rows))
    pq.write_table(many.cast(OUTCOMES_SCHEMA), path)
    found = bounded(hub_runs["bench"], *packed, copy.rehash().folder)
    assert found[2][0].startswith("extra_rows: outcomes.parquet: ")


def test_the_starter_is_built_where_the_run_was_made_on_it(
    hub_runs: dict[str, Path], copy: Any
) -> None:
    """The hashes of another starter are told, and the one that is built is held once."""
    (fault,) = faults(copy.folder, None)
    assert fault.check == "no_benchmark" and "another starter" in fault.text


@pytest.mark.slow
def test_ids_do_not_depend_on_the_path(hub_runs: dict[str, Path], copy: Any) -> None:
    bench = hub_runs["bench"]
    (copy.folder / "journal.jsonl").unlink()
    first = verify_submission(copy.folder, benchmark=bench)
    assert (
        first.submission_id == verify_submission(hub_runs["inlay"], benchmark=bench).submission_id
    )


def test_what_cannot_be_read_is_one_fault(hub_runs: dict[str, Path], copy: Any) -> None:
    (copy.folder / "run.json").write_text("{", encoding="utf-8")
    for bench in (None, hub_runs["bench"]):
        (fault,) = faults(copy.folder, bench)
        assert fault.check == "bad_result"
    (copy.folder / OUTCOMES_FILE).write_bytes(b"PAR1")
    assert checks(copy.folder, None) == {"bad_result", "bad_table"}


def test_no_submission_at_all(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    for path in (tmp_path, tmp_path / "none", tmp_path / "a.txt"):
        assert checks(path, None) == {"not_a_submission"}
