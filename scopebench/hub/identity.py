"""Checks what a `run.json` says of itself: names, protocol, hashes, and that it is a whole run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from scopebench.errors import DataError
from scopebench.hub.fault import Fault
from scopebench.hub.names import (
    NAME_RULE,
    PARAMETER_RULE,
    safe_model_id,
    safe_name,
    safe_parameter,
    safe_text,
)
from scopebench.records import ACTIONS, EditorRef, Inference, ModelRef, Protocol, RunResult
from scopebench.run.folder import RESULT_FILE
from scopebench.run.provenance import digest, editor_digest, file_digest
from scopebench.scoring.headroom import Rule
from scopebench.scoring.reading.stored_verdicts import CURRENT, is_earlier
from scopebench.scoring.summary import COMPUTATION
from scopebench.scoring.tables import DECISIONS_FILE, OUTCOMES_FILE

_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_PROMPTS: Final = re.compile(r"(?P<family>[^/]+)/[0-9]{1,4}/(?P<fingerprint>[^/]+)")
_DECODING: Final = re.compile(
    r"(?:greedy|sampled at temperature (?P<temperature>[0-9.e-]{1,24}), "
    r"(?:1 draw|(?P<draws>[0-9]{1,4}) draws)), "
    r"at most [0-9]{1,6} new tokens, first line"
)
"""The words of `scopebench.run.draws.Decoding`."""


LONGEST_PHASE: Final = 1e9
"""Seconds: thirty years."""

TICK: Final = 1e-3
"""Seconds to which a run rounds its times (`run.engine`)."""

SHORTEST_WRITE: Final = 1e-9
"""Seconds per edit: copying a reference to one takes several times as long."""

MOST_EDITS: Final = 10**9
MOST_PARAMETERS: Final = 10**15

MOST_ENTRIES: Final = 64
"""Parameters of an editor, and entries of each other mapping of free keys."""

MOST_ENTRY_VALUES: Final = 256
"""Values in the parameters, inner lists and objects and what they hold counted."""

STANDARD: Final[Mapping[int, Inference]] = {
    1: Inference(version=1, confidence=0.95, seed=0, resamples=2000, folds=5),
}
"""How every version of the computations made its intervals: a run cannot choose it."""


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
    yield from _inference("inference", result.inference)
    yield from _inference("paper_matcher.inference", result.paper_matcher.inference)
    yield from _hashes(result, folder)


def draws_of(protocol: Protocol) -> int | None:
    """Return how often each action was executed, by the decoding's words; None: unknown words."""
    words = _DECODING.fullmatch(protocol.decoding)
    return None if words is None else int(words["draws"] or 1)


def temperature_of(protocol: Protocol) -> float | None:
    """Return the temperature of a protocol, 0 where it is greedy; None: unknown words."""
    words = _DECODING.fullmatch(protocol.decoding)
    if words is None:
        return None
    try:
        return float(words["temperature"] or 0)
    except ValueError:
        return None


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
        if len(mapping) > MOST_ENTRIES:
            yield _fault("bad_value", field, f"{len(mapping):,} entries, over {MOST_ENTRIES}")
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
    """Yield text that parameters must not hold, and markup and formulas elsewhere."""
    params = result.editor.params
    values = _values(params)
    if values > MOST_ENTRY_VALUES:
        yield _fault("bad_value", "editor.params", f"{values:,} values, over {MOST_ENTRY_VALUES}")
    for text in _strings(params):
        if safe_parameter(text) is None:
            reason = f"{text[:60]!r} is no text of a parameter; allowed: {PARAMETER_RULE}"
            yield _fault("bad_text", "editor.params", reason)
    for text in _strings(result.environment):
        if safe_text(text) is None:
            yield _fault("bad_text", "environment", f"{text[:60]!r} could be markup or a formula")
    yield from _origin(result.editor)
    commit = result.git.get("commit")
    if commit is not None and _COMMIT.fullmatch(str(commit)) is None:
        yield _fault("bad_value", "git.commit", "no commit hash")
    for key, told in result.git.items():
        if key != "commit" and isinstance(told, str):
            yield _fault("bad_value", f"git.{key}", "a text, where a yes or no is due")


