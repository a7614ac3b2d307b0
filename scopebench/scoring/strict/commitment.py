"""Whether an answer says what its words hold: denied, no longer so, or one of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from scopebench.scoring.strict import vocabulary
from scopebench.scoring.strict.names import is_name
from scopebench.scoring.strict.reading import Reading, Word

_REACH: Final = 6
"""A "not" denies what stands at most so many words after it, within its clause."""

_LIST: Final = 4
"""So many items with "and" or "or" before the last, or one more without, are a list."""

_ITEM: Final = 5
"""An item of a list has at most so many words."""

_SUCCEEDED: Final = {
    (word,) for word in ("succeeded", "succeeding", "succeeds", "replaced", "replacing", "replaces")
}
"""Words before the name of somebody whose place was taken."""

_COPULAS: Final = frozenset({"is", "are", "was", "were", "be"})
_EXAMPLES: Final = frozenset({"including", "include", "includes", "like", "as", "especially"})
"""Words after which a list gives examples."""

_OPEN_EXCLUSION: Final = frozenset(phrase[0] for phrase in vocabulary.PHRASES_OF_EXCLUSION)

_JOINING: Final = frozenset({"and", "or"})

Span = tuple[int, int]

Accepts = Callable[[int, int], bool]
"""Whether the words from the first to before the second position are an accepted answer."""


def is_denied(answer: Reading, first: int, after: int, question: Reading) -> bool:
    """Return whether a name is denied: "not X", "X did not", "anyone but X".

    A question that denies ("Who did not sign?") is answered by denying.
    """
    if any(_is_negator(word) for word in question.words):
        return False
    return _denied_before(answer.words, first) or _denied_after(answer.words, after)


def _denied_before(words: Sequence[Word], first: int) -> bool:
    for at in range(first - 1, max(-1, first - 1 - _REACH), -1):
        word = words[at]
        if words[at + 1].opens_clause:
            return False
        if _is_negator(word):
            following = words[at + 1].folded
            return following not in vocabulary.AFTER_NOT and not _spares(words, at)
        if _excludes(words, at) and first - at <= 5:
            return not _is_excluded_itself(words, at)
        if word.folded in vocabulary.CONTRAST:
            return at > 0 and _excludes(words, at - 1)
    return False


def _spares(words: Sequence[Word], at: int) -> bool:
    """Return whether a "no" or "not" here denies nothing: "no doubt", "not until"."""
    return words[at].folded == "no" and words[at + 1].folded in (
        "doubt",
        "question",
        "other",
        "less",
    )


def _excludes(words: Sequence[Word], at: int) -> bool:
    """Return whether a phrase like "other than" begins here; "nothing but X" asserts X."""
    phrases = vocabulary.PHRASES_OF_EXCLUSION
    if words[at].folded not in _OPEN_EXCLUSION:
        return False
    return any(
        tuple(word.folded for word in words[at : at + len(phrase)]) == phrase for phrase in phrases
    )


def _is_excluded_itself(words: Sequence[Word], at: int) -> bool:
    """Return whether a phrase of exclusion is denied: "none other than X", "no one other than"."""
    nothing = ("no", "none", "nobody", "nothing")
    return any(word.folded in nothing for word in words[max(0, at - 2) : at])


def _denied_after(words: Sequence[Word], after: int) -> bool:
    """Return whether "X did not ...", "X is not ..." follows."""
    if after >= len(words) or words[after].opens_clause:
        return False
    verb = words[after]
    if after + 1 == len(words):
        return verb.folded.endswith("n't")
    following = words[after + 1]
    if verb.folded.endswith("n't"):
        return following.folded not in vocabulary.AFTER_NOT
    helps = verb.folded in (
        "is",
        "was",
        "are",
        "were",
        "did",
        "does",
        "do",
        "has",
        "had",
        "could",
        "can",
    )
    denies = following.folded in ("not", "never", "incorrect", "wrong", "false")
    if not (helps and denies) or following.opens_clause:
        return False
    return after + 2 >= len(words) or words[after + 2].folded not in vocabulary.AFTER_NOT


def _is_negator(word: Word) -> bool:
    return word.folded in vocabulary.NEGATORS or word.folded.endswith("n't")


def is_past(answer: Reading, first: int, after: int, question: Reading) -> bool:
    """Return whether a name is said to hold no longer: "formerly X", "it used to be X"."""
    if any(word.folded in vocabulary.PAST_QUESTION or _is_year(word) for word in question.words):
        return False
    words = answer.words
    for at in range(first - 1, max(-1, first - 1 - _REACH), -1):
        folded = words[at].folded
        if folded in vocabulary.FORMERLY and first - at <= 3:
            return True
        if folded == "used" and words[at + 1].folded == "to":
            return True
        if words[at + 1].opens_clause:
            break
    if _is_succeeded(words, first):
        return True
    following = [word.folded for word in words[after : after + 3]]
    if following[:2] in (["used", "to"], ["no", "longer"]) or following == ["but", "no", "longer"]:
        return True
    if following[:1] in (["was"], ["were"]):
        return _has_ended(words, after)
    turned = following[:1] == ["now"] or following[:2] in (["but", "now"], ["and", "now"])
    return turned and first > 0 and any(word.folded in ("was", "were") for word in words[:first])


def _is_succeeded(words: Sequence[Word], first: int) -> bool:
    """Return whether somebody has taken a name's place: "who succeeded X"."""
    before = tuple(word.folded for word in words[max(0, first - 3) : first])
    return before[-1:] in _SUCCEEDED or before[-2:] == ("over", "from")


