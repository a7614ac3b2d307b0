"""One row of a team's own edits, read into a case of one edit and its probes."""

from __future__ import annotations

import datetime
import json
import math
import re
import sys
import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, Literal

from scopebench.records import Edit, FactObject, Form, Interval, Triple
from scopebench.sources.case import Case, Probe
from scopebench.sources.facts import (
    SLOT,
    check_change,
    fact_object,
    template,
    template_around,
)
from scopebench.sources.fields import Fields, shown
from scopebench.sources.own_columns import COLUMN
from scopebench.sources.schema import Origin
from scopebench.sources.stream import WrittenNumber

OWN_RELATION: Final = "own:"
"""Before the normalised words of a relation that has no property id."""

_PROPERTY: Final = re.compile(r"[Pp][0-9]+")
_ARTICLE: Final = re.compile(r"the (?=\S)", re.IGNORECASE)
_DATE: Final = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?")
_JSON_TYPES: Final = (str, int, float, list, dict)


def tidy(cells: Mapping[str, Any], file: str, record: str) -> Fields:
    """Return the values of a row as JSON values, the empty ones left out.

    White space in texts, line breaks included, becomes single spaces, so that a cell is one line
    of a prompt. Numbers are read as they are written, and dates as their text.

    Raises:
        DataError: If a cell holds what its column cannot.
    """
    raw = Fields(cells, file, record)
    values = {name: _value(raw, name, value) for name, value in cells.items()}
    return Fields(
        {name: value for name, value in values.items() if value is not None}, file, record
    )


def own_id(fields: Fields, number: int) -> str:
    """Return the record's id, else its number."""
    if not fields.has("id"):
        return str(number)
    text = fields.text("id")
    if not text.isprintable():
        raise fields.fault("id", f"expected an id that can be printed, found {shown(text)}")
    return text


def parse_own(fields: Fields, origin: Origin) -> Case:
    """Parse a row into a case.

    Raises:
        DataError: If a field is missing or not as described, or the row contradicts itself.
    """
    subject = fields.text("subject")
    if SLOT in subject:
        raise fields.fault("subject", "expected a name, found {} in it")
    new, old = _object(fields, "new"), _old(fields)
    if old is not None:
        check_change(fields, "new", new, old)
    question = fields.optional_text("question")
    edit = Edit(
        edit_id=origin.edit_id(0),
        dataset=origin.dataset,
        subject=subject,
        subject_id=fields.optional_text("subject_id"),
        relation_id=_relation_id(fields),
        prompt=_prompt(fields, subject),
        question=None if question is None else question.replace(SLOT, subject),
        target_new=new,
        target_true=old,
        evidence_unstructured=fields.optional_text("evidence"),
        evidence_triples=_triples(fields),
        time_true=_interval(fields, "old"),
        time_new=_interval(fields, "new"),
        source=origin.source,
    )
    return Case(origin.dataset, origin.case_id, (edit,), _probes(fields, edit))


def _value(raw: Fields, name: str, value: object) -> object:
    holds = COLUMN[name].holds
    if isinstance(value, str):
        value = " ".join(value.split())
    if value is None or value == "" or value != value:  # NaN and NaT are not equal to themselves
        return None
    if holds in ("texts", "triples"):
        return _list(raw, name, value)
    if holds == "date" and isinstance(value, datetime.date):
        return _day(raw, name, value)
    return _worded(raw, name, value)


def _list(raw: Fields, name: str, value: object) -> object:
    """Return a list from a list, from JSON, or, where it holds texts, from `a; b`."""
    if isinstance(value, str) and value.startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise raw.fault(name, f"it begins with [ but is no JSON list: {error}") from error
    elif isinstance(value, str):
        if COLUMN[name].holds == "triples":
            what = "expected a JSON list of objects with subject, prompt and target"
            raise raw.fault(name, f"{what}, found {shown(value)}")
        value = [part.strip() for part in value.split(";")]
    if not isinstance(value, list):
        word = _worded(raw, name, value)
        return [word] if isinstance(word, str) and COLUMN[name].holds == "texts" else word
    if COLUMN[name].holds == "triples":
        return [_tidy_triple(raw, f"{name}[{n}]", item) for n, item in enumerate(value)] or None
    items = [_worded(raw, f"{name}[{n}]", item) for n, item in enumerate(value)]
    return [" ".join(item.split()) if isinstance(item, str) else item for item in items] or None


def _tidy_triple(raw: Fields, name: str, item: object) -> object:
    if not isinstance(item, dict):
        return _worded(raw, name, item)
    return {
        key: " ".join(text.split()) if isinstance(text, str) else _worded(raw, name, text)
        for key, text in item.items()
    }


def _worded(raw: Fields, name: str, value: object) -> object:
    """Return a number as its text; refuse values that JSON does not know."""
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return _number(value) if math.isfinite(value) else value
    if value is not None and not isinstance(value, _JSON_TYPES):
        raise raw.fault(name, f"expected text, found a value of type {type(value).__name__}")
    return value


def _number(value: int | float | Decimal) -> str:
    """Return a number as it was written where that is known, else in its shortest form.

    pandas turns whole numbers into floats where a column has gaps, so that 4810.0 is 4810.
    """
    text = value.text if isinstance(value, WrittenNumber) else str(value)
    if isinstance(value, float) and "e" in text.lower() and not isinstance(value, WrittenNumber):
        text = format(Decimal(text), "f")
    return text.removesuffix(".0") if isinstance(value, float) else text


def _day(raw: Fields, name: str, value: datetime.date) -> str:
    if isinstance(value, datetime.datetime):
        if value.time() != datetime.time():
            raise raw.fault(name, f"expected a date without time of day, found {shown(str(value))}")
        value = value.date()
    return value.isoformat()


