"""Reports: every number of a run or of one's own outcomes, and runs side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pandas as pd
from pydantic import PrivateAttr

from scopebench import records
from scopebench.api.arguments import (
    MixLike,
    PathLikes,
    StaticLike,
    path_of,
    report_settings,
    silent,
    static_rule,
)
from scopebench.api.frames import as_file, frame_of
from scopebench.errors import DataError, UsageError
from scopebench.records import Matcher

if TYPE_CHECKING:
    from scopebench.api.benchmarks import BenchmarkLike
    from scopebench.report.gather import Gathered
    from scopebench.scoring.headroom import Rule
    from scopebench.scoring.summary import Settings

__all__ = ["Matcher", "Report", "SideBySide", "check_outs", "compare", "headroom"]

Tell = Callable[[str], None]

SUFFIXES: Final = (".html", ".htm", ".md")
"""Endings of the files that a report can be written to."""

PATHS: Final = (
    "give a run folder written by `scopebench score`, or a CSV or parquet file of outcomes"
)
_OWN_TABLE: Final = "outcomes"


class Report(records.Report):
    """Every number of a run or of a table of outcomes; it shows itself in a notebook.

    The numbers of its own level are the strict matcher's; `paper_matcher` holds those of the
    paper's, where there are texts to match.
    """

    paper_matcher: records.Report | None = None
    _title: str = PrivateAttr(default=_OWN_TABLE)

    @property
    def title(self) -> str:
        """What it is of."""
        return self._title

    def under(self, matcher: Matcher) -> records.Report:
        """Return the numbers under a matcher; a table of outcomes has the same under both."""
        return self.paper_matcher if matcher == "paper" and self.paper_matcher else self

    def to_pandas(self, part: str = "pooled") -> pd.DataFrame:
        """Return a part of the report as a frame, one row for each of its rows.

        Args:
            part: `pooled`, `cells`, `strata`, `kinds`, `router`, `policies`, `mixes`, `comparisons`
                or `noise`; nested fields have dotted names, such as `headroom.value`.

        Raises:
            UsageError: If the report has no such part.
        """
        rows = getattr(self, part, None) if part in type(self).model_fields else None
        if not isinstance(rows, tuple) or any(not isinstance(row, records.Record) for row in rows):
            raise UsageError(f"a report has no part {part!r} that is a table")
        return frame_of(rows)

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON values, as `scopebench headroom --json` prints it."""
        values = self.model_dump(mode="json")
        if self.paper_matcher is None:
            del values["paper_matcher"]
        return values

    def __str__(self) -> str:
        from scopebench.report.numbers import meaning

        return meaning(self)

    def _repr_html_(self) -> str:
        from scopebench.report.page.notebook import report_fragment

        return report_fragment(self, self._title)


