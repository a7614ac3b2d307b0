"""Everything that is looked at, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from scopebench.doctor.finding import Finding
from scopebench.doctor.hub import examine_hub
from scopebench.doctor.machine import examine_machine
from scopebench.doctor.packages import examine_packages, examine_torch
from scopebench.doctor.stores import examine_cache, examine_data, examine_models


@dataclass(frozen=True)
class Checkup:
    """What was found.

    Attributes:
        findings: All of it, in order.
    """

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether everything is there that `scopebench score` with its defaults needs."""
        return all(finding.status != "missing" for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"ok": self.ok, "findings": [asdict(finding) for finding in self.findings]}


def examine(*, deep: bool = False) -> Checkup:
    """Look at what is installed and there, changing nothing.

    Args:
        deep: Whether to ask torch for devices and to verify models and files, which takes longer.
    """
    return Checkup(tuple(_all(deep=deep)))


def _all(*, deep: bool) -> Iterator[Finding]:
    yield from examine_packages()
    yield from examine_torch()
    yield from examine_machine(deep=deep)
    yield from examine_cache(deep=deep)
    yield from examine_models(deep=deep)
    yield from examine_data(deep=deep)
    yield from examine_hub()
