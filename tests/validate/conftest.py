"""Invented files, benchmarks and runs to be broken by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scopebench.construct import BuildOptions, build_benchmark, write_benchmark
from scopebench.records import (
    ACTIONS,
    BenchmarkRef,
    Edit,
    EditorRef,
    FactObject,
    ModelRef,
    Protocol,
    RunResult,
    SourceRef,
)
from scopebench.run.folder import write_result, write_tables
from scopebench.scoring.match import MATCHER_VERSIONS, judge
from scopebench.scoring.summary import read_reports
from scopebench.sources.case import Case, Source
from scopebench.validate import Validation, validate_path

DIGEST = "cd" * 32
QUESTION = "Which harbour does the mail boat leave from?"


def _flat(case_id: int, subject: str = "Wenna Brock", **fields: Any) -> dict[str, Any]:
    return {
        "case_id": case_id,
        "prompt": f"The trade of {subject} is",
        "target_new": "glazier",
        "subject": subject,
        "ground_truth": "cooper",
        "rephrase_prompt": f"{subject} works as a",
        "locality_prompt": f"The trade of Aldo Finch {case_id} is",
        "locality_ground_truth": "tanner",
        **fields,
    }


@pytest.fixture(scope="session")
def flat() -> Callable[..., dict[str, Any]]:
    """A record in CounterFact's flat form with nothing wrong in it, and fields to break it by."""
    return _flat


@pytest.fixture
def raw(tmp_path: Path) -> Callable[..., Validation]:
    """Validate records after writing them to a file."""

    def validate(*records: Any, name: str = "upload.json") -> Validation:
        (tmp_path / name).write_text(json.dumps(list(records)), encoding="utf-8")
        return validate_path(tmp_path / name)

    return validate


def _edit(case: str, subject: str, new: str, old: str, **fields: Any) -> Edit:
    return Edit(
        edit_id=f"towns/{case}/0",
        dataset="towns",
        subject=subject,
        prompt=fields.pop("prompt", "{} lies in"),
        target_new=FactObject(text=new),
        target_true=FactObject(text=old),
        source=SourceRef(file="towns.json", record=case, sha256=DIGEST),
        **fields,
    )


def _towns() -> Source:
    edits = (
        _edit("1", "Ardenbrook", "Vellmark", "Ostmark", evidence_unstructured="Told at length."),
        _edit("2", "Corriston", "Dunmere", "Ostmark", evidence_unstructured="Told at length."),
        _edit("3", "Quellmouth", "Vellmark", "Dunmere"),
        _edit("4", "Pellworth", "Ostmark", "Vellmark"),
    )
    return Source(
        dataset="towns",
        schemas={"towns.json": "invented"},
        files={"towns.json": DIGEST},
        cases=tuple(Case("towns", edit.case, (edit,)) for edit in edits),
        bad_records=(),
    )


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    """A small sound benchmark of its own for every test: four towns, two of them with evidence."""
    out = tmp_path / "towns"
    write_benchmark([_towns()], out, BuildOptions(curated_size=0), name="towns")
    return out


@pytest.fixture
def shared_benchmark(tmp_path: Path) -> Path:
    """The same with one index for `withheld` from which what is hidden is gone."""
    out = tmp_path / "shared-towns"
    write_benchmark([_towns()], out, BuildOptions(curated_size=0, withhold="shared"), name="towns")
    return out


_MILLS = (
    "Ardenbrook Corriston Quellmouth Pellworth Tolvane Ostmere Dunhallow Sarnwick Brackley Hollin "
    "Merrow Vellmark"
).split()


