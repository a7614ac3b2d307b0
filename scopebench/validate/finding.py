"""What validation yields: findings of named checks, and their summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

Severity = Literal["error", "warning", "note"]
PathKind = Literal["raw", "benchmark", "run"]

SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
"""`error`: a label, a gold or a number is wrong. `warning`: scoring is unreliable. `note`: worth
knowing."""


@dataclass(frozen=True)
class CheckInfo:
    """A check of `validate`.

    Attributes:
        severity: How bad a finding is.
        meaning: What a finding means, in one clause.
    """

    severity: Severity
    meaning: str


Checks = Mapping[str, CheckInfo]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        check: Id of the check.
        file: The file it is in, relative to the validated path where that is a folder.
        record: The record's id or position in the file; None: the file as a whole.
        field: The field at fault, dotted when nested; None: the record as a whole.
        reason: What is wrong, in one line.
        other_records: Ids of the other records it is wrong with.
    """

    check: str
    file: str
    record: str | None
    field: str | None
    reason: str
    other_records: tuple[str, ...] = ()


@dataclass(frozen=True)
class Validation:
    """Everything found at one path.

    Attributes:
        path: The path.
        kind: What it was taken for.
        checks: Every check that was looked for, by id.
        findings: What was found: errors first, each check together, in the order found.
    """

    path: Path
    kind: PathKind
    checks: Checks
    findings: tuple[Finding, ...]

    @classmethod
    def of(
        cls, path: Path, kind: PathKind, checks: Checks, findings: Iterable[Finding]
    ) -> Validation:
        """Return findings in the order of their checks, errors first."""
        order = {key: at for at, key in enumerate(_by_severity(checks))}
        return cls(path, kind, checks, tuple(sorted(findings, key=lambda f: order[f.check])))

    @property
    def counts(self) -> dict[str, int]:
        """How many findings each check has, errors first, those with none left out."""
        found = Counter(finding.check for finding in self.findings)
        return {check: found[check] for check in _by_severity(self.checks) if found[check]}

    def number_of(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return sum(self.checks[f.check].severity == severity for f in self.findings)

    def fails(self, *, strict: bool = False) -> bool:
        """Whether something is wrong: an error, or with `strict` also a warning."""
        return bool(self.number_of("error") or (strict and self.number_of("warning")))

    def as_json(self) -> dict[str, Any]:
        """Return the validation as JSON values."""
        return {
            "path": str(self.path),
            "kind": self.kind,
            "summary": {
                check: {
                    "severity": self.checks[check].severity,
                    "count": count,
                    "meaning": self.checks[check].meaning,
                }
                for check, count in self.counts.items()
            },
            "findings": [self._finding_as_json(finding) for finding in self.findings],
        }

    def _finding_as_json(self, finding: Finding) -> dict[str, Any]:
        values = asdict(finding)
        return {
            "check": values.pop("check"),
            "severity": self.checks[finding.check].severity,
            **values,
            "other_records": list(finding.other_records),
        }


def _by_severity(checks: Checks) -> list[str]:
    return sorted(checks, key=lambda check: SEVERITIES.index(checks[check].severity))
