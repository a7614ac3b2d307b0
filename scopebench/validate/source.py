"""Validates a raw source file of any known form."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from scopebench.build.checks.rows import SHORT_ALIAS
from scopebench.errors import DataError
from scopebench.sources.case import Source
from scopebench.sources.detect import identify
from scopebench.sources.own import read_own
from scopebench.sources.read import read_source
from scopebench.sources.stream import RecordFile
from scopebench.validate import source_edits, source_paths, source_probes
from scopebench.validate.finding import CheckInfo, Finding, Validation

CHECKS: Final[dict[str, CheckInfo]] = {
    "bad_record": CheckInfo("error", "the record cannot be used"),
    "contradictory_edits": CheckInfo("error", "edits set one fact to different objects"),
    "contradictory_edits_reworded": CheckInfo(
        "error", "edits set one fact, told in other words, to different objects"
    ),
    "no_change": CheckInfo("error", "the new object is the old one"),
    "contaminated_locality": CheckInfo(
        "error", "a locality prompt asks a fact that another record edits"
    ),
    "contradictory_probe": CheckInfo("error", "one locality prompt has two golds"),
    "path_edited_elsewhere": CheckInfo(
        "error", "another group edits a fact on the path after the edits, so the gold is wrong"
    ),
    "path_before_edited_elsewhere": CheckInfo(
        "warning", "another group edits a fact on the path before the edits"
    ),
    "conflicting_answers": CheckInfo(
        "warning", "edits that may set one fact (same subject and old object) differ"
    ),
    "duplicate_edits": CheckInfo("warning", "several edits set one fact to one object"),
    "duplicate_probe": CheckInfo("warning", "an earlier locality prompt asks the same words"),
    "objects_alike": CheckInfo("warning", "an answer of the old object passes for the new one"),
    "echo": CheckInfo("warning", "the prompt holds its answer: repeating it is paid"),
    "echo_new": CheckInfo("warning", "the edit's prompt holds its new object"),
    "short_alias": CheckInfo(
        "warning", f"an accepted answer has {SHORT_ALIAS} characters or fewer"
    ),
    "refusal_alias": CheckInfo("warning", "an ordinary refusal holds an accepted answer"),
    "subject_missing": CheckInfo("warning", "the question does not name its subject"),
    "lead_in": CheckInfo("warning", "a paraphrase opens with a sentence about something else"),
    "mentions_edited_subject": CheckInfo(
        "note", "a locality prompt names a subject that another record edits"
    ),
    "names_own_subject": CheckInfo("note", "a locality prompt names its own record's subject"),
    "empty_alias": CheckInfo("note", "a list of answers holds a blank one, which is left out"),
}
"""What is looked for in a raw file."""

_TABLES: Final = (".csv", ".tsv", ".parquet")
"""Ends of the names of files that can only hold one's own edits."""

_OWN: Final = "own"


def validate_source(path: Path) -> Validation:
    """Validate a raw source file, whose form is told from its first records.

    CSV and parquet files, and JSON in no published form, are read as one's own edits.

    Raises:
        DataError: If it is missing, in no known form, damaged, or without a usable record.
    """
    found = list(findings(_read(path)))
    if path.suffix.casefold() not in _TABLES:
        found.extend(_blank_aliases(path))
    return Validation.of(path, "raw", CHECKS, found)


def findings(source: Source) -> Iterator[Finding]:
    """Yield everything found in a parsed file."""
    cases = source.cases
    edits = [edit for case in cases for edit in case.edits]
    asked = source_probes.probes_of(cases)
    yield from source_edits.bad_records(source)
    yield from source_edits.contradictions(edits)
    yield from source_edits.duplicates(edits)
    yield from source_edits.objects(edits)
    yield from source_probes.neighbours(asked, edits)
    yield from source_probes.repeated(asked)
    yield from source_probes.echoes(asked, edits)
    yield from source_probes.golds(cases)
    yield from source_probes.subjects(asked, edits)
    yield from source_paths.paths(cases)


def _read(path: Path) -> Source:
    if path.suffix.casefold() in _TABLES:
        return read_own(_OWN, [path], on_bad_record="skip")
    try:
        dataset, _ = identify(path)
    except DataError:
        try:
            return read_own(_OWN, [path], on_bad_record="skip")
        except DataError:
            pass  # what is told is that the file is in no published form
        raise
    return read_source(dataset, [path], on_bad_record="skip")


def _blank_aliases(path: Path) -> Iterator[Finding]:
    """Yield lists of answers with a blank entry, which parsing leaves out without a word.

    A record without an id of its own goes by its position.
    """
    for number, record in enumerate(RecordFile.open(path), start=1):
        if not isinstance(record, dict):
            continue
        own = record.get("case_id", f"#{number}")
        for field in _blanks(record):
            yield Finding("empty_alias", path.name, str(own), field, "it holds a blank answer")


def _blanks(value: Any, path: str = "", key: str = "") -> Iterator[str]:
    """Yield the dotted names of lists called something like `alias` that hold a blank text."""
    if isinstance(value, dict):
        for name, child in value.items():
            yield from _blanks(child, f"{path}.{name}" if path else str(name), str(name))
    elif isinstance(value, list):
        if "alias" in key and any(isinstance(item, str) and not item.strip() for item in value):
            yield path
        for number, item in enumerate(value):
            if isinstance(item, dict | list):
                yield from _blanks(item, f"{path}[{number}]", key)
