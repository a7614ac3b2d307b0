"""The section of a benchmark's card that shows what people found in it."""

from __future__ import annotations

from typing import Final

from scopebench.audit.records import Audit
from scopebench.audit.summary import ErrorRate, Part, summarise

HEADING: Final = "## Audit"
_BEFORE: Final = "\n## Known limits\n"


def section(audit: Audit) -> str:
    """Return the Markdown section of an audit: counts and rates, by kind and over the mix."""
    found = summarise(audit)
    told = "; ".join(
        f"`{session['auditor']}` judged {session['judged']} of {session['drawn']} rows "
        f"(sample {session['sample']}, seed {session['seed']})"
        for session in found.sessions
    )
    parts = [("**all**, by the mix", found.all)]
    if len(found.datasets) > 1:
        parts += [(f"`{part.dataset}`, by its mix", part) for part in found.datasets]
    parts += [(f"`{part.kind}` in `{part.population}`", part) for part in found.kinds]
    lines = [
        HEADING,
        "",
        f"A seeded sample of the rows was judged one by one: {told}. Wrong of those judged, with "
        "the rate and its exact 95% interval; rates over several kinds are weighted to the "
        "benchmark's mix. "
        "Doubtful rows count as not wrong and are told apart. `audit.json` holds every answer.",
        "",
        "| rows | in the benchmark | label wrong | gold wrong | question bad |",
        "| --- | --- | --- | --- | --- |",
        *(f"| {name} | {part.of} | {_cells(part)} |" for name, part in parts),
    ]
    if found.all.covered is not None and found.all.covered < 1:
        lines += ["", f"The kinds judged make up {found.all.covered:.1%} of the rows."]
    if found.agreement:
        lines += [
            "",
            "| auditors | what | rows both judged | same | kappa |",
            "| --- | --- | --- | --- | --- |",
        ]
    for pair in found.agreement:
        kappa = pair.reason if pair.kappa is None else f"{pair.kappa:.3f}"
        names = " and ".join(f"`{name}`" for name in pair.auditors)
        lines.append(f"| {names} | {pair.aspect} | {pair.rows} | {pair.same} | {kappa} |")
    return "\n".join(lines) + "\n"


def with_section(card: str, shown: str) -> str:
    """Return a card with the section in it, in the place of an earlier one if there is one."""
    begin = card.find(f"\n{HEADING}\n")
    if begin >= 0:
        end = card.find("\n## ", begin + len(HEADING) + 1)
        return card[: begin + 1] + shown + ("" if end < 0 else card[end:])
    place = card.find(_BEFORE)
    if place < 0:
        return card.rstrip("\n") + "\n\n" + shown
    return card[: place + 1] + shown + card[place:]


def told_rate(rate: ErrorRate) -> str:
    """Return a rate in words, with its counts."""
    if rate.value is None:
        return "–"
    doubtful = f", {rate.doubtful} doubtful" if rate.doubtful else ""
    return (
        f"{rate.wrong} of {rate.rows}{doubtful}: "
        f"{rate.value:.3f} ({rate.low:.3f} to {rate.high:.3f})"
    )


def _cells(part: Part) -> str:
    return " | ".join(told_rate(rate) for rate in (part.label, part.gold, part.question))
