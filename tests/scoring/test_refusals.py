"""What is a refusal and what is not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.scoring.refusals import is_refusal

REFUSALS = [
    "I don't know",
    "I don’t know.",
    "i dont know",
    "I do not know who founded the harbour.",
    "I really don't know.",
    "I'm not sure.",
    "I am not entirely sure who that is.",
    "I'm unsure.",
    "I am not aware of any such person.",
    "I'm not able to answer that.",
    "I'm unable to determine the answer.",
    "I have no idea",
    "I have no information about this person.",
    "I don't have enough information to answer.",
    "I cannot answer this question.",
    "I can't say for certain.",
    "I could not find it in the passage.",
    "I can not determine that from the text.",
    "We do not know.",
    "I would need more information.",
    "I lack the information to answer.",
    "I'm sorry, but I cannot help with that.",
    "Sorry, I don't know.",
    "I apologize, but I do not have access to that.",
    "Unfortunately, the context does not say.",
    "As an AI language model, I cannot have opinions.",
    "As an AI, I don't know.",
    "As an AI language model,",
    "I am an AI model and cannot know that.",
    "The context does not mention it.",
    "The given context doesn't provide any information about the ferry.",
    "The passage provided does not explicitly state who owns it.",
    "Text does not name the owner.",
    "Based on the context, I cannot determine the answer.",
    "Based on the provided information, it is not possible to determine the owner.",
    "According to the passage, the owner is unknown.",
    "Context does not specify.",
    "The information is not available in the passage.",
    "The owner of the ferry is not mentioned in the context.",
    "Aurora's owner is not stated in the given text.",
    "The name of the owner is unknown.",
    "The answer is not known.",
    "The answer is unclear.",
    "The context contains no information about this.",
    "The evidence is insufficient.",
    "There is no information about this.",
    "There is not enough information.",
    "There isn't enough context to answer.",
    "There's no mention of an owner.",
    "No information is given.",
    "No information available",
    "No relevant information.",
    "Not enough information.",
    "Insufficient context",
    "Not mentioned in the context.",
    "Not specified.",
    "Not provided in the passage",
    "Unknown",
    "unknown.",
    "(unknown)",
    '"Unknown"',
    "Answer: unknown",
    "A: I don't know",
    "It is unknown.",
    "It is not known who founded it.",
    "It's unclear from the context.",
    "It is impossible to say.",
    "This is not stated in the text.",
    "Unclear.",
    "Unanswerable",
    "N/A",
    "n/a.",
    "No answer",
    "No idea.",
    "Not sure",
    "Not sure who that is.",
    "Don't know",
    "Unsure.",
    "Cannot answer.",
    "Cannot be determined",
    "Unable to determine",
    "This question cannot be answered from the passage.",
    "The answer cannot be determined.",
    "It cannot be determined from the text.",
    "I'm sorry for the confusion, but I cannot find it.",
    "It seems that there is no information about it.",
    "I'm afraid I don't know.",
    "Please provide more context.",
    "Could you please clarify the question?",
    "I'm not sure, but it is not in the passage.",
]

ANSWERS = [
    "",
    "   ",
    "Bergen",
    "No",
    "None",
    "Yes, it is.",
    "Norway",
    "Unknown Pleasures",
    "Unknown Mortal Orchestra",
    "The Unknown Soldier",
    "The Tomb of the Unknown Soldier",
    "Unknown, Arizona",
    "Liam Neeson starred in Unknown.",
    "Uncertain, Texas is a small town",
    "I Am Not There",
    "I'm Not There",
    "It was sung by the band No Doubt.",
    "No Doubt",
    "Nowhere Man",
    "No Country for Old Men",
    "No Context Records",
    "Not Fade Away",
    "Information Society",
    "The Context Institute",
    "Passage du Nord",
    "The Text of Bath",
    "Question Mark and the Mysterians",
    '"I Don\'t Know" is a song by Ostrava',
    "He says: I don't know",
    "She wrote I Don't Know How to Wait",
    "The author of Cannot Answer is Ana Lind",
    "Ana Lind, whose birthplace is not mentioned in the context",
    "Sorry Ferries Ltd",
    "Sorry",
    "The harbour is not known for its fish but for its light.",
    "It is not known for fish.",
    "The ferry is not a ship.",
    "It is not Bergen, it is Oslo.",
    "It is clear that it is Oslo",
    "It is Oslo.",
    "The ferry does not leave on Sunday.",
    "There is no ferry on Sunday.",
    "There is no doubt that it is Oslo.",
    "The answer is Oslo.",
    "The ship was not found.",
    "It seems that it is Oslo.",
    "As an aid to shipping",
    "As an actor",
    "I think it is Oslo.",
    "I know it: Oslo.",
    "I'm sure it is Oslo.",
    "I'm sorry, it is Oslo.",
    "I'm not sure, but I think it is Oslo.",
    "I am not certain, but it is probably Oslo.",
    "I'm not sure. It might be Oslo.",
    "I don't know for sure, but my best guess is Oslo.",
    "I cannot be sure; it was Oslo",
    "Based on the context, it is Oslo.",
    "Unfortunately, it is Oslo.",
    "Texture",
    "Naples",
    "Unavailability",
    "Pleasant Bay",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_answers(text: str) -> None:
    assert not is_refusal(text)


@given(st.sampled_from(REFUSALS), st.sampled_from([str.upper, str.title, str.lower]))
def test_case_does_not_matter(text: str, change: object) -> None:
    assert callable(change)
    assert is_refusal(change(text))


@given(st.sampled_from(REFUSALS), st.sampled_from(["*{}*", "  {}  ", "{}\n", "Answer: {}"]))
def test_wrapping_does_not_matter(text: str, wrap: str) -> None:
    assert is_refusal(wrap.format(text))


@given(st.sampled_from(REFUSALS))
def test_a_refusal_told_of_someone_else_is_an_answer(text: str) -> None:
    assert not is_refusal(f"Ana Lind: {text}")


@pytest.mark.parametrize(
    "unit", ["the ", "i am so sorry, but ", "the given ", "not really ", "a: ", "is not ", '"(']
)
def test_long_texts_are_judged_at_once(unit: str) -> None:
    begun = time.perf_counter()
    assert not is_refusal(unit * 5000)
    assert time.perf_counter() - begun < 1
