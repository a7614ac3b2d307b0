"""What is known of whether a submission was really generated, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from scopebench.hub.marks import ENOUGH, SPARE
from scopebench.report.page.numbers import count
from scopebench_leaderboard.figures import number
from scopebench_leaderboard.tabs.wording import short_id

REPRODUCED: Final = (
    "Answers cannot be checked from a run's own files. “Reproduced”: a maintainer ran the editor "
    "again, or had a random sample of its answers generated again by the model that it names, and "
    f"at least {ENOUGH:.0%} came out to the letter. “Not reproduced”: fewer did. “Not tried”: "
    "nobody has, and the answers are the submitter's word."
)

DIFFERS: Final = (
    "The unedited model's answers do not depend on the editor, so runs of one model, revision, "
    f"type and protocol share them. Marked where more than {SPARE:.0%} are not those that "
    "most of these runs have, or, where a maintainer reproduced some of them, not theirs."
)

ANEW: Final = (
    "The run was judged by an earlier matcher. Its answers were judged anew, and every number here "
    "is of the matcher of this table."
)


def mark_words(row: Mapping[Any, Any]) -> str:
    """Return what a maintainer's mark counted, in a sentence; empty where it counted nothing."""
    n = number(row["rerun_n"])
    if n is None:
        return ""
    low = number(row["rerun_low"]) or 0.0
    return (
        f"{count(number(row['rerun_equal']) or 0)} of {count(n)} answers came out to the letter, "
        f"so with 95% confidence at least {low:.1%} of all would."
    )


def differs_words(row: Mapping[Any, Any]) -> str:
    """Return how a run's unedited answers differ from those of others; empty: they do not."""
    share, over = number(row["differs_share"]), number(row["differs_over"])
    if not row["differs"] or share is None:
        return ""
    others = str(row["differs_from"] or "").split()
    named = f" (such as {', '.join(map(short_id, others))})" if others else ""
    return (
        f"differs from other runs of its model{named}: {share:.1%} of {count(over or 0)} "
        "unedited answers"
    )


def warning_words(row: Mapping[Any, Any]) -> str:
    """Return what speaks against a run's answers, in sentences; empty: nothing does."""
    told = []
    if row["reproduction"] == "not reproduced":
        who = f"{row['verified_by']}, {row['verified_date']}"
        told.append(f"Not reproduced by {who}. {mark_words(row)}".strip())
    if differs := differs_words(row):
        told.append(f"It {differs}.")
    return " ".join(told)


def anew_words(row: Mapping[Any, Any]) -> str:
    """Return which matcher a run's own verdicts are of; empty where it is the one shown."""
    stored = row["stored_matcher"]
    return f"judged anew, stored under {stored}" if isinstance(stored, str) and stored else ""
