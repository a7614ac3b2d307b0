"""An editor without an encoder: a dictionary from questions to answers."""

from __future__ import annotations

from scopebench.errors import EditorError
from scopebench.protocols import GenerationRequest
from scopebench.records import Answer, Decision


class EchoEditor:
    """Recites an edit when its question is asked word for word, else abstains."""

    def __init__(self, context):
        self.model = context.model
        self.edits = {}

    @property
    def params(self):
        return {}

    def write(self, edits):
        self.edits.update((edit.edit_id, edit) for edit in edits)

    def delete(self, edit_ids):
        for edit_id in edit_ids:
            if edit_id not in self.edits:
                raise EditorError(f"no edit {edit_id!r} is stored")
            del self.edits[edit_id]

    def route(self, queries, *, condition, hidden):
        return [self._decide(query, masked) for query, masked in zip(queries, hidden, strict=True)]

    def _decide(self, query, masked):
        visible = sorted(self.edits.keys() - masked)
        for edit_id in visible:
            if self.edits[edit_id].asked == query.question:
                return Decision(
                    query_id=query.query_id, action="recite", edit_id=edit_id, scope_score=1.0
                )
        return Decision(
            query_id=query.query_id,
            action="abstain",
            edit_id=visible[0] if visible else None,
            scope_score=0.0,
        )

    def act(self, queries, action, decisions, *, condition):
        if action not in ("recite", "abstain"):
            raise EditorError(f"echo cannot {action}")
        if action == "recite":
            return [
                Answer(text="")
                if decision.edit_id is None
                else Answer(
                    text=self.edits[decision.edit_id].target_new.text, edit_id=decision.edit_id
                )
                for decision in decisions
            ]
        prompts = [self.model.prompts.abstain(query.question, query.form) for query in queries]
        requests = [GenerationRequest(prompt, self.model.max_new_tokens) for prompt in prompts]
        return [Answer(text=text) for text in self.model.generate(requests)]
