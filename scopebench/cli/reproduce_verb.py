"""`scopebench reproduce`: an owner of results generates samples of submissions again."""

from __future__ import annotations

from pathlib import Path

import click

from scopebench.api.reproducing import FEWEST, RERUN, reproduce
from scopebench.cli.options import echo_json, json_option, tell
from scopebench.cli.verify_verb import rerun_options


@click.command(
    "reproduce",
    epilog="""\b
Examples:
  scopebench reproduce --results results --benchmark mquake
  scopebench reproduce --results ORG/RESULTS --benchmark ORG/BENCHMARK@v0.1.0 --limit 5
  scopebench reproduce --results ORG/RESULTS --rerun 200 --again

Submissions that have a mark are left alone, so the same command can run every night. One that was
stopped goes on when it is given again.

Exit code: 0 where no submission failed, 1 where one is not reproduced.
""",
)
@click.option(
    "--results",
    required=True,
    metavar="DIR|ORG/NAME",
    help="A folder of results, or a results repository that this login may write to.",
)
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    metavar="DIR|ORG/NAME[@REVISION]",
    help="A benchmark that submissions were made on; repeatable. The starter need not be given.",
)
@click.option(
    "--rerun",
    type=click.IntRange(min=FEWEST),
    default=RERUN,
    show_default=True,
    metavar="N",
    help="Answers of each submission that are generated again.",
)
@click.option("--limit", type=click.IntRange(min=1), help="At most so many submissions.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Draws every sample [default: one for each that no submitter could know].",
)
@click.option(
    "--by", default="scopebench reproduce", show_default=True, help="Who does it, for the marks."
)
@click.option("--again", is_flag=True, help="Try those too that were marked by an earlier session.")
@rerun_options
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    results: str,
    benchmarks: tuple[str, ...],
    rerun: int,
    limit: int | None,
    seed: int | None,
    by: str,
    again: bool,
    device: str,
    batch_size: int,
    model_folders: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Generate samples of submissions again, and write what came of it beside them.

    Whether a run was really generated cannot be seen from its files. This takes every submission
    that nobody has tried yet, generates some of its answers with the model that it names, and
    writes a mark that the leaderboard shows. Nothing is downloaded but the results and benchmarks.
    """
    from scopebench.report.console import print_rows

    done = reproduce(
        results,
        benchmarks=benchmarks,
        n=rerun,
        limit=limit,
        by=by,
        seed=seed,
        again=again,
        device=device,
        batch_size=batch_size,
        model_folders=model_folders,
        tell=tell,
    )
    if as_json:
        echo_json({"submissions": done.rows, "sent": done.sent})
    elif done.rows:
        shown = [row | {"submission_id": row["submission_id"][:8]} for row in done.rows]
        print_rows(shown, title="Submissions generated again")
    else:
        tell("every submission has a mark; --again tries those of earlier sessions anew")
    if done.sent is not None:
        tell(f"marks sent: {done.sent}")
    ctx.exit(1 if any(row["state"] == "not reproduced" for row in done.rows) else 0)
