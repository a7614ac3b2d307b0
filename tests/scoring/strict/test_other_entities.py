"""The name of another entity is never credited, however much of the gold's it holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path

import pytest

from scopebench.construct import read_benchmark
from scopebench.construct.embedded import starter_benchmark
from scopebench.construct.reader import Benchmark
from scopebench.records import Edit, Query
from scopebench.scoring.match import match
from scopebench.scoring.normalise import fold_words, is_word_of_its_own
from scopebench.scoring.strict import vocabulary
from scopebench.sources.read import read_source

QUESTIONS = ("Who is it?", "What is it?")


def words_of(name: str) -> tuple[str, ...]:
    return tuple(fold_words(name).folded.split())


def runs(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield every run of words that is shorter than the whole."""
    for first, after in combinations(range(len(words) + 1), 2):
        if after - first < len(words):
            yield words[first:after]


def pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return each longer name with each name that it holds as whole words."""
    spelt = defaultdict(list)
    for name in names:
        spelt[words_of(name)].append(name)
    return [
        (longer, shorter)
        for words, written in sorted(spelt.items())
        for longer in written
        for run in sorted(set(runs(words)))
        for shorter in spelt.get(run, ())
    ]


def may_be_said(longer: str, shorter: str) -> bool:
    """Return whether the longer name says the shorter by the rules of English.

    These are all exceptions: names with parts set apart by punctuation ("Paris, France" is Paris),
    names that hold a word of a sentence ("This Is England" says that something is England), names
    longer only by an article, a legal form or a noun that says what it is ("the Orsk", "Orsk Ltd",
    "English language"), and names of a script in which nothing shows where a name ends.
    """
    if any(mark in longer for mark in (",", ":", " - ", " – ", "(", "/", ";", "!", '"')):
        return True
    if any(map(is_word_of_its_own, longer)):
        return True
    words, run = words_of(longer), words_of(shorter)
    at = next(at for at in range(len(words)) if words[at : at + len(run)] == run)
    beside = [*words[:at], *words[at + len(run) :]]
    sentence = vocabulary.FUNCTION_WORDS - vocabulary.CONNECTORS
    if any(word in sentence for word in beside):
        return True
    adds_nothing = vocabulary.LEADING | vocabulary.COMPANY_FORMS | vocabulary.GENERIC_HEADS
    return all(word in adds_nothing for word in beside) or _is_legal_form("".join(beside))


def _is_legal_form(letters: str) -> bool:
    """Return whether letters are a legal form written with dots: "S.p.A."."""
    return letters in vocabulary.COMPANY_FORMS


def credited(answer: str, golds: Iterable[str], question: str) -> bool:
    return match(answer, tuple(golds), question=question, matcher="strict").correct


@pytest.fixture(scope="module")
def starter() -> Benchmark:
    return read_benchmark(starter_benchmark())


@pytest.fixture(scope="module")
def edits(starter: Benchmark) -> dict[str, Edit]:
    return {
        edit.edit_id: edit
        for dataset in starter.datasets.values()
        for index in (*dataset.index.values(), *dataset.written.values())
        for edit in index
    }


@pytest.fixture(scope="module")
def asked(starter: Benchmark) -> dict[tuple[str, tuple[str, ...]], Query]:
    """One query of each question and gold."""
    return {
        (query.question, query.answers): query
        for dataset in starter.datasets.values()
        for queries in dataset.queries.values()
        for query in queries
        if query.answers
    }


def test_the_near_named_entity_is_not_credited(
    edits: dict[str, Edit], asked: dict[tuple[str, tuple[str, ...]], Query]
) -> None:
    near = [query for query in asked.values() if query.kind == "near_name"]
    assert len(near) >= 30
    for query in near:
        assert query.answers is not None and query.near_edit_id is not None
        edit = edits[query.near_edit_id]
        for other in (edit.subject, edit.target_new.text, *edit.target_new.aliases):
            assert not credited(other, query.answers, query.question), query.query_id


def test_no_entity_of_the_starter_is_credited_for_another(
    edits: dict[str, Edit], asked: dict[tuple[str, tuple[str, ...]], Query]
) -> None:
    names = {edit.subject for edit in edits.values()}
    names |= {
        target.text
        for edit in edits.values()
        for target in (edit.target_new, edit.target_true)
        if target is not None
    }
    names |= {answer for _, answers in asked for answer in answers}
    near = defaultdict(set)
    for longer, shorter in pairs(names):
        if not may_be_said(longer, shorter):
            near[longer].add(shorter)
            near[shorter].add(longer)
    tried = 0
    for question, answers in asked:
        own = {words_of(answer) for answer in answers}
        others = {name for answer in answers for name in near[answer]}
        for other in sorted(name for name in others if words_of(name) not in own):
            tried += 1
            assert not credited(other, answers, question), (question, other, answers)
    assert tried >= 100


REAL_FILES = {
    "counterfact": ("counterfact/counterfact-edit.json", "counterfact/counterfact-train.json"),
    "mquake_cf": ("akew/MQuAKE-CF.json",),
    "rippleedits": ("rippleedits/wiki_counterfact_test_cf-generate-10.json",),
    "wikifactdiff": ("wikifactdiff/wfd-train.json",),
}


# Pairs of names of which one holds the other, how many of them English lets stand for each other,
# and how many are credited although it does not. These are names that are numbers as well
# ("zero"), a number or a word in a name of many small letters (no pronoun or verb shows that it
# is no sentence), and names in which a space is left out after a dot.
COUNTS = {
    "counterfact": (4127, 246, 4),
    "mquake_cf": (25, 4, 0),
    "rippleedits": (158, 28, 1),
    "wikifactdiff": (1304, 166, 6),
}


@pytest.mark.real
@pytest.mark.parametrize("dataset", REAL_FILES)
def test_no_real_entity_is_credited_for_another(real_data: Path, dataset: str) -> None:
    files = [real_data / name for name in REAL_FILES[dataset]]
    cases = read_source(dataset, files, on_bad_record="skip").cases
    objects = [
        (edit.subject, edit.target_new.text, edit.target_true.text if edit.target_true else "")
        for case in cases
        for edit in case.edits
    ]
    found = pairs({name for names in objects for name in names if name})
    others = [pair for pair in found if not may_be_said(*pair)]
    wrongly = {
        (answer, gold)
        for longer, shorter in others
        for answer, gold in ((longer, shorter), (shorter, longer))
        if any(credited(answer, [gold], question) for question in QUESTIONS)
    }
    assert (len(found), len(found) - len(others), len(wrongly)) == COUNTS[dataset], wrongly
