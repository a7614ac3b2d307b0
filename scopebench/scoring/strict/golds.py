"""The ways of saying a gold: what may be left out of it, and its alternatives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Final

import snowballstemmer

from scopebench.scoring.strict import vocabulary
from scopebench.scoring.strict.dates import Date, whole_date
from scopebench.scoring.strict.names import describes, is_name, is_person, names_person
from scopebench.scoring.strict.reading import Reading, Word, read
from scopebench.scoring.strict.rules import Rules

_IN_BRACKETS: Final = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_ABBREVIATION: Final = re.compile(r"\(([A-Z]{2,6})\)")
_OR: Final = re.compile(r",? or (?:simply |just )?|;\s+", re.IGNORECASE)
_AND: Final = re.compile(r",? and | & |, ", re.IGNORECASE)

_STEMMER: Final = snowballstemmer.stemmer("english")

_RANGE: Final = ("to", "until", "and", "through")
"""Words between the ends of a range."""


@dataclass(frozen=True, slots=True)
class Form:
    """One way of saying a gold.

    Attributes:
        words: Its words.
        whole: Whether nothing was left out.
        tail: The word that followed in the gold after a comma; "": none.
    """

    words: tuple[Word, ...]
    whole: bool = True
    tail: str = ""

    @property
    def needle(self) -> str:
        """Its words without case, written as one."""
        return "".join(word.folded for word in self.words)

    @property
    def cased(self) -> str:
        """Its words as written."""
        return " ".join(word.cased for word in self.words)

    @property
    def is_name(self) -> bool:
        """Whether it is written as a name."""
        return is_name(self.words)

    @property
    def is_person(self) -> bool:
        """Whether it may be a person's first and last name."""
        return is_person(self.words)

    @property
    def described(self) -> frozenset[str]:
        """The stems of its words, if it describes in several words instead of naming."""
        content = {
            stem(word.folded) for word in self.words if word.folded not in vocabulary.FUNCTION_WORDS
        }
        numeric = all(word.is_number for word in self.words)
        return frozenset() if self.is_name or numeric or len(content) < 2 else frozenset(content)

    @property
    def is_number(self) -> bool:
        """Whether it is one number and nothing else."""
        return len(self.words) == 1 and self.words[0].is_number


