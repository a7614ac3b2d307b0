"""The journal keeps what is finished, whatever stops the run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scopebench.errors import DataError
from scopebench.records import Answer
from scopebench.run.journal import JOURNAL_FILE, open_journal

HEADER = {"run_id": "r1", "limit": 4}


def test_finished_units_are_read_back(tmp_path: Path) -> None:
    with open_journal(tmp_path, HEADER) as journal:
        assert journal.units == {}
        journal.append("a/0", [Answer(text="Ουλάν\n\u2028", edit_id="x/1/0"), Answer(text="")], 1.5)
        journal.add_phase("route", 0.25)
        journal.add_phase("route", 0.5)
    with open_journal(tmp_path, HEADER) as journal:
        assert journal.resumed == 1
        unit = journal.units["a/0"]
        assert [answer.text for answer in unit.answers] == ["Ουλάν\n\u2028", ""]
        assert [answer.edit_id for answer in unit.answers] == ["x/1/0", None]
        assert unit.seconds == 1.5
        assert journal.phases == {"route": 0.75}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_torn_tail_costs_only_what_it_tore(tmp_path: Path, data: st.DataObject) -> None:
    folder = tmp_path / str(time.monotonic_ns())
    with open_journal(folder, HEADER) as journal:
        for name in ("one", "two", "three"):
            journal.append(name, [Answer(text=name)], 0.0)
    path = folder / JOURNAL_FILE
    whole = path.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    lines_left = whole[:cut].count(b"\n")
    with open_journal(folder, HEADER) as journal:
        expected = ["one", "two", "three"][: max(lines_left - 1, 0)]
        assert list(journal.units) == expected
        journal.append("again", [Answer(text="again")], 0.0)
    with open_journal(folder, HEADER) as journal:
        assert list(journal.units) == [*expected, "again"]


def test_another_run_is_refused_and_left_alone(tmp_path: Path) -> None:
    with open_journal(tmp_path, HEADER) as journal:
        journal.append("a", [Answer(text="kept")], 0.0)
    before = (tmp_path / JOURNAL_FILE).read_bytes()
    with pytest.raises(DataError, match=r"holds another run \(it differs in limit\).*--out"):
        with open_journal(tmp_path, {"run_id": "r2", "limit": 5}):
            pass
    assert (tmp_path / JOURNAL_FILE).read_bytes() == before


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"files": {"a.parquet": "1" * 64, "b.parquet": "3" * 64}},
            f"b.parquet has SHA-256 {'2' * 12} in the run's benchmark and {'3' * 12} in the one",
        ),
        ({"files": {"a.parquet": "1" * 64}}, "b.parquet is in the run's benchmark and not in the"),
        (
            {"files": {"a.parquet": "1" * 64, "aa.parquet": "0" * 64, "b.parquet": "2" * 64}},
            "aa.parquet is not in the run's benchmark",
        ),
        ({"limit": 9}, "limit 4 there, 9 now"),
    ],
)
def test_another_benchmark_is_told_by_its_first_file(
    tmp_path: Path, changed: dict[str, object], said: str
) -> None:
    files = {"a.parquet": "1" * 64, "b.parquet": "2" * 64}
    benchmark: dict[str, object] = {"name": "toy", "files": files, "limit": 4}
    with open_journal(tmp_path, {"benchmark": benchmark}):
        pass
    with pytest.raises(DataError) as caught:
        with open_journal(tmp_path, {"benchmark": benchmark | changed}):
            pass
    part = "limit" if "limit" in changed else "benchmark"
    assert f"it differs in {part}: {said}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_journal_of_another_schema_version_is_told_as_such(tmp_path: Path) -> None:
    with open_journal(tmp_path, {"schema_version": 1, "benchmark": {"files": {}}}):
        pass
    with pytest.raises(DataError, match=r"of schema version 1; this scopebench writes version 2"):
        with open_journal(tmp_path, {"schema_version": 2, "benchmark": {"files": {"a": "b"}}}):
            pass


def test_a_stranger_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / JOURNAL_FILE).write_text('{"header": 3}\n', encoding="utf-8")
    with pytest.raises(DataError, match="not a journal of scopebench"):
        with open_journal(tmp_path, HEADER):
            pass


def test_two_writers_are_refused(tmp_path: Path) -> None:
    code = textwrap.dedent(
        f"""
        import time
        from pathlib import Path
        from scopebench.run.journal import open_journal
        with open_journal(Path({str(tmp_path)!r}), {HEADER!r}):
            print("open", flush=True)
            time.sleep(60)
        """
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        try:
            with pytest.raises(DataError, match="another process is writing this run"):
                with open_journal(tmp_path, HEADER):
                    pass
        finally:
            os.kill(other.pid, signal.SIGKILL)
    with open_journal(tmp_path, HEADER) as journal:  # a killed writer leaves no lock behind
        assert journal.units == {}
