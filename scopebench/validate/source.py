"""Validates a raw source file of any known form."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from scopebench.construct.checks.rows import SHORT_ALIAS
from scopebench.sources.case import Source
from scopebench.sources.read import read_source
from scopebench.sources.stream import RecordFile
from scopebench.validate import source_edits, source_paths, source_probes
from scopebench.validate.finding import CheckInfo, Finding, Validation
from scopebench.validate.source_own import BLANK, OwnFile, blank_lists, published

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


def validate_source(path: Path, columns: Path | None = None) -> Validation:
    """Validate a raw source file, whose form is told from its first records.

    What is in no published form is read as one's own edits.

    Args:
        path: The file.
        columns: The mapping file of the columns of one's own edits, where they have other names;
            with it the file is read as one's own edits in any case.

    Raises:
        DataError: If it is missing, in no known form, damaged, or without a usable record.
    """
    dataset = None if columns is not None else published(path)
    if dataset is None:
        own = OwnFile.read(path, columns)
        found = [*map(own.named, findings(own.source)), *own.blanks]
    else:
        source = read_source(dataset, [path], on_bad_record="skip")
        found = [*findings(source), *_blank_aliases(path)]
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


def _blank_aliases(path: Path) -> Iterator[Finding]:
    """Yield lists of answers with a blank entry, which parsing leaves out without a word.

    A record without an id of its own goes by its position.
    """
    for number, record in enumerate(RecordFile.open(path), start=1):
        if not isinstance(record, dict):
            continue
        own = record.get("case_id", f"#{number}")
        for field in blank_lists(record):
            yield Finding("empty_alias", path.name, str(own), field, BLANK)
