"""`scopebench verify`: whether a run may be submitted to the leaderboard, and if not, why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from scopebench.api.checking import verify
from scopebench.api.reproducing import rerun as generate_again
from scopebench.cli.options import echo_json, json_option, tell
from scopebench.report.console import printable

if TYPE_CHECKING:
    from scopebench.api.reproducing import Reproduction, Verification

Command = TypeVar("Command", bound=Callable[..., Any])


def rerun_options(command: Command) -> Command:
    """Add the options that say where a sample is generated again."""
    for option in (
        click.option(
            "--model-folder",
            "model_folders",
            multiple=True,
            type=click.Path(path_type=Path, exists=True, file_okay=False),
            help="A model's folder, for a run whose model was a folder; repeatable.",
        ),
        click.option(
            "--batch-size",
            type=click.IntRange(min=1),
            default=64,
            show_default=True,
            help="Prompts generated together.",
        ),
        click.option(
            "--device",
            default="auto",
            show_default=True,
            metavar="DEVICE",
            help="auto, cpu, cuda[:N] or mps.",
        ),
    ):
        command = option(command)
    return command


@click.command(
    "verify",
    epilog="""\b
Examples:
  scopebench verify runs/inlay
  scopebench verify inlay.zip --benchmark mquake
  scopebench verify runs/inlay --benchmark mquake --json
  scopebench verify runs/inlay --benchmark mquake --rerun 50

Exit code: 0 where nothing is wrong, 1 with faults or where the sample is not reproduced, 2 where
PATH is no submission at all.
""",
)
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--benchmark",
    metavar="DIR|ORG/NAME[@REVISION]",
    help="The benchmark the run was made on [default: the starter, where it was made on that].",
)
@click.option(
    "--rerun",
    type=click.IntRange(min=1),
    metavar="N",
    help="Generate N of its answers again with the model that it names, and compare.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Draws the answers that are generated again.",
)
@rerun_options
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    path: Path,
    benchmark: str | None,
    rerun: int | None,
    seed: int,
    device: str,
    batch_size: int,
    model_folders: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Verify the submission at PATH: a run folder, or a zip of its three files.

    Every answer is judged again and every number computed again; each fault is one line on stdout.
    With --rerun, a sample of the answers is generated again too, by a model that is on this machine
    already.
    """
    if rerun is None:
        found, reproduction, ok = verify(path, benchmark=benchmark), None, None
    else:
        done = generate_again(
            path,
            benchmark=benchmark,
            n=rerun,
            seed=seed,
            device=device,
            batch_size=batch_size,
            model_folders=model_folders,
        )
        found, reproduction, ok = done.verification, done.reproduction, done.ok
    if as_json:
        _echo_values(path, found, reproduction)
    else:
        _echo_lines(path, found, reproduction)
    ctx.exit(0 if (found.ok if ok is None else ok) else 1)


def _echo_values(path: Path, found: Verification, reproduction: Reproduction | None) -> None:
    values = {
        "path": str(path),
        "ok": found.ok,
        "submission_id": found.submission_id,
        "faults": [asdict(fault) for fault in found.faults],
        "notes": list(found.notes),
    }
    if reproduction is not None:
        values["reproduction"] = reproduction.as_json()
    echo_json(values)


def _echo_lines(path: Path, found: Verification, reproduction: Reproduction | None) -> None:
    for fault in found.faults:
        click.echo(str(fault))
    for note in found.notes:
        tell(note)
    if found.ok:
        click.echo(f"ok: {path} is submission {found.submission_id}")
        if reproduction is not None:
            _echo_reproduction(reproduction)


def _echo_reproduction(found: Reproduction) -> None:
    """Print what generating a sample again found; texts of a submission are made visible."""
    for action, reason in found.left_out.items():
        tell(f"{action}: not tried: {printable(reason)}")
    if not found.tried or found.low is None:
        click.echo(f"not tried: {printable(found.reason)}")
        return
    for each in found.mismatches:
        draw = f" draw {each.draw}" if each.draw else ""
        place = f"{each.query_id} {each.condition} {each.action}{draw}"
        said = f"the run has {each.stored!r}, the model says {each.generated!r}"
        click.echo(printable(f"other_text: {place}: {said}"))
    by_action = ", ".join(
        f"{action} {found.equal[action]} of {found.n[action]}" for action in found.n
    )
    click.echo(
        f"{found.state}: {found.total_equal} of {found.total} answers to the letter ({by_action}); "
        f"with 95% confidence at least {found.low:.3f} of {found.rows:,} are as generated"
    )
