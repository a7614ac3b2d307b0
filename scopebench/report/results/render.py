"""`docs/results.md`, the README's marked places and its picture, as text by file, from runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scopebench.errors import DataError
from scopebench.records import RunResult
from scopebench.report.page.markdown import table_lines
from scopebench.report.page.model import Column, Group, Row, Table
from scopebench.report.page.numbers import count, interval_text, points, words
from scopebench.report.page.sections.common import whole
from scopebench.report.page.words import population_name
from scopebench.report.results.excerpt import excerpt
from scopebench.report.results.markers import filled
from scopebench.report.results.picture import SCHEMES, bars, picture, told
from scopebench.report.results.plan import (
    BENCHMARK,
    EDITORS,
    MAIN,
    SAMPLED,
    SOURCES,
    Wanted,
    build_command,
    score_command,
)
from scopebench.report.results.runs import Runs
from scopebench.report.results.tables import (
    editors_table,
    headroom_table,
    kinds_table,
    noise_table,
    policies_table,
    rivals_table,
    sources_table,
)

README: Final = "README.md"
PAGE: Final = "docs/results.md"
PICTURE: Final = "docs/images/headroom-{scheme}.svg"
EDITOR: Final = "inlay"
STARTER: Final = "starter"

_HEAD: Final = """\
# Results

