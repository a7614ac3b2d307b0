"""The engine: route every query, execute every legal action, keep what is finished, then score.

Data flows one way: benchmark -> blocks -> decisions -> units of answers (journalled) -> the two
tables -> every number. The numbers are computed from the tables alone, by the same function that
`scopebench headroom` calls.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from scopebench.construct.reader import Benchmark, DatasetSplits
from scopebench.disk_errors import clear_disk_errors
from scopebench.errors import DataError, EditorError
from scopebench.protocols import Editor, EditorContext, EditorFactory, EditorInfo
from scopebench.records import (
    ACTIONS,
    SCHEMA_VERSION,
    Action,
    Answer,
    BenchmarkRef,
    Decision,
    Edit,
    EditorRef,
    Population,
    Protocol,
    Query,
    RunResult,
)
from scopebench.registry import load_factory
from scopebench.run.blind import blind, unblind
from scopebench.run.draws import Decoding, DrawingModel
from scopebench.run.folder import (
    finished_result,
    refuse_benchmark_folder,
    write_result,
    write_tables,
)
from scopebench.run.journal import Journal, open_journal
from scopebench.run.plan import Block, Unit, select_blocks, split_units
from scopebench.run.progress import NoProgress, Progress
from scopebench.run.provenance import (
    CodeOrigin,
    digest,
    editor_digest,
    environment,
    package_commit,
)
from scopebench.run.rows import decision_rows, outcome_rows
from scopebench.run.surface import Surface
from scopebench.scoring.headroom import Rule
from scopebench.scoring.match import MATCHER_VERSIONS
from scopebench.scoring.summary import read_reports

GREEDY: Final = Decoding()


@dataclass(frozen=True)
class Job:
    """What to run.

    Attributes:
        benchmark: The benchmark.
        info: The editor's declaration.
        context: The model, encoder, seed and parameters it is built with.
        out: The run folder.
        limit: At most so many queries in each cell and population.
        decoding: How answers are decoded, and how often each action is executed.
        factory: What builds the editor; None: the factory that `info` names.
        origin: Where the factory comes from, if it is not a registered one.
    """

    benchmark: Benchmark
    info: EditorInfo
    context: EditorContext
    out: Path
    limit: int | None = None
    decoding: Decoding = GREEDY
    factory: EditorFactory | None = None
    origin: CodeOrigin | None = None

    def new_editor(self, context: EditorContext) -> Editor:
        """Return an editor with nothing written."""
        return (self.factory or load_factory(self.info))(context)


def run_job(job: Job, progress: Progress | None = None) -> RunResult:
    """Run a job to its end, or on from where an earlier session was stopped.

    Returns:
        The contents of the `run.json` it wrote, or of the one that was there already.

    Raises:
        DataError: If the benchmark is empty or `out` holds another run.
        EditorError: If the editor breaks its protocol or cannot mask hidden edits.
    """
    progress = progress or NoProgress()
    refuse_benchmark_folder(job.out)
    identity = _identity(job)
    run_id = digest(identity)[:16]
    done = finished_result(job.out, run_id)
    if done is not None:
        return done
    blocks = [
        block
        for block in select_blocks(job.benchmark, limit=job.limit, seed=job.context.seed)
        if block.condition in job.info.conditions
    ]
    with (
        clear_disk_errors(job.out, DataError),
        open_journal(job.out, {"run_id": run_id, **identity}) as journal,
    ):
        _announce(job, blocks, journal, progress)
        decisions = _execute(job, blocks, journal, progress)
        progress.phase("scoring")
        outcomes = [row for block in blocks for row in _outcome_rows(job, block, journal)]
        hashes = write_tables(job.out, outcomes, decisions)
        result = _summary(job, run_id, identity, hashes, journal)
        write_result(job.out, result)
    return result


def protocol_of(context: EditorContext, decoding: Decoding = GREEDY) -> Protocol:
    """Return the protocol in force: what numbers must share to be compared."""
    prompts = context.model.prompts
    fields: dict[str, Any] = {
        "matcher": MATCHER_VERSIONS["strict"],
        "prompts": f"{prompts.family}/{prompts.version}/{prompts.fingerprint()}",
        "decoding": decoding.in_words(context.model.max_new_tokens),
        "actions": ACTIONS,
        "static_rule": Rule().words,
    }
    return Protocol(protocol_id=digest(fields)[:16], **fields)


def _identity(job: Job) -> dict[str, Any]:
    """Return all that determines the two tables; what cannot change them is left out.

    Batch size and device are left out: they change how fast an answer comes, not which.
    """
    info, context = job.info, job.context
    params = job.new_editor(context).params
    named: dict[str, Any] = {"name": info.name, "version": info.version, "params": params}
    origin = None if job.origin is None else job.origin.sha256
    named["sha256"] = editor_digest(info.name, info.version, params, origin)
    unplaced = {"device", "parameters"}
    return {
        "schema_version": SCHEMA_VERSION,
        "protocol": protocol_of(context, job.decoding).model_dump(mode="json"),
        "editor": named,
        "model": context.model.ref.model_dump(mode="json", exclude=unplaced),
        "encoder": context.encoder.ref.model_dump(mode="json", exclude=unplaced),
        "benchmark": BenchmarkRef(
            name=job.benchmark.name,
            version=job.benchmark.version,
            files=dict(job.benchmark.files),
            limit=job.limit,
        ).model_dump(mode="json"),
        "seed": context.seed,
    }


def _units(job: Job, block: Block) -> Iterator[Unit]:
    return split_units(block, job.info.actions[block.condition], job.decoding.draws)


def _announce(job: Job, blocks: Sequence[Block], journal: Journal, progress: Progress) -> None:
    units = [unit for block in blocks for unit in _units(job, block)]
    finished = sum(len(unit) for unit in units if unit.unit_id in journal.units)
    progress.start(sum(map(len, units)), finished)


def _execute(
    job: Job, blocks: Sequence[Block], journal: Journal, progress: Progress
) -> list[dict[str, Any]]:
    """Execute what the journal lacks and return the rows of the decisions table."""
    rows: list[dict[str, Any]] = []
    model = DrawingModel(job.context.model, job.decoding.temperature, job.context.seed)
    context = replace(job.context, model=model)
    written: object = None
    for block in blocks:
        splits = job.benchmark.datasets[block.dataset]
        index = splits.index[block.population]
        if index is not written:
            progress.phase(f"writing {len(index)} edits of {block.dataset}")
            editor = _filled_editor(job, context, splits, block.population, journal)
            by_id, surface = {edit.edit_id: edit for edit in index}, Surface(index)
            written = index
        label = f"{block.dataset}, {block.condition}, {block.population}"
        progress.phase(label)
        asked = blind(block.queries)
        with _timed(journal, "route"):
            decisions = _route(editor, job.info, block, asked, index)
        rows.extend(decision_rows(block, unblind(decisions, block.queries), by_id, surface))
        for unit in _units(job, block):
            if unit.unit_id not in journal.units:
                progress.phase(f"{label}, {unit.action}")
                with model.draw(unit.draw):
                    answers, seconds = _act(editor, block, unit, asked, decisions)
                journal.append(unit.unit_id, answers, seconds)
                progress.finished(len(answers))
    return rows


@contextmanager
def _timed(journal: Journal, phase: str) -> Iterator[None]:
    begun = time.perf_counter()
    yield
    journal.add_phase(phase, time.perf_counter() - begun)


def _filled_editor(
    job: Job,
    context: EditorContext,
    splits: DatasetSplits,
    population: Population,
    journal: Journal,
) -> Editor:
    """Return a new editor that holds the index of a population.

    Edits that the index lacks because they were deleted are written with the others, in the
    index's order, and then deleted, so that what an editor keeps of them shows. An editor that
    declares no exact deletion (`can_delete=False`) is given the remaining edits alone.
    """
    editor = job.new_editor(context)
    deletes = job.info.can_delete
    deleted = [edit.edit_id for edit in splits.deleted[population]] if deletes else []
    edits = splits.written[population] if deleted else splits.index[population]
    with _timed(journal, "write"):
        editor.write(edits)
    journal.add_edits(len(edits))
    if deleted:
        with _timed(journal, "delete"):
            editor.delete(deleted)
    return editor


def _hidden(block: Block, index: Sequence[Edit]) -> list[frozenset[str]]:
    """Return what each query must not see of the index; a shared index lacks it already."""
    written = {edit.edit_id for edit in index}
    return [frozenset(written.intersection(query.hidden_edit_ids)) for query in block.queries]


def _route(
    editor: Editor,
    info: EditorInfo,
    block: Block,
    asked: Sequence[Query],
    index: Sequence[Edit],
) -> list[Decision]:
    """Return the editor's decisions on the queries as asked, checked against the protocol."""
    hidden = _hidden(block, index)
    if any(hidden) and not info.can_mask:
        raise EditorError(
            f"{info.name} cannot mask hidden edits; build the benchmark with --withhold shared"
        )
    decisions = editor.route(asked, condition=block.condition, hidden=hidden)
    legal = info.actions[block.condition]
    if len(decisions) != len(asked):
        raise EditorError(f"{info.name} made {len(decisions)} decisions for {len(asked)} queries")
    written = {edit.edit_id for edit in index}
    for query, shown, decision in zip(block.queries, asked, decisions, strict=True):
        where = f"query {query.query_id} ({block.condition})"
        if decision.query_id != shown.query_id:
            raise EditorError(
                f"{info.name} answered {where}, asked as {shown.query_id}, with a decision for "
                f"{decision.query_id}"
            )
        if decision.action not in legal:
            raise EditorError(
                f"{info.name} answered {where} with {decision.action!r}; legal: {', '.join(legal)}"
            )
        if decision.edit_id in query.hidden_edit_ids:
            raise EditorError(f"{info.name} used {decision.edit_id}, hidden for {query.query_id}")
        if decision.edit_id is not None and decision.edit_id not in written:
            raise EditorError(
                f"{info.name} used {decision.edit_id} for {where}: not in the index, never written "
                "or deleted"
            )
    return decisions


