"""An editor as one writes it in a file of one's own, without a declaration."""

from __future__ import annotations

from scopebench.errors import EditorError
from scopebench.protocols import GenerationRequest
from scopebench.records import Answer, Decision


class SubjectEditor:
    """Fires where the question names the subject of an edit."""

    version = "1.5"

    def __init__(self, context, floor=1):
        self.context = context
        self.params = {"floor": floor, **context.params}
        self.edits = {}

    def write(self, edits):
        self.edits.update((edit.edit_id, edit) for edit in edits)

    def delete(self, edit_ids):
        for edit_id in edit_ids:
            if edit_id not in self.edits:
                raise EditorError(f"no edit {edit_id!r} is stored")
            del self.edits[edit_id]

    def route(self, queries, *, condition, hidden):
        return [self._decide(*asked, condition) for asked in zip(queries, hidden, strict=True)]

    def _decide(self, query, masked, condition):
        visible = [self.edits[key] for key in sorted(self.edits.keys() - masked)]
        named = [edit for edit in visible if edit.subject in query.question]
        nearest = (named or visible or [None])[0]
        fires = "recite" if condition == "structured" else "reason"
        return Decision(
            query_id=query.query_id,
            action=fires if named else "abstain",
            edit_id=None if nearest is None else nearest.edit_id,
            scope_score=float(bool(named)),
        )

    def act(self, queries, action, decisions, *, condition):
        cards = [self.edits.get(decision.edit_id) for decision in decisions]
        if action == "recite":
            return [
                Answer(text="")
                if card is None
                else Answer(text=card.target_new.text, edit_id=card.edit_id)
                for card in cards
            ]
        model = self.context.model
        prompts = [
            model.prompts.abstain(query.question, query.form)
            if action == "abstain" or card is None
            else model.prompts.reason(query.question, query.form, card.target_new.text)
            for query, card in zip(queries, cards, strict=True)
        ]
        texts = model.generate([GenerationRequest(p, model.max_new_tokens) for p in prompts])
        return [
            Answer(text=text, edit_id=None if action == "abstain" or card is None else card.edit_id)
            for text, card in zip(texts, cards, strict=True)
        ]


class NoEditor:
    """Has nothing of an editor."""


NOT_A_CLASS = 3
