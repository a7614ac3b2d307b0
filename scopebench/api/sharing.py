"""What goes out: benchmarks published, runs submitted, and both exported for other tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scopebench.api.arguments import PathLikes, path_of, silent
from scopebench.api.benchmarks import BenchmarkLike, benchmark_path, load
from scopebench.errors import DataError, UsageError
from scopebench.hub.exports.registry import FORMATS
from scopebench.hub.publish import Plan, Published, plan_publication
from scopebench.hub.submit import RefusedSubmission, Sent, Upload, place, send, verified_upload
from scopebench.models.prompts import PROMPT_SETS
from scopebench.records import Matcher, Population

if TYPE_CHECKING:
    from scopebench.api.runs import RunLike

__all__ = [
    "EXPORT_FORMATS",
    "PROMPT_FAMILIES",
    "Matcher",
    "Plan",
    "Population",
    "Publication",
    "Published",
    "RefusedSubmission",
    "Sent",
    "SubmittedRun",
    "export",
    "publish",
    "submit",
]

Tell = Callable[[str], None]

EXPORT_FORMATS: Final = tuple(FORMATS)
PROMPT_FAMILIES: Final = tuple(PROMPT_SETS)


@dataclass(frozen=True)
class Publication:
    """A benchmark on its way to the Hub.

    Attributes:
        plan: What the repository is to hold.
        published: Where it is; None: nothing was asked of the Hub.
    """

    plan: Plan
    published: Published | None


@dataclass(frozen=True)
class SubmittedRun:
    """A verified run on its way to a results repository.

    Attributes:
        submission_id: Hash over its content.
        title: Its title, which holds the id.
        files: Bytes of each file, by its path in the repository.
        sent: Where it is; None: nothing was sent.
    """

    submission_id: str
    title: str
    files: Mapping[str, int]
    sent: Sent | None


def publish(
    benchmark: BenchmarkLike,
    repo: str,
    *,
    tag: str | None = None,
    private: bool = False,
    dry_run: bool = False,
    tell: Tell = silent,
) -> Publication:
    """Publish a benchmark as a dataset repository of the Hub: one commit, one tag.

    Args:
        benchmark: The benchmark, or its folder.
        repo: The repository, ORG/NAME.
        tag: The tag; None: `v` and the benchmark's version.
        private: Whether a repository that is created is private.
        dry_run: Check everything that can be checked here, and ask the Hub nothing.
        tell: Told before each wait.

    Raises:
        DataError: If the folder cannot be published as it is.
        HubError: If the Hub refuses or cannot be reached, or the tag is at other content.
    """
    from scopebench.hub.publish import publish as send_plan
    from scopebench.hub.remote import Remote, checked_repo_id

    checked_repo_id(repo)
    plan = plan_publication(load(benchmark).path, tag=tag)
    if dry_run:
        return Publication(plan, None)
    return Publication(plan, send_plan(plan, repo, remote=Remote(tell=tell), private=private))


def submit(
    run: RunLike,
    to: str | PathLike[str],
    *,
    benchmark: BenchmarkLike | None = None,
    pull_request: bool = True,
    dry_run: bool = False,
    tell: Tell = silent,
) -> SubmittedRun:
    """Verify a run and send it to a results repository, or put it into a folder of results.

    A submission is named by its content: the same one again is found and not sent.

    Args:
        run: The run, its folder, or a zip of its three files.
        to: The results repository, ORG/NAME, or a folder of results that is there.
        benchmark: The benchmark it was made on; None: the starter, where it was made on that.
        pull_request: Whether to open a pull request; otherwise to commit to main.
        dry_run: Verify and list the files, and send nothing.
        tell: Told before each wait.

    Raises:
        RefusedSubmission: If it does not verify; its `faults` say what is wrong.
        HubError: If the Hub refuses or cannot be reached, or `to` is neither of the two.
    """
    from scopebench.hub.remote import Remote
    from scopebench.hub.results import resolve_source

    target = resolve_source(to if isinstance(to, str) else path_of(to))
    with verified_upload(path_of(run), benchmark=benchmark_path(benchmark)) as upload:
        if dry_run:
            sent = None
        elif target.folder is not None:
            sent = place(upload, target.folder)
        else:
            remote = Remote(tell=tell)
            sent = send(upload, str(target.repo), remote=remote, pull_request=pull_request)
        return SubmittedRun(upload.submission_id, upload.title, _sizes(upload), sent)


def export(
    sources: PathLikes | Sequence[PathLikes],
    name: str,
    out: str | PathLike[str],
    *,
    matcher: Matcher = "strict",
    population: Population | None = None,
    dataset_id: str | None = None,
    dataset_revision: str | None = None,
    prompts: str = "generic",
    tell: Tell = silent,
) -> list[Path]:
    """Export runs or a benchmark in a form that another tool reads, and return the paths written.

    Args:
        sources: A run, several for `csv` and `latex`, or a benchmark for a harness.
        name: The format: one of `EXPORT_FORMATS` (docs/exporting.md).
        out: The file or folder to write, as the format has it.
        matcher: Whose numbers; a task for a harness holds both.
        population: Whose rows; None: every one for `csv`, `curated` for the others.
        dataset_id: The benchmark's dataset repository on the Hub.
        dataset_revision: Its commit, 40 hex digits.
        prompts: The prompt set of the model's family, for `lm-eval` and `inspect`.
        tell: Told what is being done, and what was left out and why.

    Raises:
        UsageError: If there is no such format or prompt set, or `out` is of the wrong kind.
        DataError: If the sources are not what the format reads, or do not hold what is asked for.
    """
    from scopebench.disk_errors import clear_disk_errors
    from scopebench.hub.exports import AbstainPrompt, ExportOptions, render, write
    from scopebench.models.causal_lm import MAX_NEW_TOKENS

    target = path_of(out)
    _check_format(name, prompts, target)
    asked = PROMPT_SETS[prompts]
    words = f"{asked.family}/{asked.version}/{asked.fingerprint()}"
    options = ExportOptions(
        matcher=matcher,
        population=population,
        dataset_id=dataset_id,
        dataset_revision=dataset_revision,
        prompt=AbstainPrompt(words, asked.abstain, MAX_NEW_TOKENS),
    )
    rendered = render(name, _paths(sources), options, told=tell)
    for line in rendered.left_out:
        tell(f"left out {line}")
    with clear_disk_errors(target, DataError):
        return write(rendered, target)


def _paths(sources: PathLikes | Sequence[PathLikes]) -> list[Path]:
    if isinstance(sources, str | PathLike) or not isinstance(sources, Sequence):
        return [path_of(sources)]
    return [path_of(source) for source in sources]


def _check_format(name: str, prompts: str, out: Path) -> None:
    if name not in FORMATS:
        raise UsageError(f"{name!r} is no format; known: {', '.join(FORMATS)}")
    if prompts not in PROMPT_SETS:
        raise UsageError(f"{prompts!r} is no prompt set; known: {', '.join(PROMPT_SETS)}")
    writes = FORMATS[name].writes
    if writes == "file" and out.is_dir():
        raise UsageError(f"{out} is a folder; give a file")
    if writes == "folder" and out.is_file():
        raise UsageError(f"{out} is a file; give a folder")


def _sizes(upload: Upload) -> dict[str, int]:
    return {
        f"{upload.folder}/{name}": len(content)
        if isinstance(content, bytes)
        else content.stat().st_size
        for name, content in upload.files.items()
    }
