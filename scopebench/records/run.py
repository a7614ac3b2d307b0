"""The contents of `run.json`: what was run, under which protocol, and every number of it."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from scopebench.records.data import Action, Record
from scopebench.records.report import Report

SCHEMA_VERSION: Final = 3


class Protocol(Record):
    """What must be equal for two numbers to be comparable."""

    protocol_id: str = Field(description="Hash over the other fields.")
    matcher: str = Field(description="Matcher name and version.")
    prompts: str = Field(description="Prompt template family and version.")
    decoding: str = Field(description="Decoding in words: greedy or sampled, draws, length, stop.")
    actions: tuple[Action, ...] = Field(description="The action set.")
    static_rule: str = Field(description="The static policy headroom is taken against.")


class EditorRef(Record):
    """The editor behind a run."""

    name: str = Field(description="Registered name.")
    version: str = Field(description="Its version.")
    params: dict[str, Any] = Field(description="Parameters in force.")
    sha256: str = Field(
        description="Hash over name, version, parameters and, if any, `source_sha256`."
    )
    needs_gradients: bool = Field(
        default=False, description="Whether writing an edit needs a gradient, as it declares."
    )
    origin: str | None = Field(
        default=None,
        description="Where the code of an editor that is not registered is: `module:name` or "
        "`file.py:name`; null: it is registered under its name.",
    )
    source_sha256: str | None = Field(
        default=None,
        description="SHA-256 of that code: of the module's file, or of the class where it has no "
        "file; null: it is registered.",
    )


class ModelRef(Record):
    """A language model or encoder behind a run."""

    id: str = Field(description="Name, Hub id or folder name.")
    revision: str = Field(description="Commit or content hash of the weights.")
    dtype: str = Field(description="Floating-point type computed in.")
    device: str = Field(description="Device computed on.")
    parameters: int | None = Field(default=None, description="Parameter count.")


class BenchmarkRef(Record):
    """The benchmark behind a run."""

    name: str = Field(description="Name in its manifest.")
    version: str = Field(description="Version in its manifest.")
    files: dict[str, str] = Field(description="SHA-256 of every data file, by relative path.")
    limit: int | None = Field(description="At most so many queries a cell and population.")


class RunResult(Report):
    """The contents of `run.json`; the numbers of its own level are the strict matcher's."""

    schema_version: int = Field(default=SCHEMA_VERSION, description="Version of this record.")
    run_id: str = Field(description="Hash over all that determines the tables.")
    status: Literal["success", "limited"] = Field(description="`limited` when --limit was given.")
    protocol: Protocol = Field(description="The protocol in force.")
    editor: EditorRef = Field(description="The editor scored.")
    model: ModelRef = Field(description="The frozen language model.")
    encoder: ModelRef | None = Field(description="The sentence encoder, if one was used.")
    benchmark: BenchmarkRef = Field(description="The benchmark scored on.")
    paper_matcher: Report = Field(description="The same numbers under the paper's matcher.")
    tables: dict[str, str] = Field(description="SHA-256 of the two tables, by file name.")
    seeds: dict[str, int] = Field(description="Seeds used, by purpose.")
    timings: dict[str, float] = Field(description="Seconds by phase, over all sessions.")
    edits_written: int | None = Field(
        default=None, description="Edits written in `timings.write` seconds; null: not counted."
    )
    environment: dict[str, str] = Field(description="Python, platform and package versions.")
    git: dict[str, str | bool | None] = Field(description="Commit of the package, if from git.")
