"""`scopebench judge`: what a language model says of a run's answers, in a table of its own."""

from __future__ import annotations

from pathlib import Path

import click

from scopebench.api.judging import judge
from scopebench.cli.options import echo_json, json_option, language_model_options


@click.command(
    "judge",
    epilog="""\b
Examples:
  scopebench judge runs/inlay --model smollm2-135m --out judged.parquet
  scopebench headroom judged.parquet
""",
)
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The parquet file to write; `scopebench headroom` and `report` read it.",
)
@language_model_options
@json_option
def command(
    run: Path,
    out: Path,
    model: str,
    batch_size: int,
    device: str,
    dtype: str,
    as_json: bool,
) -> None:
    """Let a language model decide whether the answers of RUN mean their golds.

    The verdicts depend on the model, so they stand under its name in a file of their own and are
    never mixed with those of the matchers. Small models agree with people far less than `strict`.
    """
    found = judge(run, model=model, device=device, dtype=dtype, batch_size=batch_size)
    found.write(out)
    if as_json:
        echo_json(
            {"out": str(out), "protocol": found.protocol, "n": found.n, "agreed": found.agreed}
        )
        return
    click.echo(
        f"{found.protocol}: {found.n:,} answers, {found.agreed:,} judged as by strict, in {out}"
    )
