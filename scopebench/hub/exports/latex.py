"""A booktabs table ready to paste: editors as rows, intervals as subscripts.

The best value of a column is bold only where its interval overlaps no other row's; headroom, which
belongs to the questions and not to the editor, never is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from scopebench.hub.exports.metrics import (
    AUROC,
    FALSE_FIRE,
    GAIN,
    HEADROOM,
    MISS,
    SCOPE_ACCURACY,
    Metric,
    Reading,
    percent,
    read_metric,
    separate_best,
)
from scopebench.hub.exports.options import ExportOptions, Rendered
from scopebench.hub.exports.repeat import one_line
from scopebench.hub.exports.runs import ScoredRun, pooled, read_runs

COLUMNS: Final = (
    (HEADROOM, "Headroom"),
    (GAIN, "Gain"),
    (SCOPE_ACCURACY, "Scope acc."),
    (FALSE_FIRE, r"False fire $\downarrow$"),
    (MISS, r"Miss $\downarrow$"),
    (AUROC, "AUROC"),
)

_ESCAPES: Final = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': "''",
    }
)

_TABLE: Final = r"""% Needs \usepackage{{booktabs}} in the preamble.
{comments}\begin{{table}}
\centering
\caption{{{caption}}}
\label{{tab:scopebench-{population}}}
\begin{{tabular}}{{{align}}}
\toprule
{head} \\
\midrule
{body}
\bottomrule
\end{{tabular}}
\end{{table}}
"""


def render(
    paths: tuple[Path, ...], options: ExportOptions, told: Callable[[str], None]
) -> Rendered:
    """Return one table of all runs on one population.

    Raises:
        DataError: If the runs cannot stand side by side, or lack the population.
    """
    return render_runs(read_runs(paths, options, told), options)


def render_runs(runs: Sequence[ScoredRun], options: ExportOptions) -> Rendered:
    """Return the table of runs that are read and computed."""
    numbers = [pooled(run, options.one_population) for run in runs]
    columns = [
        (metric, title, [read_metric(metric, each) for each in numbers])
        for metric, title in COLUMNS
    ]
    several_models = len({run.result.model.id for run in runs}) > 1
    labels = [_label(run, several_models) for run in runs]
    cells = [_column(metric, readings) for metric, _, readings in columns]
    body = "\n".join(
        " & ".join((label, *(column[at] for column in cells))) + r" \\"
        for at, label in enumerate(labels)
    )
    text = _TABLE.format(
        comments=_comments(runs, columns),
        caption=_caption(runs, options),
        population=options.one_population,
        align="l" + "r" * len(columns),
        head=" & ".join(("Editor", *(title for _, title, _ in columns))),
        body=body,
    )
    return Rendered({"": text})


def escape(text: str) -> str:
    """Return a text that LaTeX prints as it stands, on one line."""
    return one_line(text).translate(_ESCAPES)


def _label(run: ScoredRun, with_model: bool) -> str:
    name = escape(run.name)
    if with_model:
        name += f" ({escape(run.result.model.id)})"
    return name + (r"$^{\dagger}$" if run.limited else "")


def _column(metric: Metric, readings: Sequence[Reading]) -> list[str]:
    best = separate_best(metric, [reading.estimate for reading in readings])
    signed = metric.unit == "points"
    return [_cell(reading, signed, at == best) for at, reading in enumerate(readings)]


def _cell(reading: Reading, signed: bool, bold: bool) -> str:
    found = reading.estimate
    if found.value is None:
        return "--"
    value = _number(found.value, signed)
    value = rf"\mathbf{{{value}}}" if bold else value
    if found.low is None or found.high is None:
        return f"${value}$"
    low, high = (_number(bound, signed) for bound in (found.low, found.high))
    return rf"${value}_{{\,[{low},\,{high}]}}$"


def _number(share: float, signed: bool) -> str:
    shown = percent(share, digits=1)
    return f"{shown:+.1f}" if signed and shown else f"{shown:.1f}"


def _comments(
    runs: Sequence[ScoredRun], columns: Sequence[tuple[Metric, str, Sequence[Reading]]]
) -> str:
    """Say, before the table, why a cell lacks a value or an interval."""
    lines = [
        f"% {one_line(run.name)}, {metric.name}: {one_line(readings[at].reason or '')}\n"
        for at, run in enumerate(runs)
        for metric, _, readings in columns
        if readings[at].reason is not None
    ]
    return "".join(lines)


def _caption(runs: Sequence[ScoredRun], options: ExportOptions) -> str:
    first = runs[0]
    rows = pooled(first, options.one_population).router
    words = [
        f"Scope decisions on population {escape(options.one_population)} of "
        f"{escape(first.result.benchmark.name)} {escape(first.result.benchmark.version)}",
        f"({rows.n} rows in {rows.n_clusters} clusters, {first.matcher} matcher),",
        r"in \% or percentage points with 95\% intervals.",
    ]
    if len(runs) > 1:
        words.append("Bold: best, with an interval that overlaps no other.")
    if any(run.limited for run in runs):
        words.append(r"$\dagger$: a limited run, on other rows than a whole one; not a result.")
    words.append(
        rf"Protocol \texttt{{{escape(first.result.protocol.protocol_id)}}}, benchmark "
        rf"\texttt{{{first.benchmark_hash[:16]}}}."
    )
    return " ".join(words)
