"""A team's own edits, from a CSV on the command line to a benchmark that is sound."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from scopebench.cli import cli
from scopebench.construct import read_benchmark
from scopebench.errors import DataError
from scopebench.validate import validate_path

DOC = Path(__file__).resolve().parents[2] / "docs" / "own_edits.md"


def run(*arguments: object):
    return CliRunner().invoke(cli, ["build", *map(str, arguments)], catch_exceptions=True)


@pytest.fixture
def example(tmp_path):
    """The files that the page on own edits shows."""
    text = DOC.read_text(encoding="utf-8")
    for name, language in (("edits.csv", "csv"), ("columns.toml", "toml")):
        found = re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)
        assert found is not None
        (tmp_path / name).write_text(found[1], encoding="utf-8")
    return tmp_path


@pytest.fixture
def companies(tmp_path):
    """Two relations of 60 companies, with near names, aliases and dates."""
    towns = [a + b for a, b in itertools.product(("Arden", "Bel", "Cor"), ("brook", "ford"))]
    people = [f"{a} {b}" for a, b in itertools.product(("Ada", "Bo", "Eli"), ("Lund", "Roe"))]
    lines = ["subject,relation,new,old,question,subject_aliases,old_start,old_end,new_start"]
    for n in range(60):
        name = f"{towns[n % 6]} {('Mills', 'Bank', 'Lines')[n % 3]} {n // 6 + 1}"
        new, old = people[n % 6], people[(n + 1 + n // 6 % 5) % 6]
        first, change = 1990 + n % 7, 2001 + n % 9
        dates = f"{first}-03,{change}-06,{change}-07"
        lines.append(
            f"{name},chief executive officer,{new},{old},"
            f"Who is the chief executive officer of {name}?,The {name} Company,{dates}"
        )
        lines.append(
            f"{name},headquarters location,{towns[n % 6]} City,{towns[(n + 2) % 6]} Town,"
            f"In which city is the headquarters of {name}?,,{dates}"
        )
    path = tmp_path / "companies.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_example_of_the_page_builds(example):
    out = example / "bench"
    done = run(
        "--source", f"mine={example / 'edits.csv'}", "--columns",
        f"mine={example / 'columns.toml'}", "--out", out,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    splits = read_benchmark(out).datasets["mine"]
    assert len(splits.index["original"]) == 5
    assert {query.population for queries in splits.queries.values() for query in queries} == {
        "original", "withheld", "curated",
    }  # fmt: skip
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert manifest["datasets"]["mine"]["missing_columns"] == {"side_fact": ["triples"]}
    assert "`triples`" in (out / "README.md").read_text("utf-8")


def test_a_file_of_one_team_makes_the_kinds_that_need_no_second_source(companies, tmp_path):
    out = tmp_path / "bench"
    done = run("--source", f"mine={companies}", "--out", out, "--json")
    assert done.exit_code == 0, done.output
    section = json.loads(done.stdout)["datasets"]["mine"]["curated"]
    made = {kind for kind, entry in section["kinds"].items() if entry["passed"]}
    assert made >= {
        "direct",
        "paraphrase",
        "subject_alias",
        "same_subject",
        "near_name",
        "temporal",
    }
    assert section["leak_passed"]
    assert validate_path(out).number_of("error") == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--source", "mine={csv}", "--columns", "yours={csv}"], "no --source is called"),
        (["--source", "counterfact={csv}", "--columns", "counterfact={csv}"], "no mapping"),
        (["--source", "conterfact={csv}"], "did you mean 'counterfact'"),
        (["--source", "My Edits={csv}"], "lower-case"),
        (["--source", "mine={csv}", "--columns", "mine"], "is not DATASET=PATH"),
    ],
)
def test_what_is_asked_wrongly_is_told_in_one_line(companies, tmp_path, arguments, told):
    given = [argument.format(csv=companies) for argument in arguments]
    done = run(*given, "--out", tmp_path / "out")
    assert done.exit_code != 0
    said = done.output if not isinstance(done.exception, DataError) else str(done.exception)
    assert told in said
    assert not (tmp_path / "out").exists()
