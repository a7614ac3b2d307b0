"""Which errors are tried again, for how long, and what is said of the others."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest
from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

from scopebench.hub.remote import holds_token, redacted
from scopebench.hub.retry import RetryPolicy, asked_wait, is_transient, with_retries

TOKEN = "hf_" + "a" * 34


def _error(status: int, **headers: str) -> HfHubHTTPError:
    request = httpx2.Request("POST", "http://hub/api")
    response = httpx2.Response(status, headers=headers, request=request)
    return HfHubHTTPError(str(status), response=response)


@pytest.mark.parametrize("status", [409, 412, 429, 500, 502, 503, 504])
def test_trouble_that_may_pass_is_transient(status: int) -> None:
    assert is_transient(_error(status))


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 410, 416, 422])
def test_what_the_caller_must_mend_is_not(status: int) -> None:
    assert not is_transient(_error(status))


def test_connections_and_what_the_client_wraps() -> None:
    assert is_transient(httpx2.ConnectError("refused"))
    assert is_transient(httpx2.RemoteProtocolError("closed"))
    assert is_transient(httpx2.ReadTimeout("slow"))
    assert is_transient(json.JSONDecodeError("a proxy's page", "<html>", 0))
    assert not is_transient(OfflineModeIsEnabled("offline"))
    assert not is_transient(ValueError("a bug"))
    for status, transient in ((500, True), (403, False)):
        wrapped = RuntimeError("Error while uploading 'x' to the Hub.")
        wrapped.__cause__ = _error(status)
        assert is_transient(wrapped) is transient


def test_the_wait_is_read_in_seconds_or_as_a_date() -> None:
    assert asked_wait(_error(429, **{"Retry-After": "7"})) == 7.0
    assert asked_wait(_error(429, **{"Retry-After": "-7"})) == 0.0
    assert asked_wait(_error(429)) == 0.0
    assert asked_wait(_error(429, **{"Retry-After": "soon"})) == 0.0
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 85 < asked_wait(_error(503, **{"Retry-After": then})) <= 90
    assert asked_wait(httpx2.ConnectError("refused")) == 0.0


def _run(policy: RetryPolicy, *errors: BaseException) -> tuple[list[float], list[str]]:
    left, waits, told = list(errors), [], []

    def action() -> str:
        if left:
            raise left.pop(0)
        return "done"

    with_retries(action, what="it", policy=policy, tell=told.append, sleep=waits.append)
    return waits, told


def test_waits_grow_and_are_told() -> None:
    policy = RetryPolicy(attempts=9, first_wait=1.0, longest_wait=4.0)
    waits, told = _run(policy, *(_error(409) for _ in range(8)))
    for wait, most in zip(waits, (1, 2, 4, 4, 4, 4, 4, 4), strict=True):
        assert 0 <= wait <= most
    assert len(set(waits)) == 8  # drawn, so that many writers do not come back together
    assert told[0].startswith("it: the Hub answered 409; trying again in ")
    assert told[0].endswith("(attempt 1 of at most 9 failed)")


def test_no_wait_is_shorter_than_asked() -> None:
    waits, _ = _run(RetryPolicy(), _error(429, **{"Retry-After": "30"}))
    assert 30 <= waits[0] <= 31


def test_the_last_error_comes_out_when_the_attempts_are_used_up() -> None:
    with pytest.raises(HfHubHTTPError, match="503"):
        _run(RetryPolicy(attempts=2), _error(409), _error(503), _error(409))


def test_the_total_time_is_bounded() -> None:
    def action() -> None:
        raise _error(500)

    policy = RetryPolicy(attempts=1000, first_wait=0.05, longest_wait=0.05, total_seconds=0.5)
    begun = time.monotonic()
    with pytest.raises(HfHubHTTPError):
        with_retries(action, what="it", policy=policy, tell=lambda _: None)
    assert time.monotonic() - begun < 1.5


def test_tokens_are_cut_out() -> None:
    text = f"Authorization: Bearer {TOKEN}, and s3cret"
    assert redacted(text, "s3cret", None) == "Authorization: Bearer [token], and [token]"
    assert holds_token(text)
    assert not holds_token("hf_hub_download hf_transformers HF_TOKEN api_org_x")