def _has_ended(words: Sequence[Word], after: int) -> bool:
    """Return whether what was of a name has ended: "X was ... until", "X was replaced by"."""
    if words[after + 1 : after + 2] and words[after + 1].folded in ("succeeded", "replaced"):
        return True
    for at in range(after + 1, min(len(words), after + 1 + _REACH)):
        if words[at].folded == "until":
            return True
        if words[at].opens_clause:
            return False
    return False


def _is_year(word: Word) -> bool:
    return len(word.folded) == 4 and word.folded.isdecimal()


def is_one_of_several(answer: Reading, first: int, after: int, accepts: Accepts) -> bool:
    """Return whether a name is one of several that the answer leaves open.

    "X or Y" and "either X or Y" leave it open, and so does a list of which fewer than half of the
    items are accepted answers. Where every alternative is accepted, nothing is left open.
    """
    return _has_alternative(answer, first, after, accepts) or _in_list(
        answer, first, after, accepts
    )


def _has_alternative(answer: Reading, first: int, after: int, accepts: Accepts) -> bool:
    words = answer.words
    if after < len(words) - 1 and words[after].folded == "or" and not _breaks(words[after]):
        start = after + 1
        while start < len(words) - 1 and words[start].folded in (
            "maybe",
            "perhaps",
            "possibly",
            "even",
        ):
            start += 1
        if _is_like(words, first, after, start) and not _any_accepted(start, len(words), accepts):
            return True
    if first >= 2 and words[first - 1].folded == "or" and not words[first].gap.strip(' "*'):
        end = first - 1
        if _is_like(words, first, after, end - 1) and not any(
            accepts(start, end) for start in range(max(0, end - _ITEM), end)
        ):
            return True
    return False


def _breaks(word: Word) -> bool:
    return any(mark in word.gap for mark in ".!?;:\n")


def _any_accepted(start: int, size: int, accepts: Accepts) -> bool:
    return any(accepts(start, end) for end in range(start + 1, min(size, start + _ITEM) + 1))


def _is_like(words: Sequence[Word], first: int, after: int, other: int) -> bool:
    """Return whether another word is of the kind of those named: a name, a number, a word."""
    named = is_name(words[first:after])
    if words[other].is_number or words[first].is_number:
        return words[other].is_number and words[first].is_number
    plain = not any(word.is_capital for word in words[1:])
    return words[other].is_capital if named and not plain else len(words) <= _ITEM + 2


def _in_list(answer: Reading, first: int, after: int, accepts: Accepts) -> bool:
    items = _items(answer.words, first, after)
    if items is None:
        return False
    spans, joined = items
    if len(spans) > 2 and _is_open(answer.words, spans):
        return not any(
            accepts(a, b) for span in spans if first not in range(*span) for a, b in _inside(span)
        )
    if len(spans) < (_LIST if joined else _LIST + 1) or not _is_all(answer.words, spans):
        return False
    accepted = sum(any(accepts(a, b) for a, b in _inside(span)) for span in spans)
    return 2 * accepted < len(spans)


def _is_open(words: Sequence[Word], spans: Sequence[Span]) -> bool:
    """Return whether the last items of a list are joined by "or": "X, Y or Z"."""
    return words[spans[-1][0] - 1].folded == "or" and all(
        is_name(words[start:end][-1:]) for start, end in spans
    )


def _is_all(words: Sequence[Word], spans: Sequence[Span]) -> bool:
    """Return whether a list is what its sentence says, not examples ("by many, including ...")."""
    start, end = spans[0][0], spans[-1][1]
    ends = end >= len(words) or _breaks(words[end])
    opens = start == 0 or _breaks(words[start]) or words[start - 1].folded in _COPULAS
    return (
        ends and opens and not any(word.folded in _EXAMPLES for word in words[start : spans[0][1]])
    )


def _inside(span: Span) -> list[Span]:
    """Return every run of words in an item."""
    start, end = span
    return [(a, b) for a in range(start, end) for b in range(a + 1, end + 1)]


def _items(words: Sequence[Word], first: int, after: int) -> tuple[list[Span], bool] | None:
    """Return the items of the list that the words stand in, and whether it has an "and" or "or"."""
    start = max((at for at in range(1, first + 1) if _breaks(words[at])), default=0)
    end = min((at for at in range(after, len(words)) if _breaks(words[at])), default=len(words))
    items = _parted(words, start, end)
    here = next((at for at, (a, b) in enumerate(items) if a <= first and after <= b), None)
    if here is None:
        return None
    low = high = here
    while low > 0 and _is_short(items[low - 1]):
        low -= 1
    while high < len(items) - 1 and _is_short(items[high + 1]):
        high += 1
    if not _is_short(items[here]):
        return None
    spans = items[low : high + 1]
    between = words[spans[0][0] : spans[-1][1]]
    return spans, any(word.folded in _JOINING for word in between)


def _parted(words: Sequence[Word], start: int, end: int) -> list[Span]:
    """Return the parts of a sentence between its commas, "and"s and "or"s."""
    items: list[Span] = []
    begin = start
    for at in range(start, end + 1):
        ends = at == end or words[at].folded in _JOINING or (at > start and "," in words[at].gap)
        if ends:
            if at > begin:
                items.append((begin, at))
            begin = at + 1 if at < end and words[at].folded in _JOINING else at
    return items


def _is_short(item: Span) -> bool:
    return item[1] - item[0] <= _ITEM
