"""`scopebench verify`: whether a run may be submitted to the leaderboard, and if not, why."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from scopebench.cli.options import echo_json, json_option


@click.command(
    "verify",
    epilog="""\b
Examples:
  scopebench verify runs/inlay
  scopebench verify inlay.zip --benchmark mquake
  scopebench verify runs/inlay --benchmark mquake --json

Exit code: 0 where nothing is wrong, 1 with faults, 2 where PATH is no submission at all.
""",
)
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--benchmark",
    "benchmark_dir",
    type=click.Path(path_type=Path),
    help="The benchmark the run was made on [default: the starter, where it was made on that].",
)
@json_option
@click.pass_context
def command(ctx: click.Context, path: Path, benchmark_dir: Path | None, as_json: bool) -> None:
    """Verify the submission at PATH: a run folder, or a zip of its three files.

    Every answer is judged again and every number computed again; each fault is one line on stdout.
    """
    from scopebench.errors import InvalidSubmission
    from scopebench.hub.verify import NOT_A_SUBMISSION, verify_submission

    found = verify_submission(path.expanduser(), benchmark=benchmark_dir)
    if any(fault.check == NOT_A_SUBMISSION for fault in found.faults):
        raise InvalidSubmission(found.faults[0].text)
    if as_json:
        echo_json(
            {
                "path": str(path),
                "ok": found.ok,
                "submission_id": found.submission_id,
                "faults": [asdict(fault) for fault in found.faults],
                "notes": list(found.notes),
            }
        )
    else:
        for fault in found.faults:
            click.echo(str(fault))
        for note in found.notes:
            click.echo(f"scopebench: {note}", err=True)
        if found.ok:
            click.echo(f"ok: {path} is submission {found.submission_id}")
    ctx.exit(0 if found.ok else 1)
