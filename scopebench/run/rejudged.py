"""A run whose verdicts are an earlier matcher's, as what it is once they are judged anew."""

from __future__ import annotations

from scopebench.records import Protocol, RunResult
from scopebench.run.provenance import digest
from scopebench.scoring.reading.stored_verdicts import CURRENT, is_earlier


def judged_now(result: RunResult) -> RunResult:
    """Return a result under today's matcher: its protocol names that, and has the id of that.

    The answers of a run do not depend on the matcher, and its numbers are never taken from the
    result, so that it stands beside runs of today. What else the result says stays: its run id is
    that of the protocol it was made under.

    Raises:
        DataError: If its matcher is a later version than this scopebench has.
    """
    if not is_earlier(result.protocol.matcher):
        return result
    return result.model_copy(update={"protocol": protocol_now(result.protocol)})


def protocol_now(protocol: Protocol) -> Protocol:
    """Return a protocol with today's matcher, and the id that follows."""
    changed = protocol.model_copy(update={"matcher": CURRENT})
    fields = changed.model_dump(mode="json", exclude={"protocol_id"})
    return changed.model_copy(update={"protocol_id": digest(fields)[:16]})
