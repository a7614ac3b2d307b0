"""The three actions, executed for every built-in editor by the same code.

Which card an action uses is the decision's `edit_id`, the nearest visible card whether or not the
gate fired, so that every action can be executed for every query (paper section 6.2) and the routed
answer is a selection among the executed ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from scopebench.errors import EditorError
from scopebench.protocols import GenerationRequest, LanguageModel
from scopebench.records import Action, Answer, Condition, Decision, Edit, Query
from scopebench_editors.cards import Card, CardMemory


def is_legal(action: Action, condition: Condition) -> bool:
    """Return whether the action exists under the condition.

    `recite` needs a card that holds an answer, which only a structured edit gives (paper section
    6.2: "recite directly where legal, otherwise reason").
    """
    return action != "recite" or condition == "structured"


def evidence(edit: Edit, condition: Condition) -> str:
    """Return an edit as the text that `reason` reads.

    Structured: the new fact as a sentence. Unstructured: the paragraph. Extracted: the triples as
    sentences, in their order.

    Raises:
        EditorError: If the edit does not hold the condition.
    """
    if condition == "structured":
        return edit.statement
    if condition == "unstructured" and edit.evidence_unstructured is not None:
        return edit.evidence_unstructured
    if condition == "extracted" and edit.evidence_triples is not None:
        return " ".join(
            f"{triple.prompt.replace('{}', triple.subject)} {triple.target}."
            for triple in edit.evidence_triples
        )
    raise EditorError(f"edit {edit.edit_id!r} cannot be presented as {condition}: no evidence")


def execute(
    model: LanguageModel,
    memory: CardMemory,
    queries: Sequence[Query],
    action: Action,
    decisions: Sequence[Decision],
    *,
    condition: Condition,
) -> list[Answer]:
    """Execute one action on each query with the card its decision names.

    A decision without a card (an empty index) has nothing to recite or to reason from; the answer
    is then empty, and no generation is made.

    Args:
        model: The frozen language model.
        memory: The stored cards.
        queries: The queries.
        action: The action.
        decisions: One per query, in the same order.
        condition: How edits are presented.

    Returns:
        One answer per query; `edit_id` is None for `abstain`.

    Raises:
        EditorError: If the action is not legal under the condition, the decisions are not those of
            the queries, or a named card is not stored.
    """
    if not is_legal(action, condition):
        raise EditorError(f"{action} is not legal in the {condition} condition: no stored answer")
    asked = [query.query_id for query in queries]
    decided = [decision.query_id for decision in decisions]
    if asked != decided:
        raise EditorError(
            f"the decisions are not those of the {len(asked)} queries, in their order"
        )
    if action == "abstain":
        requests = [_abstain(model, query) for query in queries]
        return [Answer(text=text) for text in model.generate(requests)]
    cards = [None if d.edit_id is None else memory[d.edit_id] for d in decisions]
    pairs = [(query, card) for query, card in zip(queries, cards, strict=True) if card is not None]
    if action == "recite":
        requests = [_recite(model, query, card) for query, card in pairs]
    else:
        requests = [_reason(model, query, card, condition) for query, card in pairs]
    texts = iter(model.generate(requests) if requests else [])
    return [
        Answer(text="") if card is None else Answer(text=next(texts), edit_id=card.edit.edit_id)
        for card in cards
    ]


def _abstain(model: LanguageModel, query: Query) -> GenerationRequest:
    return GenerationRequest(
        prompt=model.prompts.abstain(query.question, query.form),
        max_new_tokens=model.max_new_tokens,
    )


def _reason(
    model: LanguageModel, query: Query, card: Card, condition: Condition
) -> GenerationRequest:
    return GenerationRequest(
        prompt=model.prompts.reason(query.question, query.form, evidence(card.edit, condition)),
        max_new_tokens=model.max_new_tokens,
    )


def _recite(model: LanguageModel, query: Query, card: Card) -> GenerationRequest:
    """Return the playback of the stored answer after the prompt of the unedited model."""
    return GenerationRequest(
        prompt=model.prompts.abstain(query.question, query.form),
        max_new_tokens=len(card.answer_tokens),
        playback=card.answer_tokens,
    )
