"""Audits of a built benchmark, from the sheet and row by row, to the card and the Hub."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from scopebench.api.auditing import audit, audit_sheet
from scopebench.api.benchmarks import BuiltBenchmark
from scopebench.audit import AUDIT_FILE, read_audit
from scopebench.audit.answers import FILLED_IN
from scopebench.audit.session import Pass
from scopebench.audit.sheet import read_sheet, write_sheet
from scopebench.audit.store import JOURNAL_FILE
from scopebench.construct import read_benchmark
from scopebench.errors import DataError, UsageError
from scopebench.validate import validate_path


def typing(*lines: str) -> Any:
    """Answer rows with lines, one after the other, then end the input."""
    left = list(lines)
    return lambda described, done, total: left.pop(0) if left else None


def fill_in(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Judge every row, the first of them wrong."""
    return [
        {
            **row,
            "label_is": "wrong" if n == 0 else "right",
            "gold_is": "" if row["gold"] == "none: decision-only" else "right",
            "question_is": "fine",
            "note": "=1+1 is said" if n == 0 else "",
        }
        for n, row in enumerate(rows)
    ]


def test_rows_are_asked_with_what_a_person_needs(bench: Path) -> None:
    seen: list[dict[str, Any]] = []

    def ask(described: dict[str, Any], done: int, total: int) -> str | None:
        seen.append(described)
        return "r"

    found = audit(bench, sample=40, seed=1, ask=ask)
    assert found is not None
    assert found.sessions == (
        {"auditor": "first", "sample": 40, "seed": 1, "drawn": 40, "judged": 40},
    )
    assert len({row["row"] for row in seen}) == 40
    direct = next(row for row in seen if row["label"] == "in scope" and row["form"] == "question")
    (card,) = direct["governing_edits"]
    assert card["new"] == direct["answers"][0]
    assert card["old"] is not None and card["subject"].endswith(" Mill")
    assert card["edit_id"] not in {near["edit_id"] for near in direct["nearest_cards"]}
    assert direct["source"].startswith("mills.csv, record ")
    refilled = next(row for row in seen if row["kind"] == "refilled")
    assert refilled["label"] == "out of scope"
    (gone,) = refilled["hidden_edits"]
    assert (gone["old"], refilled["deleted_edits"]) == (refilled["answers"][0], [])
    assert refilled["claims"]["tests"].startswith("the memory's state")
    hidden = next(row for row in seen if row["population"] == "withheld" and row["hidden_edits"])
    assert hidden["claims"]["scope"] == "out"


def test_a_session_goes_on_where_it_stopped_and_can_go_back(bench: Path) -> None:
    told: list[str] = []
    first = Pass(bench, "ada", size=6)
    lines = ("r", "nonsense", "w", "u", "d two owners", "q", "r")
    assert first.ask_rows(typing(*lines), told.append) == 2
    assert len(told) == 1 and "'nonsense' is no answer" in told[0]
    keys = list(first.sample)
    assert Pass(bench, "ada", size=6).ask_rows(typing("g", "b"), told.append) == 2
    stored = read_audit(bench)
    assert stored is not None
    said = {
        row.row: (row.label, row.gold, row.question, row.note) for row in stored.sessions[0].rows
    }
    assert [said[key][0] for key in keys[:4]] == ["right", "doubtful", "right", "right"]
    assert said[keys[1]][3] == "two owners"
    assert (said[keys[2]][1], said[keys[3]][2]) == ("wrong", "bad")


def test_sheets_of_every_form_give_the_same_audit(bench: Path, tmp_path: Path) -> None:
    audits = []
    for form in ("csv", "jsonl", "xlsx"):
        sheet, filled = tmp_path / f"sheet.{form}", tmp_path / f"filled.{form}"
        assert audit_sheet(bench, sheet, sample=12, seed=2) == 12
        if form == "jsonl":
            rows = [json.loads(line) for line in sheet.read_text("utf-8").splitlines()]
        elif form == "csv":
            rows = list(csv.DictReader(io.StringIO(sheet.read_text("utf-8-sig"))))
        else:
            rows = [json.loads(line) for line in (tmp_path / "sheet.jsonl").open(encoding="utf-8")]
            assert len(list(read_sheet(sheet))) == 12
        assert all(row[name] == "" for row in rows for name in FILLED_IN)
        _write_filled(fill_in(rows), filled)
        found = audit(bench, sample=12, seed=2, answers=filled)
        assert found is not None
        assert (found.all.label.wrong, found.all.label.rows) == (1, 12)
        audits.append((bench / AUDIT_FILE).read_bytes())
    assert audits[0] == audits[1] == audits[2]


