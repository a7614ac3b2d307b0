"""What a build can be asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from scopebench.errors import DataError

Withhold = Literal["own", "shared"]
Assign = Literal["subject", "query"]
OnBadRecord = Literal["fail", "skip"]

CURATED_SIZE: Final = 600
"""Rows of a cell of `curated`: enough for an interval of about 0.04 on a rate, few enough to run
every action on two cores in minutes."""


@dataclass(frozen=True)
class BuildOptions:
    """The options of one build; with the sources and the version they determine every byte.

    Attributes:
        withhold: `own`: each hidden query hides its own fact from an otherwise intact index
            (paper section 7); `shared`: one index without any hidden edit, for editors that
            cannot mask.
        assign: `subject`: an exact share, by whole clusters; `query`: independent draws, one per
            fact (paper section 7).
        fraction: Share of the queries that is hidden in `withheld`, from 0 to 1.
        seed: Seeds the choice of hidden queries, folds and, under `limit`, groups.
        limit: At most so many edits of each data set, in whole groups; None: all.
        on_bad_record: `fail` at the first unusable record, or `skip` and list it.
        curated_size: At most so many rows in each cell of `curated`; 0: no such population.

    Raises:
        DataError: If a value is out of range.
    """

    withhold: Withhold = "own"
    assign: Assign = "subject"
    fraction: float = 0.5
    seed: int = 0
    limit: int | None = None
    on_bad_record: OnBadRecord = "fail"
    curated_size: int = CURATED_SIZE

    def __post_init__(self) -> None:
        for name, kind in (
            ("withhold", Withhold),
            ("assign", Assign),
            ("on_bad_record", OnBadRecord),
        ):
            if getattr(self, name) not in get_args(kind):
                allowed = " or ".join(get_args(kind))
                raise DataError(f"{name} must be {allowed}, not {getattr(self, name)!r}")
        if not 0 <= self.fraction <= 1:
            raise DataError(f"fraction must lie between 0 and 1, not {self.fraction!r}")
        if self.limit is not None and self.limit < 1:
            raise DataError(f"limit must be at least 1, not {self.limit!r}")
        if self.curated_size < 0:
            raise DataError(f"curated_size must be at least 0, not {self.curated_size!r}")
