"""Options and checks that several verbs share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from scopebench.scoring.headroom import Rule
    from scopebench.scoring.mixes import Mix

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")(command)


def model_options(command: Command) -> Command:
    """Add the options that choose and place the language model and encoder."""
    for option in (
        click.option(
            "--encoder",
            default=None,
            metavar="NAME",
            help="Sentence encoder: a folder or a Hugging Face id [default: all-MiniLM-L6-v2].",
        ),
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


def number_options(command: Command) -> Command:
    """Add the options that say how the numbers of a report are computed."""
    for option in (
        click.option(
            "--resamples",
            type=click.IntRange(min=100, max=100_000),
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
            metavar="SHARE|KIND=SHARE,...",
            help="A deployment's traffic: the share out of scope, or of each kind; repeatable.",
        ),
        click.option(
            "--static",
            default=None,
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


def parse_static(value: str | None) -> Rule | None:
    """Turn `ACTION,...` into the rule that takes the first legal of them; None stays None.

    Raises:
        click.BadParameter: If an action is empty or named twice.
    """
    from scopebench.scoring.headroom import Rule

    if value is None:
        return None
    actions = tuple(name.strip() for name in value.split(","))
    if "" in actions or len(set(actions)) < len(actions):
        raise click.BadParameter(
            f"{value!r} is not a list of different actions, for example recite,reason",
            param_hint="--static",
        )
    return Rule(actions)


def parse_mixes(values: tuple[str, ...]) -> tuple[Mix, ...]:
    """Turn repeated `SHARE` or `KIND=SHARE,...` values into traffic mixes.

    Raises:
        click.BadParameter: If a share is not a number from 0 to 1, or shares do not sum to 1.
    """
    return tuple(_mix(value) for value in values)


def _mix(value: str) -> Mix:
    from scopebench.scoring.mixes import Mix, label_mix

    if "=" not in value:
        return label_mix(_parse_share(value, value), name=f"pi={value.strip()}")
    shares: dict[str, float] = {}
    for part in value.split(","):
        kind, _, share = part.partition("=")
        if not kind.strip() or kind.strip() in shares:
            raise click.BadParameter(
                f"{value!r}: every part is KIND=SHARE, each kind once", param_hint="--mix"
            )
        shares[kind.strip()] = _parse_share(share, value)
    if abs(sum(shares.values()) - 1) > 1e-6:
        raise click.BadParameter(
            f"{value!r}: the shares sum to {sum(shares.values()):g}, not to 1", param_hint="--mix"
        )
    return Mix(value.strip(), shares)


def _parse_share(text: str, whole: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = float("nan")
    if not 0 <= share <= 1:
        raise click.BadParameter(
            f"{whole!r}: {text.strip()!r} is not a share from 0 to 1", param_hint="--mix"
        )
    return share