Written by `make results` from run folders: no figure on this page was typed. What each number means
is in [protocol.md](protocol.md); the kinds are in [kinds.md](kinds.md), the cost of it all is in
[speed.md](speed.md). Shares are in percent and differences of shares in points, each with its
interval in parentheses where it has one. A dash has its reason, by a letter, below the table.
"""
_HEADROOM_SAID: Final = (
    "Where every question is about an edited fact there is nothing to decide; where half of the "
    "edits are hidden, or half of the rows are governed by no edit, there is."
)
_EDITORS_SAID: Final = (
    "`base` never fires; `rag` always reasons from the nearest card; `static` always fires, by "
    "reciting where that is legal, else by reasoning; `inlay` fires when three gates pass."
)
_POLICIES_SAID: Final = "What an editor must beat to have shown anything."
_SAMPLING_SAID: Final = (
    "The best of several draws of one action beats one of them, so a naive oracle gains where "
    "nothing can be gained. The null is what draws of one action alone gain; what is left when a "
    "choice is judged on a draw left out is the gain."
)


def rendered(
    readme: str, runs: Runs, wanted: Iterable[Wanted], *, main: str = MAIN
) -> dict[str, str]:
    """Return every file that results are shown in, by its path in the repository.

    Args:
        readme: The README as it is, with its marked places.
        runs: Results by source and name.
        wanted: The runs, for their commands.
        main: The source that the README's picture and most tables are of.

    Raises:
        DataError: If the main source, or the starter, has no run of the editor shown, or the
            README's places are not as they must be.
    """
    shown, quoted = _run(runs, main), _run(runs, STARTER)
    drawn = bars(shown)
    if not drawn:
        raise DataError(f"the run of {main} has no headroom to draw", fix="score more queries")
    title = f"What the best per-query decision gains over one fixed rule: {SOURCES[main].words}"
    pictures = {PICTURE.format(scheme=scheme): picture(drawn, title, scheme) for scheme in SCHEMES}
    parts = {
        "headroom": f"\n{_sentence(shown, main)}\n",
        "picture": _picture(told(drawn)),
        "output": f"\n```text\n{excerpt(quoted)}\n```\n",
    }
    return {
        README: filled(readme, parts, Path(README)),
        PAGE: _page(runs, tuple(wanted), main),
        **pictures,
    }


def _run(runs: Runs, source: str) -> RunResult:
    run = runs.get(source, {}).get(EDITOR)
    if run is None:
        raise DataError(
            f"there is no run of {EDITOR} on {source}", fix="make it with `make results`"
        )
    return run


def _sentence(run: RunResult, source: str) -> str:
    """Say what the picture shows, one population after the other."""
    gains = []
    for bar in bars(run):
        between = interval_text(bar.low, bar.high, points)
        name = population_name(bar.population)
        gains.append(f"**{points(bar.headroom)}** points on `{name}` ({between})")
    return (
        f"On {SOURCES[source].words}, the best per-query decision gains over one fixed rule "
        f"{', '.join(gains)}."
    )


def _picture(said: str) -> str:
    light, dark = (PICTURE.format(scheme=scheme) for scheme in ("light", "dark"))
    return (
        "\n<picture>\n"
        f'  <source media="(prefers-color-scheme: dark)" srcset="{dark}">\n'
        f'  <img alt="{said}" src="{light}" width="760">\n'
        "</picture>\n"
    )


def _page(runs: Runs, wanted: tuple[Wanted, ...], main: str) -> str:
    lines = [_HEAD]
    for section in _sections(runs, main):
        lines += [f"## {section.title}", "", *section.said, _about(section.runs), ""]
        for table in section.tables:
            lines += [*table_lines(table), ""]
    lines += _runs_section(runs, wanted)
    return "\n".join(lines).rstrip() + "\n"


@dataclass(frozen=True)
class _Section:
    """A part of the page: its tables, and the runs they are of, each with its source."""

    title: str
    runs: Sequence[tuple[str, RunResult]]
    tables: Sequence[Table]
    lead: str = ""

    @property
    def said(self) -> tuple[str, ...]:
        return (self.lead, "") if self.lead else ()


def _sections(runs: Runs, main: str) -> list[_Section]:
    shown = _run(runs, main)
    own = [(main, shown)]
    editors = {name: runs[main][name] for name in EDITORS if name in runs[main]}
    by_source = {source: named[EDITOR] for source, named in runs.items() if EDITOR in named}
    everywhere = list(by_source.items())
    sections = [
        _Section("Headroom", own, [headroom_table(shown, EDITOR)], _HEADROOM_SAID),
        _Section("Headroom on every source", everywhere, [sources_table(by_source)]),
        _Section(
            "The editors that come with ScopeBench",
            [(main, run) for run in editors.values()],
            [editors_table(editors, shown)],
            _EDITORS_SAID,
        ),
        _Section(
            "Against policies that understand nothing",
            own,
            [policies_table(shown, EDITOR)],
            _POLICIES_SAID,
        ),
        _Section("The best such policy on every source", everywhere, [rivals_table(by_source)]),
        _Section(
            "Where a gate fires when it should not", everywhere, [kinds_table(by_source, EDITOR)]
        ),
    ]
    sampled = runs.get(STARTER, {}).get(SAMPLED)
    if sampled is not None:
        tables = [noise_table(sampled.noise)]
        title = "Sampling makes an oracle look good"
        sections.append(_Section(title, [(STARTER, sampled)], tables, _SAMPLING_SAID))
    return sections


def _about(runs: Sequence[tuple[str, RunResult]]) -> str:
    """Say of a section which data, model, seed, matcher and protocol it rests on."""
    data = dict.fromkeys(f"{SOURCES[source].words}, {_bound(run)}" for source, run in runs)
    first = runs[0][1]
    encoder = "" if first.encoder is None else f", encoder {first.encoder.id}"
    ids = ", ".join(f"`{run.run_id}` ({run.editor.name})" for _, run in runs)
    return (
        f"*Data: {'; '.join(data)}. Model: {first.model.id}{encoder}; {first.protocol.decoding}. "
        f"Seed {first.seeds['run']}; {count(first.inference.resamples)} resamples, seed "
        f"{first.inference.seed}. Matcher {first.protocol.matcher}, protocol "
        f"`{first.protocol.protocol_id}`; run{'s' if len(runs) > 1 else ''} {ids}.*"
    )


def _bound(run: RunResult) -> str:
    limit = run.benchmark.limit
    return (
        "all queries" if limit is None else f"at most {count(limit)} queries a cell and population"
    )


def _runs_section(runs: Runs, wanted: tuple[Wanted, ...]) -> list[str]:
    rows = [
        Row(
            SOURCES[source].words,
            (
                words(name),
                whole(run.edits_written, "not counted by the version that ran it"),
                words(_bound(run)),
                whole(run.seeds["run"]),
                words(run.protocol.matcher),
                words(run.protocol.protocol_id),
                words(run.run_id),
                words(f"{run.model.id}, {run.model.revision[:12]}"),
            ),
        )
        for source, named in runs.items()
        for name, run in named.items()
    ]
    columns = (
        Column("run of", words=True),
        Column("edits written"),
        Column("queries", words=True),
        Column("seed"),
        *(Column(what, words=True) for what in ("matcher", "protocol", "run", "model, revision")),
    )
    return [
        "## The runs",
        "",
        "A run that was stopped goes on when its command is given again. The commands, where the "
        "real files are in `data`:",
        "",
        "```sh",
        *_commands(wanted, runs),
        "```",
        "",
        *table_lines(Table("Every run", "source", columns, (Group("", tuple(rows)),))),
    ]


def _commands(wanted: tuple[Wanted, ...], runs: Runs) -> Iterable[str]:
    for source in runs:
        yield " ".join(build_command(source, "data", f"{source}/{BENCHMARK}"))
        for one in wanted:
            if one.source == source:
                command = score_command(one, f"{source}/{BENCHMARK}", f"{source}/{one.name}")
                yield " ".join(command)
