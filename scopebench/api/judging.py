"""A language model as a judge of answers: a third matcher, apart from the two that need none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopebench.api.arguments import path_of

if TYPE_CHECKING:
    from scopebench.api.runs import RunLike
    from scopebench.judge import JudgedOutcomes
    from scopebench.protocols import LanguageModel

__all__ = ["judge"]


def judge(
    run: RunLike,
    *,
    model: str | LanguageModel,
    device: str = "auto",
    dtype: str = "float32",
    batch_size: int = 64,
) -> JudgedOutcomes:
    """Let a language model judge every answer of a run.

    The verdicts are a table of their own, for `headroom` and `report`: `headroom(found.table)`. The
    run keeps those of the matchers that need no model.

    Args:
        run: The run or its folder.
        model: The judge: a local model's name, a folder, a Hugging Face id, or a loaded model.
        device: Where a model that is named is placed.
        dtype: What it computes in.
        batch_size: Prompts generated together.

    Raises:
        DataError: If the run's tables cannot be read, or the model is not to be had.
    """
    from scopebench.judge import judge_run
    from scopebench.models import GenerationCache, load_language_model
    from scopebench.report.progress import BarProgress

    folder = path_of(run)
    if not isinstance(model, str):
        return judge_run(folder, model)
    with BarProgress() as progress, GenerationCache() as cache:
        progress.phase("loading the judge")
        loaded = load_language_model(
            model,
            device=device,
            dtype=dtype,
            batch_size=batch_size,
            cache=cache,
            progress=progress.generated,
        )
        progress.phase("judging")
        return judge_run(folder, loaded)
