"""Checks what a `run.json` says of itself: names, protocol, hashes, and that it is a whole run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from scopebench.hub.fault import Fault
from scopebench.hub.names import NAME_RULE, safe_model_id, safe_name, safe_text
from scopebench.records import ACTIONS, ModelRef, Protocol, RunResult
from scopebench.run.folder import RESULT_FILE
from scopebench.run.provenance import digest, file_digest
from scopebench.scoring.headroom import Rule
from scopebench.scoring.match import MATCHER_VERSIONS
from scopebench.scoring.tables import DECISIONS_FILE, OUTCOMES_FILE

_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_PROMPTS: Final = re.compile(r"(?P<family>[^/]+)/[0-9]{1,4}/(?P<fingerprint>[^/]+)")
_DECODING: Final = re.compile(
    r"(?:greedy|sampled at temperature [0-9.e-]{1,24}, (?:1 draw|(?P<draws>[0-9]{1,4}) draws)), "
    r"at most [0-9]{1,6} new tokens, first line"
)
"""The words of `scopebench.run.draws.Decoding`."""


LONGEST_PHASE: Final = 1e9
"""Seconds: thirty years."""

MOST_EDITS: Final = 10**9
MOST_PARAMETERS: Final = 10**15


def check_result(result: RunResult, folder: Path) -> Iterator[Fault]:
    """Yield what a result says of itself that is not allowed, or not so.

    Args:
        result: The result.
        folder: The folder of its two tables.
    """
    if result.benchmark.limit is not None or result.status != "success":
        reason = "a run with --limit cannot be ranked; score the whole benchmark"
        yield _fault("limited", "benchmark.limit", reason)
    yield from _names(result)
    yield from _texts(result)
    yield from _protocol(result.protocol)
    yield from _numbers(result)
    yield from _hashes(result, folder)


def draws_of(protocol: Protocol) -> int | None:
    """Return how often each action was executed, by the decoding's words; None: unknown words."""
    words = _DECODING.fullmatch(protocol.decoding)
    return None if words is None else int(words["draws"] or 1)


def run_id_of(result: RunResult) -> str:
    """Return the run id that follows from what determines the tables (`run.engine`)."""
    editor = result.editor
    identity: dict[str, Any] = {
        "schema_version": result.schema_version,
        "protocol": result.protocol.model_dump(mode="json"),
        "editor": editor.model_dump(mode="json", include={"name", "version", "params", "sha256"}),
        "model": _reference(result.model),
        "encoder": _reference(result.encoder),
        "benchmark": result.benchmark.model_dump(mode="json"),
        "seed": result.seeds.get("run"),
    }
    return digest(identity)[:16]


def _reference(model: ModelRef | None) -> dict[str, Any] | None:
    return (
        None if model is None else model.model_dump(mode="json", exclude={"device", "parameters"})
    )


def _fault(check: str, field: str, reason: str) -> Fault:
    return Fault(check, f"{RESULT_FILE}, field {field}", reason)


def _names(result: RunResult) -> Iterator[Fault]:
    names = {
        "editor.name": result.editor.name,
        "editor.version": result.editor.version,
        "benchmark.name": result.benchmark.name,
        "benchmark.version": result.benchmark.version,
    }
    keys: tuple[tuple[str, Mapping[str, Any]], ...] = (
        ("editor.params", result.editor.params),
        ("environment", result.environment),
        ("seeds", result.seeds),
        ("timings", result.timings),
        ("git", result.git),
    )
    for field, value in names.items():
        if safe_name(value) is None:
            yield _fault("bad_name", field, f"{value[:60]!r} is no name; allowed: {NAME_RULE}")
    for field, mapping in keys:
        for key in mapping:
            if safe_name(key) is None:
                yield _fault("bad_name", field, f"key {key[:60]!r} is no name")
    for field, model in (("model", result.model), ("encoder", result.encoder)):
        if model is not None:
            yield from _model(field, model)


