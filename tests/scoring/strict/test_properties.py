"""What holds for every name, number and date."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from scopebench.scoring.match import match
from scopebench.scoring.normalise import fold_paper, fold_words
from scopebench.scoring.refusals import is_refusal

RELAXED = settings(max_examples=60, deadline=None)
QUESTION = "Which harbour does the ferry Aurora leave from?"


def right(answer: str, *golds: str, question: str = QUESTION) -> bool:
    return match(answer, golds, question=question, matcher="strict").correct


# Anything a data file may hold, and names as they are written.
texts = st.text(max_size=24)
PARTS = ("Lind", "Vik", "Orsk", "Bergen", "Molde", "Åse", "Løten", "Marta", "Ipek", "Zoran", "Quy")
names = st.lists(st.sampled_from(PARTS), min_size=1, max_size=3, unique=True).map(" ".join)
places = st.sampled_from(("Bergen", "Molde", "Voss", "Narvik", "Tønder", "Ystad", "Ghent"))
dates = st.dates(date(1000, 1, 1), date(2199, 12, 31))
MONTHS = (
    "January February March April May June July August September October November December"
).split()


@RELAXED
@given(gold=texts, others=st.lists(texts, max_size=3), question=texts)
def test_the_gold_itself_is_right(gold: str, others: list[str], question: str) -> None:
    assume(fold_words(gold).cased != "" and "<" not in gold)
    assert right(gold, *others, gold, question=question)


@RELAXED
@given(answer=texts, golds=st.lists(texts, max_size=3), question=texts)
def test_nothing_is_right_without_golds_or_without_an_answer(
    answer: str, golds: list[str], question: str
) -> None:
    assert not right(answer, question=question)
    assert not right("", *golds, question=question)
    assert not right("  \n", *golds, question=question)


@RELAXED
@given(answer=texts, golds=st.lists(texts, max_size=3), question=texts)
def test_the_order_of_golds_does_not_matter(answer: str, golds: list[str], question: str) -> None:
    assert right(answer, *golds, question=question) == right(
        answer, *golds[::-1], question=question
    )


@RELAXED
@given(
    thought=st.text(st.characters(exclude_characters="<>"), max_size=30), gold=names, other=names
)
def test_thoughts_change_nothing(thought: str, gold: str, other: str) -> None:
    for answer in (gold, other, f"It is {gold}.", "I don't know.", f"not {gold}"):
        spoken = match(answer, [gold], question=QUESTION, matcher="strict")
        for block in (f"<think>{thought} {gold}</think>", f"<thinking>{gold}</thinking>\n"):
            thinking = match(block + answer, [gold], question=QUESTION, matcher="strict")
            assert thinking == spoken


@pytest.mark.parametrize(
    "denial",
    [
        "not {}",
        "It is not {}.",
        "It isn't {}",
        "It was never {}.",
        "{} is not the answer.",
        "{} did not do it.",
        "anyone but {}",
        "everything except {}",
        "somewhere other than {}",
    ],
)
@RELAXED
@given(gold=names)
def test_a_denied_gold_is_wrong(denial: str, gold: str) -> None:
    assert not right(denial.format(gold), gold)


@RELAXED
@given(gold=names, other=names)
def test_what_is_denied_beside_the_gold_costs_nothing(gold: str, other: str) -> None:
    assume(not set(gold.split()) & set(other.split()))
    assert right(f"It is {gold}, not {other}.", gold)
    assert right(f"not {other} but {gold}", gold)
    assert right(f"It is not {other}. It is {gold}.", gold)


@RELAXED
@given(gold=places, other=places, frame=st.sampled_from(["{}", "It is {}.", "either {}", "in {}"]))
def test_alternatives_are_wrong_unless_all_are_golds(gold: str, other: str, frame: str) -> None:
    assume(gold != other)
    for pair in (f"{gold} or {other}", f"{other} or {gold}"):
        answer = frame.format(pair)
        assert not right(answer, gold)
        assert right(answer, gold, other)


@RELAXED
@given(gold=places, others=st.lists(places, min_size=4, max_size=6, unique=True), at=st.integers(0))
def test_a_list_is_wrong_unless_half_of_it_is_gold(gold: str, others: list[str], at: int) -> None:
    assume(gold not in others)
    items = list(others)
    items.insert(at % (len(items) + 1), gold)
    assert not right(", ".join(items), gold)
    assert right(", ".join(items), *items)


@RELAXED
@given(gold=names, refusal=st.sampled_from(["I don't know.", "Ich weiß es nicht.", "我不知道。"]))
def test_a_guess_after_a_refusal_is_wrong_and_an_assertion_right(gold: str, refusal: str) -> None:
    assert not is_refusal(gold)
    assert not right(f"{refusal} {gold}?", gold)
    assert not right(f"{refusal} Maybe {gold}.", gold)
    assert right(f"{refusal} But it is {gold}.", gold)


WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def spelt(number: int) -> str:
    """Spell a number below a thousand millions."""
    if number < 20:
        return WORDS[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return TENS[tens - 2] + (f"-{WORDS[ones]}" if ones else "")
    for size, word in ((1_000_000, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            many, rest = divmod(number, size)
            joined = " and " if size == 100 else " "
            return f"{spelt(many)} {word}" + (f"{joined}{spelt(rest)}" if rest else "")
    raise AssertionError


@RELAXED
@given(number=st.integers(0, 999_999_999), other=st.integers(0, 999_999_999))
@example(number=1000, other=1)
@example(number=10_000, other=10)
@example(number=2_500_000, other=25)
def test_numbers_are_equal_by_value(number: int, other: int) -> None:
    spellings = [str(number), f"{number:,}", f"{number:,}".replace(",", " "), spelt(number)]
    if number % 100_000 == 0 and number >= 1_000_000:
        spellings.append(f"{number / 1_000_000} million")
    for one in spellings:
        for two in spellings:
            assert right(one, two), (one, two)
        assert right(f"It has {one} parts.", str(number))
        assert right(one, str(other)) is (number == other), (one, other)
        assert not right(f"-{number}", one) or number == 0


def spellings_of(day: date) -> list[str]:
    """Spell a date; where day and month cannot be told apart, not in figures with the year last."""
    month = MONTHS[day.month - 1]
    ordinal = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
    nth = f"{day.day}{ordinal.get(day.day, 'th')}"
    found = [
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month} {day.year}",
        f"{month} {nth}, {day.year}",
        f"the {nth} of {month} {day.year}",
        f"{month[:3]} {day.day}, {day.year}",
        f"{month[:3]}. {day.day}, {day.year}",
        day.isoformat(),
        f"{day.year}/{day.month}/{day.day}",
    ]
    if day.day > 12 or day.day == day.month:
        found += [f"{day.day}/{day.month}/{day.year}", f"{day.month}/{day.day}/{day.year}"]
    return found


@RELAXED
@given(day=dates, other=dates)
@example(day=date(1776, 7, 4), other=date(1776, 7, 5))
@example(day=date(1776, 7, 4), other=date(1776, 4, 7))
@example(day=date(1776, 5, 1), other=date(1777, 5, 1))
def test_dates_are_equal_by_day_month_and_year(day: date, other: date) -> None:
    spellings = spellings_of(day)
    for one in spellings:
        for two in spellings:
            assert right(one, two), (one, two)
        assert right(f"It was on {one}.", spellings[0])
        for theirs in spellings_of(other):
            assert right(theirs, one) is (day == other), (theirs, one)


@RELAXED
@given(day=dates)
def test_a_date_earns_what_is_less_exact_and_not_more(day: date) -> None:
    month = f"{MONTHS[day.month - 1]} {day.year}"
    for exact in spellings_of(day):
        assert right(exact, month) and right(exact, str(day.year))
        assert not right(month, exact) and not right(str(day.year), exact)
    assert right(month, str(day.year)) and not right(str(day.year), month)
    assert not right(str(day.year + 1), month) and not right(f"{day.year}9", str(day.year))


@RELAXED
@given(gold=names, title=st.sampled_from(["President", "Dr.", "Sir", "the singer", "actor"]))
def test_a_title_before_a_person_costs_nothing(gold: str, title: str) -> None:
    assume(" " in gold)
    assert right(f"{title} {gold}", gold)
    assert right(gold, f"{title} {gold}")


@RELAXED
@given(
    gold=names,
    before=st.sampled_from(["New", "North", "Port", "St."]),
    after=st.sampled_from(["University", "Records", "Airport", "III"]),
)
def test_a_longer_name_is_another(gold: str, before: str, after: str) -> None:
    for longer in (f"{before} {gold}", f"{gold} {after}", f"{before} {gold} {after}"):
        assert not right(longer, gold), longer
        assert not right(f"It is {longer}.", gold), longer
        assert not right(gold, longer), longer


@RELAXED
@given(text=texts)
def test_what_the_paper_folds_away_is_no_answer(text: str) -> None:
    assert fold_paper(text) == fold_paper(fold_paper(text))
    assert not right(text, "") and not right(text, " ")
