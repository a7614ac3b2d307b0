"""Invented records in each upstream schema, as functions that return a fresh one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Record = dict[str, Any]


def _group(case_id: Any = 7) -> Record:
    """Two hops, the first edited: a bridge moves from Orsk Vale to Pell Harbour."""
    return {
        "case_id": case_id,
        "requested_rewrite": [
            {
                "prompt": "{} stands in",
                "relation_id": "P131",
                "target_new": {"str": "Pell Harbour", "id": "Q902"},
                "target_true": {"str": "Orsk Vale", "id": "Q901"},
                "subject": "Tolvane Bridge",
                "question": "In which town does Tolvane Bridge stand?",
            }
        ],
        "questions": ["Who is the mayor of the town where Tolvane Bridge stands?"],
        "answer": "Ilse Marr",
        "answer_alias": ["Mayor Marr"],
        "new_answer": "Joren Pike",
        "new_answer_alias": ["J. Pike"],
        "single_hops": [
            {
                "question": "In which town does Tolvane Bridge stand?",
                "cloze": "Tolvane Bridge stands in",
                "answer": "Orsk Vale",
                "answer_alias": ["the Vale", "Orskvale"],
            },
            {
                "question": "Who is the mayor of Orsk Vale?",
                "cloze": "The mayor of Orsk Vale is",
                "answer": "Ilse Marr",
                "answer_alias": ["Mayor Marr"],
            },
        ],
        "new_single_hops": [
            {
                "question": "In which town does Tolvane Bridge stand?",
                "cloze": "Tolvane Bridge stands in",
                "answer": "Pell Harbour",
                "answer_alias": ["Pell", " ", "Pell Harbour", "Pell"],
            },
            {
                "question": "Who is the mayor of Pell Harbour?",
                "cloze": "The mayor of Pell Harbour is",
                "answer": "Joren Pike",
                "answer_alias": ["J. Pike"],
            },
        ],
        "orig": {
            "triples": [["Q900", "P131", "Q901"], ["Q901", "P6", "Q903"]],
            "triples_labeled": [
                ["Tolvane Bridge", "located in", "Orsk Vale"],
                ["Orsk Vale", "head of government", "Ilse Marr"],
            ],
            "new_triples": [["Q900", "P131", "Q902"], ["Q902", "P6", "Q904"]],
            "new_triples_labeled": [
                ["Tolvane Bridge", "located in", "Pell Harbour"],
                ["Pell Harbour", "head of government", "Joren Pike"],
            ],
            "edit_triples": [["Q900", "P131", "Q902"]],
        },
    }


def _evidence() -> Record:
    return {
        "fact_new": "Tolvane Bridge stands in Pell Harbour.",
        "fact_new_uns": "Tolvane Bridge, an iron footbridge, stands in Pell Harbour.",
        "verify_unsfact_GPT": True,
        "unsfact_triplets_GPT": [
            {"subject": "Tolvane Bridge", "prompt": "{} is made of", "target": "iron"},
            {"subject": "Pell Harbour", "prompt": "{} is the home of", "target": "a footbridge"},
        ],
    }


def _akew_group(case_id: Any = 7) -> Record:
    record = _group(case_id)
    record["requested_rewrite"][0].update(_evidence())
    return record


def _canonical(case_id: Any = 7) -> Record:
    return {
        "case_id": case_id,
        "pararel_idx": 12,
        "requested_rewrite": {
            "prompt": "The trade of {} is",
            "relation_id": "P106",
            "target_new": {"str": "glazier", "id": "Q911"},
            "target_true": {"str": "cooper", "id": "Q910"},
            "subject": "Wenna Brock",
        },
        "paraphrase_prompts": ["Wenna Brock works as a"],
        "neighborhood_prompts": ["The trade of Aldo Finch is"],
    }


def _flat(case_id: Any = 7) -> Record:
    return {
        "case_id": case_id,
        "prompt": "The trade of Wenna Brock is",
        "target_new": "glazier",
        "subject": "Wenna Brock",
        "ground_truth": "cooper",
        "rephrase_prompt": "Wenna Brock works as a",
        "locality_prompt": "The trade of Aldo Finch is",
        "locality_ground_truth": "cooper",
    }


def _akew_single(case_id: Any = 7) -> Record:
    record = _canonical(case_id)
    record["requested_rewrite"].update(
        prompt="What is the trade of {}? It is",
        prompt_full="What is the trade of Wenna Brock? It is",
        question="What is the trade of Wenna Brock? It is what?",
        answer_new="glazier",
        answer_true="cooper",
        answer_new_aliases=["glass fitter"],
        answer_true_aliases=["barrel maker"],
        **_evidence(),
    )
    return record


def _wikiupdate(case_id: Any = 7) -> Record:
    rewrite = _akew_single()["requested_rewrite"]
    rewrite.update(
        time_true={"start_time": "2015-04", "end_time": "2021-09-30"},
        time_new={"start_time": "+2021-10-01T00:00:00Z", "end_time": None},
    )
    return {"case_id": case_id, "requested_rewrite": rewrite}


def _wikifactdiff(case_id: Any = 7) -> Record:
    return {
        "en": {
            "case_id": case_id,
            "subject": "Wenna Brock",
            "src": "Wenna Brock worked as a",
            "rephrase": "The trade of Wenna Brock is",
            "alt": "glazier",
            "old": "cooper",
            "loc": "",
            "loc_ans": "",
        }
    }


def _rippleedits(_: Any = None) -> Record:
    return {
        "subject": "Tolvane Bridge",
        "prompt": "The name of the town which Tolvane Bridge stands in is",
        "target_new": "Pell Harbour",
        "ground_truth": "Orsk Vale",
        "portability": {
            "Subject_Aliasing": [
                {
                    "prompt": "The name of the town which the Iron Span stands in is",
                    "ground_truth": [["Pell Harbour", "Pell"]],
                }
            ],
            "Logical_Generalization": [
                {"prompt": "The county of Tolvane Bridge is", "ground_truth": [["Pellshire"]]}
            ],
            "Reasoning": [
                {
                    "prompt": "The mayor of the town of the bridge is",
                    "ground_truth": [["Joren Pike", "J. Pike"], ["Una Sedge"]],
                }
            ],
        },
        "locality": {
            "Relation_Specificity": [
                {"prompt": "The length of Tolvane Bridge is", "ground_truth": [["90 m"]]},
                {"prompt": "The colour of Tolvane Bridge is", "ground_truth": [[]]},
            ],
            "Forgetfulness": [
                {
                    "prompt": "The town of Tolvane Bridge, which is not Pell Harbour, is",
                    "ground_truth": [["Orsk Vale"]],
                }
            ],
        },
    }


def _knowedit_zsre(_: Any = None) -> Record:
    return {
        "subject": "Tolvane Bridge",
        "target_new": "Pell Harbour",
        "prompt": "Which town is Tolvane Bridge in?",
        "ground_truth": ["Orsk Vale", "Orskvale"],
        "rephrase_prompt": "In which town does Tolvane Bridge stand",
        "cond": "Orsk Vale >> Pell Harbour || Which town is Tolvane Bridge in?",
        "locality": {
            "Relation_Specificity": [
                {"prompt": "The length of Tolvane Bridge is", "ground_truth": ["90 m"]}
            ]
        },
        "portability": {
            "Reasoning": [
                {"prompt": "Who is the mayor there?", "ground_truth": "Joren Pike"},
            ],
            "Subject_Aliasing": [
                {"prompt": "Where does the Iron Span stand?", "ground_truth": "Pell Harbour"}
            ],
        },
    }


def _mend_zsre(_: Any = None) -> Record:
    return {
        "subject": "Tolvane Bridge",
        "src": "Which town is Tolvane Bridge in?",
        "pred": "Farrow",
        "rephrase": "In which town does Tolvane Bridge stand?",
        "alt": "Pell Harbour",
        "answers": ["Orsk Vale", "Orskvale"],
        "loc": "nq question: who wrote the song of the reeds",
        "loc_ans": "Una Sedge",
        "cond": "Farrow >> Pell Harbour || Which town is Tolvane Bridge in?",
        "alternative_subject": "the Iron Span",
        "alter_subject_question": "Which town is the Iron Span in?",
        "inverse question": "What stands in Pell Harbour?",
    }


POSITIONAL = frozenset({"knowedit-rippleedits", "knowedit-zsre", "mend-zsre"})
"""The schemas whose records have no id of their own."""

SAMPLES: dict[str, tuple[str, Callable[..., Record]]] = {
    "akew-mquake-cf": ("mquake_cf", _akew_group),
    "mquake": ("mquake_cf", _group),
    "counterfact": ("counterfact", _canonical),
    "counterfact-flat": ("counterfact", _flat),
    "akew-counterfact": ("counterfact", _akew_single),
    "akew-wikiupdate": ("wikiupdate", _wikiupdate),
    "wikifactdiff-flat": ("wikifactdiff", _wikifactdiff),
    "knowedit-rippleedits": ("rippleedits", _rippleedits),
    "knowedit-zsre": ("zsre", _knowedit_zsre),
    "mend-zsre": ("zsre", _mend_zsre),
}


@pytest.fixture(scope="session")
def samples() -> dict[str, tuple[str, Callable[..., Record]]]:
    """For each schema its data set and a function from a case id to a valid record."""
    return SAMPLES


@pytest.fixture(scope="session")
def positional() -> frozenset[str]:
    """Names of the schemas whose records are known by their position."""
    return POSITIONAL


@pytest.fixture(params=sorted(SAMPLES))
def sample(request: pytest.FixtureRequest) -> tuple[str, str, Callable[..., Record]]:
    """Each schema in turn: its name, its data set and the function."""
    return (request.param, *SAMPLES[request.param])


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a value as JSON, or bytes as they are, and return the path."""

    def writer(value: Any, name: str = "upload.json") -> Path:
        path = tmp_path / name
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        path.write_bytes(data)
        return path

    return writer
