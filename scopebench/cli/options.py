"""Options and checks that several verbs share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from scopebench.api import arguments
from scopebench.errors import UsageError

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")(command)


def model_options(command: Command) -> Command:
    """Add the options that choose and place the language model and encoder."""
    encoder = click.option(
        "--encoder",
        default=None,
        metavar="NAME",
        help="Sentence encoder: a folder or a Hugging Face id [default: all-MiniLM-L6-v2].",
    )
    return language_model_options(encoder(command))


def language_model_options(command: Command) -> Command:
    """Add the options that choose and place the language model."""
    for option in (
        click.option(
            "--dtype",
            type=click.Choice(["float32", "bfloat16", "float16"]),
            default="float32",
            show_default=True,
            help="Floating-point type to compute in.",
        ),
        click.option(
            "--device",
            default="auto",
            show_default=True,
            metavar="DEVICE",
            help="auto, cpu, cuda[:N] or mps.",
        ),
        click.option(
            "--batch-size",
            type=click.IntRange(min=1),
            default=64,
            show_default=True,
            help="Prompts generated together; changes the speed, never the answers asked for.",
        ),
        click.option(
            "--model",
            default="smollm2-135m",
            show_default=True,
            metavar="NAME",
            help="Language model: a local model's name, a folder or a Hugging Face id.",
        ),
    ):
        command = option(command)
    return command


def _refused_by(
    check: Callable[[Any], Any],
) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return the callback of an option whose value a check refuses with `UsageError`."""

    def callback(ctx: click.Context, parameter: click.Parameter, value: Any) -> Any:
        try:
            check(value)
        except UsageError as error:
            raise click.BadParameter(str(error), ctx, parameter) from error
        return value

    return callback


def number_options(command: Command) -> Command:
    """Add the options that say how the numbers of a report are computed."""
    for option in (
        click.option(
            "--resamples",
            type=click.IntRange(min=arguments.RESAMPLES.start, max=arguments.RESAMPLES[-1]),
            default=2000,
            show_default=True,
            help="Bootstrap resamples.",
        ),
        click.option(
            "--seed",
            type=click.IntRange(min=0),
            default=0,
            show_default=True,
            help="Seeds the bootstrap and the folds.",
        ),
        click.option(
            "--mix",
            "mixes",
            multiple=True,
            callback=_refused_by(arguments.report_settings),
            metavar="SHARE|KIND=SHARE,...",
            help="A deployment's traffic: the share out of scope, or of each kind; repeatable.",
        ),
        click.option(
            "--static",
            default=None,
            callback=_refused_by(arguments.static_rule),
            metavar="ACTION,...",
            help="The declared static policy: the first legal of these actions "
            "[default: recite,reason].",
        ),
    ):
        command = option(command)
    return command


def echo_json(value: Any) -> None:
    """Print a value as JSON on stdout."""
    click.echo(json.dumps(value, indent=1, ensure_ascii=False))


@contextmanager
def usage_errors() -> Iterator[None]:
    """Tell of an argument that is not what a function takes as of an option of the verb."""
    try:
        yield
    except UsageError as error:
        raise click.UsageError(str(error)) from error


def tell(text: str) -> None:
    """Tell on stderr what is being done, or what went another way than expected."""
    click.echo(f"scopebench: {text}", err=True)


def say(line: str) -> None:
    """Print a line of progress on stderr as it is."""
    click.echo(line, err=True)


def parse_sources(values: tuple[str, ...]) -> dict[str, list[Path]] | None:
    """Turn repeated `DATASET=PATH` values into paths by data set; none means the starter.

    Raises:
        click.BadParameter: If a value has no data set or no path.
    """
    if not values:
        return None
    sources: dict[str, list[Path]] = {}
    for dataset, path in _pairs(values, "--source", "mquake_cf=MQuAKE-CF.json"):
        sources.setdefault(dataset, []).append(path)
    return sources


def parse_columns(values: tuple[str, ...]) -> dict[str, Path]:
    """Turn repeated `DATASET=FILE` values into mapping files by data set.

    Raises:
        click.BadParameter: If a value has no data set or no file.
    """
    return dict(_pairs(values, "--columns", "mine=columns.toml"))


def _pairs(values: tuple[str, ...], option: str, example: str) -> Iterator[tuple[str, Path]]:
    for value in values:
        dataset, separator, path = value.partition("=")
        if not separator or not dataset.strip() or not path.strip():
            raise click.BadParameter(
                f"{value!r} is not DATASET=PATH, for example {example}", param_hint=option
            )
        yield dataset.strip(), Path(path.strip()).expanduser()