def _write_filled(rows: list[dict[str, Any]], path: Path) -> None:
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
            writer.writeheader()
            writer.writerows(rows)
        return
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append(list(row.values()))
        for cell in book.active[book.active.max_row]:
            cell.data_type = "s" if cell.value is not None else cell.data_type
    book.save(path)


def test_a_text_that_a_spreadsheet_would_run_is_a_text(tmp_path: Path) -> None:
    row = {"sheet": "s", "row": "r", "question": "=HYPERLINK(1)"}
    write_sheet([row], tmp_path / "s.csv")
    assert "'=HYPERLINK(1)" in (tmp_path / "s.csv").read_text("utf-8-sig")
    openpyxl = pytest.importorskip("openpyxl")
    write_sheet([row], tmp_path / "s.xlsx")
    cell = openpyxl.load_workbook(tmp_path / "s.xlsx").active["C2"]
    assert (cell.data_type, cell.value) == ("s", "=HYPERLINK(1)")


def test_nothing_of_a_sheet_at_fault_is_recorded(bench: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "s.jsonl"
    audit_sheet(bench, sheet, sample=5)
    rows = fill_in([json.loads(line) for line in sheet.open(encoding="utf-8")])
    rows[4]["label_is"] = "perhaps"
    _write_filled(rows, sheet)
    with pytest.raises(DataError, match="record #5, field label_is: expected right, wrong or"):
        audit(bench, sample=5, answers=sheet)
    assert not (bench / AUDIT_FILE).exists()
    with pytest.raises(DataError, match="the file is there already"):
        audit_sheet(bench, sheet, sample=5)
    with pytest.raises(DataError, match="no form of a sheet"):
        audit_sheet(bench, tmp_path / "s.txt", sample=5)
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="there is no column sheet, row, label_is"):
        audit(bench, sample=5, answers=tmp_path / "other.csv")


def test_an_audit_breaks_nothing_and_is_on_the_card(bench: Path) -> None:
    card = (bench / "README.md").read_text("utf-8")
    audit(bench, sample=10, ask=typing(*["r"] * 10))
    read_benchmark(bench)
    assert not validate_path(bench).counts.keys() & {"unlisted_file", "hash_mismatch"}
    shown = (bench / "README.md").read_text("utf-8")
    assert "`first` judged 10 of 10 rows" in shown
    begin, end = shown.index("## Audit"), shown.index("\n## Known limits")
    assert shown[:begin] + shown[end + 1 :] == card
    left = {path.name for path in bench.iterdir() if path.is_file()}
    assert left == {"README.md", "manifest.json", AUDIT_FILE}


def test_it_loads_with_datasets_beside_an_audit(bench: Path, tmp_path: Path) -> None:
    from datasets import load_dataset

    audit(bench, sample=3, ask=typing("r", "r"))
    rows = load_dataset(
        str(bench), "mills_structured", split="curated", cache_dir=str(tmp_path / "cache")
    )
    cells = read_benchmark(bench).datasets["mills"].queries
    assert len(rows) == len(cells["structured", "curated"])


def test_an_audit_is_published_with_the_benchmark(bench: Path) -> None:
    from scopebench.hub.publish import plan_publication

    assert AUDIT_FILE not in {file.path for file in plan_publication(bench).files}
    card = (bench / "README.md").read_text("utf-8")
    audit(bench, sample=3, ask=typing("r"))
    assert AUDIT_FILE in {file.path for file in plan_publication(bench).files}
    (bench / "README.md").write_text(card, "utf-8")
    with pytest.raises(DataError, match="the card does not show what audit"):
        plan_publication(bench)
    audit(bench, sample=3)  # which mends the card
    assert AUDIT_FILE in {file.path for file in plan_publication(bench).files}


