"""From the two tables of a run folder to the page, with nothing made up between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scopebench.report.page.build import render_html, render_markdown
from scopebench.report.page.views import view_of_tables
from scopebench.scoring.summary import Settings, read_reports
from scopebench.scoring.tables import (
    DECISIONS_FILE,
    DECISIONS_SCHEMA,
    OUTCOMES_FILE,
    OUTCOMES_SCHEMA,
    read_table,
    write_table,
)

QUERIES = 12


def _decision(number: int) -> dict[str, Any]:
    governed = number % 2 == 0
    fired = number % 3 != 1
    return {
        "query_id": f"made/{number}/0/direct/withheld",
        "dataset": "made",
        "condition": "structured",
        "population": "withheld",
        "kind": "direct",
        "question": f"Who keeps lighthouse {number}?",
        "answers": ["Odo"] if governed else ["Mara"],
        "pre_edit_answers": ["Mara"],
        "governing_edit_ids": [f"made/{number}/0"] if governed else [],
        "hidden_edit_ids": [] if governed else [f"made/{number}/0"],
        "near_edit_id": None,
        "subject_match": governed,
        "template_match": True,
        "cluster": f"c{number}",
        "fold": "dev" if number < 4 else "test",
        "action": "recite" if fired else "abstain",
        "edit_id": f"made/{number}/0" if governed else "made/99/0",
        "card_question": f"Who keeps lighthouse {number if governed else 99}?",
        "card_answer": "Odo",
        "scope_score": 0.9 - number / 100 if governed else 0.5 - number / 100,
        "runner_up_score": 0.3,
        "candidates": [],
    }


def _outcomes(number: int) -> list[dict[str, Any]]:
    said = {"recite": "Odo", "reason": "Odo", "abstain": "Mara"}
    gold = "Odo" if number % 2 == 0 else "Mara"
    return [
        {
            "query_id": f"made/{number}/0/direct/withheld",
            "condition": "structured",
            "action": action,
            "draw": 0,
            "legal": True,
            "text": text,
            "correct": text == gold,
            "correct_paper": text == gold,
            "refused": False,
            "edit_id": None,
        }
        for action, text in said.items()
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    decisions = [_decision(number) for number in range(QUERIES)]
    outcomes = [row for number in range(QUERIES) for row in _outcomes(number)]
    write_table(decisions, DECISIONS_SCHEMA, folder / DECISIONS_FILE)
    write_table(outcomes, OUTCOMES_SCHEMA, folder / OUTCOMES_FILE)
    return folder


def test_a_run_folder_becomes_a_page(folder: Path) -> None:
    strict, paper = read_reports(folder, Settings(n_resamples=200))
    view = view_of_tables(
        "made",
        folder,
        read_table(folder / DECISIONS_FILE, DECISIONS_SCHEMA),
        read_table(folder / OUTCOMES_FILE, OUTCOMES_SCHEMA),
        report=strict,
        paper=paper,
    )
    assert np.isclose(view.scores[0], 0.9)
    assert view.in_scope.tolist() == [number % 2 == 0 for number in range(QUERIES)]
    # Out of scope are the odd numbers; 3, 5, 9 and 11 of them are fired on, 1 and 7 are not.
    assert view.wrong_fires_total == 4
    assert {fire.query_id for fire in view.wrong_fires} == {
        f"made/{number}/0/direct/withheld" for number in (3, 5, 9, 11)
    }
    assert all(fire.text == "Odo" and fire.correct is False for fire in view.wrong_fires)
    for text in (render_html([view], ()), render_markdown([view], ())):
        # Reciting is right on the even half, abstaining on the odd: oracle 1, static 0.5.
        assert (
            "with edits withheld, the best per-query decision gains +50.00 points"
            in text.replace("With", "with")
        )
        assert "66.7%" in text  # false fires: 4 of 6
        assert "Who keeps lighthouse 99?" in text


def test_no_decisions_table_order_matters(folder: Path) -> None:
    decisions = read_table(folder / DECISIONS_FILE, DECISIONS_SCHEMA)
    outcomes = read_table(folder / OUTCOMES_FILE, OUTCOMES_SCHEMA)
    strict, _ = read_reports(folder, Settings(n_resamples=200))
    back = list(reversed(range(QUERIES)))
    pages = [
        render_html([view_of_tables("made", folder, table, outcomes, report=strict)], ())
        for table in (decisions, decisions.take(back))
    ]
    assert pages[0] == pages[1]
