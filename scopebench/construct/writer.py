"""Builds a benchmark folder: parse, plan, write beside the target, swap in."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from scopebench.construct.card import STARTER_LICENCE, render_card
from scopebench.construct.manifest import (
    FILE,
    FORMAT,
    INDEX,
    cell_config,
    edits_config,
    make_manifest,
    parquet_path,
)
from scopebench.construct.options import BuildOptions
from scopebench.construct.plan import DatasetPlan, plan_benchmark
from scopebench.construct.tables import write_records
from scopebench.disk_errors import clear_disk_errors
from scopebench.errors import DataError
from scopebench.records import Edit, Query
from scopebench.sources import Source
from scopebench.sources.any import read_any
from scopebench.sources.pins import git_blob_id, pins

CARD: Final = "README.md"
UNKNOWN_LICENCE: Final = "not known; see its publisher"

Licences = Mapping[str, Mapping[str, str]]


def build_benchmark(
    sources: Mapping[str, Sequence[Path]] | None,
    out: Path,
    options: BuildOptions,
    *,
    columns: Mapping[str, Path] | None = None,
    facts: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Build a benchmark folder from source files and return its manifest.

    An earlier build at `out` is replaced only after the new one is complete.

    Args:
        sources: Files of each data set; None: the starter, all of whose data sets are embedded.
        out: The folder to write.
        options: What to build.
        columns: Mapping file of the columns of each data set that holds one's own edits.
        facts: Measured facts to print on the card, by name; by default the starter's own.

    Raises:
        DataError: If a source is not as promised, nothing can be asked, or `out` holds anything
            but an earlier build.
    """
    check_target(out)
    parsed, licences = _read_sources(sources, options, columns or {})
    name = "-".join(["scopebench", *(["starter"] if sources is None else sorted(sources))])
    if sources is None and facts is None:
        from scopebench.sources.starter import measured_facts

        facts = measured_facts()
    return write_benchmark(
        parsed, out, options, name=name, licences=licences, facts=facts, columns=columns
    )


def write_benchmark(
    sources: Sequence[Source],
    out: Path,
    options: BuildOptions,
    *,
    name: str,
    licences: Licences | None = None,
    facts: Mapping[str, str] | None = None,
    columns: Mapping[str, Path] | None = None,
) -> dict[str, Any]:
    """Build a benchmark folder from parsed sources and return its manifest.

    Args:
        sources: The parsed data sets.
        out: The folder to write.
        options: What to build.
        name: The benchmark's name.
        licences: Licence of each source file in words, by data set and base name.
        facts: Measured facts to print on the card, by name.
        columns: The mapping files that the sources were read with, by data set.

    Raises:
        DataError: If nothing can be asked, or `out` holds anything but an earlier build.
    """
    check_target(out)
    ordered = sorted(sources, key=lambda source: source.dataset)
    plans = plan_benchmark(ordered, options)
    stated = {
        source.dataset: {
            file: (licences or {}).get(source.dataset, {}).get(file, UNKNOWN_LICENCE)
            for file in source.files
        }
        for source in ordered
    }
    with clear_disk_errors(out, DataError), _swapped_in(out) as folder:
        files = {path: digest for plan in plans for path, digest in _write_plan(plan, folder)}
        mapped = {
            dataset: {"file": path.name, "sha256": sha256_of(path)}
            for dataset, path in sorted((columns or {}).items())
        }
        manifest = make_manifest(
            plans, options, name=name, files=files, licences=stated, columns=mapped
        )
        text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
        (folder / FILE).write_text(text, encoding="utf-8", newline="\n")
        card = render_card(manifest, facts)
        (folder / CARD).write_text(card, encoding="utf-8", newline="\n")
    return manifest


