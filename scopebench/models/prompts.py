"""Prompt templates by model family; part of what makes two numbers comparable.

Templates hold `{question}` and `{evidence}`; whatever changes in one changes `fingerprint()`, and a
test ties the fingerprint to the family's version. The people, places and works of the worked
examples with evidence are invented; the examples without evidence ask for facts that small models
know about subjects no source data set asks about.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from scopebench.records import Form


@dataclass(frozen=True)
class Prompts:
    """The templates of one family, as `protocols.PromptSet` promises them.

    Attributes:
        family: Name of the family.
        version: Raised with every change of a template.
        abstain_question: Asks the unedited model a question.
        abstain_cloze: Has it complete a sentence.
        reason_question: Asks a question about evidence.
        reason_cloze: Has a sentence completed from evidence.
    """

    family: str
    version: int
    abstain_question: str
    abstain_cloze: str
    reason_question: str
    reason_cloze: str

    def abstain(self, question: str, form: Form) -> str:
        """Return the prompt that asks the unedited model."""
        template = self.abstain_question if form == "question" else self.abstain_cloze
        return template.format(question=question.strip())

    def reason(self, question: str, form: Form, evidence: str) -> str:
        """Return the prompt that asks the model to answer from evidence.

        Line breaks in the evidence become spaces, since a line break ends it.
        """
        template = self.reason_question if form == "question" else self.reason_cloze
        return template.format(question=question.strip(), evidence=" ".join(evidence.split()))

    def fingerprint(self) -> str:
        """Return the SHA-256 over family, version and all template texts."""
        return hashlib.sha256(json.dumps(astuple(self)).encode("ascii")).hexdigest()


_ASKED: Final = (
    ("Which sport did Emil Zátopek compete in?", "athletics"),
    ("Which country was the poet Wisława Szymborska a citizen of?", "Poland"),
    ("In which language did Dino Buzzati write his novels?", "Italian"),
    ("Who painted The Bride of the Wind?", "Oskar Kokoschka"),
)

_COMPLETED: Final = (
    ("Emil Zátopek competed in the sport of", "athletics"),
    ("The poet Wisława Szymborska was a citizen of", "Poland"),
    ("The novels of Dino Buzzati were written in", "Italian"),
    ("The Bride of the Wind was painted by", "Oskar Kokoschka"),
)

_EVIDENCE: Final = (
    "Marta Olenko is employed by the Brightwater Observatory.",
    "The Salt Orchard is a novel that was first printed in Veltham in 1931 and soon found readers "
    "abroad. Its author, Idris Halloway, had worked as a ferryman before turning to fiction, and "
    "he wrote the book in Welsh during a single winter. Critics admired its quiet humour, and a "
    "stage version followed ten years later.",
)

_ASKED_OF_EVIDENCE: Final = (
    ("Who employs Marta Olenko?", "Brightwater Observatory"),
    ("In which language was The Salt Orchard written?", "Welsh"),
)

_COMPLETED_FROM_EVIDENCE: Final = (
    ("Marta Olenko is employed by the", "Brightwater Observatory"),
    ("The Salt Orchard was written in", "Welsh"),
)

_FEW_SHOT: Final = {
    "abstain_question": "".join(f"Q: {asked}\nA: {answer}\n\n" for asked, answer in _ASKED)
    + "Q: {question}\nA:",
    "abstain_cloze": "".join(f"{opening} {end}.\n\n" for opening, end in _COMPLETED) + "{question}",
    "reason_question": "".join(
        f"Context: {evidence}\nQ: {asked}\nA: {answer}\n\n"
        for evidence, (asked, answer) in zip(_EVIDENCE, _ASKED_OF_EVIDENCE, strict=True)
    )
    + "Context: {evidence}\nQ: {question}\nA:",
    "reason_cloze": "".join(
        f"Context: {evidence}\nSo: {opening} {end}.\n\n"
        for evidence, (opening, end) in zip(_EVIDENCE, _COMPLETED_FROM_EVIDENCE, strict=True)
    )
    + "Context: {evidence}\nSo: {question}",
}

PROMPT_SETS: Final = {
    family: Prompts(family, version, **_FEW_SHOT)
    for family, version in (("generic", 1), ("smollm2", 1), ("gemma3", 1))
}
"""Every family's templates, by name."""


def prompt_set_for(model_type: str, chat_template: str | None) -> Prompts:
    """Return the prompt templates for a model.

    Args:
        model_type: `model_type` of the model's `config.json`.
        chat_template: The tokenizer's chat template, if any.
    """
    if chat_template is not None and "named SmolLM" in chat_template:
        return PROMPT_SETS["smollm2"]
    if model_type.startswith("gemma3"):
        return PROMPT_SETS["gemma3"]
    return PROMPT_SETS["generic"]
