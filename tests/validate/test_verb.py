"""`scopebench validate` as a user meets it: data on stdout, exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scopebench.cli import main

Flat = Callable[..., dict[str, Any]]


def _run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["validate", *map(str, arguments)])
    return int(ended.value.code or 0)


def _write(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text(json.dumps(list(records)))
    return path


def test_exit_codes_by_severity(tmp_path: Path, flat: Flat) -> None:
    sound = _write(tmp_path / "sound.json", flat(1))
    short = _write(tmp_path / "short.json", flat(1, target_new="Ugg"))
    wrong = _write(tmp_path / "wrong.json", flat(1), flat(2, target_new="potter"))
    assert [_run(sound), _run(sound, "--strict")] == [0, 0]
    assert [_run(short), _run(short, "--strict")] == [0, 1]
    assert [_run(wrong), _run(wrong, "--json")] == [1, 1]


def test_bad_input_is_one_line_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (tmp_path / "nowhere", tmp_path):
        assert _run(path) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert len(told.err.splitlines()) == 1
        assert told.err.startswith("scopebench: error: ")


def test_tables_show_the_first_findings_and_json_all(
    tmp_path: Path, flat: Flat, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _write(
        tmp_path / "w.json", *(flat(n, f"Odo Larch {n}", target_new="Ugg") for n in range(4))
    )
    assert _run(path, "--limit-examples", 2) == 0
    told = capsys.readouterr()
    assert told.err == ""
    assert "short_alias" in told.out
    assert "w.json record 1 rephrase_prompt: accepted answers of few characters: Ugg" in told.out
    assert "record 2" not in told.out
    assert "and 2 more" in told.out
    assert "0 errors, 4 warnings, 0 notes" in told.out
    assert _run(path, "--json") == 0
    values = json.loads(capsys.readouterr().out)
    assert [finding["record"] for finding in values["findings"]] == ["0", "1", "2", "3"]


def test_nothing_found_is_said(
    tmp_path: Path, flat: Flat, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(_write(tmp_path / "sound.json", flat(1))) == 0
    assert "nothing found by" in capsys.readouterr().out


def test_columns_of_own_edits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edits, columns = tmp_path / "mine.csv", tmp_path / "columns.toml"
    edits.write_text("Entity,relation,new\nOrla Vint,owner,Tamsel Ltd\n")
    columns.write_text('subject = "Entity"\n')
    assert _run(edits) == 2
    assert "no column for subject" in capsys.readouterr().err
    assert _run(edits, "--columns", columns) == 0