def _act(
    editor: Editor, block: Block, unit: Unit, asked: Sequence[Query], decisions: Sequence[Decision]
) -> tuple[list[Answer], float]:
    begun = time.perf_counter()
    part = slice(unit.start, unit.stop)
    answers = editor.act(asked[part], unit.action, decisions[part], condition=block.condition)
    if len(answers) != len(unit):
        raise EditorError(f"{len(answers)} answers for {len(unit)} queries ({unit.unit_id})")
    return answers, time.perf_counter() - begun


def _outcome_rows(job: Job, block: Block, journal: Journal) -> Iterator[dict[str, Any]]:
    """Return the outcomes of a block, from the journal."""
    draws = job.decoding.draws
    answers: dict[Action, list[list[Answer]]] = {
        action: [[] for _ in range(draws)] for action in job.info.actions[block.condition]
    }
    for unit in _units(job, block):
        answers[unit.action][unit.draw].extend(journal.units[unit.unit_id].answers)
    return outcome_rows(block, answers, draws)


def _summary(
    job: Job, run_id: str, identity: dict[str, Any], hashes: dict[str, str], journal: Journal
) -> RunResult:
    strict, paper = read_reports(job.out)
    acting = sum(unit.seconds for unit in journal.units.values())
    return RunResult(
        run_id=run_id,
        status="success" if job.limit is None else "limited",
        protocol=protocol_of(job.context, job.decoding),
        editor=EditorRef(
            **identity["editor"],
            needs_gradients=job.info.needs_gradients,
            origin=None if job.origin is None else job.origin.name,
            source_sha256=None if job.origin is None else job.origin.sha256,
        ),
        model=job.context.model.ref,
        encoder=job.context.encoder.ref,
        benchmark=BenchmarkRef.model_validate(identity["benchmark"]),
        **dict(strict),
        paper_matcher=paper,
        tables=hashes,
        seeds={"run": job.context.seed, "bootstrap": strict.inference.seed},
        timings={"act": round(acting, 3), **{k: round(v, 3) for k, v in journal.phases.items()}},
        edits_written=journal.edits_written,
        environment=environment(),
        git=package_commit(),
    )