@pytest.fixture(scope="session")
def mills(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound benchmark with `curated` rows, of one's own edits; copy it before breaking it.

    The mills change hands in 1995 and 2001 by turns, so that one date comes before one change and
    after another; each new owner has the alias "CO" that a refusal holds.
    """
    folder = tmp_path_factory.mktemp("mills")
    header = "subject,relation,question,new,new_aliases,old,paraphrases,old_start,old_end,new_start"
    rows = [
        f"{name} Mill,owner,Who owns {name} Mill?,Keeper {letter}orn,CO,Holder {letter}usk,"
        f"To whom does {name} Mill belong?,1990,{year},{year}-05"
        for name, letter, year in zip(_MILLS, "ABCDEFGHIJKL", ("1995", "2001") * 6, strict=True)
    ]
    (folder / "mills.csv").write_text("\n".join([header, *rows]) + "\n")
    build_benchmark({"mills": [folder / "mills.csv"]}, folder / "built", BuildOptions())
    return folder / "built"


def _decision(query_id: str, action: str = "reason", **fields: Any) -> dict[str, Any]:
    return {
        "query_id": query_id,
        "dataset": "boats",
        "condition": "structured",
        "population": "original",
        "kind": "direct",
        "question": QUESTION,
        "answers": ["Port Sallow"],
        "pre_edit_answers": ["Elm Quay"],
        "governing_edit_ids": ["boats/1/0"],
        "hidden_edit_ids": [],
        "near_edit_id": None,
        "subject_match": False,
        "template_match": True,
        "cluster": query_id,
        "fold": "test",
        "action": action,
        "edit_id": "boats/1/0",
        "card_question": QUESTION,
        "card_answer": "Port Sallow",
        "scope_score": 0.75,
        "runner_up_score": 0.5,
        "candidates": [{"edit_id": "boats/1/0", "score": 0.75}],
        **fields,
    }


def _outcomes(decision: dict[str, Any], *texts: str | None) -> list[dict[str, Any]]:
    return [
        {
            "query_id": decision["query_id"],
            "condition": decision["condition"],
            "action": action,
            "draw": 0,
            "legal": text is not None,
            "text": text,
            **judge(text, decision["answers"], question=decision["question"])._asdict(),
            "edit_id": None if action == "abstain" else "boats/1/0",
        }
        for action, text in zip(ACTIONS, texts, strict=True)
    ]


class RunFolder:
    """A sound run of three queries; change its rows, then `write` it and `validate` it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.decisions = [
            _decision("a"),
            _decision("b", action="abstain", scope_score=0.25),
            _decision("c", action="recite"),
        ]
        self.outcomes = [
            *_outcomes(self.decisions[0], "Port Sallow", "From Port Sallow.", "Elm Quay"),
            *_outcomes(self.decisions[1], None, "I don't know.", "Elm Quay"),
            *_outcomes(self.decisions[2], "Port Sallow", "Elm Quay", "Elm Quay"),
        ]
        path.mkdir()
        self.hashes = self.write()
        strict, paper = read_reports(path)
        model = ModelRef(id="toy", revision="0", dtype="float32", device="cpu")
        self.result = RunResult(
            run_id="0" * 16,
            status="success",
            protocol=Protocol(
                protocol_id="p",
                matcher=MATCHER_VERSIONS["strict"],
                prompts="toy/1",
                decoding="greedy",
                actions=ACTIONS,
                static_rule="static_fixed",
            ),
            editor=EditorRef(name="toy", version="1", params={}, sha256=DIGEST),
            model=model,
            encoder=None,
            benchmark=BenchmarkRef(name="boats", version="1", files={}, limit=None),
            **dict(strict),
            paper_matcher=paper,
            tables=self.hashes,
            seeds={},
            timings={},
            environment={},
            git={},
        )
        write_result(path, self.result)

    def write(self) -> dict[str, str]:
        return write_tables(self.path, self.outcomes, self.decisions)

    def outcome(self, query_id: str, action: str) -> dict[str, Any]:
        return next(
            row for row in self.outcomes if (row["query_id"], row["action"]) == (query_id, action)
        )

    def draw_again(self) -> None:
        """Add a second draw of everything, of the same answers, and score the run anew."""
        self.outcomes += [{**row, "draw": 1} for row in self.outcomes]
        self.write()
        strict, paper = read_reports(self.path)
        numbers = {**dict(strict), "paper_matcher": paper}
        self.result = self.result.model_copy(update=numbers)

    def validate(self, benchmark: Path | None = None) -> Validation:
        """Write the rows, with a result that holds their hashes, and validate the folder."""
        hashes = self.write()
        write_result(self.path, self.result.model_copy(update={"tables": hashes}))
        return validate_path(self.path, benchmark=benchmark)


@pytest.fixture
def run_folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path / "run")
