"""What the leaderboard is told from outside: one record, read from environment variables.

The names are those the command line gives its own options (`SCOPEBENCH_LEADERBOARD_...`), so that
a Space and a local launch are set up alike. `leaderboard/README.md` documents every one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from scopebench.cache_dir import cache_dir
from scopebench.errors import DataError

PREFIX: Final = "SCOPEBENCH_LEADERBOARD_"


@dataclass(frozen=True)
class Settings:
    """How one leaderboard is set up.

    Attributes:
        results: A results folder, or a dataset repo of the Hub as `ORG/NAME`; None: no results.
        benchmarks: Folders or dataset repos (`ORG/NAME` or `ORG/NAME@REVISION`) of the benchmarks
            that submissions are verified against and whose queries can be browsed.
        cache: Where built boards and downloads are kept.
        refresh_seconds: Seconds between two looks at the results for something new.
        max_upload_mb: Largest upload, in MiB.
        submissions_per_hour: Uploads one user or address may have verified in an hour.
        verify_concurrency: Submissions verified at the same time.
        concurrency: Other requests handled at the same time.
        queue_size: Requests that may wait; more are turned away with a message.
        trust_proxy: Whether the last address of `X-Forwarded-For` is the reader's; only behind a
            proxy that sets it.
        sign_in: Whether readers can sign in to the Hub, which a Space with `hf_oauth` allows.
    """

    results: str | None = None
    benchmarks: tuple[str, ...] = ()
    cache: Path = field(default_factory=lambda: cache_dir() / "leaderboard")
    refresh_seconds: int = 300
    max_upload_mb: int = 64
    submissions_per_hour: int = 6
    verify_concurrency: int = 1
    concurrency: int = 8
    queue_size: int = 64
    trust_proxy: bool = False
    sign_in: bool = False

    @property
    def results_folder(self) -> Path | None:
        """The results, where they are a folder."""
        return None if self.results is None or self.results_repo else Path(self.results)

    @property
    def results_repo(self) -> str | None:
        """The results, where they are a dataset repo of the Hub."""
        return self.results if self.results is not None and is_repo(self.results) else None


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Read the settings from environment variables; what is not set has its default.

    Raises:
        DataError: If a variable is not of its type, or is out of its range.
    """
    reader = _Reader(environment)
    on_a_space = "SPACE_ID" in environment
    plain = Settings()
    return Settings(
        results=reader.text("RESULTS"),
        benchmarks=reader.words("BENCHMARK"),
        cache=Path(reader.text("CACHE") or plain.cache).expanduser(),
        refresh_seconds=reader.whole("REFRESH_SECONDS", plain.refresh_seconds, least=10),
        max_upload_mb=reader.whole("MAX_UPLOAD_MB", plain.max_upload_mb, least=1),
        submissions_per_hour=reader.whole("SUBMISSIONS_PER_HOUR", plain.submissions_per_hour),
        verify_concurrency=reader.whole("VERIFY_CONCURRENCY", plain.verify_concurrency, least=1),
        concurrency=reader.whole("CONCURRENCY", plain.concurrency, least=1),
        queue_size=reader.whole("QUEUE_SIZE", plain.queue_size, least=1),
        trust_proxy=reader.flag("TRUST_PROXY", default=on_a_space),
        sign_in="OAUTH_CLIENT_ID" in environment,
    )


def is_repo(name: str) -> bool:
    """Whether a name is that of a repo, `ORG/NAME`: no such folder, and one slash inside."""
    organisation, slash, rest = name.partition("/")
    named = bool(slash and organisation and rest) and "/" not in rest
    return named and organisation not in {".", "..", "~"} and not Path(name).exists()


@dataclass(frozen=True)
class _Reader:
    """Variables by the part of their name after the prefix."""

    environment: Mapping[str, str]

    def text(self, name: str) -> str | None:
        return self.environment.get(PREFIX + name, "").strip() or None

    def words(self, name: str) -> tuple[str, ...]:
        return tuple((self.text(name) or "").replace(",", " ").split())

    def whole(self, name: str, default: int, *, least: int = 0) -> int:
        given = self.text(name)
        if given is None:
            return default
        if not given.isdecimal() or int(given) < least:
            raise DataError(
                f"{given!r} is not a whole number from {least} up",
                field=PREFIX + name,
                fix=f"set it to a number, or leave it out for {default}",
            )
        return int(given)

    def flag(self, name: str, *, default: bool) -> bool:
        given = self.text(name)
        if given is None:
            return default
        if given.lower() not in {"0", "1", "true", "false", "yes", "no"}:
            raise DataError(f"{given!r} is neither true nor false", field=PREFIX + name)
        return given.lower() in {"1", "true", "yes"}
