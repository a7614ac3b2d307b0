"""Whether the Hugging Face Hub can be reached, and whether somebody is logged in."""

from __future__ import annotations

import os
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from scopebench.doctor.finding import Finding

SECONDS: Final = 1.5
"""How long an answer is waited for, looking the name up included."""

_DEFAULT: Final = "https://huggingface.co"
_TRUE: Final = frozenset({"1", "on", "yes", "true"})
_LOCAL: Final = "only --model with a Hub id, publish and submit need it"


def examine_hub(seconds: float = SECONDS) -> Iterator[Finding]:
    """Yield whether the Hub answers and whether there is a token, which is never shown."""
    address = os.environ.get("HF_ENDPOINT", _DEFAULT).rstrip("/")
    yield _reached(address, seconds)
    yield Finding("hub", "login", "there is a token" if _has_token() else "nobody is logged in")


def _reached(address: str, seconds: float) -> Finding:
    host = urllib.parse.urlsplit(address).hostname or address[:80]
    if os.environ.get("HF_HUB_OFFLINE", "").lower() in _TRUE:
        return Finding("hub", "reachability", "not tried: HF_HUB_OFFLINE is set")
    if urllib.parse.urlsplit(address).scheme not in ("http", "https"):
        fix = "set HF_ENDPOINT to an http(s) address, or unset it"
        return Finding("hub", "reachability", f"{host} is no address", "problem", fix)
    told: list[str] = []

    def ask() -> None:
        request = urllib.request.Request(address, method="HEAD")  # noqa: S310  http(s) only
        try:
            with urllib.request.urlopen(request, timeout=seconds):  # noqa: S310
                told.append("")
        except urllib.error.HTTPError:
            told.append("")  # it answered
        except (OSError, ValueError) as error:
            told.append(str(getattr(error, "reason", error)))

    # The timeout of a connection does not hold for looking a name up, so nobody waits for that.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(seconds)
    if told == [""]:
        return Finding("hub", "reachability", f"{host} answers")
    reason = told[0] if told else f"no answer within {seconds:g} seconds"
    found = f"offline: {host} cannot be reached ({reason}); {_LOCAL}"
    return Finding("hub", "reachability", found, "note", "check the network, proxy and HF_ENDPOINT")


def _has_token() -> bool:
    """Whether a token is set or stored, by the Hub client's own rules; it is not read."""
    if os.environ.get("HF_TOKEN") or os.environ.get("HUGGING_FACE_HUB_TOKEN"):
        return True
    home = Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface"))
    return Path(os.environ.get("HF_TOKEN_PATH", home / "token")).expanduser().is_file()