def check_target(out: Path) -> None:
    """Check that a build may be written to a folder.

    Raises:
        DataError: If it holds anything but an earlier build, files beside one included.
    """
    if not out.exists():
        return
    if not out.is_dir():
        raise DataError("is a file, not a folder", file=out, fix="give another --out")
    with clear_disk_errors(out, DataError):
        if not any(out.iterdir()):
            return
        written = _written_by_a_build(out / FILE)
        if written is None:
            raise DataError(
                "holds files and is not a built benchmark", file=out, fix="give an empty --out"
            )
        found = {path.relative_to(out).as_posix() for path in out.rglob("*") if not path.is_dir()}
    if foreign := sorted(found - written):
        raise DataError(
            f"holds files beside an earlier build, such as {foreign[0]}",
            file=out,
            fix="move them away or give another --out",
        )


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _written_by_a_build(manifest: Path) -> set[str] | None:
    """Return the files an earlier build wrote, or None where there was none."""
    try:
        stored = json.loads(manifest.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(stored, dict) or stored.get("format") != FORMAT:
        return None
    return {FILE, CARD, *stored.get("files", {})}


def _read_sources(
    sources: Mapping[str, Sequence[Path]] | None,
    options: BuildOptions,
    columns: Mapping[str, Path],
) -> tuple[list[Source], Licences]:
    """Parse the files of each data set, the starter's after writing them to a temporary folder."""
    stray = sorted(set(columns) - set(sources or ()))
    if stray:
        raise DataError(
            f"--columns names {stray[0]!r}, which no --source is called", file=columns[stray[0]]
        )
    if sources is None:
        from scopebench.sources.starter import write_starter

        with tempfile.TemporaryDirectory(prefix="scopebench-starter-") as folder:
            starter = {name: [path] for name, path in write_starter(Path(folder)).items()}
            return _parse(starter, options, {}), _by_file(starter, lambda _: STARTER_LICENCE)
    if not sources:
        raise DataError("no source is given", fix="give at least one data set with its files")
    return _parse(sources, options, columns), _by_file(sources, _licence_of)


def _parse(
    sources: Mapping[str, Sequence[Path]], options: BuildOptions, columns: Mapping[str, Path]
) -> list[Source]:
    return [
        read_any(dataset, paths, columns=columns.get(dataset), on_bad_record=options.on_bad_record)
        for dataset, paths in sorted(sources.items())
    ]


def _by_file(sources: Mapping[str, Sequence[Path]], licence_of: Callable[[Path], str]) -> Licences:
    return {
        dataset: {path.name: licence_of(path) for path in paths}
        for dataset, paths in sources.items()
    }


def _licence_of(path: Path) -> str:
    """Return the licence of a canonical file, known by its bytes."""
    blob = git_blob_id(path)
    for pin in pins().values():
        if pin.git_blob == blob:
            return f"{pin.licence} ({pin.repo})"
    return UNKNOWN_LICENCE


def _write_plan(plan: DatasetPlan, folder: Path) -> Iterator[tuple[str, str]]:
    """Write the tables of one data set; yield each relative path and its SHA-256."""
    index_splits = {INDEX: plan.index}
    if plan.withheld_index is not None:
        index_splits["withheld"] = plan.withheld_index
    if plan.curated is not None and plan.curated.queries:
        index_splits["curated"] = plan.curated.index
    for split, edits in index_splits.items():
        path = parquet_path(edits_config(plan.dataset), split)
        (folder / path).parent.mkdir(exist_ok=True)
        write_records(edits, Edit, folder / path)
        yield path, sha256_of(folder / path)
    for (condition, population), queries in plan.queries.items():
        path = parquet_path(cell_config(plan.dataset, condition), population)
        (folder / path).parent.mkdir(exist_ok=True)
        write_records(queries, Query, folder / path)
        yield path, sha256_of(folder / path)


@contextmanager
def _swapped_in(out: Path) -> Iterator[Path]:
    """Yield an empty folder beside the target; it becomes the target if nothing goes wrong."""
    out = out.absolute()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as beside:
        new, old = Path(beside, "new"), Path(beside, "old")
        new.mkdir()
        yield new
        replaced = out.exists()
        if replaced:
            out.rename(old)
        try:
            new.rename(out)
        except OSError:
            if replaced:
                old.rename(out)
            raise