def _origin(editor: EditorRef) -> Iterator[Fault]:
    """Yield what no run says of the code of an editor that is not registered."""
    if (editor.origin is None) != (editor.source_sha256 is None):
        yield _fault("bad_value", "editor.origin", "goes with editor.source_sha256, or neither")
    if editor.origin is not None and safe_parameter(editor.origin) is None:
        yield _fault("bad_text", "editor.origin", f"{editor.origin[:60]!r} is no module or file")
    if editor.source_sha256 is not None and _SHA256.fullmatch(editor.source_sha256) is None:
        yield _fault("bad_value", "editor.source_sha256", "no SHA-256")


def _values(value: Any) -> int:
    """Count a JSON value and all values inside it."""
    if isinstance(value, Mapping):
        return 1 + sum(map(_values, value.values()))
    return 1 + (sum(map(_values, value)) if isinstance(value, list | tuple) else 0)


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


def matcher_of(result: RunResult | None) -> str:
    """Return the matcher that a run's verdicts are to be compared with; today's in doubt."""
    stored = CURRENT if result is None else result.protocol.matcher
    return stored if _is_known_earlier(stored) else CURRENT


def _is_known_earlier(matcher: str) -> bool:
    try:
        return is_earlier(matcher)
    except DataError:
        return False


def _protocol(protocol: Protocol) -> Iterator[Fault]:
    # The verdicts of an earlier matcher are judged anew, so that a run of it is as good as any.
    matcher = protocol.matcher if _is_known_earlier(protocol.matcher) else CURRENT
    known: dict[str, tuple[Any, Any]] = {
        "matcher": (protocol.matcher, matcher),
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
        elif round(seconds, 3) != seconds:
            reason = f"{seconds} seconds; a run stores whole milliseconds"
            yield _fault("bad_value", f"timings.{name}", reason)
    yield from _written(result.timings.get("write"), result.edits_written or 0)
    if not 0 <= (result.edits_written or 0) <= MOST_EDITS:
        yield _fault("bad_value", "edits_written", f"{result.edits_written}")
    if result.seeds.get("bootstrap") != result.inference.seed:
        yield _fault("bad_value", "seeds.bootstrap", "not the seed of the intervals")


def _written(seconds: float | None, edits: int) -> Iterator[Fault]:
    """Yield a time to write that no program could have taken.

    Times are the submitter's word. A time of 0 stands for less than half a tick: an editor that
    only keeps a reference to each of a thousand edits takes a fraction of that.
    """
    if edits <= 0:
        return
    if seconds is None:
        yield _fault("bad_value", "timings.write", f"none, where {edits:,} edits were written")
    elif 0 <= seconds and (seconds + TICK / 2) / edits < SHORTEST_WRITE:
        reason = f"{seconds} seconds for {edits:,} edits; under {SHORTEST_WRITE:g} each"
        yield _fault("bad_value", "timings.write", reason)


def _inference(field: str, found: Inference) -> Iterator[Fault]:
    """Yield intervals made in a way that no version of this scopebench makes them."""
    if found.version > COMPUTATION:
        reason = f"{found.version}: made by a newer scopebench than this one ({COMPUTATION})"
        yield _fault("bad_inference", f"{field}.version", reason)
    elif found.version not in STANDARD:
        reason = f"{found.version}: no such version of the computations; there are 1 to"
        yield _fault("bad_inference", f"{field}.version", f"{reason} {COMPUTATION}")
    elif found != STANDARD[found.version]:
        standard = STANDARD[found.version]
        for name, value in standard:
            if getattr(found, name) != value:
                reason = f"{getattr(found, name)}, by version {found.version} always {value}"
                yield _fault("bad_inference", f"{field}.{name}", reason)


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
    source = editor.source_sha256
    if editor.sha256 != editor_digest(editor.name, editor.version, editor.params, source):
        reason = "not the hash of name, version, params and source"
        yield _fault("hash_mismatch", "editor.sha256", reason)
    if result.run_id != run_id_of(result):
        reason = "not the hash of protocol, editor, model, encoder, benchmark and seed"
        yield _fault("hash_mismatch", "run_id", reason)