def headroom(
    source: pd.DataFrame | PathLikes,
    *,
    static: StaticLike | None = None,
    mixes: Sequence[MixLike] = (),
    seed: int = 0,
    resamples: int = 2000,
    benchmark: BenchmarkLike | None = None,
    tell: Tell = silent,
) -> Report:
    """Compute every number of a run, or of one's own table of outcomes, without a model.

    Args:
        source: A run or its folder, computed again from its two tables alone; or a frame, or a CSV
            or parquet file, of outcomes: one row per query and action, or one row per query and a
            column per action (docs/your_outcomes.md).
        static: The declared static policy: the first legal of these actions; None: the paper's.
        mixes: A deployment's traffic: shares out of scope, or shares of kinds.
        seed: Seeds the bootstrap and the folds.
        resamples: Bootstrap resamples, 100 to 100,000.
        benchmark: Refuse a run that was not made on this benchmark.
        tell: Told of a `run.json` that cannot be read; the tables are then computed alone.

    Raises:
        DataError: If the source cannot be read, a table is not the one its `run.json` was made
            with, or the run was made on another benchmark.
        UsageError: If an argument is not what it is to be.
    """
    settings, rule = report_settings(mixes, seed=seed, resamples=resamples), static_rule(static)
    if isinstance(source, pd.DataFrame):
        _refuse_benchmark(benchmark)
        with as_file(source) as path:
            return _of_outcomes(path, _OWN_TABLE, settings, rule)
    path = path_of(source)
    if not path.exists():
        raise DataError("no such file or folder", file=path, fix=PATHS)
    if path.is_file():
        _refuse_benchmark(benchmark)
        return _of_outcomes(path, str(path), settings, rule)
    return _of_run(path, settings, rule, benchmark, tell)


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Runs, or tables of outcomes, on the same rows; it shows itself in a notebook.

    Attributes:
        gathered: What is shown: one view of each, and the paired tests between them.
    """

    gathered: Gathered

    @property
    def names(self) -> tuple[str, ...]:
        """What each is called, in the order given."""
        return tuple(view.name for view in self.gathered.views)

    @property
    def tests(self) -> tuple[records.Comparison, ...]:
        """The paired tests of every two of them; none for one."""
        return self.gathered.comparisons

    def to_pandas(self) -> pd.DataFrame:
        """Return the paired tests as a frame, one row each; nested fields have dotted names."""
        return frame_of(self.tests)

    def report(
        self, *outs: str | PathLike[str], figures: str | PathLike[str] | None = None
    ) -> list[Path]:
        """Write a page, Markdown or figures, and return the paths written.

        Args:
            outs: Files whose names end in `.html` or `.md`. A page is one self-contained file.
            figures: A folder for figures of a paper, as PNG and SVG.

        Raises:
            UsageError: If there is nothing to write, or a name ends otherwise.
            DataError: If the disk is full or may not be written there.
            MissingDependency: If figures are asked for and matplotlib is not installed.
        """
        from scopebench.report.page.build import render_html, render_markdown
        from scopebench.report.write import write_text

        targets = [path_of(out) for out in outs]
        check_outs(targets, figures=figures is not None)
        written: list[Path] = []
        for target in targets:
            render = render_markdown if target.suffix.lower() == ".md" else render_html
            write_text(render(self.gathered.views, self.gathered.comparisons), target)
            written.append(target)
        if figures is not None:
            written.extend(self._draw(path_of(figures)))
        return written

    def _draw(self, folder: Path) -> list[Path]:
        from scopebench.disk_errors import clear_disk_errors
        from scopebench.report.figures import write_figures

        reports = {view.name: view.report for view in self.gathered.views}
        with clear_disk_errors(folder, DataError):
            return list(write_figures(reports, folder))

    def _repr_html_(self) -> str:
        from scopebench.report.page.notebook import views_fragment

        return views_fragment(self.gathered.views, self.gathered.comparisons)


def compare(
    sources: Sequence[PathLikes],
    *,
    static: StaticLike | None = None,
    mixes: Sequence[MixLike] = (),
    seed: int = 0,
    resamples: int = 2000,
    tell: Tell = silent,
) -> SideBySide:
    """Set runs, or tables of outcomes, side by side, and test every two of them on the same rows.

    Args:
        sources: Runs or their folders, or CSV or parquet files of outcomes; not both.
        static: The declared static policy; None: the paper's.
        mixes: A deployment's traffic: shares out of scope, or shares of kinds.
        seed: Seeds the bootstrap and the folds.
        resamples: Bootstrap resamples, 100 to 100,000.
        tell: Told what is being done.

    Raises:
        DataError: If one cannot be read, or they have different protocols, benchmarks or rows.
        UsageError: If an argument is not what it is to be.
    """
    from scopebench.report.gather import gather

    if isinstance(sources, str | PathLike) or not sources:
        raise UsageError("give a list of one run or more")
    settings = report_settings(mixes, seed=seed, resamples=resamples)
    paths = [path_of(source) for source in sources]
    return SideBySide(gather(paths, settings, rule=static_rule(static), told=tell))


def check_outs(outs: Sequence[Path], *, figures: bool) -> None:
    """Raise `UsageError` where there is nothing to write, or a name says no form."""
    if not outs and not figures:
        raise UsageError(
            "nothing to write: give names that end in .html or .md, or a folder for figures"
        )
    for out in outs:
        if out.suffix.lower() not in SUFFIXES:
            raise UsageError(f"{out} ends in none of {', '.join(SUFFIXES)}")


def _refuse_benchmark(benchmark: BenchmarkLike | None) -> None:
    if benchmark is not None:
        raise UsageError("a benchmark is for a run folder, not for a table of outcomes")


def _of_outcomes(path: Path, title: str, settings: Settings, rule: Rule | None) -> Report:
    from scopebench.scoring.summary import read_plain_report

    return _shown(read_plain_report(path, settings, rule=rule), None, title)


def _of_run(
    folder: Path,
    settings: Settings,
    rule: Rule | None,
    benchmark: BenchmarkLike | None,
    tell: Tell,
) -> Report:
    from scopebench.api.benchmarks import load
    from scopebench.run.folder import refuse_other_benchmark, refuse_other_version
    from scopebench.scoring.summary import read_run_rows, reports_of

    refuse_other_version(folder)
    stored = _stored_matcher(folder, tell)
    if benchmark is not None:
        refuse_other_benchmark(folder, load(benchmark).path)
    rows = read_run_rows(folder, stored=stored)
    if rows.judged_anew is not None:
        tell(rows.judged_anew.words)
    strict, paper = reports_of(rows, settings if rule is None else replace(settings, rule=rule))
    return _shown(strict, paper, str(folder))


def _stored_matcher(folder: Path, tell: Tell) -> str:
    """Return the matcher that a run's verdicts are of; today's where no `run.json` tells.

    Raises:
        DataError: If the tables are not those of the `run.json` beside them.
    """
    from scopebench.run.folder import RESULT_FILE, read_result, refuse_changed_tables
    from scopebench.scoring.reading.stored_verdicts import CURRENT

    if not (folder / RESULT_FILE).is_file():
        return CURRENT
    try:
        result = read_result(folder)
    except DataError as error:
        tell(f"{error}; the tables are computed alone")
        return CURRENT
    refuse_changed_tables(folder, result)
    return result.protocol.matcher


def _shown(report: records.Report, paper: records.Report | None, title: str) -> Report:
    made = Report(**dict(report), paper_matcher=paper)
    made._title = title
    return made
