"""Names: whether one stands inside a longer one, and a person's with and without its middle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scopebench.scoring.strict import vocabulary
from scopebench.scoring.strict.reading import Reading, Word

_SHORT_WORD: Final = 3
"""Words of at most so many letters are no sign that the question is taken up."""

_SHORT_ANSWER: Final = 9
"""An answer of at most so many words may be a noun although some are in small letters."""

_MOST_MIDDLES: Final = 3
"""So many names may stand between a first and a last name."""


def is_name(words: Sequence[Word]) -> bool:
    """Return whether words are written as a name: all but connectors and numbers with a capital."""
    content = [word for word in words if word.folded not in vocabulary.CONNECTORS]
    letters = [word for word in content if not word.is_number]
    return bool(letters) and all(word.is_capital for word in letters)


def is_person(words: Sequence[Word]) -> bool:
    """Return whether words may be a person's first and last name, with names between."""
    return len(words) >= 2 and all(
        word.is_capital
        and not word.is_number
        and word.folded not in vocabulary.NOT_PERSONS
        and (len(word.cased) == 1 or word.folded not in vocabulary.FUNCTION_WORDS)
        for word in words
    )


def names_person(words: Sequence[Word]) -> bool:
    """Return whether words may be a person, a ruler too ("George VI"), not an office."""
    if len(words) == 2 and words[1].is_number:
        name = words[0]
        return words[1].is_capital and name.is_capital and name.folded not in vocabulary.NOT_PERSONS
    return is_person(words) and words[-1].folded not in vocabulary.OFFICES


def inside_longer_name(answer: Reading, first: int, after: int, *, question: Reading) -> bool:
    """Return whether the words from `first` to before `after` are part of a longer name.

    A word beside them belongs to the name if it is written with a capital, or as one with them, and
    is no title, no legal form and no function word: "New York" for York, "Guinea-Bissau" for
    Guinea, but "President Barack Obama", "Paris, France".
    """
    words = answer.words
    asked = _asked_kind(question)
    if not _takes_up(answer, first, after, question) and _is_bare_and_longer(
        answer, first, after, asked
    ):
        return True
    if not is_name(words[first:after]):
        return False
    if first > 0 and _joins(words[first].gap) and words[first - 1].folded not in asked:
        if _extends_left(words, first):
            return True
    if after < len(words) and _joins(words[after].gap) and words[after].folded not in asked:
        if _extends_right(words, after):
            return True
    return False


def _asked_kind(question: Reading) -> frozenset[str]:
    """Return the nouns that say what is asked for: "what river" may be answered "the X River"."""
    words = [word.folded for word in question.words]
    places = [at for at, word in enumerate(words) if word in ("what", "which")]
    return (
        frozenset(word for at in places for word in words[at + 1 : at + 3])
        - vocabulary.CONNECTORS
        - vocabulary.FUNCTION_WORDS
    )


def _joins(gap: str) -> bool:
    return gap in (" ", "-", "", ". ", "'")


def _extends_left(words: Sequence[Word], first: int) -> bool:
    before = words[first - 1]
    if words[first].gap == ". " and before.is_number:  # "2. Bundesliga"; "1. X" may open a list
        return first == 1 and before.folded != "1"
    if words[first].gap == ". " and len(before.cased) > 2:  # a sentence, not an initial or "St."
        return False
    if before.folded in vocabulary.FUNCTION_WORDS or before.folded in vocabulary.TITLES:
        return False
    if before.folded in vocabulary.COMPANY_FORMS or before.is_number:
        return False
    return before.is_capital


def _extends_right(words: Sequence[Word], after: int) -> bool:
    following = words[after]
    if following.gap in (". ", "'"):
        return False
    if following.folded in vocabulary.SUFFIXES:
        return following.folded in ("jr", "junior")
    if following.is_number:  # a Roman numeral; "11" of "Apollo 11" may be a citation mark or a date
        return not following.cased[:1].isdigit() and following.is_capital
    if following.folded in vocabulary.FUNCTION_WORDS:  # a particle is written as one: "as-Said"
        return _is_hyphened(words, after + 1) and words[after + 1].is_capital
    return following.is_capital and following.folded not in vocabulary.COMPANY_FORMS


def _is_hyphened(words: Sequence[Word], at: int) -> bool:
    """Return whether a word is joined to the one before it by a hyphen."""
    return at < len(words) and words[at].gap == "-"


