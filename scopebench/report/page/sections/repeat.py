"""Both matchers, and all that is needed to compute the numbers again."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any, Final

from scopebench.records.report import Report
from scopebench.records.run import ModelRef, RunResult
from scopebench.report.page.content import RunView
from scopebench.report.page.model import (
    Block,
    Column,
    Commands,
    Facts,
    Group,
    Note,
    Row,
    Section,
    Table,
)
from scopebench.report.page.numbers import count, estimate, number, percent, points
from scopebench.report.page.sections.common import pooled_cell, pooled_router, populations, whole
from scopebench.report.page.sections.decisions import router_value

_NO_OPTION: Final = ("recite where legal, else reason", "none declared")
_RULE: Final = re.compile(r" where legal, else |, else ")
_OWN_MIXES: Final = ("curve", "observed")
_DEFAULT_RESAMPLES: Final = 2000


def matchers_section(view: RunView) -> Section:
    """The pooled numbers under the strict matcher and under the paper's."""
    block: Block = Note("The table holds verdicts and no answers, so they cannot be matched again.")
    if view.paper is not None:
        block = Table(
            caption="The same outcomes under both matchers",
            head="matcher",
            columns=(
                Column("n", "Scorable rows."),
                Column("static", "Share right under static_fixed."),
                Column("oracle", "Share right if every query got its best legal action."),
                Column("headroom", "Oracle minus static_fixed, in points."),
                Column("accuracy", "Share right when the editor's action is taken."),
            ),
            groups=tuple(
                Group(
                    name,
                    (
                        _matcher_row("strict", view.report, name),
                        _matcher_row("paper", view.paper, name),
                    ),
                )
                for name in populations(view.report)
            ),
        )
    return Section(
        key="matchers",
        title="Both matchers",
        lead="Strict, the default: refusals are never right, an echoed question is removed, golds "
        "are word-bounded. Paper: gold or alias as a substring, which credits refusals and echoes.",
        blocks=(block,),
    )


def _matcher_row(matcher: str, report: Report, population: str) -> Row:
    cell, router = pooled_cell(report, population), pooled_router(report, population)
    why = {"": "no such population under this matcher"} if cell is None else cell.undefined
    if cell is None:
        blank = number(None, percent, undefined=why)
        return Row(matcher, (blank,) * 5)
    accuracy = number(None, percent, undefined={"": "the table holds no decisions"})
    return Row(
        matcher,
        (
            whole(cell.n_scorable),
            number(cell.static_fixed, percent, key="static_fixed", undefined=why),
            number(cell.oracle, percent, key="oracle", undefined=why),
            estimate(cell.headroom, points, key="headroom", undefined=why),
            accuracy if router is None else router_value(router, "accuracy"),
        ),
    )


def repeat_section(view: RunView) -> Section:
    """Protocol, hashes, versions, commands, and what could not be computed."""
    blocks: list[Block] = []
    if view.report.missing:
        blocks.append(
            Facts("Columns not given, and what cannot be computed", _items(view.report.missing))
        )
    blocks.extend(_plain(view) if view.result is None else _run(view, view.result))
    return Section(
        key="repeat",
        title="How to repeat this",
        lead="Two numbers can be compared only if their protocol ids are equal. Every number on "
        "this page follows from the tables whose hashes are given, with no model.",
        blocks=tuple(blocks),
    )


def _plain(view: RunView) -> list[Block]:
    return [
        Note("A plain table of outcomes: it names no protocol, editor or model."),
        Facts("Computed from", (("table", _place(view)), *_inference(view.report))),
        Commands(
            (
                shlex.join(["scopebench", "headroom", _place(view), *_options(view.report)]),
                _report_command(view),
            )
        ),
    ]


