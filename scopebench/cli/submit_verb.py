"""`scopebench submit`: a verified run becomes a folder of a results repository."""

from __future__ import annotations

from pathlib import Path

import click

from scopebench.api.sharing import RefusedSubmission, Sent, SubmittedRun, submit
from scopebench.cli.options import echo_json, json_option, say


@click.command(
    "submit",
    epilog="""\b
Examples:
  scopebench submit runs/inlay --to scopebench/results --dry-run
  scopebench submit runs/inlay --to scopebench/results
  scopebench submit inlay.zip --to scopebench/results --benchmark mquake --commit
  scopebench submit runs/inlay --to results

Log in first: `hf auth login`, or set HF_TOKEN. A submission is named by its content: the same one
again is told and not sent.

Exit code: 0 where it is in the repository or in a pull request, 1 where it does not verify.
""",
)
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "results",
    required=True,
    metavar="ORG/NAME|DIR",
    help="The results repository, or a folder of results that is there.",
)
@click.option(
    "--benchmark",
    metavar="DIR|ORG/NAME[@REVISION]",
    help="The benchmark it was made on [default: the starter, where it was made on that].",
)
@click.option(
    "--pr/--commit",
    "pull_request",
    default=True,
    help="Open a pull request, or commit to main (needs the right to write) [default: --pr].",
)
@click.option("--dry-run", is_flag=True, help="Verify, list every file with size; send nothing.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    path: Path,
    results: str,
    benchmark: str | None,
    pull_request: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Verify the run folder or zip at PATH and send it to a results repository or folder."""
    try:
        done = submit(
            path,
            results,
            benchmark=benchmark,
            pull_request=pull_request,
            dry_run=dry_run,
            tell=say,
        )
    except RefusedSubmission as refused:
        _echo_faults(refused, as_json=as_json)
        ctx.exit(1)
    if done.sent is None:
        _echo_plan(done, results, as_json=as_json)
    else:
        _echo_sent(done, done.sent, as_json=as_json)


def _echo_plan(run: SubmittedRun, repo: str, *, as_json: bool) -> None:
    if as_json:
        files = [{"path": path, "bytes": size} for path, size in run.files.items()]
        echo_json({"repo": repo, "submission_id": run.submission_id, "files": files})
        return
    for path, size in run.files.items():
        click.echo(f"{size:>12,}  {path}")
    click.echo(f"{run.title}: for {repo}; it verifies, nothing was sent.", err=True)


def _echo_sent(run: SubmittedRun, sent: Sent, *, as_json: bool) -> None:
    if as_json:
        echo_json({"submission_id": run.submission_id, "state": sent.state, "url": sent.url})
        return
    said = "Sent" if sent.state == "sent" else f"Already {sent.state}, nothing was sent"
    click.echo(f"{said}: {run.title}", err=True)
    click.echo(sent.url)


def _echo_faults(refused: RefusedSubmission, *, as_json: bool) -> None:
    if as_json:
        faults = [
            {"check": fault.check, "where": fault.where, "text": fault.text}
            for fault in refused.faults
        ]
        echo_json({"faults": faults})
        return
    for fault in refused.faults:
        click.echo(str(fault), err=True)
    click.echo(f"{refused.path} does not verify; nothing was sent.", err=True)
