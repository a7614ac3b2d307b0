"""What is a refusal and what is not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.scoring.refusals import assertions, is_refusal

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
    "I'm not sure. It might be Oslo.",
    "I don't know. Is it Oslo?",
    "I'm not certain. Perhaps Oslo.",
    "I don't know. You could ask the harbour office.",
    "As an AI language model, I have no current data. Please see the harbour's page.",
    "I do not have access to that. However, I can help with other questions.",
    "I am sorry. I do not know.",
]

ABROAD = {
    "French": [
        "Je ne sais pas.",
        "Je ne sais pas, peut-être Oslo",
        "Désolé, je ne connais pas la réponse.",
        "Je n'ai aucune information à ce sujet.",
        "Je n’ai pas la réponse.",
        "Aucune idée.",
        "Désolé. Je ne sais pas.",
        "Je ne suis pas sûr.",
        "Inconnu.",
    ],
    "German": [
        "Ich weiß es nicht.",
        "Ich weiss es leider nicht.",
        "Ich weiß es nicht. Oslo?",
        "Das weiß ich nicht.",
        "Es tut mir leid, ich kann das nicht beantworten.",
        "Keine Ahnung.",
        "Keine Ahnung, wer das war",
        "Ich bin mir nicht sicher.",
        "Ich habe dazu keine Angaben.",
    ],
    "Spanish": [
        "No lo sé.",
        "No sé.",
        "no lo se",
        "Lo siento, no tengo esa información.",
        "No conozco la respuesta.",
        "Ni idea.",
        "Desconocido.",
        "No lo sé, quizás Oslo",
    ],
    "Italian": [
        "Non lo so.",
        "Non so.",
        "Mi dispiace, non posso rispondere.",
        "Non ho informazioni.",
        "Non lo so. Forse Oslo",
    ],
    "Portuguese": [
        "Não sei.",
        "Eu não sei.",
        "Desculpe, não tenho essa informação.",
        "Não posso responder.",
        "Não sei, talvez Oslo",
    ],
    "Dutch": [
        "Ik weet het niet.",
        "Dat weet ik niet.",
        "Sorry, ik weet het niet.",
        "Ik weet het niet, misschien Oslo",
    ],
    "Russian": [
        "Я не знаю.",
        "Не знаю.",
        "К сожалению, я не могу ответить.",
        "Извините, я не уверен.",
        "Я не знаю, возможно Осло",
    ],
    "Chinese": [
        "我不知道。",
        "不知道",
        "抱歉，我不清楚。",
        "我无法回答。",
        "我不知道。可能是奥斯陆",
    ],
    "Japanese": [
        "分かりません。",
        "わかりません",
        "すみません、知りません。",
        "分かりません。おそらくオスロ",
    ],
    "Korean": ["모르겠습니다.", "죄송합니다. 모르겠어요.", "알 수 없습니다."],
}
"""Refusals in the other languages that are known."""

ANSWERS_ABROAD = {
    "French": [
        "Oslo, que je ne connais pas",
        "Chanson : Je ne sais pas",
        "L'Inconnu du lac",
        "Je sais : Oslo.",
        "Je pense que c'est Oslo.",
        "Sais-tu ? Oslo",
        "Je ne suis pas un héros",
    ],
    "German": [
        "Ich weiß es: Oslo.",
        "Ich kann Oslo nennen.",
        "Ich habe eine Antwort: Oslo.",
        "Der Hafen ist nicht bekannt für Fische.",
        "Das weiße Haus",
        "Keine Ahnung haben die Möwen, der Hafen ist Oslo.",
        "Weißensee",
        "Ich bin nicht Hamlet",
    ],
    "Spanish": [
        "Sé que es Oslo.",
        "No es Bergen, es Oslo.",
        "No se llama Bergen sino Oslo.",
        "Noruega",
        "El Desconocido de Oslo",
        "Nosotros",
        "Ni idea ni plan es una obra de Oslo",
    ],
    "Italian": [
        "So che è Oslo.",
        "Non è Bergen, è Oslo.",
        "Non solo Oslo",
        "Nonostante tutto, Oslo",
    ],
    "Portuguese": ["Sei que é Oslo.", "Não é Bergen, é Oslo.", "Não só Oslo"],
    "Dutch": ["Ik weet het: Oslo.", "Het is niet Bergen maar Oslo.", "Weet u het niet? Oslo."],
    "Russian": ["Я знаю: Осло.", "Не Берген, а Осло.", "Незнайка"],
    "Chinese": ["我知道，是奥斯陆。", "不是卑尔根，是奥斯陆。", "他不知道答案，但答案是奥斯陆"],
    "Japanese": ["オスロです。", "ベルゲンではなくオスロです。"],
    "Korean": ["오슬로입니다.", "베르겐이 아니라 오슬로입니다."],
}
"""Answers that only hold such words, or words like them."""

# What opens like a refusal and what it goes on to assert.
PREFACES = [
    (
        "As an AI language model I have no current data. However, the owner is Orsk Ltd.",
        "However, the owner is Orsk Ltd.",
    ),
    ("I'm not sure, but I think it is Oslo.", "I think it is Oslo."),
    ("I cannot be sure; it was Oslo", "it was Oslo"),
    ("I don't know for sure. It is Oslo. Please check.", "It is Oslo."),
    ("I don't know. It might be Bergen. The port is Oslo.", "The port is Oslo."),
    ("I'm sorry. I have no data on that. The port is Oslo.", "The port is Oslo."),
    ("Je ne sais pas, mais c'est Oslo.", "c'est Oslo."),
    ("Ich weiß es nicht, aber es ist Oslo.", "es ist Oslo."),
    ("No lo sé, pero es Oslo.", "es Oslo."),
    ("Non lo so, ma è Oslo. Oslo è il porto.", "Oslo è il porto."),
    ("Não sei, mas é Oslo. O porto é Oslo.", "O porto é Oslo."),
    ("Ik weet het niet, maar het is Oslo.", "het is Oslo."),
    ("Я не знаю, но это Осло.", "это Осло."),
    ("我不知道，但是答案是奥斯陆。", "答案是奥斯陆。"),
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


@pytest.mark.parametrize(
    ("language", "text"), [(name, text) for name, texts in ABROAD.items() for text in texts]
)
def test_refusals_in_other_languages(language: str, text: str) -> None:
    assert is_refusal(text), language
    assert is_refusal(f"  {text}\n") and is_refusal(f'"{text}"')


@pytest.mark.parametrize(
    ("language", "text"),
    [(name, text) for name, texts in ANSWERS_ABROAD.items() for text in texts],
)
def test_answers_in_other_languages(language: str, text: str) -> None:
    assert not is_refusal(text), language


def test_every_language_has_its_mirror_image() -> None:
    assert set(ABROAD) == set(ANSWERS_ABROAD)


@pytest.mark.parametrize(("text", "asserted"), PREFACES)
def test_a_preface_is_no_refusal(text: str, asserted: str) -> None:
    assert assertions(text) == asserted
    assert not is_refusal(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_that_opens_with_no_refusal_is_left_as_it_is(text: str) -> None:
    opens = text.startswith(("I'm not sure", "I am not certain", "I don't know", "I cannot be"))
    assert (assertions(text) is None) is not opens


@given(st.sampled_from(REFUSALS), st.sampled_from(["The port is Oslo.", "Oslo is the port."]))
def test_what_follows_a_refusal_is_kept(refusal: str, said: str) -> None:
    stop = "" if refusal.rstrip().endswith((".", "!", "?")) else "."
    assert assertions(f"{refusal}{stop} {said}") == said


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
