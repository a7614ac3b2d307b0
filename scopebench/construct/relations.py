"""The table of relations: what a wording asks, and which relations an edit of another can change.

The statement itself is `relations.toml`, beside this module; `docs/relations.md` says how it was
made and checked, and shows the implications in readable form.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import permutations, product
from types import MappingProxyType
from typing import Any, Final

from scopebench.construct.text import normalise

_SLOT: Final = "{}"
_LAST_PUNCTUATION: Final = " ?.:;,!"
_WHO_IS: Final = r"(?:(?:who|what|which)(?: \w+)?(?: is| are| was| were) )?"
_NOUN_FRAMES: Final = (
    _WHO_IS + r"(?:the )?(?:names? of )?(?:the )?(?:{noun}) of (?:the )?{}"
    r"(?: is| are| was| were)?(?: in)?",
    _WHO_IS + r"{}'s (?:{noun})(?: is| are| was| were)?",
)
_VERB_FRAME: Final = r"{},? ?(?:(?:who|which|that) )?(?:{verb})"
_FINAL_ARTICLE: Final = r"(?: the| an?)?"


@dataclass(frozen=True)
class Relation:
    """One relation, or one wording that leaves open which of several relations it asks.

    Attributes:
        relation_id: Wikidata property id, or an id `SB-...` of this project for an open wording.
        label: Its name in words.
        patterns: Regular expressions over the whole normalised template, `{}` the subject slot.
        single_valued: Whether a subject has one value at a time.
        symmetric: Whether it holds from its object to its subject as well.
        time_bound: Whether the value changes over time.
        subject_type: Type of its usual subject: person, place, organisation, work, ...
        object_type: Type of its objects.
        may_change: Ids of the other relations whose value for the same subject an edit of this one
            can change or contradict.
        narrower: Ids of the relations that an open wording can ask; empty for all others.
    """

    relation_id: str
    label: str
    patterns: tuple[str, ...]
    single_valued: bool
    symmetric: bool
    time_bound: bool
    subject_type: str
    object_type: str
    may_change: frozenset[str]
    narrower: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Implication:
    """One argued rule of the table.

    Attributes:
        edited: Relations of which an edit is made; empty where `asked` stand for both.
        asked: Relations that it can change; `*` for all.
        mutual: Whether the rule holds from asked to edited as well.
        reason: Why, in one sentence.
    """

    edited: tuple[str, ...]
    asked: tuple[str, ...]
    mutual: bool
    reason: str

    def pairs(self, known: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield (edited, asked) for every pair that the rule names."""
        if not self.edited:
            yield from permutations(self.asked, 2)
            return
        asked = known if self.asked == ("*",) else self.asked
        for first, second in product(self.edited, asked):
            if first != second:
                yield first, second
                if self.mutual:
                    yield second, first


@cache
def relations() -> Mapping[str, Relation]:
    """Return every relation by its id, in the order of the table."""
    entries: dict[str, dict[str, Any]] = _table()["relations"]
    reach = _reach(entries)
    return MappingProxyType(
        {key: _relation(key, entry, reach[key]) for key, entry in entries.items()}
    )


@cache
def implications() -> tuple[Implication, ...]:
    """Return the argued rules that `Relation.may_change` is made of, in the table's order."""
    return tuple(
        Implication(
            edited=tuple(rule.get("edit", ())),
            asked=tuple(rule["asked"] if "edit" in rule else rule["between"]),
            mutual=rule.get("mutual", "between" in rule),
            reason=rule["reason"],
        )
        for rule in _table()["implications"]
    )


def relation_of(template: str, relation_id: str | None = None) -> str | None:
    """Return the id of the relation that a template asks.

    Args:
        template: A wording with `{}` in the place of its subject.
        relation_id: The id, where the source tells it; then it is the answer.

    Returns:
        The id; None where no relation, or more than one, has a pattern that fits.
    """
    return relation_id if relation_id is not None else _by_wording(normalise(template))