def _object(fields: Fields, key: str) -> FactObject:
    aliases = fields.texts(f"{key}_aliases") if fields.has(f"{key}_aliases") else ()
    return fact_object(fields.text(key), aliases, fields.optional_text(f"{key}_id"))


def _old(fields: Fields) -> FactObject | None:
    if fields.has("old"):
        return _object(fields, "old")
    for key in ("old_aliases", "old_id"):
        if fields.has(key):
            raise fields.fault(key, "expected the column old beside it, found that empty")
    return None


def _relation_id(fields: Fields) -> str | None:
    """Return the property id, else the normalised words behind `OWN_RELATION`, if there are any."""
    relation = fields.optional_text("relation")
    if relation is None:
        return None
    if _PROPERTY.fullmatch(relation):
        return relation.upper()
    words = _relation_words(fields, relation)
    return sys.intern(OWN_RELATION + unicodedata.normalize("NFKC", words).casefold())


def _relation_words(fields: Fields, relation: str) -> str:
    """Return a relation as it stands after an article: `the chief_executive` without both."""
    if SLOT in relation:
        raise fields.fault("relation", "expected words without {}; write it in the column prompt")
    words = _ARTICLE.sub("", " ".join(relation.replace("_", " ").split()), count=1)
    if not words:
        raise fields.fault("relation", f"expected words, found {shown(relation)}")
    return words


def _prompt(fields: Fields, subject: str) -> str:
    if not fields.has("prompt"):
        relation = fields.optional_text("relation")
        if relation is None:
            raise fields.fault("prompt", "expected a prompt or a relation, found neither")
        if _PROPERTY.fullmatch(relation):
            raise fields.fault("prompt", "expected a prompt, as a property id holds no words")
        return f"The {_relation_words(fields, relation)} of {SLOT} is"
    text = fields.text("prompt")
    if text.endswith("?"):
        what = f"expected a sentence to complete, found the question {shown(text)}"
        raise fields.fault("prompt", f"{what}; a question belongs in the column question")
    if SLOT in text:
        return template(fields, "prompt")
    return template_around(fields, "prompt", subject)


def _triples(fields: Fields) -> tuple[Triple, ...] | None:
    if not fields.has("triples"):
        return None
    return tuple(
        Triple(
            subject=triple.text("subject"),
            prompt=template(triple, "prompt"),
            target=triple.text("target"),
        )
        for triple in fields.children("triples")
    )


def _interval(fields: Fields, key: str) -> Interval | None:
    start, end = _date(fields, f"{key}_start"), _date(fields, f"{key}_end")
    if start is None and end is None:
        return None
    if start is not None and end is not None:
        # Compared at the coarser precision: 2019-05 to 2019 is no contradiction.
        shared = min(len(start), len(end))
        if start[:shared] > end[:shared]:
            raise fields.fault(f"{key}_end", f"expected a date after {start}, found {end}")
    return _span(start, end)


@lru_cache(maxsize=65_536)
def _span(start: str | None, end: str | None) -> Interval:
    """Return an interval; edits share equal ones, as 200,000 rows are held in memory at once."""
    return Interval(start=start, end=end)


def _date(fields: Fields, key: str) -> str | None:
    text = fields.optional_text(key)
    if text is None:
        return None
    if not _DATE.fullmatch(text):
        raise fields.fault(key, f"expected YYYY, YYYY-MM or YYYY-MM-DD, found {shown(text)}")
    parts = [int(part) for part in text.split("-")]
    try:
        datetime.date(*(parts + [1] * (3 - len(parts))))
    except ValueError as error:
        raise fields.fault(key, f"expected a date, found {shown(text)} ({error})") from error
    return text


def _probes(fields: Fields, edit: Edit) -> tuple[Probe, ...]:
    """Return the edit under each alias of its subject, and in other words."""
    # Computed once for all probes of the edit: files of 200,000 rows are held whole.
    before = None if edit.target_true is None else edit.target_true.answers
    after = edit.target_new.answers

    def probe(
        role: Literal["alias", "paraphrase"], field: str, question: str, form: Form, subject: str
    ) -> Probe:
        return Probe(
            role=role,
            field=sys.intern(field),
            question=question,
            form=form,
            edit_id=edit.edit_id,
            subject=subject,
            subject_id=edit.subject_id,
            relation_id=edit.relation_id,
            before=before,
            after=after,
        )

    probes = []
    parts = _around_subject(edit)
    aliases = fields.texts("subject_aliases") if fields.has("subject_aliases") else ()
    for n, alias in enumerate(aliases):
        if alias != edit.subject and len(parts) > 1:
            field = f"subject_aliases[{n}]"
            probes.append(probe("alias", field, alias.join(parts), edit.form, alias))
    paraphrases = fields.texts("paraphrases") if fields.has("paraphrases") else ()
    for n, text in enumerate(paraphrases):
        question = text.replace(SLOT, edit.subject)
        form: Form = "question" if question.endswith("?") else "cloze"
        probes.append(probe("paraphrase", f"paraphrases[{n}]", question, form, edit.subject))
    return tuple(probes)


def _around_subject(edit: Edit) -> list[str]:
    """Return what stands around the subject as the fact is asked; one part: it is not named.

    Only whole words count. Plain searching, since each subject would need an expression of its own.
    """
    if edit.question is None:
        return edit.prompt.split(SLOT)
    text, subject = edit.question, edit.subject
    parts, begin, at = [], 0, text.find(subject)
    while at >= 0:
        end = at + len(subject)
        if _is_letter(text[at - 1 : at]) or _is_letter(text[end : end + 1]):
            at = text.find(subject, at + 1)
        else:
            parts.append(text[begin:at])
            begin, at = end, text.find(subject, end)
    return [*parts, text[begin:]]


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"
