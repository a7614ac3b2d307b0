"""Prints a row to be judged, and what an audit found."""

from __future__ import annotations

from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from scopebench.audit.answers import KEYS
from scopebench.audit.card_section import told_rate
from scopebench.audit.context import told_briefly, told_card
from scopebench.audit.session import BACK, STOP
from scopebench.audit.summary import AuditSummary, Part
from scopebench.report.console import console, print_rows, printable

_CARDS: Final = {
    "governing_edits": ("governed by", told_card),
    "hidden_edits": ("hidden edit", told_card),
    "deleted_edits": ("deleted edit", told_card),
    "near_edit": ("made to be near", told_card),
    "nearest_cards": ("nearest card", told_briefly),
}


def print_judged(described: dict[str, Any], done: int, total: int) -> None:
    """Print a row and the keys that judge it, on stderr, as stdout is for data."""
    screen = Console(stderr=True, highlight=False)
    table = Table.grid(padding=(0, 2))
    answers = described["answers"]
    claims = described["claims"]
    gold = "none: the row is decision-only" if answers is None else " | ".join(answers)
    rows = [
        ("kind", f"{described['kind']}, in {described['population']}; tests {claims['tests']}"),
        ("scope of the kind", claims["scope"]),
        ("its gold", claims["gold"]),
        ("its pitfalls", claims["pitfalls"]),
        (described["form"], described["question"]),
        ("asked of", described["date"] or "the present"),
        ("label", described["label"]),
        ("gold", gold),
        ("right before", " | ".join(described["before"] or ["unknown"])),
        *(("goes through", hop) for hop in described["hops"]),
        *((name, tell(card)) for part, (name, tell) in _CARDS.items() for card in described[part]),
        ("twin", described["twin"] or "none"),
        ("flags", ", ".join(described["flags"]) or "none"),
        ("conditions", ", ".join(described["conditions"])),
        ("read from", described["source"]),
    ]
    for name, value in rows:
        style = "bold" if name in ("label", "gold", "question", "cloze") else ""
        table.add_row(Text(name, style="dim"), Text(printable(value), style=style))
    screen.rule(f"{done + 1} of {total}: {printable(described['row'])}")
    screen.print(table)
    keys = ", ".join(f"{key} {meaning}" for key, meaning in KEYS.items())
    screen.print(f"{keys}; then a note; {BACK} back, {STOP} stop", style="dim")


def print_audit(found: AuditSummary) -> None:
    """Print sessions, error rates and agreement."""
    screen = console()
    print_rows(list(found.sessions), title=f"Audit of {found.benchmark} {found.version}")
    parts = [("all, by the mix", found.all)]
    if len(found.datasets) > 1:
        parts += [(f"{part.dataset}, by its mix", part) for part in found.datasets]
    parts += [(f"{part.kind} in {part.population}", part) for part in found.kinds]
    print_rows([_rates(name, part) for name, part in parts], title="Wrong of those judged")
    if found.all.covered is not None and found.all.covered < 1:
        screen.print(f"The kinds judged make up {found.all.covered:.1%} of the rows.")
    if found.agreement:
        print_rows(
            [
                {
                    "auditors": " and ".join(pair.auditors),
                    "what": pair.aspect,
                    "rows both judged": pair.rows,
                    "same": pair.same,
                    "kappa": pair.reason if pair.kappa is None else f"{pair.kappa:.3f}",
                }
                for pair in found.agreement
            ],
            title="Agreement",
        )


def _rates(name: str, part: Part) -> dict[str, Any]:
    return {
        "rows": name,
        "in the benchmark": part.of,
        "label wrong": told_rate(part.label),
        "gold wrong": told_rate(part.gold),
        "question bad": told_rate(part.question),
    }
