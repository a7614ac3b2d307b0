"""Runs that an earlier matcher judged: judged anew from their texts, by every part alike."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from earlier_run import EARLIER, flip_verdicts, make_earlier, rename_matcher

import scopebench as sb
from scopebench.hub.exports.options import ExportOptions
from scopebench.hub.exports.runs import read_runs
from scopebench.hub.verify import OTHER_COMPUTATION, verify_submission
from scopebench.report.gather import gather
from scopebench.run.folder import read_result
from scopebench.run.rejudged import judged_now
from scopebench.scoring.match import MATCHER_VERSIONS
from scopebench.scoring.summary import Settings, read_reports
from scopebench.scoring.tables import OUTCOMES_FILE
from scopebench.validate.run import validate_run

STRICT = MATCHER_VERSIONS["strict"]
FLIPS = 3


@pytest.fixture(scope="module")
def earlier(hub_runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of `inlay` as an earlier matcher left it: three verdicts are others."""
    folder = tmp_path_factory.mktemp("earlier") / "run"
    shutil.copytree(hub_runs["inlay"], folder)
    make_earlier(folder, FLIPS)
    return folder


def words(folder: Path) -> str:
    texts = pq.read_table(folder / OUTCOMES_FILE)["text"]
    n = len(texts) - texts.null_count
    return f"verdicts stored under {EARLIER}; judged anew under {STRICT}: {FLIPS} of {n:,} changed"


def test_it_verifies_and_its_numbers_are_those_of_today(
    earlier: Path, hub_runs: dict[str, Path]
) -> None:
    found = verify_submission(earlier, benchmark=hub_runs["bench"])
    assert (found.faults, found.notes) == ((), (words(earlier), OTHER_COMPUTATION))
    assert (found.report, found.paper) == read_reports(hub_runs["inlay"])


def test_it_validates_with_a_note(earlier: Path, hub_runs: dict[str, Path]) -> None:
    found = validate_run(earlier, hub_runs["bench"])
    assert not found.fails()
    told = {finding.check: finding.reason for finding in found.findings}
    assert told["judged_anew"] == words(earlier)
    assert "number_mismatch" not in told and "verdict_mismatch" not in told


def test_headroom_judges_it_anew_and_says_so(earlier: Path, hub_runs: dict[str, Path]) -> None:
    told: list[str] = []
    assert sb.headroom(earlier, tell=told.append).as_json() == (
        sb.headroom(hub_runs["inlay"]).as_json()
    )
    assert told == [words(earlier)]


def test_it_stands_beside_runs_of_today(earlier: Path, hub_runs: dict[str, Path]) -> None:
    told: list[str] = []
    paths = [earlier, hub_runs["inlay"]]
    gathered = gather(paths, Settings(n_resamples=100), told=told.append)
    first, second = (view.result for view in gathered.views)
    assert first is not None and second is not None
    assert first.protocol == second.protocol
    assert first.run_id != second.run_id
    assert gathered.views[0].report == gathered.views[1].report
    assert f"{earlier}: {words(earlier)}" in told
    runs = read_runs(paths, ExportOptions(), told.append)
    assert runs[0].report == runs[1].report


def test_judging_changes_nothing_else_of_a_result(earlier: Path, hub_runs: dict[str, Path]) -> None:
    before, now = read_result(earlier), judged_now(read_result(earlier))
    assert now.protocol == read_result(hub_runs["inlay"]).protocol
    assert now.model_copy(update={"protocol": before.protocol}) == before
    assert judged_now(now) is now


def test_wrong_verdicts_under_todays_name_stay_a_fault(
    copy: Any, hub_runs: dict[str, Path]
) -> None:
    flip_verdicts(copy.folder, 1)
    copy.rehash()
    found = verify_submission(copy.folder, benchmark=hub_runs["bench"])
    assert {fault.check for fault in found.faults} == {"verdict_mismatch"}
    with pytest.raises(sb.ScopeBenchError, match=f"field correct: stored as .*, but {STRICT}"):
        sb.headroom(copy.folder)


def test_a_later_matcher_is_refused_in_one_line(copy: Any, hub_runs: dict[str, Path]) -> None:
    later = STRICT.partition("/")[0] + "/99"
    rename_matcher(copy.folder, later)
    found = verify_submission(copy.folder, benchmark=hub_runs["bench"])
    assert [(fault.check, fault.where) for fault in found.faults] == [
        ("unknown_protocol", "run.json, field protocol.matcher")
    ]
    told = validate_run(copy.folder, hub_runs["bench"]).findings
    assert ("bad_result", "protocol.matcher") in {(each.check, each.field) for each in told}
    with pytest.raises(sb.ScopeBenchError, match=f"stored under {later}, where this scopebench"):
        sb.headroom(copy.folder)
