"""What functions and verbs are given, turned into what the parts below take."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from scopebench.errors import UsageError

if TYPE_CHECKING:
    from scopebench.scoring.headroom import Rule
    from scopebench.scoring.mixes import Mix
    from scopebench.scoring.summary import Settings

MixLike = str | float | Mapping[str, float]
"""A deployment's traffic: the share out of scope, or the share of each kind."""

StaticLike = str | Sequence[str]
"""A static policy: actions in order of preference, or the same in one text, parted by commas."""

RESAMPLES: Final = range(100, 100_001)
"""How many bootstrap resamples may be asked for."""


class HasPath(Protocol):
    """Something that lies in a folder: a run, or a built benchmark."""

    @property
    def path(self) -> Path:
        """The folder."""
        ...


PathLikes = str | PathLike[str] | HasPath


def path_of(given: PathLikes) -> Path:
    """Return the path of what is given: a run, a benchmark or a path itself."""
    if isinstance(given, str | PathLike):
        return Path(given).expanduser()
    return given.path


def silent(_: str) -> None:
    """Tell nobody."""


def report_settings(
    mixes: Sequence[MixLike] = (), *, seed: int = 0, resamples: int = 2000
) -> Settings:
    """Return how the numbers of a report are computed; its rule is the paper's.

    Raises:
        UsageError: If a mix is none, the seed is negative or `resamples` is out of range.
    """
    from scopebench.scoring.summary import Settings

    if seed < 0:
        raise UsageError(f"seed must be 0 or above, not {seed}")
    if resamples not in RESAMPLES:
        raise UsageError(f"resamples must be 100 to 100,000, not {resamples}")
    if isinstance(mixes, str | float | int | Mapping):
        raise UsageError(f"mixes must be a list of mixes, not {mixes!r}")
    return Settings(mixes=tuple(map(traffic_mix, mixes)), seed=seed, n_resamples=resamples)


def static_rule(given: StaticLike | None) -> Rule | None:
    """Return the rule that takes the first legal of some actions; None stays None.

    Raises:
        UsageError: If an action is empty or named twice.
    """
    from scopebench.scoring.headroom import Rule

    if given is None:
        return None
    named = given.split(",") if isinstance(given, str) else given
    actions = tuple(str(name).strip() for name in named)
    if not actions or "" in actions or len(set(actions)) < len(actions):
        raise UsageError(f"{given!r} is not a list of different actions, for example recite,reason")
    return Rule(actions)


def traffic_mix(given: MixLike) -> Mix:
    """Return a mix: `0.3`, `{"direct": 0.8, "near_name": 0.2}`, or either as text.

    Raises:
        UsageError: If a share is not a number from 0 to 1, or shares do not sum to 1.
    """
    from scopebench.scoring.mixes import Mix, label_mix

    if isinstance(given, str) and "=" not in given:
        return label_mix(_share(given, given), name=f"pi={given.strip()}")
    if isinstance(given, float | int):
        return label_mix(_share(given, given), name=f"pi={given:g}")
    shares = _parts(given) if isinstance(given, str) else dict(given)
    checked = {kind: _share(share, given) for kind, share in shares.items()}
    total = sum(checked.values())
    if abs(total - 1) > 1e-6:
        raise UsageError(f"{given!r}: the shares sum to {total:g}, not to 1")
    words = ",".join(f"{kind}={share:g}" for kind, share in checked.items())
    return Mix(given.strip() if isinstance(given, str) else words, checked)


def _parts(text: str) -> dict[str, str]:
    shares: dict[str, str] = {}
    for part in text.split(","):
        kind, _, share = part.partition("=")
        if not kind.strip() or kind.strip() in shares:
            raise UsageError(f"{text!r}: every part is KIND=SHARE, each kind once")
        shares[kind.strip()] = share
    return shares


def _share(value: str | float, whole: MixLike) -> float:
    try:
        share = float(value)
    except (TypeError, ValueError):
        share = math.nan
    if not 0 <= share <= 1:
        one = value.strip() if isinstance(value, str) else value
        where = f"{one!r}" if value == whole else f"{whole!r}: {one!r}"
        raise UsageError(f"{where} is not a share from 0 to 1")
    return share