def numbers_a_name(answer: Reading, at: int, *, question: Reading) -> bool:
    """Return whether a number belongs to the name that the answer is: "Prague 6", "1. FC Orsk".

    What may stand before a number is a word that counts ("Season 6") or says how exact it is.
    """
    words = answer.words
    if not is_name(words):
        return False
    if at == 0:
        return words[1].gap == ". "
    if words[at].gap not in (" ", "-"):
        return False
    before = words[at - 1]
    known = (
        vocabulary.LEADING
        | vocabulary.FUNCTION_WORDS
        | vocabulary.ADVERBS
        | vocabulary.COUNTERS
        | _asked_kind(question)
    )
    return not (before.is_number or before.folded in known or before.folded.endswith("ly"))


def _takes_up(answer: Reading, first: int, after: int, question: Reading) -> bool:
    """Return whether an answer takes up words of the question, as a sentence does and no name."""
    asked = {word.folded for word in question.words if len(word.folded) > _SHORT_WORD}
    outside = [*answer.words[:first], *answer.words[after:]]
    return any(word.folded in asked - vocabulary.FUNCTION_WORDS for word in outside)


def _is_bare_and_longer(answer: Reading, first: int, after: int, asked: frozenset[str]) -> bool:
    """Return whether an answer of one noun holds more than the name ("University of York").

    What may stand before is an article, a title ("President Barack Obama"), a noun that says what
    the name is ("the singer Adele", "the city of Bergen"); after it a company's legal form, or a
    noun that says what it is ("Uralic languages"). What stands apart ("Paris, France") is no part.
    """
    words = answer.words
    if not all(map(_has_case, words[first:after])) or not _is_noun(words, first, after):
        return False
    start = max((at for at in range(1, first + 1) if words[at].opens_clause), default=0)
    end = min((at for at in range(after, len(words)) if words[at].opens_clause), default=len(words))
    following = [word for word in words[after:end] if word.folded not in asked]
    plain = not is_name(words[first:after]) and not words[first].is_number
    if any(not _says_what(word, plain=plain) for word in following if _has_case(word)):
        return True
    before = [word for word in words[start:first] if word.folded not in asked]
    while before and before[0].folded in vocabulary.LEADING:
        before = before[1:]
    if not is_name(words[first:after]) and _is_said_of(words, before):
        return False
    named = words[first:after] if is_name(words[first:after]) else ()
    return bool(before) and not _introduces(before, named)


def _is_said_of(words: Sequence[Word], before: Sequence[Word]) -> bool:
    """Return whether what stands before a common noun describes it: "the lower leg", "X and rust".

    A compound without an article may be the name of something else ("association football").
    """
    joined = bool(before) and before[-1].folded in ("and", "or")
    return joined or words[0].folded in ("the", "a", "an")


def _is_noun(words: Sequence[Word], first: int, after: int) -> bool:
    """Return whether a whole answer is a noun, as it holds neither a verb nor a pronoun.

    Only common verbs are told from nouns, so that an answer with words in small letters beside the
    name is one only where it is short.
    """
    outside = [*range(first), *range(after, len(words))]
    content = []
    for at in outside:
        word = words[at]
        if word.folded in vocabulary.CONNECTORS or (at == 0 and word.folded in vocabulary.LEADING):
            continue
        if not _has_case(word) or word.folded in vocabulary.ADVERBS:
            continue
        if _is_function_word(word, opens=at == 0) and not _is_of_office(words, at):
            return False
        if word.cased in vocabulary.VERBS or _is_past_tense(words, at):
            return False
        content.append(word)
    plain = any(not word.is_capital and not word.is_number for word in content)
    return bool(content) and (not plain or len(words) <= _SHORT_ANSWER)


def _is_of_office(words: Sequence[Word], at: int) -> bool:
    """Return whether a "to" stands behind an office: "Ambassador to Armenia"."""
    before = (word for word in words[:at] if word.is_capital or word is words[0])
    return words[at].folded == "to" and any(word.folded in vocabulary.TITLES for word in before)


def _is_past_tense(words: Sequence[Word], at: int) -> bool:
    """Return whether a word is a verb by its ending; "manually coded English" has none."""
    word = words[at]
    if word.is_capital or not word.cased.endswith("ed") or word.gap == "-":
        return False
    return at == 0 or not all(before.folded.endswith("ly") for before in words[:at])


