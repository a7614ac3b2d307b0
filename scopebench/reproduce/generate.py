"""Generates outcomes of a run again, with the prompts, lengths and draws of the protocol."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from scopebench.construct.reader import Benchmark, DatasetSplits
from scopebench.errors import EditorError, ScopeBenchError
from scopebench.hub.identity import temperature_of
from scopebench.hub.rows import BUILT_IN
from scopebench.protocols import (
    Editor,
    EditorContext,
    EditorInfo,
    Encoder,
    GenerationRequest,
    LanguageModel,
)
from scopebench.records import Condition, Decision, Population, Query, RunResult
from scopebench.registry import discover, load_factory
from scopebench.reproduce.sample import Drawn
from scopebench.run.blind import blind
from scopebench.run.draws import DrawingModel

Group = tuple[str, Condition, Population, int]
"""Data set, condition, population and draw."""


@dataclass(frozen=True)
class Asked:
    """An outcome to generate, with its place in the sample and its query."""

    place: int
    drawn: Drawn
    query: Query


def installed_editor(result: RunResult) -> EditorInfo:
    """Return the declaration of the editor that a run names.

    Raises:
        EditorError: If it is not installed here in that version; the message says what is.
    """
    editor = result.editor
    if editor.origin is not None:
        raise EditorError(f"the editor is a file of the submitter's, {editor.origin}")
    info = discover().editors.get(editor.name)
    if info is None:
        raise EditorError(f"the editor {editor.name!r} is not installed")
    if info.version != editor.version:
        raise EditorError(
            f"the editor {editor.name!r} is installed in version {info.version}, and the run has "
            f"{editor.version}"
        )
    return info


@dataclass(frozen=True)
class Reasoner:
    """What executes `reason`.

    Attributes:
        info: The editor that the run names.
        encoder: The encoder that it names.
    """

    info: EditorInfo
    encoder: Encoder


def generate(
    sample: Sequence[Drawn],
    result: RunResult,
    benchmark: Benchmark,
    model: LanguageModel,
    reasoner: Reasoner | None,
) -> list[str]:
    """Return the text that this machine gives for each outcome, in the order given.

    `abstain` asks the unedited model, whatever the editor. `reason` is executed by the editor
    itself, with the card that the run's decision names.

    Args:
        sample: The outcomes.
        result: The run's `run.json`.
        benchmark: The benchmark it was made on.
        model: The model that the run names.
        reasoner: The editor and the encoder; None: no outcome is of `reason`.

    Raises:
        EditorError: If the editor cannot be built or executed.
        ModelError: If the model cannot generate.
    """
    seed = result.seeds.get("run", 0)
    drawing = DrawingModel(model, temperature_of(result.protocol) or 0.0, seed)
    texts = [""] * len(sample)
    groups = _groups(sample, benchmark)
    for number in sorted({drawn.draw for drawn in sample}):
        silent = [
            each
            for (*_, draw), asked in groups.items()
            for each in asked
            if draw == number and each.drawn.action == "abstain"
        ]
        with drawing.draw(number):
            answers = drawing.generate([_abstain(drawing, each.query) for each in silent])
        _put(texts, silent, answers)
    if reasoner is not None:
        context = EditorContext(drawing, reasoner.encoder, seed, dict(result.editor.params))
        editors = _Editors(reasoner.info, context, benchmark, groups)
        for (dataset, condition, population, number), asked in groups.items():
            spoken = [each for each in asked if each.drawn.action == "reason"]
            if spoken:
                editor = editors.of(dataset, population)
                with drawing.draw(number):
                    _put(texts, spoken, _reason(editor, spoken, condition, reasoner.info))
    return texts


def _put(texts: list[str], asked: Sequence[Asked], answers: Sequence[str]) -> None:
    for each, text in zip(asked, answers, strict=True):
        texts[each.place] = text


def _groups(sample: Sequence[Drawn], benchmark: Benchmark) -> Mapping[Group, list[Asked]]:
    wanted = {(drawn.query_id, drawn.condition) for drawn in sample}
    queries: dict[tuple[str, str], tuple[str, Population, Query]] = {
        (query.query_id, condition): (dataset, population, query)
        for dataset, splits in benchmark.datasets.items()
        for (condition, population), rows in splits.queries.items()
        for query in rows
        if (query.query_id, condition) in wanted
    }
    groups: defaultdict[Group, list[Asked]] = defaultdict(list)
    for place, drawn in enumerate(sample):
        dataset, population, query = queries[drawn.query_id, drawn.condition]
        group = (dataset, drawn.condition, population, drawn.draw)
        groups[group].append(Asked(place, drawn, query))
    return groups


def _abstain(model: DrawingModel, query: Query) -> GenerationRequest:
    prompt = model.prompts.abstain(query.question, query.form)
    return GenerationRequest(prompt=prompt, max_new_tokens=model.max_new_tokens)


class _Editors:
    """One editor for each data set and population, filled when it is first needed.

    A built-in editor reads only the card that a decision names (`scopebench_editors.actions`), so
    it is given the cards that the sample names; of another nothing is known, and it is given what
    a run gives it.
    """

    def __init__(
        self,
        info: EditorInfo,
        context: EditorContext,
        benchmark: Benchmark,
        groups: Mapping[Group, Sequence[Asked]],
    ) -> None:
        self._info = info
        self._context = context
        self._benchmark = benchmark
        self._named = {
            each.drawn.decision["edit_id"] for asked in groups.values() for each in asked
        }
        self._filled: dict[tuple[str, Population], Editor] = {}

    def of(self, dataset: str, population: Population) -> Editor:
        """Return the editor that holds the index of a population."""
        key = (dataset, population)
        if key not in self._filled:
            with _told_as_one_line(self._info):
                self._filled[key] = self._fill(self._benchmark.datasets[dataset], population)
        return self._filled[key]

    def _fill(self, splits: DatasetSplits, population: Population) -> Editor:
        editor = load_factory(self._info)(self._context)
        index = splits.index[population]
        if self._info.name in BUILT_IN:
            editor.write([edit for edit in index if edit.edit_id in self._named])
            return editor
        deletes = self._info.can_delete
        deleted = [edit.edit_id for edit in splits.deleted[population]] if deletes else []
        editor.write(splits.written[population] if deleted else index)
        if deleted:
            editor.delete(deleted)
        return editor


def _reason(
    editor: Editor, asked: Sequence[Asked], condition: Condition, info: EditorInfo
) -> list[str]:
    shown = blind([each.query for each in asked])
    decisions = [
        Decision.model_validate(_decision(each.drawn.decision, query.query_id))
        for each, query in zip(asked, shown, strict=True)
    ]
    with _told_as_one_line(info):
        answers = editor.act(shown, "reason", decisions, condition=condition)
        if len(answers) != len(asked):
            raise EditorError(f"{info.name} gave {len(answers)} answers for {len(asked)} queries")
    return [answer.text for answer in answers]


def _decision(row: Mapping[str, Any], query_id: str) -> dict[str, Any]:
    return {name: row[name] for name in row if name != "condition"} | {"query_id": query_id}


@contextmanager
def _told_as_one_line(info: EditorInfo) -> Iterator[None]:
    """Turn what somebody else's editor raises into one line: it was given a stranger's parameters.

    A fault of a built-in editor stays what it is, a bug with its traceback.
    """
    try:
        yield
    except Exception as error:
        if info.name in BUILT_IN or isinstance(error, ScopeBenchError):
            raise
        raise EditorError(
            f"the editor {info.name!r} failed: {type(error).__name__}: {error}"
        ) from error
