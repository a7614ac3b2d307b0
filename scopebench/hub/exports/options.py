"""What an export is asked for, and what it yields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from scopebench.records import Form, Matcher, Population


@dataclass(frozen=True)
class AbstainPrompt:
    """How the unedited model is asked.

    Attributes:
        name: The prompt set as a protocol names it: family, version and fingerprint.
        render: Returns the whole prompt of a question or cloze.
        max_new_tokens: Answer length of the protocol, in tokens.
    """

    name: str
    render: Callable[[str, Form], str]
    max_new_tokens: int


@dataclass(frozen=True)
class ExportOptions:
    """What an export is asked for.

    Attributes:
        matcher: Whose numbers.
        population: Whose rows; None: every one for `csv`, `curated` for the others.
        dataset_id: The benchmark's dataset repository on the Hub, `ORG/NAME`.
        dataset_revision: Its commit, 40 hex digits.
        prompt: How a harness asks the unedited model; None for exports of runs.
    """

    matcher: Matcher = "strict"
    population: Population | None = None
    dataset_id: str | None = None
    dataset_revision: str | None = None
    prompt: AbstainPrompt | None = None

    @property
    def one_population(self) -> Population:
        """The population of an export that shows one."""
        return self.population or "curated"


@dataclass(frozen=True)
class Rendered:
    """The files of an export.

    Attributes:
        files: Text of each file by its path below the folder to write, or by "" where the export is
            one file.
        left_out: What was asked for and is not there, and why, one line each.
    """

    files: Mapping[str, str]
    left_out: tuple[str, ...] = ()


class Renderer(Protocol):
    """One export format."""

    def __call__(
        self, paths: tuple[Path, ...], options: ExportOptions, told: Callable[[str], None]
    ) -> Rendered:
        """Return the files of an export; `told` is called with what is being done."""
        ...