def relation_by_label(label: str) -> str | None:
    """Return the id of the relation of that name; None where the table has none."""
    return _by_label().get(normalise(label).removeprefix("the "))


def may_change(edited: str | None, asked: str | None) -> bool | None:
    """Whether an edit of one relation can change another's answer about the same subject.

    Args:
        edited: Id of the relation that is edited.
        asked: Id of the relation that is asked.

    Returns:
        True also for a relation and itself; None where one of them is unknown.
    """
    table = relations()
    if edited is None or asked is None or edited not in table or asked not in table:
        return None
    return edited == asked or asked in table[edited].may_change


def implication_lines() -> list[str]:
    """Return the implications as Markdown list items, as `docs/relations.md` shows them."""
    lines = []
    for rule in implications():
        asked = _names(rule.asked)
        if rule.edited:
            arrow = "↔" if rule.mutual else "→"
            lines.append(f"- {_names(rule.edited)} {arrow} {asked}: {rule.reason}.")
        else:
            lines.append(f"- among {asked}: {rule.reason}.")
    return lines


def _names(ids: Iterable[str]) -> str:
    table = relations()
    return ", ".join("*all*" if key == "*" else f"{table[key].label} ({key})" for key in ids)


@cache
def _table() -> dict[str, Any]:
    text = resources.files("scopebench.construct").joinpath("relations.toml").read_text("utf-8")
    return tomllib.loads(text)


def _relation(key: str, entry: Mapping[str, Any], reach: frozenset[str]) -> Relation:
    nature = entry.get("is", ())
    return Relation(
        relation_id=key,
        label=entry["label"],
        patterns=tuple(_patterns(entry)),
        single_valued="single" in nature,
        symmetric="symmetric" in nature,
        time_bound="time_bound" in nature,
        subject_type=entry["subject"],
        object_type=entry["object"],
        may_change=reach,
        narrower=frozenset(entry.get("narrower", ())),
    )


def _patterns(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield a relation's patterns: its nouns and verbs set into their frames, and its own."""
    if nouns := entry.get("nouns"):
        for frame in _NOUN_FRAMES:
            yield frame.replace("{noun}", "|".join(nouns))
    if verbs := entry.get("verbs"):
        yield _VERB_FRAME.replace("{verb}", "|".join(verbs))
    yield from entry.get("asks", ())


def _reach(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, frozenset[str]]:
    """Return, of each relation, the others that its edit can change.

    An open wording can ask each of its narrower relations: it changes what any of them changes,
    and is changed by what changes any of them, or is one of them.
    """
    known = list(entries)
    pairs = {pair for rule in implications() for pair in rule.pairs(known)}
    stands_for = {key: {key, *entry.get("narrower", ())} for key, entry in entries.items()}
    reach: defaultdict[str, set[str]] = defaultdict(set)
    for edited, asked in permutations(known, 2):
        if any(
            first == second or (first, second) in pairs
            for first, second in product(stands_for[edited], stands_for[asked])
        ):
            reach[edited].add(asked)
    return {key: frozenset(reach[key]) for key in known}


@cache
def _matchers() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (
            relation.relation_id,
            re.compile(
                f"(?:{'|'.join(relation.patterns)}){_FINAL_ARTICLE}".replace(_SLOT, r"\{\}")
            ),
        )
        for relation in relations().values()
        if relation.patterns
    )


@lru_cache(maxsize=65_536)
def _by_wording(text: str) -> str | None:
    text = text.rstrip(_LAST_PUNCTUATION)
    found = [key for key, matcher in _matchers() if matcher.fullmatch(text)]
    return found[0] if len(found) == 1 else None


@cache
def _by_label() -> Mapping[str, str]:
    return {
        normalise(label): key
        for key, entry in _table()["relations"].items()
        for label in (entry["label"], *entry.get("also", ()))
    }
