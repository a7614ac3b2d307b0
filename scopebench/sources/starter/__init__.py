"""The starter data set: small, embedded, and there without any network.

All facts, questions, clozes and paragraphs in this folder were written for ScopeBench and are under
the project's licence (Apache-2.0). Nothing was copied from CounterFact, MQuAKE, AKEW or any other
data set; only the record schemas are AKEW's, so that one set of parsers reads both.

There are three sets: `counterfact` (invented edits of well-known facts), `wikiupdate` (facts that
really changed) and `mquake_cf` (questions over two to four linked facts, one to three of them
edited). About one edit in eight has a spoiled triple among the triples extracted from its
paragraph; `templates` states the rule.

Beside the edits stands what the `curated` population is made from: other names of subjects, facts
of another relation that the edit leaves as they are, paraphrases, neighbours, pairs of near-named
subjects, subjects with two edits, the dates of every update, and links that no edit touches.

Known limits:

- The updates are true as of `FACTS_AS_OF`. The old fact is an earlier value, not always the one
  just before the new one, and some changes lie centuries back.
- Identifiers starting with `SB-` belong to the project and mean nothing in Wikidata: no certain
  identifier was at hand, or none is there (`SB-P1000`, the holder of a record). Every other one is
  Wikidata's. P54 stands for racing teams too.
- Paragraphs are composed from short sentences; they are plainer than text found on the web.
- Kings and film sequels make up most near names of `counterfact`, posts those of `wikiupdate`.
- Few updates have neighbours: of most old objects nothing else is true.
- A subject asked about under another name keeps its article ("the Flavian Amphitheatre").
- Aliases list the usual short forms only.
"""

import json
from importlib.resources import files
from typing import Any, Final

from scopebench.sources.starter.compose import starter_digest, write_starter

FACTS_AS_OF: Final = "2025-07-01"

__all__ = ["FACTS_AS_OF", "measured_facts", "starter_digest", "write_starter"]


def measured_facts() -> dict[str, str]:
    """Return what was measured of the starter, for its card.

    How many pre-edit questions the default model answers is measured by `benchmarks/knowledge.py`
    and kept in `knowledge.json`, because a build uses no model.
    """
    text = files(__package__).joinpath("knowledge.json").read_text(encoding="utf-8")
    measured: dict[str, Any] = json.loads(text)
    facts = {"facts as of": FACTS_AS_OF}
    for name, (right, asked) in measured["pre_edit"].items():
        facts[f"pre-edit questions that {measured['model']} answers, {name}"] = (
            f"{right} of {asked} ({right / asked:.1%})"
        )
    return facts
