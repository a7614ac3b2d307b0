"""About: the protocol in force, what every word means, how ranks come about, how to cite."""

from __future__ import annotations

from typing import Final

from scopebench.report.page.model import Facts, Note
from scopebench.report.page.words import POPULATION_WORDS
from scopebench_leaderboard.metrics import METRICS
from scopebench_leaderboard.render import render, render_blocks
from scopebench_leaderboard.site import NotToShow, Page
from scopebench_leaderboard.tabs.tab import Tab, bare, unset
from scopebench_leaderboard.tabs.trust import DIFFERS, REPRODUCED
from scopebench_leaderboard.tabs.wording import submissions_of

WORDS: Final = (
    ("edit", "One correction to install: subject, relation, new object."),
    ("index", "The edits an editor can see when a question is asked."),
    ("in scope", "Some edit of the index governs the question; out of scope: none does."),
    ("to fire", "To do anything but abstain: recite the stored answer, or reason from it."),
    ("condition", "How an edit is presented: as a triple, a paragraph, or extracted triples."),
    ("population", "A set of questions with one way of being in or out of scope, see below."),
    ("kind", "Why a question is in or out of scope: another relation of an edited subject, ..."),
    ("decision label", "Which edits govern the question. Needs no model and is always known."),
    ("outcome gold", "The answers that are right if the system acts rightly; may be unknown."),
    ("static, declared", "Recite where that is legal, else reason: fixed before any outcome."),
    ("oracle", "The best legal action of every question, chosen with the outcomes in hand."),
    ("cluster", "Questions about linked subjects: the unit of every interval and test."),
    ("refusal", "An answer such as “I don't know”: never right, and not the same as abstaining."),
)
RANKS: Final = (
    "A rank is a band. The first rank an entry can have is one more than the number of entries "
    "whose whole interval is better than its own; the last counts those whose whole interval is "
    "worse. So entries whose intervals overlap share ranks, and nobody leads by noise."
)
TRUST: Final = (
    "A submission is the three files of a run: what was run, every answer of every action, and "
    "every decision. The board believes none of its numbers. It checks the hashes of the "
    "benchmark, that every question is there once, judges each answer again from its text, and "
    "computes every number from the rows. A run that an earlier matcher judged is judged anew "
    "and stands under today's."
)
APART: Final = (
    "Numbers of another protocol (matcher, prompts, decoding, actions, static rule) or of another "
    "version of the benchmark are no worse, they are other numbers: no table mixes them, and the "
    "choice at the top says which are shown."
)
CITE: Final = (
    "@misc{scopebench,",
    "  title = {ScopeBench: a benchmark of the scope decision of memory-based knowledge editors},",
    "  year = {2026},",
    "  note = {benchmark BENCHMARK, protocol PROTOCOL}",
    "}",
)


def view(page: Page) -> str:
    """Return the page with the protocol in force."""
    row = submissions_of(page).iloc[0].to_dict()
    facts = Facts(
        "The protocol shown",
        tuple(
            (name, str(row[column]))
            for name, column in (
                ("protocol", "protocol_id"),
                ("benchmark", "benchmark"),
                ("version", "benchmark_version"),
                ("hash of its files", "benchmark_digest"),
                ("matcher", "matcher"),
                ("prompts", "prompts"),
                ("decoding", "decoding"),
                ("static rule", "static_rule"),
            )
        ),
    )
    named = f"{row['benchmark']} {row['benchmark_version']}"
    return _about(facts, named, str(row["protocol_id"]))


def view_without(reason: NotToShow) -> str:
    """Return the page where there is no board."""
    return _about(None, "NAME VERSION", "ID")


def _about(facts: Facts | None, benchmark: str, protocol: str) -> str:
    cite = tuple(
        line.replace("BENCHMARK", benchmark).replace("PROTOCOL", protocol) for line in CITE
    )
    return render_blocks(
        Note(TRUST),
        Note(f"{REPRODUCED} {DIFFERS}"),
        Note(RANKS),
        Note(APART),
        facts,
        title="How to read this board",
    ) + render("about.html.jinja", lists=_definitions(), lines=cite)


def _definitions() -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    numbers = tuple((metric.label, metric.definition) for metric in METRICS.values())
    populations = tuple(
        (name, f"{words}.".capitalize()) for name, words in POPULATION_WORDS.items()
    )
    return (("Words", WORDS), ("Populations", populations), ("Numbers", numbers))


TAB: Final = Tab("about", "About", (), bare, unset, view)
