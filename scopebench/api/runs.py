"""Runs: an editor scored on a benchmark, or a run folder opened again."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scopebench.api.arguments import MixLike, StaticLike, path_of
from scopebench.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

    from scopebench.api.benchmarks import BenchmarkLike
    from scopebench.api.editors import EditorLike
    from scopebench.api.reports import Report
    from scopebench.protocols import EditorInfo, Encoder, LanguageModel
    from scopebench.records import RunResult
    from scopebench.report.progress import BarProgress

DEFAULT_MODEL: Final = "smollm2-135m"


@dataclass(frozen=True)
class Run:
    """A finished run: its folder, and what lies there.

    Attributes:
        path: The folder.
    """

    path: Path
    _kept: Any = field(default=None, repr=False, compare=False)
    """A temporary folder, which goes when nothing refers to the run any more."""

    @cached_property
    def result(self) -> RunResult:
        """The contents of `run.json`: what was run, and every number of it."""
        from scopebench.run.folder import read_result

        return read_result(self.path)

    @cached_property
    def outcomes(self) -> pa.Table:
        """What every action answered to every query, one row each; `.to_pandas()` for a frame."""
        from scopebench.scoring.tables import OUTCOMES_FILE, OUTCOMES_SCHEMA, read_table

        return read_table(self.path / OUTCOMES_FILE, OUTCOMES_SCHEMA)

    @cached_property
    def decisions(self) -> pa.Table:
        """What the editor decided on every query, one row each; `.to_pandas()` for a frame."""
        from scopebench.scoring.tables import DECISIONS_FILE, DECISIONS_SCHEMA, read_table

        return read_table(self.path / DECISIONS_FILE, DECISIONS_SCHEMA)

    def headroom(
        self,
        *,
        static: StaticLike | None = None,
        mixes: Sequence[MixLike] = (),
        seed: int = 0,
        resamples: int = 2000,
    ) -> Report:
        """Compute every number of the run again from its two tables; see `headroom`."""
        from scopebench.api.reports import headroom

        return headroom(self.path, static=static, mixes=mixes, seed=seed, resamples=resamples)

    def report(
        self,
        *outs: str | PathLike[str],
        figures: str | PathLike[str] | None = None,
        static: StaticLike | None = None,
        mixes: Sequence[MixLike] = (),
    ) -> list[Path]:
        """Write a report of the run and return the paths written; see `SideBySide.report`."""
        from scopebench.api.reports import compare

        compared = compare([self.path], static=static, mixes=mixes)
        return compared.report(*outs, figures=figures)

    def save(self, folder: str | PathLike[str]) -> Run:
        """Copy the run to a folder that is not there yet, and return it there.

        Raises:
            DataError: If something is there, or the disk is full or may not be written there.
        """
        from scopebench.disk_errors import clear_disk_errors

        target = path_of(folder)
        if target.exists():
            raise DataError("is there already", file=target, fix="give a folder that is not")
        with clear_disk_errors(target, DataError):
            shutil.copytree(self.path, target)
        return Run(target)

    def __str__(self) -> str:
        result = self.result
        return f"{result.editor.name} beside {result.model.id}: run {result.run_id} at {self.path}"

    def _repr_html_(self) -> str:
        from scopebench.report.page.notebook import run_fragment

        return run_fragment(self.result, self.path)


RunLike = str | PathLike[str] | Run
"""A run, or its folder."""


def score(
    editor: EditorLike,
    benchmark: BenchmarkLike | None = None,
    *,
    model: str | LanguageModel = DEFAULT_MODEL,
    encoder: str | Encoder | None = None,
    params: Mapping[str, Any] | None = None,
    limit: int | None = None,
    temperature: float = 0.0,
    draws: int = 1,
    seed: int = 0,
    out: str | PathLike[str] | None = None,
    device: str = "auto",
    dtype: str = "float32",
    batch_size: int = 64,
    info: EditorInfo | None = None,
) -> Run:
    """Execute every legal action of every query with an editor, route, and score.

    Args:
        editor: A registered name, `path/to/file.py:Class`, `package.module:Class`, a class, a
            function that builds an editor from its context, or an editor with nothing written.
        benchmark: A built benchmark, its folder, or `ORG/NAME[@REVISION]`; None: the starter.
        model: A local model's name, a folder or a Hugging Face id; or a model that is loaded.
        encoder: The same for the sentence encoder; None: the packaged one.
        params: Overrides of the editor's parameters.
        limit: At most so many queries in each cell and population; the result is then `limited`.
        temperature: 0 decodes greedily; above, the model's own generations are sampled.
        draws: Execute each action so many times, to measure the noise of sampling.
        seed: Seeds the editor and the draws.
        out: The run folder to write, or to go on with: a run that was stopped is finished by the
            same call. None: a temporary folder, which goes with the returned run.
        device: `auto`, `cpu`, `cuda`, `cuda:N` or `mps`.
        dtype: `float32`, `bfloat16` or `float16`.
        batch_size: Prompts generated together; changes the speed, never what is asked.
        info: What an editor that is not registered declares; None: what its class says.

    Raises:
        EditorError: If the editor is not there, is none, or breaks its protocol.
        DataError: If the benchmark cannot be read, or `out` holds another run.
        ModelError: If a model is not here, or device, dtype or batch size cannot be used.
        HubError: If the benchmark is on the Hub and cannot be had.
    """
    from scopebench.api.benchmarks import load
    from scopebench.api.editors import choose_editor
    from scopebench.report.progress import BarProgress
    from scopebench.run.draws import Decoding

    decoding = Decoding(temperature, draws)
    chosen = choose_editor(editor, info)
    contents = load(benchmark).contents
    with BarProgress() as progress:
        progress.phase("loading the encoder and tokenizer")
        from scopebench.models import GenerationCache
        from scopebench.protocols import EditorContext
        from scopebench.run.engine import Job, run_job

        with GenerationCache() as cache:
            place = _Placement(device, dtype, batch_size, cache, progress)
            context = EditorContext(
                model=_model(model, place),
                encoder=_encoder(encoder, device),
                seed=seed,
                params=dict(params or {}),
            )
            declared, origin = chosen.declared(context)
            folder, kept = _run_folder(out)
            run_job(
                Job(
                    benchmark=contents,
                    info=declared,
                    context=context,
                    out=folder,
                    limit=limit,
                    decoding=decoding,
                    factory=chosen.factory,
                    origin=origin,
                ),
                progress,
            )
    return Run(folder, kept)


def open_run(run: RunLike) -> Run:
    """Open a run folder, and see that its tables are those its result was made with.

    Raises:
        DataError: If the folder has no whole result, or a table is missing or was changed since.
    """
    from scopebench.run.folder import refuse_changed_tables, refuse_other_version

    opened = run if isinstance(run, Run) else Run(path_of(run))
    refuse_other_version(opened.path)
    refuse_changed_tables(opened.path, opened.result)
    return opened


@dataclass(frozen=True)
class _Placement:
    """How a language model that is named is loaded."""

    device: str
    dtype: str
    batch_size: int
    cache: Any
    progress: BarProgress


def _model(model: str | LanguageModel, place: _Placement) -> LanguageModel:
    if not isinstance(model, str):
        return model
    from scopebench.models import load_language_model

    return load_language_model(
        model,
        device=place.device,
        dtype=place.dtype,
        batch_size=place.batch_size,
        cache=place.cache,
        progress=place.progress.generated,
    )


def _encoder(encoder: str | Encoder | None, device: str) -> Encoder:
    if encoder is not None and not isinstance(encoder, str):
        return encoder
    from scopebench.models import load_encoder

    return load_encoder(encoder, device=device)


def _run_folder(out: str | PathLike[str] | None) -> tuple[Path, Any]:
    """Return the folder to write and, where it is a temporary one, what keeps it."""
    if out is not None:
        return path_of(out), None
    kept = tempfile.TemporaryDirectory(prefix="scopebench-run-", ignore_cleanup_errors=True)
    return Path(kept.name), kept
