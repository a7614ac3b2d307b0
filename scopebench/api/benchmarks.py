"""Benchmarks: built from source files, or loaded from a folder or the Hub."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scopebench.api.arguments import path_of
from scopebench.construct.options import CURATED_SIZE, Assign, BuildOptions, OnBadRecord, Withhold
from scopebench.errors import UsageError

if TYPE_CHECKING:
    from scopebench.construct.reader import Benchmark
    from scopebench.records import Condition, Population, Query

__all__ = [
    "CURATED_SIZE",
    "BenchmarkLike",
    "BuiltBenchmark",
    "benchmark_path",
    "build",
    "load",
]

Sources = Mapping[str, str | PathLike[str] | Sequence[str | PathLike[str]]]


@dataclass(frozen=True)
class BuiltBenchmark:
    """A built benchmark: its folder, and what lies there.

    Attributes:
        path: The folder.
        manifest: Its manifest, as JSON values.
        revision: The commit of the Hub that it was loaded from; None: it is a folder of one's own.
    """

    path: Path
    manifest: Mapping[str, Any] = field(repr=False)
    revision: str | None = None

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.manifest["name"])

    @property
    def version(self) -> str:
        """The version of this package that built it."""
        return str(self.manifest["version"])

    @cached_property
    def contents(self) -> Benchmark:
        """Its edits and queries, read when they are first asked for and verified by SHA-256.

        Raises:
            DataError: If a file is missing or not the one built.
        """
        from scopebench.construct.reader import read_benchmark

        return read_benchmark(self.path)

    def queries(
        self, dataset: str, condition: Condition, population: Population
    ) -> tuple[Query, ...]:
        """Return the queries of one cell and population, in stored order.

        Raises:
            UsageError: If there are none of that name.
        """
        splits = self.contents.datasets.get(dataset)
        if splits is None:
            known = ", ".join(self.contents.datasets)
            raise UsageError(f"{self.name} holds no data set {dataset!r}; it holds {known}")
        found = splits.queries.get((condition, population))
        if found is None:
            known = ", ".join("/".join(pair) for pair in splits.queries)
            raise UsageError(f"{dataset} has no {condition}/{population}; it has {known}")
        return found

    def show(
        self, query_id: str, run: str | PathLike[str] | None = None, *, verify: bool = True
    ) -> dict[str, Any]:
        """Return all that is known of a query, as JSON values.

        Args:
            query_id: The query.
            run: A run folder whose decisions and outcomes are added.
            verify: Whether to compare the files with the manifest first.

        Raises:
            DataError: If there is no such query, or the run cannot be read.
        """
        from scopebench.construct.reader import read_benchmark
        from scopebench.report.query import describe_query

        contents = self.contents if verify else read_benchmark(self.path, verify=False)
        return describe_query(query_id, contents, None if run is None else path_of(run))

    def __str__(self) -> str:
        return f"{self.name} {self.version} at {self.path}"

    def _repr_html_(self) -> str:
        from scopebench.report.page.notebook import benchmark_fragment

        return benchmark_fragment(self.manifest, self.path)


BenchmarkLike = str | PathLike[str] | BuiltBenchmark
"""A built benchmark, its folder, or `ORG/NAME[@REVISION]` on the Hub."""


def build(
    sources: Sources | None,
    out: str | PathLike[str],
    *,
    columns: Mapping[str, str | PathLike[str]] | None = None,
    withhold: Withhold = "own",
    assign: Assign = "subject",
    fraction: float = 0.5,
    curated_size: int = CURATED_SIZE,
    seed: int = 0,
    limit: int | None = None,
    on_bad_record: OnBadRecord = "fail",
) -> BuiltBenchmark:
    """Build a benchmark folder from source files.

    An earlier build at `out` is replaced only after the new one is complete.

    Args:
        sources: The file, or files, of each data set by its name; a name that is none of the
            published data sets holds one's own edits (docs/own_edits.md). None: the starter.
        out: The folder to write.
        columns: For one's own edits: the mapping file of their columns, by data set.
        withhold: `own` hides each hidden query's own edit, `shared` makes one index without any.
        assign: `subject` hides an exact share by component, `query` draws independently.
        fraction: Share of the queries that is hidden in `withheld`, from 0 to 1.
        curated_size: At most so many rows in each cell of `curated`; 0: no such population.
        seed: Seeds every choice.
        limit: At most so many edits of each data set, in whole groups; None: all.
        on_bad_record: `fail` at the first unusable record, or `skip` and list it.

    Raises:
        DataError: If a source is not as promised, nothing can be asked, a value is out of range or
            `out` holds anything but an earlier build.
    """
    from scopebench.construct.writer import build_benchmark

    options = BuildOptions(
        withhold=withhold,
        assign=assign,
        fraction=fraction,
        seed=seed,
        limit=limit,
        on_bad_record=on_bad_record,
        curated_size=curated_size,
    )
    files = None if sources is None else {name: _paths(given) for name, given in sources.items()}
    mapped = {name: path_of(given) for name, given in (columns or {}).items()}
    manifest = build_benchmark(files, path_of(out), options, columns=mapped)
    return BuiltBenchmark(path_of(out), manifest)


def load(benchmark: BenchmarkLike | None = None) -> BuiltBenchmark:
    """Load a built benchmark: a folder, or a dataset repository of the Hub.

    A folder that is there wins over a repository of the same name. What is loaded from the Hub is
    kept in the cache by commit; where the Hub cannot be reached, what was loaded before is used.

    Args:
        benchmark: The folder, or `ORG/NAME` for the main branch, or `ORG/NAME@REVISION` for a tag,
            branch or commit. None: the starter, built in the cache where it is missing.

    Raises:
        DataError: If it is no built benchmark, or of another format version.
        HubError: If the Hub refuses, or cannot be reached and the cache does not hold it.
    """
    from scopebench.construct.reader import read_manifest

    if isinstance(benchmark, BuiltBenchmark):
        return benchmark
    if benchmark is None:
        from scopebench.construct.embedded import starter_benchmark

        folder, revision = starter_benchmark(), None
    else:
        folder, revision = _folder(benchmark)
    return BuiltBenchmark(folder, read_manifest(folder), revision)


def benchmark_path(benchmark: BenchmarkLike | None) -> Path | None:
    """Return the folder of a benchmark; None stays None, for whoever has another default."""
    return None if benchmark is None else load(benchmark).path


def _folder(benchmark: str | PathLike[str]) -> tuple[Path, str | None]:
    """Return the folder of a benchmark and, where it is of the Hub, its commit."""
    from scopebench.hub.benchmarks import fetch_benchmark, is_repository

    folder = path_of(benchmark)
    if isinstance(benchmark, str) and not folder.exists() and is_repository(benchmark):
        return fetch_benchmark(benchmark)
    return folder, None


def _paths(given: str | PathLike[str] | Sequence[str | PathLike[str]]) -> list[Path]:
    return [path_of(given)] if isinstance(given, str | PathLike) else list(map(path_of, given))
