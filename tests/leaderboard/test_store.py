"""The results store on real runs: what is computed, what is remembered, what is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from scopebench.construct import read_benchmark
from scopebench.errors import DataError
from scopebench.registry import discover
from scopebench.run.engine import Job, run_job
from scopebench.run.folder import read_result
from scopebench.scoring.summary import read_reports
from scopebench.testing import toy_context
from scopebench_leaderboard import store
from scopebench_leaderboard.board import ALL, Board, Part
from scopebench_leaderboard.details import submission_folder
from scopebench_leaderboard.store import check_folders, rebuild

Runs = dict[str, Path]
Results = tuple[Path, dict[str, str]]
Placer = Callable[[Path, Path], str]


class Store:
    """A results folder of its own, and a rebuild that says what was computed."""

    def __init__(self, folder: Path, bench: Path) -> None:
        self.results, self.out, self.bench = folder / "results", folder / "out", bench
        self.computed: list[str] = []

    def rebuild(self, **options: int) -> Board:
        self.computed = []
        return rebuild(
            self.results,
            self.out,
            benchmarks=[self.bench],
            progress=lambda done, total, path: self.computed.append(path),
            **{"workers": 0} | options,
        )


@pytest.fixture
def own(toy_runs: Runs, toy_results: Results, toy_board_folder: Path, tmp_path: Path) -> Store:
    """A copy of the results of `inlay` and `static`, and of the board made of them."""
    shutil.copytree(toy_results[0], tmp_path / "results")
    shutil.copytree(toy_board_folder, tmp_path / "out")
    shutil.rmtree(submission_folder(tmp_path / "results", toy_results[1]["drawn"]))
    store = Store(tmp_path, toy_runs["bench"])
    store.rebuild()
    assert store.computed == []
    return store


def test_every_number_is_that_of_the_tables(toy_runs: Runs, toy_board: Board) -> None:
    result = read_result(toy_runs["inlay"])
    report, paper = read_reports(toy_runs["inlay"])
    row = int(toy_board.submissions.index[toy_board.submissions["editor"] == "inlay"][0])
    compared = 0
    for router in report.router:
        part = Part(
            router.population, router.dataset, router.condition, router.kind, router.stratum
        )
        found = toy_board.part(part).loc[row]
        assert (found["n"], found["n_scorable"]) == (router.n, router.n_scorable)
        for name in ("scope_accuracy", "capture", "false_fire", "auroc"):
            estimate = getattr(router, name)
            for column, value in (
                (name, estimate.value),
                (f"{name}_low", estimate.low),
                (f"{name}_high", estimate.high),
            ):
                assert (found[column] == value) or (value is None and pd.isna(found[column]))
        for name, reason in router.undefined.items():
            assert json.loads(found["undefined"])[name] == reason
        compared += 1
    assert compared == len(report.router) > 40
    pooled = {cell.population: cell for cell in report.pooled}
    for population, cell in pooled.items():
        found = toy_board.part(Part(population)).loc[row]
        assert found["headroom"] == cell.headroom.value
        assert found["oracle"] == cell.oracle
        assert found["accuracy_abstain"] == cell.accuracy["abstain"]
        assert found["unique_wins_reason"] == cell.unique_wins["reason"]
        assert found["headroom_over_static_cv_low"] == cell.statics["static_cv"].headroom.low
    strict = {cell.population: cell.headroom.value for cell in paper.pooled}
    for population, value in strict.items():
        assert toy_board.part(Part(population)).loc[row, "headroom_paper"] == value
    told = toy_board.submissions.loc[row]
    assert told["run_id"] == result.run_id
    assert told["protocol_id"] == result.protocol.protocol_id
    assert told["n"] == sum(cell.n for cell in report.pooled)
    assert told["lacking"] == ""
    written = result.edits_written
    assert written
    assert told["write_ms_per_edit"] == 1000 * result.timings["write"] / written


def test_nothing_is_computed_twice(own: Store) -> None:
    before = (own.out / "board.parquet").read_bytes()
    own.rebuild()
    assert own.computed == []
    assert (own.out / "board.parquet").read_bytes() == before


def test_a_new_submission_alone_is_computed(own: Store, toy_runs: Runs, placer: Placer) -> None:
    before = (own.out / "board.parquet").read_bytes()
    gone = submission_folder(own.results, toy_ids(own)["static"])
    shutil.rmtree(gone)
    fewer = own.rebuild()
    assert own.computed == []
    assert len(fewer.submissions) == 1
    assert set(fewer.scores["submission_id"]) == set(fewer.submissions["submission_id"])
    key = placer(toy_runs["static"], own.results)
    whole = own.rebuild()
    assert [path.rpartition("/")[2] for path in own.computed] == [key]
    assert whole.revision != fewer.revision
    assert (own.out / "board.parquet").read_bytes() == before  # in whatever order they came


def toy_ids(own: Store) -> dict[str, str]:
    """The submission id of each editor."""
    folders = (own.results / "submissions").glob("*/*/*")
    return {folder.parent.parent.name: folder.name for folder in folders}


def test_a_stopped_rebuild_goes_on_where_it_was(own: Store) -> None:
    shutil.rmtree(own.out)
    seen: list[str] = []

    def stop(done: int, total: int, path: str) -> None:
        seen.append(path)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuild(own.results, own.out, benchmarks=[own.bench], progress=stop, workers=0)
    assert not (own.out / "board.parquet").exists()
    assert len(seen) == 1
    board = own.rebuild()
    assert len(own.computed) == 1
    assert set(own.computed).isdisjoint(seen)
    assert len(board.submissions) == 2
    assert list((own.out / "pending").iterdir()) == []


@pytest.mark.slow
def test_another_code_version_computes_anew(own: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "code_version", lambda: "other")
    board = own.rebuild()
    assert len(own.computed) == 2
    assert board.code_version == "other"


@pytest.mark.slow
def test_a_damaged_board_is_made_anew(own: Store) -> None:
    (own.out / "board.parquet").write_bytes(b"PAR1 not a table PAR1")
    (own.out / "board.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match="not a board"):
        store.load_board(own.out)
    assert len(own.rebuild().submissions) == 2
    assert len(own.computed) == 2


@pytest.mark.slow
def test_a_board_damaged_inside_is_made_anew(own: Store) -> None:
    path = own.out / "board.parquet"
    whole = path.read_bytes()
    half = len(whole) // 2
    path.write_bytes(whole[: half // 4] + bytes(half) + whole[half // 4 + half :])
    own.rebuild()
    assert len(own.computed) == 2
    assert path.read_bytes() == whole


def test_corrupt_submissions_are_listed_apart(own: Store, toy_runs: Runs, placer: Placer) -> None:
    shelf = own.results / "submissions" / "inlay" / "toy-model"
    good = shelf / toy_ids(own)["inlay"]
    (shelf / "notes.txt").write_text("no folder", encoding="utf-8")
    (shelf / "latest").mkdir()
    empty = shelf / ("0" * 32)
    empty.mkdir()
    (shelf / ("5" * 32)).symlink_to(good)
    cut = shelf / ("1" * 32)
    shutil.copytree(good, cut)
    (cut / "outcomes.parquet").write_bytes((cut / "outcomes.parquet").read_bytes()[:-100])
    boasting = shelf / ("2" * 32)
    shutil.copytree(good, boasting)
    told = json.loads((boasting / "run.json").read_text("utf-8"))
    told["router"][0]["scope_accuracy"]["value"] = 0.123
    (boasting / "run.json").write_text(json.dumps(told), encoding="utf-8")
    misnamed = shelf / ("3" * 32)
    shutil.copytree(good, misnamed)
    twin = own.results / "submissions" / "rag" / "toy-model" / good.name
    shutil.copytree(good, twin)
    board = own.rebuild()
    reasons = dict(zip(board.rejected["path"], board.rejected["reasons"], strict=True))

    def of(folder: Path) -> str:
        return str(reasons.pop(str(folder.relative_to(own.results))))

    assert of(shelf / "notes.txt") == "not a folder"
    assert of(shelf / ("5" * 32)) == "not a folder"
    assert "submission id" in of(shelf / "latest")
    assert "none of run.json" in of(empty)
    assert "outcomes.parquet" in of(cut)
    assert "scope_accuracy" in of(boasting)
    assert of(misnamed).startswith(f"lies in the folder of submission id '{'3' * 32}'")
    assert of(twin) == "lies in the folder of editor 'rag', and its content says 'inlay'"
    assert reasons == {}
    assert len(board.submissions) == 2
    assert len(own.computed) == 5  # what is no submission at all is not opened
    own.rebuild()
    assert own.computed == []
    shutil.rmtree(cut)
    assert len(own.rebuild().rejected) == 7


def shelves(board: Board) -> set[str]:
    """Where each submission of a board lies."""
    return set(board.submissions["path"])


@pytest.mark.parametrize("editor", ["aaa", "zzz"])
def test_a_copy_never_displaces_what_it_was_made_of(own: Store, editor: str) -> None:
    good = submission_folder(own.results, toy_ids(own)["inlay"])
    original = str(good.relative_to(own.results))
    copies = [
        own.results / "submissions" / editor / "gpt-5" / good.name,
        own.results / "submissions" / "inlay" / f"{editor}-5" / good.name,
    ]
    for copy in copies:
        shutil.copytree(good, copy)
    told = sorted(str(copy.relative_to(own.results)) for copy in copies)

    known = own.rebuild()  # the original was computed before

    assert original in shelves(known)
    assert sorted(known.rejected["path"]) == told
    assert sorted(own.computed) == told
    before = (own.out / "board.parquet").read_bytes()
    own.rebuild()
    assert own.computed == []
    assert (own.out / "board.parquet").read_bytes() == before

    shutil.rmtree(own.out)
    anew = own.rebuild()  # it is not

    assert len(anew.submissions) == 2
    assert (own.out / "board.parquet").read_bytes() == before

    shutil.rmtree(good)
    alone = own.rebuild()  # copies of nothing are refused as well
    assert original not in shelves(alone)
    assert sorted(alone.rejected["path"]) == told
    shutil.copytree(copies[0], good)
    own.rebuild()
    assert (own.out / "board.parquet").read_bytes() == before


def test_a_copy_waits_for_a_stopped_rebuild_like_any_other(own: Store) -> None:
    good = submission_folder(own.results, toy_ids(own)["inlay"])
    copy = own.results / "submissions" / "zzz" / "gpt-5" / good.name
    shutil.copytree(good, copy)
    shutil.rmtree(own.out)

    def stop(done: int, total: int, path: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuild(own.results, own.out, benchmarks=[own.bench], progress=stop, workers=0)
    board = own.rebuild()

    assert str(good.relative_to(own.results)) in shelves(board)
    assert list(board.rejected["path"]) == [str(copy.relative_to(own.results))]


@pytest.mark.slow
def test_a_submission_in_the_wrong_folder_is_refused(own: Store) -> None:
    good = submission_folder(own.results, toy_ids(own)["inlay"])
    moved = own.results / "submissions" / "rag" / "toy-model" / good.name
    moved.parent.mkdir(parents=True)
    good.rename(moved)
    board = own.rebuild()
    (reason,) = board.rejected["reasons"]
    assert reason == "lies in the folder of editor 'rag', and its content says 'inlay'"
    assert "inlay" not in set(board.submissions["editor"])


@pytest.mark.slow
def test_a_changed_submission_is_looked_at_again(own: Store) -> None:
    folder = submission_folder(own.results, toy_ids(own)["inlay"])
    with (folder / "run.json").open("a", encoding="utf-8") as file:
        file.write("\n")
    board = own.rebuild()
    assert len(own.computed) == 1
    assert list(board.rejected["path"]) == [str(folder.relative_to(own.results))]


@pytest.mark.slow
def test_what_is_refused_for_want_of_its_benchmark_is_taken_with_it(own: Store) -> None:
    shutil.rmtree(own.out)
    bare = rebuild(own.results, own.out, workers=0)
    assert len(bare.submissions) == 0
    assert len(bare.rejected) == 2
    assert bare.parts == ()
    assert len(bare.scores) == 0
    assert len(own.rebuild().submissions) == 2


def test_a_run_without_an_action_says_so(own: Store, placer: Placer, tmp_path: Path) -> None:
    base = discover().get("base")
    fewer = {name: ("reason", "abstain") for name in base.actions}
    info = replace(base, name="cautious", actions=fewer)
    run_job(Job(read_benchmark(own.bench), info, toy_context(), tmp_path / "run"))
    placer(tmp_path / "run", own.results)
    board = own.rebuild()
    assert list(board.rejected["reasons"]) == []
    lacking = dict(zip(board.submissions["editor"], board.submissions["lacking"], strict=True))
    assert lacking == {"cautious": "recite", "inlay": "", "static": ""}


def test_maintainers_mark_what_they_reproduced(own: Store) -> None:
    key = toy_ids(own)["inlay"]
    folder = own.results / "verified"
    folder.mkdir()
    said = {"by": "a maintainer", "date": "2026-11-30", "note": "run again on another machine"}
    (folder / f"{key}.json").write_text(json.dumps(said), encoding="utf-8")
    (folder / f"{'9' * 32}.json").write_text(json.dumps(said), encoding="utf-8")
    (folder / "broken.json").write_text('{"by": 3}', encoding="utf-8")
    before = store.load_board(own.out)
    board = own.rebuild()
    assert own.computed == []
    assert board.revision != before.revision
    shown = board.submissions.set_index("submission_id")
    assert shown["verified"].sum() == 1
    told = shown.loc[key, ["verified", "verified_by", "verified_date", "verified_note"]]
    assert list(told) == [True, *said.values()]
    assert list(board.rejected["path"]) == [f"verified/{'9' * 32}.json", "verified/broken.json"]


def test_no_results_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such results folder"):
        rebuild(tmp_path / "none", tmp_path / "out")


def test_an_empty_results_folder_gives_an_empty_board(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    board = rebuild(tmp_path / "results", tmp_path / "out")
    assert len(board.submissions) == len(board.rejected) == 0
    assert board.part(Part("curated", ALL)).empty


def test_a_folder_that_holds_no_submissions_is_refused_where_a_person_names_it(
    tmp_path: Path,
) -> None:
    results, out = tmp_path / "results", tmp_path / "out"
    with pytest.raises(DataError, match="no such results folder"):
        check_folders(results, out)
    results.mkdir()
    with pytest.raises(DataError, match="holds no submissions/"):
        check_folders(results, out)
    (results / "submissions").mkdir()
    check_folders(results, out)
    assert not out.exists()


def test_only_a_new_folder_or_a_board_is_written_into(own: Store, tmp_path: Path) -> None:
    strange = tmp_path / "strange"
    strange.mkdir()
    check_folders(own.results, strange)
    (strange / "manifest.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="not empty, and holds no board"):
        check_folders(own.results, strange)
    assert [path.name for path in strange.iterdir()] == ["manifest.json"]
    check_folders(own.results, own.out)
    (own.out / "board.parquet").unlink()
    (own.out / "notes.txt").write_text("kept", encoding="utf-8")
    check_folders(own.results, own.out)  # a rebuild that was stopped left its own


def test_a_board_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "results" / "submissions").mkdir(parents=True)
    (tmp_path / "file").write_text("", encoding="utf-8")
    out = tmp_path / "file" / "out"
    with pytest.raises(DataError, match=f"cannot write {out}"):
        rebuild(tmp_path / "results", out)


@pytest.mark.slow
def test_worker_processes_give_the_same_bytes(own: Store) -> None:
    alone = (own.out / "board.parquet").read_bytes()
    shutil.rmtree(own.out)
    own.rebuild(workers=2)
    assert (own.out / "board.parquet").read_bytes() == alone
