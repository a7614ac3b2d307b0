"""`scopebench score`: one editor, one model, one benchmark; a run folder out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from scopebench.api.runs import score
from scopebench.cli.options import echo_json, json_option, model_options


def _parse_params(values: tuple[str, ...]) -> dict[str, Any]:
    """Turn repeated `NAME=VALUE` into parameters; a value is read as JSON, else kept as text."""
    import json

    params: dict[str, Any] = {}
    for value in values:
        name, separator, text = value.partition("=")
        if not separator or not name:
            raise click.BadParameter(f"{value!r} is not NAME=VALUE", param_hint="--param")
        try:
            params[name] = json.loads(text)
        except ValueError:
            params[name] = text
    return params


@click.command(
    "score",
    epilog="""\b
Examples:
  scopebench score --editor inlay --out runs/inlay
  scopebench score --editor rag --benchmark mquake --model Qwen/Qwen2.5-0.5B --out runs/rag-qwen
  scopebench score --editor my_editor.py:MyEditor --limit 40 --out runs/mine
  scopebench score --editor inlay --param threshold=0.8 --limit 40 --out runs/trial
  scopebench score --editor inlay --temperature 0.7 --draws 5 --out runs/noise

A run that was stopped goes on when the same command is given again.
""",
)
@click.option(
    "--editor",
    required=True,
    metavar="NAME|FILE.py:CLASS|MODULE:CLASS",
    help="A registered editor (`scopebench list editors`), or where the code of another one is.",
)
@click.option(
    "--benchmark",
    metavar="DIR|ORG/NAME[@REVISION]",
    help="A folder written by `scopebench build`, or a published benchmark "
    "[default: the starter, built when needed].",
)
@model_options
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help="At most N queries in each cell and population; the result is marked `limited`.",
)
@click.option("--param", "params", multiple=True, metavar="NAME=VALUE", help="Editor parameter.")
@click.option(
    "--temperature",
    type=float,
    default=0.0,
    show_default=True,
    metavar="T",
    help="0 decodes greedily; above, the model's own generations are sampled.",
)
@click.option(
    "--draws",
    type=int,
    default=1,
    show_default=True,
    metavar="D",
    help="Execute each action so many times, to measure the noise of sampling.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Seeds the editor and the draws."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="The run folder to write or to go on with.",
)
@json_option
def command(
    editor: str,
    benchmark: str | None,
    model: str,
    batch_size: int,
    device: str,
    dtype: str,
    encoder: str | None,
    limit: int | None,
    params: tuple[str, ...],
    temperature: float,
    draws: int,
    seed: int,
    out: Path,
    as_json: bool,
) -> None:
    """Execute every legal action of every query with EDITOR, route, and score."""
    from scopebench.report.numbers import print_run

    if temperature > 0 and draws == 1:
        click.echo("One draw: the noise of sampling cannot be measured; add --draws 5.", err=True)
    run = score(
        editor,
        benchmark,
        model=model,
        encoder=encoder,
        params=_parse_params(params),
        limit=limit,
        temperature=temperature,
        draws=draws,
        seed=seed,
        out=out,
        device=device,
        dtype=dtype,
        batch_size=batch_size,
    )
    if as_json:
        echo_json(run.result.model_dump(mode="json"))
    else:
        print_run(run.result, out)
