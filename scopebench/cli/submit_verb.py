"""`scopebench submit`: a verified run becomes a folder of a results repository."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from scopebench.cli.options import echo_json, json_option

if TYPE_CHECKING:
    from scopebench.hub.submit import RefusedSubmission, Sent, Upload


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
    "benchmark_dir",
    type=click.Path(path_type=Path),
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
    benchmark_dir: Path | None,
    pull_request: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Verify the run folder or zip at PATH and send it to a results repository or folder."""
    from scopebench.hub.remote import Remote
    from scopebench.hub.results import resolve_source
    from scopebench.hub.submit import RefusedSubmission, place, send, verified_upload

    target = resolve_source(results)
    remote = Remote(tell=lambda line: click.echo(line, err=True))
    try:
        with verified_upload(path.expanduser(), benchmark=benchmark_dir) as upload:
            if dry_run:
                _echo_plan(upload, results, as_json=as_json)
            elif target.folder is not None:
                _echo_sent(upload, place(upload, target.folder), as_json)
            else:
                sent = send(upload, results, remote=remote, pull_request=pull_request)
                _echo_sent(upload, sent, as_json)
    except RefusedSubmission as refused:
        _echo_faults(refused, as_json=as_json)
        ctx.exit(1)


def _echo_plan(upload: Upload, repo: str, *, as_json: bool) -> None:
    files = [
        {"path": f"{upload.folder}/{name}", "bytes": _size(content)}
        for name, content in upload.files.items()
    ]
    if as_json:
        echo_json({"repo": repo, "submission_id": upload.submission_id, "files": files})
        return
    for file in files:
        click.echo(f"{file['bytes']:>12,}  {file['path']}")
    click.echo(f"{upload.title}: for {repo}; it verifies, nothing was sent.", err=True)


def _size(content: Path | bytes) -> int:
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def _echo_sent(upload: Upload, sent: Sent, as_json: bool) -> None:
    if as_json:
        echo_json({"submission_id": upload.submission_id, "state": sent.state, "url": sent.url})
        return
    said = "Sent" if sent.state == "sent" else f"Already {sent.state}, nothing was sent"
    click.echo(f"{said}: {upload.title}", err=True)
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
