"""Reads the files of one data set into cases of edits."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Final, Literal

from scopebench.errors import DataError
from scopebench.records import SourceRef
from scopebench.sources.case import BadRecord, Case, Source
from scopebench.sources.detect import LOOK_AHEAD, SCHEMAS, choose_schema
from scopebench.sources.fields import RECORD_FIX, Fields, kind_of, shown
from scopebench.sources.schema import Origin, Schema
from scopebench.sources.stream import RecordFile

OnBadRecord = Literal["fail", "skip"]


@dataclass(frozen=True)
class SourceInfo:
    """A data set whose files can be read.

    Attributes:
        name: The name it is asked for by.
        summary: One sentence.
        schemas: The schemas read, most telling first.
    """

    name: str
    summary: str
    schemas: tuple[Schema, ...]


_SUMMARIES: Final = {
    "counterfact": "Counterfactual single edits of CounterFact (Meng et al. 2022).",
    "wikiupdate": "Facts that changed, with times and evidence, from AKEW (Wu et al. 2024).",
    "wikifactdiff": "Facts that changed between two Wikidata dumps; a substitute for WikiUpdate.",
    "mquake_cf": "Counterfactual edits behind multi-hop questions (Zhong et al. 2023).",
    "rippleedits": "Single edits with facts they change and facts they do not (Cohen et al. 2023).",
    "zsre": "Questions with a changed answer, from zsRE (Levy et al. 2017).",
}

SOURCES: Final[dict[str, SourceInfo]] = {
    name: SourceInfo(name, summary, tuple(s for s in SCHEMAS if s.dataset == name))
    for name, summary in _SUMMARIES.items()
}
"""The data sets that `read_source` reads, by name."""


def read_source(
    dataset: str, paths: Sequence[Path], *, on_bad_record: OnBadRecord = "fail"
) -> Source:
    """Read the files of one data set.

    Args:
        dataset: A name in `SOURCES`.
        paths: The files, each in any schema of the data set. Case ids repeat between published
            files, so those of the second and later files are `<k>.<case_id>`, k = 2, 3, ...
        on_bad_record: `fail` raises for the first record that cannot be used; `skip` lists it.

    Raises:
        DataError: If a file is missing, damaged, not of this data set or without a usable record,
            two files have one name, or a record is bad and `on_bad_record` is `fail`.
    """
    _check_request(dataset, paths)
    taken: dict[str, tuple[Path, int]] = {}
    schemas: dict[str, str] = {}
    files: dict[str, str] = {}
    cases: list[Case] = []
    bad: list[BadRecord] = []
    for k, path in enumerate(paths, start=1):
        file = RecordFile.open(path)
        records = iter(file)
        first = list(islice(records, LOOK_AHEAD))
        schema = choose_schema(dataset, file, first)
        reader = _Reader(file, schema, "" if k == 1 else f"{k}.", taken)
        before = len(cases), len(bad)
        for number, record in enumerate(chain(first, records), start=1):
            try:
                cases.append(reader.case(number, record))
            except DataError as error:
                if on_bad_record == "fail":
                    raise
                bad.append(
                    BadRecord(path.name, error.record or f"#{number}", error.field, error.what)
                )
        if len(cases) == before[0]:
            raise all_bad(path, bad[before[1] :])
        schemas[path.name] = schema.name
        files[path.name] = file.sha256
    return Source(dataset, schemas, files, tuple(cases), tuple(bad))


def _check_request(dataset: str, paths: Sequence[Path]) -> None:
    if dataset not in SOURCES:
        near = difflib.get_close_matches(dataset, SOURCES, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise DataError(f"no source is called {dataset!r}; {hint}known: {', '.join(SOURCES)}")
    check_paths(dataset, paths)


def check_paths(dataset: str, paths: Sequence[Path]) -> None:
    """Check that a data set has files and that no two have one name.

    Raises:
        DataError: If it has none, or two do.
    """
    if not paths:
        raise DataError(f"no file of {dataset} is named", fix=f"give --source {dataset}=PATH")
    named: dict[str, Path] = {}
    for path in paths:
        if path.name in named:
            raise DataError(
                f"another file of {dataset} has the same name, {named[path.name]}",
                file=path,
                fix="name each file once, and rename one of two that differ",
            )
        named[path.name] = path


def all_bad(path: Path, bad: Sequence[BadRecord]) -> DataError:
    """Return the error for a file none of whose records can be used."""
    return DataError(
        f"none of its {len(bad)} records can be used; the first: {bad[0].reason}",
        file=path,
        record=bad[0].record,
        field=bad[0].field,
        fix="check that it is the right file",
    )


@dataclass(frozen=True)
class _Reader:
    """Turns the records of one file into cases.

    Attributes:
        file: The file.
        schema: Its schema.
        prefix: Put before its case ids.
        taken: The place of every case id met so far, in this file and those before.
    """

    file: RecordFile
    schema: Schema
    prefix: str
    taken: dict[str, tuple[Path, int]]

    def case(self, number: int, value: object) -> Case:
        path = self.file.path
        if not isinstance(value, dict):
            raise DataError(
                f"expected an object, found {kind_of(value)}",
                file=path,
                record=f"#{number}",
                fix=RECORD_FIX,
            )
        record = Fields(value, str(path), f"#{number}")
        body = record.child(self.schema.wrapper) if self.schema.wrapper else record
        own_id = _case_id(body) if self.schema.has_ids else str(number - 1)
        body = Fields(body.values, body.file, own_id, body.path)
        # The id is the middle one of the three parts of an edit id.
        case_id = self.prefix + own_id.replace("/", "_")
        here = (path, number)
        there = self.taken.setdefault(case_id, here)
        if there != here:
            what = f"expected an id used once, found that of record #{there[1]} of {there[0]}"
            raise body.fault("case_id", what)
        source = SourceRef(file=path.name, record=own_id, sha256=self.file.sha256)
        origin = Origin(self.schema.dataset, case_id, source)
        parsed = self.schema.parse(body, origin)
        return Case(origin.dataset, case_id, parsed.edits, parsed.probes)


def _case_id(body: Fields) -> str:
    """Return the record's id, an integer or a text that prints on one line."""
    value = body.value("case_id", "an integer or a string")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise body.fault("case_id", f"expected an integer or a string, found {kind_of(value)}")
    text = body.text("case_id")
    if not text.isprintable():
        raise body.fault("case_id", f"expected an id that can be printed, found {shown(text)}")
    return text