def _run(view: RunView, result: RunResult) -> list[Block]:
    protocol = result.protocol
    limit = result.benchmark.limit
    identity = [
        ("run id", result.run_id),
        ("status", _status(limit)),
        ("editor", f"{result.editor.name} {result.editor.version}"),
        ("editor hash", result.editor.sha256),
        *((f"parameter {name}", _json(value)) for name, value in result.editor.params.items()),
        *_model("model", result.model),
        *([] if result.encoder is None else _model("encoder", result.encoder)),
        ("benchmark", f"{result.benchmark.name} {result.benchmark.version}"),
        *((f"seed: {name}", str(seed)) for name, seed in result.seeds.items()),
        *_inference(view.report),
    ]
    package = [
        (name, "none" if value is None else str(value)) for name, value in result.git.items()
    ]
    return [
        Facts(
            "Protocol",
            (
                ("protocol id", protocol.protocol_id),
                ("matcher", protocol.matcher),
                ("prompts", protocol.prompts),
                ("decoding", protocol.decoding),
                ("actions", ", ".join(protocol.actions)),
                ("static rule", protocol.static_rule),
            ),
        ),
        Facts("Run", tuple(identity)),
        Facts("SHA-256 of the tables", _items(result.tables)),
        Note(
            f"BENCHMARK stands for the folder of {result.benchmark.name} "
            f"{result.benchmark.version}, whose files have the hashes below."
        ),
        Commands(_commands(view, result)),
        Facts("SHA-256 of the benchmark's files", _items(result.benchmark.files), folded=True),
        Facts(
            "Versions",
            (*_items(result.environment), *((f"git {name}", value) for name, value in package)),
            folded=True,
        ),
        Facts(
            "Seconds by phase",
            tuple((phase, f"{seconds:.1f}") for phase, seconds in result.timings.items()),
            folded=True,
        ),
    ]


def _status(limit: int | None) -> str:
    return "complete" if limit is None else f"limited to {limit} queries a cell and population"


def _model(role: str, ref: ModelRef) -> list[tuple[str, str]]:
    size = "" if ref.parameters is None else f", {count(ref.parameters)} parameters"
    return [
        (role, f"{ref.id} ({ref.dtype} on {ref.device}{size})"),
        (f"{role} revision", ref.revision),
    ]


def _inference(report: Report) -> list[tuple[str, str]]:
    inference = report.inference
    return [
        (
            "inference",
            f"{inference.confidence:.0%} intervals, {count(inference.resamples)} resamples, "
            f"seed {inference.seed}, {inference.folds} folds",
        )
    ]


def _items(values: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(values.items())


def _commands(view: RunView, result: RunResult) -> tuple[str, ...]:
    """Return the commands that make the run, its numbers and the page again."""
    score = ["scopebench", "score", "--editor", result.editor.origin or result.editor.name]
    score += ["--benchmark", "BENCHMARK", "--model", result.model.id]
    if result.model.dtype != "float32":
        score += ["--dtype", result.model.dtype]
    if result.encoder is not None:
        score += ["--encoder", result.encoder.id]
    if result.benchmark.limit is not None:
        score += ["--limit", str(result.benchmark.limit)]
    for name, value in result.editor.params.items():
        score += ["--param", f"{name}={_json(value)}"]
    if "run" in result.seeds:
        score += ["--seed", str(result.seeds["run"])]
    score += ["--out", _place(view)]
    again = ["scopebench", "headroom", _place(view), *_options(view.report), "--matcher"]
    return (
        shlex.join(score),
        *(shlex.join([*again, matcher]) for matcher in ("strict", "paper")),
        _report_command(view),
    )


def _place(view: RunView) -> str:
    return view.folder.resolve().name


def _report_command(view: RunView) -> str:
    options = _options(view.report)
    return shlex.join(["scopebench", "report", _place(view), *options, "--out", "report.html"])


def _options(report: Report) -> list[str]:
    """Return the options that a report was computed with, where they are not the defaults."""
    inference = report.inference
    options = []
    if report.static_rule not in _NO_OPTION:
        actions = _RULE.split(report.static_rule.removeprefix("always "))
        options += ["--static", ",".join(actions)]
    named = dict.fromkeys(row.name for row in report.mixes if row.name not in _OWN_MIXES)
    for name in named:
        options += ["--mix", name.removeprefix("pi=")]
    if inference.seed != 0:
        options += ["--seed", str(inference.seed)]
    if inference.resamples != _DEFAULT_RESAMPLES:
        options += ["--resamples", str(inference.resamples)]
    return options


def _json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
