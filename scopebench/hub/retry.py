"""One retry policy for every request to the Hub.

Retried: 409 (another commit holds the repository), 412 (its head moved), 429 (too many requests,
for as long as the Hub says), 5xx and a connection that failed or closed. Everything else is the
caller's to mend and is raised at once, above all 401, 403, 404 and 422.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from json import JSONDecodeError
from typing import Final, TypeVar

import tenacity
from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

T = TypeVar("T")
Tell = Callable[[str], None]

_TRANSIENT: Final = frozenset({409, 412, 429})
_LONGEST_REASON: Final = 120
# The root of the client library's own errors; the package that brings it changed its name once.
_HTTP_ERROR: Final[type] = HfHubHTTPError.__bases__[0]


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long a request is tried again.

    Attributes:
        attempts: Attempts at most, the first one included.
        first_wait: Seconds that the wait after the first attempt is drawn below; each later one is
            drawn below twice the one before, so that many writers do not come back together.
        longest_wait: Seconds that no drawn wait exceeds. What the Hub asks for is always waited.
        total_seconds: No attempt begins later than this after the first.
        longest_silence: Seconds without a byte after which a connection counts as failed; the
            client itself would wait for ever.
    """

    attempts: int = 10
    first_wait: float = 1.0
    longest_wait: float = 60.0
    total_seconds: float = 900.0
    longest_silence: float = 300.0


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status of an error of the Hub's client; none: it carries none."""
    return error.response.status_code if isinstance(error, HfHubHTTPError) else None


def underlying(error: BaseException) -> BaseException:
    """Return the Hub's own error where the client wrapped it, as it does for uploads of files."""
    seen: BaseException | None = error
    while seen is not None:
        if is_remote(seen):
            return seen
        seen = seen.__cause__
    return error


def is_remote(error: BaseException) -> bool:
    """Return whether an error is an answer of the Hub or a failed connection to it.

    An answer that should be JSON and is not comes from something between here and the Hub.
    """
    return isinstance(error, (_HTTP_ERROR, ConnectionError, TimeoutError, JSONDecodeError))


def is_transient(error: BaseException) -> bool:
    """Return whether the same request may succeed a little later."""
    cause = underlying(error)
    if not is_remote(cause) or isinstance(cause, OfflineModeIsEnabled):
        return False
    status = status_of(cause)
    return status is None or status in _TRANSIENT or status >= 500


def asked_wait(error: BaseException) -> float:
    """Return the seconds that the Hub asks to wait, 0 where it asks for none.

    Read from `Retry-After`, in seconds or as a date (RFC 9110, section 10.2.3).
    """
    cause = underlying(error)
    value = cause.response.headers.get("Retry-After") if isinstance(cause, HfHubHTTPError) else None
    if not value:
        return 0.0
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return 0.0


def with_retries(
    action: Callable[[], T],
    *,
    what: str,
    policy: RetryPolicy,
    tell: Tell,
    sleep: Callable[[float], None] = time.sleep,
) -> T:
    """Call `action` until it succeeds, fails for good or the policy is used up.

    Args:
        action: What to do; it must be safe to repeat.
        what: What it does, for the line told before each wait.
        policy: How often and how long.
        tell: Takes one line before each wait.
        sleep: Waits.

    Raises:
        Exception: The last error of `action`, unchanged.
    """
    drawn = tenacity.wait_random_exponential(policy.first_wait, policy.longest_wait)

    def wait(state: tenacity.RetryCallState) -> float:
        asked = asked_wait(_error(state))
        jitter = random.uniform(0, policy.first_wait)  # noqa: S311  spreads writers, hides nothing
        return max(drawn(state), asked + jitter if asked else 0.0)

    def before_sleep(state: tenacity.RetryCallState) -> None:
        seconds = state.next_action.sleep if state.next_action else 0.0
        tell(
            f"{what}: {_in_words(_error(state))}; trying again in {seconds:.1f} s "
            f"(attempt {state.attempt_number} of at most {policy.attempts} failed)"
        )

    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception(is_transient),
        stop=tenacity.stop_after_attempt(policy.attempts)
        | tenacity.stop_before_delay(policy.total_seconds),
        wait=wait,
        before_sleep=before_sleep,
        sleep=sleep,
        reraise=True,
    )
    return retrying(action)


def _error(state: tenacity.RetryCallState) -> BaseException:
    error = None if state.outcome is None else state.outcome.exception()
    if error is None:
        raise AssertionError("a wait without an error before it")
    return error


def _in_words(error: BaseException) -> str:
    status = status_of(underlying(error))
    if status is not None:
        return f"the Hub answered {status}"
    reason = " ".join(str(underlying(error)).split())[:_LONGEST_REASON]
    return f"the connection failed ({reason})" if reason else "the connection failed"
