"""The two matchers: worked cases, properties, and what they do on real questions."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scopebench.scoring.match import MATCHER_VERSIONS, Match, Verdict, judge, match
from scopebench.scoring.normalise import fold_paper, fold_words
from scopebench.scoring.refusals import is_refusal
from scopebench.scoring.strict import DEFAULT_RULES
from scopebench.scoring.strict.earn import singular

QUESTION = "Which harbour does the ferry Aurora leave from?"

GIVING = (
    "numbers dates spelling marks function_words plurals phrases titles middle_names appositions "
    "conjunctions"
)
WITHHOLDING = replace(DEFAULT_RULES, **dict.fromkeys(GIVING.split(), False))
"""The rules that withhold credit, without those that give it."""


def strict(text: str, *answers: str, question: str = QUESTION) -> bool:
    return match(text, answers, question=question, matcher="strict").correct


def paper(text: str, *answers: str, question: str = QUESTION) -> bool:
    return match(text, answers, question=question, matcher="paper").correct


def test_the_versions_are_part_of_the_protocol() -> None:
    assert MATCHER_VERSIONS == {"strict": "strict/2", "paper": "paper/1"}


# Each line: answer, accepted answers, strict, paper.
CASES = [
    # plain
    ("Bergen", ["Bergen"], True, True),
    ("It leaves from bergen.", ["Bergen"], True, True),
    ("Oslo", ["Bergen"], False, False),
    ("It is called Oslo", ["Kristiania", "Oslo"], True, True),
    ("Bergen", [], False, False),
    # an answer must hold the gold, not the reverse
    ("Berg", ["Bergen"], False, False),
    # word bounds
    ("Bergenhus", ["Bergen"], False, True),
    ("a Romanesque church", ["Roman"], False, True),
    ("It leaves from Bergen's quay", ["Bergen"], True, True),
    # an answer that is a longer noun is something else
    ("Bergen's quay", ["Bergen"], False, True),
    ("the pre-Roman age", ["Roman"], False, True),
    ("Ferrybrand boats", ["Ferrybrand"], False, True),
    ("Disney+", ["Disney"], False, True),
    ("written in C++", ["C"], False, True),
    ("written in C++.", ["C++"], True, True),
    ("written in C", ["C++"], False, False),
    ("#Bergen", ["Bergen"], True, True),
    # diacritics, punctuation, quotation marks, dashes, white space
    ("Malmo", ["Malmö"], True, True),
    ("MALMÖ", ["malmo"], True, True),
    ("Łódź", ["Łodz"], True, True),
    ("Jean–Luc", ["Jean-Luc"], True, False),
    ("the “Old” Quay", ['the "Old" Quay'], True, False),
    ("O’Hara", ["O'Hara"], True, False),
    ("J.R.R. Ferry", ["J. R. R. Ferry"], True, False),
    ("Port \n of  Ber\u00adgen", ["Port of Bergen"], True, False),
    ("They run Ferrybrand™ boats", ["Ferrybrand"], True, True),
    ("**Bergen**", ["Bergen"], True, True),
    ("ＢＥＲＧＥＮ", ["Bergen"], True, True),
    # numbers and dates by value
    ("1,000 boats", ["1000"], True, False),
    ("1,000", ["1"], False, True),
    ("4 July 1776", ["July 4, 1776"], True, False),
    ("July 4, 1776", ["1776"], True, True),
    ("1776", ["July 4, 1776"], False, False),
    # denied, no longer so, one of several
    ("not Bergen", ["Bergen"], False, True),
    ("It used to be Bergen, now it is Oslo", ["Bergen"], False, True),
    ("Bergen or Oslo", ["Bergen"], False, True),
    ("Bergen or Oslo", ["Bergen", "Oslo"], True, True),
    # short golds keep their case and are word-bounded
    ("in the US today", ["US"], True, True),
    ("let us go", ["US"], False, True),
    ("Brussels", ["US"], False, True),
    ("in the u.s. today", ["U.S."], False, True),
    ("in the U.S. today", ["U.S."], True, True),
    ("in the US today", ["U.S."], True, False),
    ("pier 12", ["12"], True, True),
    ("pier 124", ["12"], False, True),
    ("let usa go", ["USA"], False, True),
    ("let it, NO!", ["NO"], True, True),
    # short golds spelt like ordinary words must be the whole answer
    ("it is Bergen", ["is"], False, True),
    ("is", ["is"], True, True),
    ("Is.", ["is"], True, True),
    ("It is Bergen", ["It"], False, True),
    ("I think Bergen", ["I"], False, True),
    ("I", ["I"], True, True),
    # golds of punctuation only, or of nothing
    ("!!!", ["!!!"], True, True),
    ("Bergen!!!", ["!!!"], False, True),
    ("Bergen", ["", " ", "\u0301"], False, False),
    # empty answers
    ("", ["Bergen", ""], False, False),
    ("  ", ["Bergen", " "], False, False),
    # scripts without spaces between words, and Korean particles
    ("船は東京から出ます", ["東京"], True, True),
    ("東京", ["京都"], False, False),
    ("NASAです", ["NASA"], True, True),
    ("เรือออกจากกรุงเทพทุกวัน", ["กรุงเทพ"], True, True),
    ("서울에서 출발합니다", ["서울"], True, True),
    ("각", ["가"], False, True),
    ("カス", ["ガス"], False, True),
    # other scripts keep their word bounds
    ("в Москве", ["Москва"], False, False),
    ("МОСКВА", ["Москва"], True, True),
    ("दिल्ली से", ["दिल्ली"], True, True),
    # flags and pictographs
    ("🇳🇴", ["🇳🇴"], True, True),
    ("Bergen 🇳🇴", ["🇳🇴"], True, True),
    ("⚾️ club", ["⚾"], True, True),
]


@pytest.mark.parametrize(("text", "answers", "strictly", "on_paper"), CASES)
def test_worked_cases(text: str, answers: list[str], strictly: bool, on_paper: bool) -> None:
    assert (strict(text, *answers), paper(text, *answers)) == (strictly, on_paper)


CAPITAL = "What is the capital of Luxembourg?"

# Each line: question, answer, gold, strict.
ECHOES = [
    (CAPITAL, CAPITAL, "Luxembourg", False),
    (CAPITAL, "Q: What is the capital of Luxembourg? A:", "Luxembourg", False),
    (CAPITAL, "what is the CAPITAL of Luxembourg", "Luxembourg", False),
    (CAPITAL, "The capital of Luxembourg", "Luxembourg", False),
    (CAPITAL, "The capital of Luxembourg is", "Luxembourg", False),
    (CAPITAL, "Luxembourg", "Luxembourg", True),
    (CAPITAL, "It is Luxembourg.", "Luxembourg", True),
    (CAPITAL, "Luxembourg is the capital of Luxembourg.", "Luxembourg", True),
    (CAPITAL, "The capital of Luxembourg is Luxembourg.", "Luxembourg", True),
    (CAPITAL, "The capital of Luxembourg is Luxembourg City.", "Luxembourg", False),
    (CAPITAL, f"{CAPITAL} Luxembourg", "Luxembourg", True),
    (CAPITAL, "The capital of Luxembourg is Esch.", "Esch", True),
    # an answer that is, as a whole, a piece of the question
    ("In which land is the University of Mexico?", "University of Mexico", "Mexico", False),
    ("In which land is the University of Mexico?", "in Mexico", "Mexico", True),
    # six words in a row are an echo of the longest question, five are not
    (
        "Of which club is the keeper of the old light on the Isle of Sark in the far west a fan?",
        "Certainly the old light on the Isle of Sark",
        "Sark",
        False,
    ),
    (
        "Of which club is the keeper of the old light on the Isle of Sark in the far west a fan?",
        "Certainly on the Isle of Sark",
        "Sark",
        True,
    ),
    # a run no longer than the gold is the gold, however large a part of the question it is
    ("Who wrote The Ferry to the Isle?", "He wrote The Ferry to the Isle", "Isle", False),
    (
        "Who wrote The Ferry to the Isle?",
        "That: The Ferry to the Isle",
        "The Ferry to the Isle",
        True,
    ),
    # a cloze
    ("The mother tongue of Ana French is", "The mother tongue of Ana French is", "French", False),
    ("The mother tongue of Ana French is", "French", "French", True),
    ("The mother tongue of Ana French is", "of Ana French is French", "French", True),
    # a short gold in the question
    ("Is the US the home of the Aurora?", "Is the US the home", "US", False),
    ("Is the US the home of the Aurora?", "the US", "US", True),
]


@pytest.mark.parametrize(("question", "text", "gold", "strictly"), ECHOES)
def test_an_echo_of_the_question_earns_nothing(
    question: str, text: str, gold: str, strictly: bool
) -> None:
    assert strict(text, gold, question=question) is strictly
    assert paper(text, gold, question=question) is True


def test_a_refusal_is_never_right_under_strict() -> None:
    refusal = "I'm not sure, the context does not mention Bergen."
    assert match(refusal, ["Bergen"], question=QUESTION, matcher="strict") == Match(False, True)
    assert match(refusal, ["Bergen"], question=QUESTION, matcher="paper") == Match(True, True)


def test_a_refusal_after_the_echoed_question_is_a_refusal() -> None:
    found = match(f"{QUESTION} I don't know.", ["Bergen"], question=QUESTION, matcher="strict")
    assert found == Match(False, True)


def test_an_accepted_answer_that_reads_as_a_refusal_is_an_answer() -> None:
    for text in ("Unknown", "unknown (2011 film)", "Unknown.", "The film is Unknown"):
        found = match(text, ["Unknown"], question="Which film is it?", matcher="strict")
        assert found == Match(True, False)
    assert match("Unknown", ["No"], question=QUESTION, matcher="strict") == Match(False, True)


def test_judge_gives_both_matchers_and_null_where_there_is_nothing_to_say() -> None:
    assert judge("Bergenhus", ["Bergen"], question=QUESTION) == Verdict(False, True, False)
    assert judge("I don't know.", ["no"], question=QUESTION) == Verdict(False, True, True)
    assert judge("I don't know.", None, question=QUESTION) == Verdict(None, None, True)
    assert judge("Bergen", None, question=QUESTION) == Verdict(None, None, False)
    assert judge(None, ["Bergen"], question=QUESTION) == Verdict(None, None, None)


# Names as they occur: letters of several scripts, digits, punctuation and marks.
names = st.text(
    st.characters(
        categories=("Ll", "Lu", "Lo", "Mn", "Nd", "Pd", "Po", "Zs", "So", "Sm"),
        max_codepoint=0x30FF,
    ),
    min_size=1,
    max_size=20,
)
plain = st.from_regex(r"[A-Za-z0-9]{4,9}( [A-Za-z0-9]{1,9}){0,3}", fullmatch=True)
small = st.from_regex(r"[a-z]{4,9}", fullmatch=True)
latin = st.text(st.sampled_from("aàbcçdeéèêfghiíjklmnñoöøpqrsštuüvwxyzž "), min_size=4).filter(
    lambda text: len(fold_words(text).cased) > 3
)
refusals = st.sampled_from(
    [
        "I don't know",
        "I'm not sure about {}",
        "I cannot answer this question about {}.",
        "The context does not mention {}.",
        "There is no information about {}",
        "As an AI language model, I cannot tell whether it is {}.",
        "Unknown",
        "Sorry, but I do not know if {} is right.",
    ]
)


@given(gold=names, others=st.lists(names, max_size=3))
def test_the_gold_itself_is_right_under_both(gold: str, others: list[str]) -> None:
    assume(fold_paper(gold).strip() != "")
    assert strict(gold, *others, gold)
    assert paper(gold, *others, gold)


@given(gold=names)
def test_the_gold_is_right_even_when_the_question_holds_it(gold: str) -> None:
    assume(fold_paper(gold).strip() != "")
    assert strict(gold, gold, question=f"Where is {gold} in the {gold} of Bergen?")


@given(text=names, golds=st.lists(names, max_size=3), empty=st.sampled_from(["", " ", "\n\u00a0"]))
def test_no_gold_and_no_answer_are_never_right(text: str, golds: list[str], empty: str) -> None:
    assert not strict(text) and not paper(text)
    assert not strict(text, empty) and not paper(text, empty)
    assert not strict(empty, *golds) and not paper(empty, *golds)


@given(text=latin, gold=latin)
def test_diacritics_and_space_around_do_not_matter(text: str, gold: str) -> None:
    for answer in (text, gold, f"{text} {gold} {text}"):
        bare = "".join(
            c for c in unicodedata.normalize("NFKD", answer) if not unicodedata.combining(c)
        )
        for matcher in ("strict", "paper"):
            expected = match(answer, [gold], question=QUESTION, matcher=matcher)
            for variant in (bare, f" {answer}\n"):
                assert match(variant, [gold], question=QUESTION, matcher=matcher) == expected


@given(gold=latin)
def test_the_case_of_an_answer_that_is_a_long_gold_does_not_matter(gold: str) -> None:
    for variant in (gold.upper(), gold.title(), f"{gold}.", f'"{gold}"'):
        assert strict(variant, gold) and strict(gold, variant)


@given(text=latin, gold=latin)
def test_on_paper_case_does_not_matter(text: str, gold: str) -> None:
    for variant in (text.upper(), text.title()):
        assert paper(variant, gold) == paper(text, gold) == paper(text, gold.upper())


@given(refusal=refusals, gold=names, wrap=st.sampled_from(["{}", "{}!", "Answer: {}", '"{}"']))
def test_no_refusal_is_right_whatever_the_gold(refusal: str, gold: str, wrap: str) -> None:
    assume(not is_refusal(gold))
    text = wrap.format(refusal.format("Bergen"))
    assert match(text, [gold, "Bergen"], question=QUESTION, matcher="strict") == Match(False, True)


@given(text=plain, gold=plain, question=plain)
def test_without_the_rules_that_give_strictly_right_is_right_on_paper(
    text: str, gold: str, question: str
) -> None:
    for answer in (text, gold, f"{text} {gold}", f"{text}, {gold}. {text}"):
        found = match(answer, [gold], question=question, matcher="strict", rules=WITHHOLDING)
        assert not found.correct or paper(answer, gold, question=question)


@given(before=small, gold=small, after=small)
def test_a_gold_in_a_sentence_is_right_and_inside_a_word_is_not(
    before: str, gold: str, after: str
) -> None:
    assert strict(f"it is {gold}, which they saw {before} {after}", gold)
    assume(singular(f"{before}{gold}{after}") != singular(gold))
    assert not strict(f"{before}{gold}{after}", gold)
    assert paper(f"{before}{gold}{after}", gold)


@given(text=names)
def test_folding_is_stable(text: str) -> None:
    assert fold_words(fold_words(text).cased) == fold_words(text)
    cased, folded = fold_words(text)
    assert len(cased.split(" ")) == len(folded.split(" "))


# The field survey (section 2.3) does not give its six refusals; these are our own.
REFUSALS = (
    "I don't know.",
    "I'm not sure about that.",
    "I cannot answer this question.",
    "The context does not mention it.",
    "There is not enough information.",
    "As an AI model, I am unable to say.",
)


@pytest.fixture(scope="module")
def single_hops(real_data: Path) -> dict[str, tuple[str, ...]]:
    """Each distinct single-hop question with every answer and alias it has, before or after."""
    golds: dict[str, dict[str, None]] = {}
    for record in json.loads((real_data / "akew" / "MQuAKE-CF.json").read_text(encoding="utf-8")):
        for hop in record["single_hops"] + record["new_single_hops"]:
            answers = dict.fromkeys((hop["answer"], *hop["answer_alias"]))
            golds.setdefault(hop["question"], {}).update(answers)
    return {question: tuple(answers) for question, answers in golds.items()}


@pytest.mark.real
def test_refusals_are_credited_on_paper_and_not_strictly(
    single_hops: dict[str, tuple[str, ...]],
) -> None:
    """The survey counts 73 of 721 (10.1%) with six refusals it does not name; ours: 71 (9.8%)."""
    assert len(single_hops) == 721
    credited = {"strict": 0, "paper": 0}
    for question, answers in single_hops.items():
        for matcher in MATCHER_VERSIONS:
            found = [match(t, answers, question=question, matcher=matcher) for t in REFUSALS]
            assert all(one.refused for one in found)
            credited[matcher] += any(one.correct for one in found)
    assert credited == {"strict": 0, "paper": 71}


@pytest.mark.real
def test_the_echoed_question_is_credited_on_paper_and_not_strictly(
    single_hops: dict[str, tuple[str, ...]],
) -> None:
    """The survey counts 63 of 721 with one gold set a question; with old and new together, 68."""
    credited = {
        matcher: sum(
            match(question, answers, question=question, matcher=matcher).correct
            for question, answers in single_hops.items()
        )
        for matcher in MATCHER_VERSIONS
    }
    assert credited == {"strict": 0, "paper": 68}


@pytest.mark.real
def test_ordinary_wrong_sentences_are_credited_on_paper_and_not_strictly(
    single_hops: dict[str, tuple[str, ...]],
) -> None:
    """Aliases such as "is", "no", "my" and "en" are words of any sentence."""
    sentence = "It is no longer in my own town."
    credited = {
        matcher: sum(
            match(sentence, answers, question=question, matcher=matcher).correct
            for question, answers in single_hops.items()
        )
        for matcher in MATCHER_VERSIONS
    }
    assert credited["strict"] == 0
    assert credited["paper"] >= 20


@pytest.mark.real
def test_every_real_gold_is_right_and_no_real_gold_is_a_refusal(
    single_hops: dict[str, tuple[str, ...]],
) -> None:
    for question, answers in single_hops.items():
        for gold in answers:
            for matcher in MATCHER_VERSIONS:
                found = match(gold, answers, question=question, matcher=matcher)
                assert found == Match(True, False), (gold, matcher)
            sentence = f"I believe that it is {answers[0]}, yes."
            assert match(sentence, answers, question=question, matcher="strict").correct
