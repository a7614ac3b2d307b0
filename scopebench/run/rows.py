"""The rows of the two tables, from what the benchmark holds and what the editor did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scopebench.records import ACTIONS, Action, Answer, Decision, Edit, Outcome, Query
from scopebench.run.plan import Block
from scopebench.run.surface import Surface
from scopebench.scoring.match import judge
from scopebench.scoring.tables import DECISIONS_SCHEMA

_OF_QUERY = frozenset(DECISIONS_SCHEMA.names).intersection(Query.model_fields)


def decision_rows(
    block: Block, decisions: Sequence[Decision], index: Mapping[str, Edit], surface: Surface
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a block's decisions.

    Args:
        block: The queries, unblinded.
        decisions: Their decisions in the same order, under the queries' own ids.
        index: The edits of the block's index by id.
        surface: The same edits as their surface.
    """
    for query, decision in zip(block.queries, decisions, strict=True):
        card = None if decision.edit_id is None else index[decision.edit_id]
        yield {
            **query.model_dump(include=set(_OF_QUERY)),
            **decision.model_dump(),
            **derived_columns(query, card, surface),
            "condition": block.condition,
        }


def derived_columns(query: Query, card: Edit | None, surface: Surface) -> dict[str, Any]:
    """Return the columns of a decision that are computed and not copied.

    Args:
        query: The query, unblinded.
        card: The edit that the decision names; None: it names none.
        surface: The index, from which the query's hidden edits are left out here.
    """
    hidden = frozenset(query.hidden_edit_ids)
    return {
        "subject_match": surface.subject_match(query.question, hidden),
        "template_match": surface.template_match(query.question, hidden),
        "card_question": None if card is None else card.asked,
        "card_answer": None if card is None else card.target_new.text,
    }


def outcome_rows(
    block: Block, answers: Mapping[Action, Sequence[Sequence[Answer]]], draws: int
) -> Iterator[dict[str, Any]]:
    """Yield a row for every query, action and draw of a block, judged.

    Args:
        block: The queries, unblinded.
        answers: For each legal action, the answers of each draw, in the queries' order.
        draws: How many draws there are.
    """
    for position, query in enumerate(block.queries):
        for action in ACTIONS:
            for draw in range(draws):
                answer = answers[action][draw][position] if action in answers else None
                text = None if answer is None else answer.text
                judged = judge(text, query.answers, question=query.question)
                yield Outcome(
                    query_id=query.query_id,
                    condition=block.condition,
                    action=action,
                    draw=draw,
                    legal=answer is not None,
                    text=text,
                    correct=judged.correct,
                    correct_paper=judged.correct_paper,
                    refused=judged.refused,
                    edit_id=None if answer is None else answer.edit_id,
                ).model_dump()