def _model(field: str, model: ModelRef) -> Iterator[Fault]:
    if safe_model_id(model.id) is None:
        reason = f"{model.id[:60]!r} is no model id; allowed: NAME or OWNER/NAME, each {NAME_RULE}"
        yield _fault("bad_name", f"{field}.id", reason)
    parts = {"revision": model.revision, "dtype": model.dtype}
    parts["device"] = model.device.replace(":", "-")
    for name, value in parts.items():
        if safe_name(value) is None:
            yield _fault("bad_name", f"{field}.{name}", f"{value[:60]!r} is no name")
    if not 0 <= (model.parameters or 0) <= MOST_PARAMETERS:
        yield _fault("bad_value", f"{field}.parameters", f"{model.parameters}")


def _texts(result: RunResult) -> Iterator[Fault]:
    """Yield markup and formulas in free text."""
    for field, value in (
        ("editor.params", result.editor.params),
        ("environment", result.environment),
    ):
        for text in _strings(value):
            if safe_text(text) is None:
                yield _fault("bad_text", field, f"{text[:60]!r} could be markup or a formula")
    commit = result.git.get("commit")
    if commit is not None and _COMMIT.fullmatch(str(commit)) is None:
        yield _fault("bad_value", "git.commit", "no commit hash")
    for key, told in result.git.items():
        if key != "commit" and isinstance(told, str):
            yield _fault("bad_value", f"git.{key}", "a text, where a yes or no is due")


def _strings(value: Any) -> Iterator[str]:
    """Yield the strings inside a JSON value, keys of inner objects among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield key
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)


def _protocol(protocol: Protocol) -> Iterator[Fault]:
    known: dict[str, tuple[Any, Any]] = {
        "matcher": (protocol.matcher, MATCHER_VERSIONS["strict"]),
        "actions": (protocol.actions, ACTIONS),
        "static_rule": (protocol.static_rule, Rule().words),
    }
    for name, (found, ours) in known.items():
        if found != ours:
            reason = f"{found!r}; this scopebench has {ours!r}, so score the run again with it"
            yield _fault("unknown_protocol", f"protocol.{name}", reason)
    prompts = _PROMPTS.fullmatch(protocol.prompts)
    if prompts is None or None in map(safe_name, prompts.groups()):
        yield _fault("unknown_protocol", "protocol.prompts", "not FAMILY/VERSION/FINGERPRINT")
    if draws_of(protocol) is None:
        reason = "neither greedy nor sampled decoding in this scopebench's words"
        yield _fault("unknown_protocol", "protocol.decoding", reason)
    fields = protocol.model_dump(mode="json", exclude={"protocol_id"})
    if protocol.protocol_id != digest(fields)[:16]:
        reason = "not the hash of the protocol's other fields"
        yield _fault("unknown_protocol", "protocol.protocol_id", reason)


def _numbers(result: RunResult) -> Iterator[Fault]:
    for name, seconds in result.timings.items():
        if not 0 <= seconds <= LONGEST_PHASE:
            yield _fault("bad_value", f"timings.{name}", f"{seconds} seconds")
    if not 0 <= (result.edits_written or 0) <= MOST_EDITS:
        yield _fault("bad_value", "edits_written", f"{result.edits_written}")
    if result.seeds.get("bootstrap") != result.inference.seed:
        yield _fault("bad_value", "seeds.bootstrap", "not the seed of the intervals")


def _hashes(result: RunResult, folder: Path) -> Iterator[Fault]:
    if sorted(result.tables) != sorted((OUTCOMES_FILE, DECISIONS_FILE)):
        yield _fault("hash_mismatch", "tables", f"not exactly {OUTCOMES_FILE}, {DECISIONS_FILE}")
    for name in (OUTCOMES_FILE, DECISIONS_FILE):
        if name in result.tables and result.tables[name] != file_digest(folder / name):
            yield Fault("hash_mismatch", name, f"its SHA-256 is not that in {RESULT_FILE}")
    for path, sha256 in result.benchmark.files.items():
        if _SHA256.fullmatch(sha256) is None:
            yield _fault("bad_value", "benchmark.files", f"{path[:60]!r} has no SHA-256")
    editor = result.editor
    named = {"name": editor.name, "version": editor.version, "params": editor.params}
    if editor.sha256 != digest(named):
        yield _fault("hash_mismatch", "editor.sha256", "not the hash of name, version and params")
    if result.run_id != run_id_of(result):
        reason = "not the hash of protocol, editor, model, encoder, benchmark and seed"
        yield _fault("hash_mismatch", "run_id", reason)
