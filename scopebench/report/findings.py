"""Prints what validation found: a table of checks, then the first findings of each."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from rich.text import Text

from scopebench.report.console import console, print_rows, printable
from scopebench.validate.finding import SEVERITIES, Finding, Validation

_KINDS: Final = {
    "raw": "a raw source file",
    "benchmark": "a built benchmark",
    "run": "a run folder",
}
_STYLES: Final = {"error": "bold red", "warning": "yellow", "note": "dim"}


def print_validation(validation: Validation, *, examples: int) -> None:
    """Print a validation.

    Args:
        validation: The validation.
        examples: At most so many findings of each check are printed.
    """
    screen = console()
    counts = validation.counts
    where = f"{validation.path}, {_KINDS[validation.kind]}"
    if not counts:
        screen.print(f"{where}: nothing found by {len(validation.checks)} checks.", soft_wrap=True)
        return
    rows = [
        {
            "check": check,
            "severity": validation.checks[check].severity,
            "count": count,
            "meaning": validation.checks[check].meaning,
        }
        for check, count in counts.items()
    ]
    print_rows(rows, title=where)
    by_check: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in validation.findings:
        by_check[finding.check].append(finding)
    for check, found in by_check.items() if examples else ():
        style = _STYLES[validation.checks[check].severity]
        screen.print(Text(f"{check} ({len(found)})", style=style))
        for finding in found[:examples]:
            screen.print(Text(f"  {printable(_told(finding))}"), soft_wrap=True)
        if len(found) > examples:
            screen.print(Text(f"  and {len(found) - examples} more", style="dim"))
    numbers = {severity: validation.number_of(severity) for severity in SEVERITIES}
    screen.print(", ".join(f"{n} {word}{'' if n == 1 else 's'}" for word, n in numbers.items()))


def _told(finding: Finding) -> str:
    place = " ".join(
        part
        for part in (
            finding.file,
            None if finding.record is None else f"record {finding.record}",
            finding.field,
        )
        if part is not None
    )
    others = ", ".join(finding.other_records)
    return f"{place}: {finding.reason}" + (f" (with {others})" if others else "")