@dataclass(frozen=True, slots=True)
class Gold:
    """A gold as it is looked for.

    Attributes:
        text: The gold as given.
        reading: The gold as words.
        date: The date that it is; None: it is none.
        forms: The ways of saying it, itself first.
        parts: What it joins by "and"; all of them, in any order, are the gold.
    """

    text: str
    reading: Reading
    date: Date | None
    forms: tuple[Form, ...]
    parts: tuple[Gold, ...] = ()


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of an English word (Porter's second stemmer)."""
    return str(_STEMMER.stemWord(word))


@lru_cache(maxsize=1 << 16)
def understand(text: str, rules: Rules) -> Gold:
    """Return a gold as it is looked for."""
    reading = read(text, rules)
    date = whole_date(reading) if rules.dates else None
    forms = [Form(reading.words)] if reading.words else []
    if date is None:
        forms.extend(_derived(text, reading, rules))
    parts = (
        tuple(understand(part, rules) for part in _conjuncts(text)) if rules.conjunctions else ()
    )
    return Gold(text, reading, date, _distinct(forms), parts)


def _derived(text: str, reading: Reading, rules: Rules) -> Iterator[Form]:
    """Yield the other ways of saying a gold."""
    for alternative in _alternatives(text, rules):
        words = read(alternative, rules).words
        if alternative != text and (_says_enough(Form(words)) or alternative.isupper()):
            yield Form(words, whole=False)
        yield from _shortened(Form(words), rules)
    yield from _ranges(reading.words)
    if rules.conjunctions:
        yield from (Form(read(order, rules).words) for order in _orders(_conjuncts(text)))


def _alternatives(text: str, rules: Rules) -> Iterator[str]:
    """Yield the gold, the gold without its brackets, and each side of an "or"."""
    bare = _IN_BRACKETS.sub("", text).strip(" ,;") if rules.appositions else text
    shortest = _ABBREVIATION.findall(text) if rules.appositions else []
    for version in dict.fromkeys((text, bare, *shortest)):
        yield version
        sides = [side.strip() for side in _OR.split(version)] if rules.conjunctions else []
        if len(sides) > 1 and all(len(side) > 1 for side in sides):
            yield from sides


def _shortened(form: Form, rules: Rules) -> Iterator[Form]:
    """Yield a form without what may be left out, step by step."""
    steps: tuple[tuple[bool, Callable[[Form], Iterator[Form]]], ...] = (
        (rules.function_words, _without_leading),
        (rules.appositions, _without_apposition),
        (rules.appositions, _without_origin),
        (rules.titles, _without_description),
        (rules.titles, _without_head),
    )
    current = [form]
    for allowed, step in steps:
        if allowed:
            shorter = [short for one in current for short in step(one) if _says_enough(short)]
            yield from shorter
            current.extend(shorter)


def _without_leading(form: Form) -> Iterator[Form]:
    words = form.words
    while len(words) > 1 and (words[0].folded in vocabulary.LEADING or words[0].cased == "US"):
        words = words[1:]
        if len(words) > 2 and words[0].folded in vocabulary.KINDS and words[1].folded == "of":
            words = words[2:]
    if words != form.words:
        yield Form(words, whole=False, tail=form.tail)


def _without_apposition(form: Form) -> Iterator[Form]:
    """Yield "Tucson" for "Tucson, Arizona"; a list or a sentence has no apposition."""
    commas = [at for at, word in enumerate(form.words) if at and word.gap.strip() == ","]
    if not commas or len(commas) > 2 or " and " in form.cased:
        return
    head, following = form.words[: commas[0]], form.words[commas[0] :]
    if is_name(head) and is_name(following):
        yield Form(head, whole=False, tail=following[0].folded)


def _without_origin(form: Form) -> Iterator[Form]:
    """Yield "Charles Carroll" for "Charles Carroll of Carrollton"."""
    places = [at for at, word in enumerate(form.words) if word.folded == "of"]
    if places and names_person(form.words[: places[0]]) and is_name(form.words[places[0] + 1 :]):
        yield Form(form.words[: places[0]], whole=False, tail=form.tail)


def _without_description(form: Form) -> Iterator[Form]:
    """Yield "Carl Linnaeus" for "Swedish botanist Carl Linnaeus", "Bergen" for "city of Bergen"."""
    words = form.words
    for at in range(1, len(words)):
        rest = words[at:]
        if (
            any(_parts_clauses(words, before) for before in range(1, at + 1))
            or not is_name(rest)
            or not rest[0].is_capital
        ):
            continue
        before = words[at - 1]
        titled = before.folded in vocabulary.TITLES and _is_titled(rest)
        described = titled or (describes(before) and words[at].gap == " ")
        article = before.folded == "the" and at > 1 and describes(words[at - 2])
        placed = before.folded == "of" and at > 1 and words[at - 2].cased in vocabulary.PLACE_HEADS
        if described or article or placed:
            yield Form(rest, whole=False, tail=form.tail)


def _parts_clauses(words: tuple[Word, ...], at: int) -> bool:
    """Return whether a clause ends before a word; the dot of "Dr." ends none."""
    abbreviates = words[at].gap == ". " and words[at - 1].folded in vocabulary.TITLES
    return words[at].opens_clause and not abbreviates


def _is_titled(rest: tuple[Word, ...]) -> bool:
    """Return whether the words after a title are a person, not more of the title."""
    return names_person(rest) and rest[0].folded not in vocabulary.TITLES


def _without_head(form: Form) -> Iterator[Form]:
    """Yield "Uralic" for "Uralic languages", "Orsk" for "Orsk Ltd"."""
    words = form.words
    while len(words) > 1 and _is_head(words[-1]):
        words = words[:-1]
    if words != form.words and (words[-1].is_capital or words[0].is_number):
        yield Form(words, whole=False, tail=form.tail)


def _is_head(word: Word) -> bool:
    """Return whether a word after a name only says what it is, or is a company's legal form."""
    heads = vocabulary.COMPANY_FORMS if word.is_capital else vocabulary.GENERIC_HEADS
    return word.folded in heads


def _ranges(words: tuple[Word, ...]) -> Iterator[Form]:
    """Yield a range of numbers in its other wordings: "1985-1993", "from 1985 to 1993"."""
    numbers = tuple(word for word in words if word.is_number)
    others = {word.folded for word in words if not word.is_number}
    if len(numbers) != 2 or not others <= {"from", "between", *_RANGE}:
        return
    if others or numbers[1].gap == "-":
        yield Form(numbers, whole=False)
        for between in _RANGE:
            yield Form((numbers[0], Word(between, between, " "), numbers[1]), whole=False)


def _orders(parts: list[str]) -> list[str]:
    """Return two or three parts in any order, joined by "and"."""
    if not 2 <= len(parts) <= 3:
        return []
    return [f"{', '.join(order[:-1])} and {order[-1]}" for order in permutations(parts)]


def _says_enough(form: Form) -> bool:
    """Return whether what is left still names something."""
    content = [
        word
        for word in form.words
        if word.folded not in vocabulary.FUNCTION_WORDS and word.folded not in vocabulary.CONNECTORS
    ]
    return sum(len(word.folded) for word in content) > 3 or any(w.is_number for w in content)


def _conjuncts(text: str) -> list[str]:
    """Return what a gold joins by "and"."""
    if " and " not in text and " & " not in text:
        return []
    parts = [part.strip() for part in _AND.split(_IN_BRACKETS.sub("", text))]
    return parts if all(len(part) > 3 for part in parts) else []


def _distinct(forms: list[Form]) -> tuple[Form, ...]:
    seen: dict[tuple[str, str], Form] = {}
    for form in forms:
        seen.setdefault((form.cased, form.tail), form)
    return tuple(seen.values())
