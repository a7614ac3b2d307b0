"""Runs the checks on the queries of `original` and `withheld`: they are flagged, not dropped.

Those rows are the public benchmarks' own; what is wrong with them is part of what a reader must
know. Only a gold that cannot be told from a wrong answer is taken away, when they are made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from scopebench.construct.checks.rows import CheckId, Finding, findings
from scopebench.construct.checks.world import World
from scopebench.construct.direct import MANY_VALUED
from scopebench.construct.text import normalise
from scopebench.records import Population, Query

EXAMPLES: Final = 20


@dataclass
class FlagTally:
    """The rows that each check flagged.

    Attributes:
        rows: Distinct query ids by check, in the order found.
    """

    rows: defaultdict[CheckId, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))


class DirectChecker:
    """Checks direct queries against the index of their population and keeps count."""

    def __init__(self, worlds: Mapping[Population, World]) -> None:
        self._worlds = worlds
        self._seen: dict[tuple[str, tuple[str, ...] | None], tuple[CheckId, ...]] = {}
        self._tallies: defaultdict[Population, FlagTally] = defaultdict(FlagTally)
        self._asked: dict[tuple[Population, str], str] = {}

    @property
    def tallies(self) -> Mapping[Population, FlagTally]:
        """What was flagged, by population."""
        return dict(self._tallies)

    def flagged(self, query: Query) -> Query:
        """Return the query with the ids of the checks it fails.

        The same query under another condition is not checked again.
        """
        key = (query.query_id, query.answers)
        if key not in self._seen:
            found = findings(query, self._worlds[query.population])
            asked = (query.population, normalise(query.question))
            first = self._asked.setdefault(asked, query.query_id)
            if first != query.query_id:
                found.append(Finding("duplicate", f"{first} asks the same words"))
            if MANY_VALUED in query.flags:
                found.append(Finding("many_valued", "its fact has several true objects"))
            rows = self._tallies[query.population].rows
            for finding in found:
                rows[finding.check].setdefault(query.query_id, finding.reason)
            self._seen[key] = tuple(dict.fromkeys(finding.check for finding in found))
        flags = self._seen[key]
        return query.model_copy(update={"flags": flags}) if flags else query