def test_an_audit_belongs_to_one_build(bench: Path) -> None:
    audit(bench, sample=3, ask=typing("r"))
    manifest = json.loads((bench / "manifest.json").read_text())
    manifest["files"]["mills_edits/index.parquet"] = "ab" * 32
    (bench / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(DataError, match="the audit of another benchmark, or of another build"):
        read_audit(bench)
    (bench / AUDIT_FILE).write_text("{}")
    with pytest.raises(DataError, match="not an audit"):
        read_audit(bench)


def test_one_audits_a_folder_at_a_time(bench: Path) -> None:
    with FileLock(bench / ".audit.lock"):
        with pytest.raises(DataError, match="another process is auditing this benchmark"):
            audit(bench, sample=3, ask=typing("r"))
    assert audit(bench, sample=3) is None


def test_an_audit_needs_a_folder_of_ones_own(bench: Path) -> None:
    loaded = BuiltBenchmark(bench, {"name": "mills", "version": "1"}, revision="ab" * 20)
    for elsewhere in (loaded, "org/name", bench / "none"):
        with pytest.raises(UsageError, match="is no folder of your own"):
            audit(elsewhere, sample=3, ask=typing("r"))


def test_a_build_does_not_throw_an_audit_away(bench: Path) -> None:
    from scopebench.construct.writer import check_target

    check_target(bench)
    audit(bench, sample=3, ask=typing("r"))
    with pytest.raises(
        DataError, match=r"holds files beside an earlier build, such as audit\.json"
    ):
        check_target(bench)


@pytest.mark.parametrize("name", ["", "a|b", "<b>", "x" * 65, "-a"])
def test_names_that_cannot_stand_in_a_table(bench: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot name an auditor"):
        audit(bench, auditor=name)


def _run(bench: Path, *options: str, typed: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scopebench", "audit", str(bench), "--sample", "8", *options]
    return subprocess.run(
        command, input=typed, capture_output=True, text=True, check=False, encoding="utf-8"
    )


def test_a_kill_costs_no_answer(bench: Path) -> None:
    """Two answers, a third torn: the journal of the killed session is in the audit afterwards."""
    command = [sys.executable, "-m", "scopebench", "audit", str(bench), "--sample", "8"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    assert process.stdin is not None
    process.stdin.write(b"r\nw his brother owns it\n")
    process.stdin.flush()
    journal = bench / JOURNAL_FILE
    deadline = time.monotonic() + 60
    while not (journal.is_file() and journal.read_bytes().count(b"\n") == 3):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdin.close()
    with journal.open("ab") as file:
        file.write(b'{"row": "torn')
    assert not (bench / AUDIT_FILE).exists()
    found = audit(bench, sample=8)
    assert found is not None
    assert found.sessions == (
        {"auditor": "first", "sample": 8, "seed": 0, "drawn": 8, "judged": 2},
    )
    assert not journal.exists()
    asked: list[tuple[int, int]] = []

    def ask(described: dict[str, Any], done: int, total: int) -> str:
        asked.append((done, total))
        return "r"

    audit(bench, sample=8, ask=ask)
    assert asked == [(done, 8) for done in range(2, 8)]
    assert "judged 8 of 8" in (bench / "README.md").read_text("utf-8")


def test_the_verb_tells_faults_in_one_line(bench: Path, tmp_path: Path) -> None:
    done = _run(bench, "--answers", str(tmp_path / "none.csv"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.strip().endswith("none.csv: no such file; check the path")
    done = _run(bench, "--summary", "--out", "x.csv")
    assert done.returncode == 2 and "give one of --out, --answers and --summary" in done.stderr
    done = _run(bench, typed="r\nz\nw\n")
    assert done.returncode == 0
    assert "Audit of scopebench-mills" in done.stdout
    assert "3 of 8: " in done.stderr and "'z' is no answer" in done.stderr
    done = _run(bench, "--summary", "--json")
    assert json.loads(done.stdout)["all"]["label"]["wrong"] == 1