def _is_function_word(word: Word, *, opens: bool) -> bool:
    """Return whether a word is none of a name's: "it", but not the "Now" of "Google Now"."""
    if word.folded not in vocabulary.FUNCTION_WORDS or word.cased == "i":
        return False
    return not word.is_capital or (opens and word.folded not in ("us", "may", "now", "will", "can"))


def _has_case(word: Word) -> bool:
    """Return whether a word is of a script with capitals, which alone show where a name ends."""
    return word.is_number or word.cased.upper() != word.cased.lower()


def _says_what(word: Word, *, plain: bool) -> bool:
    """Return whether a word after a name only says what it is; a "football club" is no football."""
    if plain and word.folded in vocabulary.BODIES:
        return False
    if word.folded in vocabulary.COMPANY_FORMS or word.folded in vocabulary.ADVERBS:
        return True
    return word.folded in vocabulary.GENERIC_HEADS and not word.is_capital


def _introduces(before: Sequence[Word], named: Sequence[Word]) -> bool:
    """Return whether the words before a name only say who or what it is.

    Args:
        before: The words before.
        named: The name; empty: what they stand before is none ("association football").
    """
    last = before[-1]
    if not named:
        return False
    if last.folded == "of":
        return len(before) > 1 and before[-2].cased in vocabulary.PLACE_HEADS
    if last.folded in vocabulary.TITLES:
        return names_person(named) or (not last.is_capital and len(named) == 1)
    return describes(last)


def describes(word: Word) -> bool:
    """Return whether a word before a name says what it is: "botanist", "band"."""
    if word.is_capital:
        return False
    known = word.folded in vocabulary.TITLES or word.folded in vocabulary.DESCRIBERS
    return known or (
        len(word.folded) > 5
        and word.folded.endswith(vocabulary.PROFESSION_ENDINGS)
        and word.folded not in vocabulary.NO_PROFESSIONS
    )


def persons(answer: Reading, gold: Sequence[Word]) -> list[tuple[int, int]]:
    """Return where a person's name stands with other middle names, or initials for names.

    Middle names may be left out, added or abbreviated; where both have some, they are the same, so
    that "George H. W. Bush" is not "George W. Bush".
    """
    wanted = _spelt_out(gold)
    found = []
    for last in range(len(answer.words)):
        if answer.words[last].folded != gold[-1].folded or not answer.words[last].is_capital:
            continue
        for first in range(max(0, last - _MOST_MIDDLES - 1), last):
            given = answer.words[first : last + 1]
            if all(_joins_names(word.gap) for word in given[1:]) and _same_person(
                wanted, _spelt_out(given)
            ):
                found.append((first, last + 1))
    return found


def titled(answer: Reading, gold: Sequence[Word]) -> list[tuple[int, int]]:
    """Return where a person stands with a title for the first name: "President Obama".

    Titles that stand before first names are none of these: "Sir Paul" is not Les Paul.
    """
    words = answer.words
    titles = vocabulary.TITLES - vocabulary.BEFORE_FIRST_NAMES
    return [
        (at - 1, at + 1)
        for at in range(1, len(words))
        if words[at].folded == gold[-1].folded
        and words[at].is_capital
        and words[at].gap in (" ", ". ")
        and words[at - 1].folded in titles
        and gold[0].folded not in vocabulary.TITLES
    ]


def _joins_names(gap: str) -> bool:
    return gap in (" ", ". ", "-", ' "', '" ')


def _spelt_out(words: Sequence[Word]) -> list[str]:
    """Return the names of a person, each initial of "JRR" by itself."""
    names: list[str] = []
    for word in words[:-1]:
        if not word.is_capital or word.is_number:
            return []
        names.extend(word.folded if len(word.cased) < 4 and word.cased.isupper() else [word.folded])
    return [*names, words[-1].folded]


def _same_person(wanted: Sequence[str], given: Sequence[str]) -> bool:
    if len(wanted) < 2 or len(given) < 2 or not _same_name(wanted[0], given[0]):
        return False
    ours, theirs = wanted[1:-1], given[1:-1]
    if any(name in vocabulary.NOT_PERSONS for name in theirs):
        return False
    if not ours or not theirs:
        return True
    return len(ours) == len(theirs) and all(map(_same_name, ours, theirs))


def _same_name(one: str, two: str) -> bool:
    if one == two or vocabulary.SHORT_NAMES.get(one, one) == vocabulary.SHORT_NAMES.get(two, two):
        return True
    return min(len(one), len(two)) == 1 and one[0] == two[0]
