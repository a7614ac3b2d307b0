"""What happens to an upload: it is checked, verified and, where there is a repo, sent on.

Nothing of it is executed, and what is told of it is plain text.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scopebench.errors import InvalidSubmission, ScopeBenchError
from scopebench.hub.submission import SUBMISSION_FILES

MIB: Final = 1 << 20
CHECKS: Final = (
    ("opened", "The files are the three of a run folder, of sensible size, and plain files."),
    ("run.json", "Its record is whole, of this version, unlimited, with names that are allowed."),
    ("benchmark", "The hashes are those of a benchmark this board knows."),
    ("rows", "Every query was asked under each condition it covers, none twice, none invented."),
    ("answers", "Every answer was judged again from its text, and every decision fits its row."),
    ("numbers", "Every number was computed again from the rows."),
)
"""What a verified submission has passed, in words."""


@dataclass(frozen=True)
class Verdict:
    """What a reader is told of an upload.

    Attributes:
        ok: Whether it may be ranked.
        submission_id: Its id; None: it could not be opened.
        faults: One line each.
        notes: What is allowed and worth knowing.
        summary: Editor, model and benchmark of a good one.
    """

    ok: bool
    submission_id: str | None = None
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    summary: tuple[tuple[str, str], ...] = ()

    @property
    def as_json(self) -> dict[str, Any]:
        """The verdict as JSON values."""
        return {
            "ok": self.ok,
            "submission_id": self.submission_id,
            "faults": list(self.faults),
            "notes": list(self.notes),
            "summary": dict(self.summary),
        }


def upload_fault(paths: Sequence[str], most_mb: int) -> str | None:
    """Return why the chosen files cannot be a submission, from names and sizes alone.

    Args:
        paths: The files as they were uploaded.
        most_mb: Largest sum of their sizes, in MiB.
    """
    names = sorted(Path(path).name for path in paths)
    if not names:
        return "Choose a zip of a run folder, or its three files."
    zips = [name for name in names if name.lower().endswith(".zip")]
    if not zips and names != sorted(SUBMISSION_FILES):
        return f"Choose one zip, or exactly {', '.join(SUBMISSION_FILES)}; got {_few(names)}."
    if zips and len(names) > 1:
        return f"Choose one zip and nothing else; got {len(names)} files."
    size = sum(Path(path).stat().st_size for path in paths)
    if size > most_mb * MIB:
        return f"{size / MIB:.0f} MiB is more than the {most_mb} MiB this board takes."
    return None


@contextmanager
def as_submission(paths: Sequence[str]) -> Iterator[Path]:
    """Yield the path of an upload: its zip, or a folder that holds its three files."""
    if len(paths) == 1:
        yield Path(paths[0])
        return
    with tempfile.TemporaryDirectory(prefix="scopebench-upload-") as name:
        for path in map(Path, paths):
            shutil.copyfile(path, Path(name) / path.name)
        yield Path(name)


def verdict_on(paths: Sequence[str], benchmarks: Mapping[str, Path]) -> Verdict:
    """Verify an upload; whatever it holds, this returns.

    Args:
        paths: The files as they were uploaded.
        benchmarks: Folders of benchmarks by the digest of their files.
    """
    from scopebench.hub.submission import open_submission
    from scopebench.hub.verify import verify_submission

    try:
        with as_submission(paths) as path, open_submission(path) as opened:
            found = verify_submission(
                opened.folder, benchmark=known_benchmark(opened.folder, benchmarks)
            )
    except ScopeBenchError as error:
        return Verdict(ok=False, faults=(_line(str(error)),))
    summary: tuple[tuple[str, str], ...] = ()
    if found.ok and found.result is not None:
        result = found.result
        summary = (
            ("submission", found.submission_id or ""),
            ("editor", f"{result.editor.name} {result.editor.version}"),
            ("model", result.model.id),
            ("benchmark", f"{result.benchmark.name} {result.benchmark.version}"),
            ("protocol", result.protocol.protocol_id),
        )
    return Verdict(
        ok=found.ok,
        submission_id=found.submission_id,
        faults=tuple(str(fault) for fault in found.faults),
        notes=tuple(found.notes),
        summary=summary,
    )


def known_benchmark(folder: Path, benchmarks: Mapping[str, Path]) -> Path | None:
    """Return the folder of the benchmark a run says it was made on, if it is at hand."""
    from scopebench_leaderboard.entries import benchmark_of

    return benchmarks.get(benchmark_of(folder) or "")


def send_on(
    paths: Sequence[str], benchmarks: Mapping[str, Path], repo: str, token: str
) -> tuple[str, str]:
    """Verify an upload and open a pull request with it, in the name of who signed in.

    Returns:
        What came of it in one sentence, and the address of its page.

    Raises:
        ScopeBenchError: If it does not verify or the Hub refuses.
    """
    from scopebench.hub.remote import Remote
    from scopebench.hub.retry import RetryPolicy
    from scopebench.hub.submission import open_submission
    from scopebench.hub.submit import RefusedSubmission, send, verified_upload

    # Briefly: a reader waits, others wait behind, and pressing again makes no second one.
    policy = RetryPolicy(attempts=4, longest_wait=10.0, total_seconds=60.0, longest_silence=60.0)
    remote = Remote(token=token, policy=policy)
    try:
        with as_submission(paths) as path, open_submission(path) as opened:
            benchmark = known_benchmark(opened.folder, benchmarks)
            with verified_upload(opened.folder, benchmark=benchmark) as upload:
                sent = send(upload, repo, remote=remote, pull_request=True)
    except RefusedSubmission as refused:
        faults = refused.faults  # and no folder of this machine, which its own message names
        raise InvalidSubmission(
            f"It does not verify: {_line(str(faults[0]))} ({len(faults)} in all); nothing was sent"
        ) from None
    told = {
        "sent": "Sent. A maintainer looks at it, and it is on the board once it is merged",
        "in the repository": "It is in the results already",
        "in a pull request": "It waits in a pull request already",
    }[sent.state]
    return told, sent.url


def how_to_send(repo: str | None, folder: Path | None) -> str:
    """Return what a submitter does where this page cannot send by itself."""
    if repo is not None:
        return f"Send it from your own machine: scopebench submit RUN_DIR --to {repo}"
    if folder is not None:
        return (
            "This board reads a folder of the machine it runs on. Whoever looks after it puts the "
            "run folder at submissions/EDITOR/MODEL/SUBMISSION_ID/ there."
        )
    return "This board has no results set, so there is nowhere to send it to."


def _few(names: Sequence[str]) -> str:
    told = ", ".join(_line(name)[:40] for name in names[:4])
    return told if len(names) <= 4 else f"{told} and {len(names) - 4} more"


def _line(text: str) -> str:
    from scopebench.hub.fault import one_line

    return one_line(text)
