"""What an audit holds: who judged which rows of which benchmark, and how."""

from __future__ import annotations

from typing import Final, Literal, get_args

from pydantic import Field

from scopebench.records import Record

Judgement = Literal["right", "wrong", "doubtful"]
Fitness = Literal["fine", "bad"]

JUDGEMENTS: Final[tuple[str, ...]] = get_args(Judgement)
FITNESSES: Final[tuple[str, ...]] = get_args(Fitness)

FORMAT: Final = "scopebench-audit"
FORMAT_VERSION: Final = 1


class Stratum(Record):
    """Rows of one data set, population and kind."""

    dataset: str = Field(description="The data set.")
    population: str = Field(description="The population.")
    kind: str = Field(description="The kind.")
    rows: int = Field(ge=0, description="How many distinct rows the benchmark has of it.")


class JudgedRow(Record):
    """One row as one person judged it."""

    row: str = Field(description="`<query_id>@<first condition it stands under>`.")
    dataset: str = Field(description="Its data set.")
    population: str = Field(description="Its population.")
    kind: str = Field(description="Its kind.")
    label: Judgement = Field(description="Whether its decision label is right.")
    gold: Judgement | None = Field(description="Whether its gold is right; null: it has none.")
    question: Fitness = Field(description="Whether its question can be understood and answered.")
    note: str = Field(default="", description="What the person remarked.")


class Session(Record):
    """The rows that one person judged of one sample."""

    auditor: str = Field(description="A name for the person.")
    sample: int = Field(ge=1, description="Rows asked for.")
    seed: int = Field(ge=0, description="Seeds the choice of rows.")
    drawn: int = Field(ge=0, description="Rows in the sample: fewer where there are fewer.")
    rows: tuple[JudgedRow, ...] = Field(description="The rows judged so far, by their names.")

    @property
    def key(self) -> tuple[str, int, int]:
        """What tells it from other sessions."""
        return self.auditor, self.sample, self.seed


class Audited(Record):
    """The benchmark that was judged."""

    name: str = Field(description="Its name.")
    version: str = Field(description="The package version that built it.")
    files: dict[str, str] = Field(description="SHA-256 of every parquet file, by relative path.")


class Audit(Record):
    """All that people judged of one benchmark."""

    format: Literal["scopebench-audit"] = FORMAT
    format_version: Literal[1] = FORMAT_VERSION
    benchmark: Audited = Field(description="The benchmark.")
    strata: tuple[Stratum, ...] = Field(description="What the benchmark is made of.")
    sessions: tuple[Session, ...] = Field(description="Who judged what.")
