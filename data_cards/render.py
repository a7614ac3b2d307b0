"""Render the cards of the published configs: the starter's, and those of real files at hand.

    python data_cards/render.py              # all of them
    python data_cards/render.py mquake_cf    # one

The real files are those of `SCOPEBENCH_DATA` (by default `../shared/data/raw`); their cards hold
counts and no record. A card whose files are absent is left as it is. An `audit.json` that was made
on such a build and lies here as `audits/<name>.json` is shown on its card, with what is to be
known of its auditor (docs/audit.md).
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from scopebench.audit import Audit, load_audit, section, with_section
from scopebench.construct import BuildOptions, build_benchmark
from scopebench.construct.card import render_card
from scopebench.report.results.plan import SOURCES

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("SCOPEBENCH_DATA", HERE.parents[1] / "shared" / "data" / "raw"))
READER = "reader-1"
"""The auditor of the first audit: a language model."""

OUTDATED = "outdated:"
"""How a note begins where a gold was right once and the world has moved on."""

FILES = {key: source.files for key, source in SOURCES.items() if source.files}


def render(name: str) -> str | None:
    """Return the card of a data set, or None where its files are not at hand."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        if name == "starter":
            manifest = build_benchmark(None, out, BuildOptions())
            return _with_audit(name, (out / "README.md").read_text(encoding="utf-8"), manifest)
        files = [DATA / path for path in FILES[name]]
        if not all(path.is_file() for path in files):
            return None
        manifest = build_benchmark({name: files}, out, BuildOptions(on_bad_record="skip"))
        return _with_audit(name, render_card(manifest, examples=False), manifest)


def _with_audit(name: str, card: str, manifest: dict[str, Any]) -> str:
    """Return a card with what was found in exactly this build, where somebody looked at it."""
    audit = load_audit(HERE / "audits" / f"{name}.json", manifest["files"])
    return card if audit is None else with_section(card, section(audit) + _told_of_reader(audit))


def _told_of_reader(audit: Audit) -> str:
    """Return who the first auditor is, and how many of its wrong golds are outdated ones."""
    rows = [row for one in audit.sessions if one.auditor == READER for row in one.rows]
    if not rows:
        return ""
    wrong = [row for row in rows if row.gold == "wrong"]
    outdated = sum(row.note.startswith(OUTDATED) for row in wrong)
    return (
        f"\n`{READER}` is an automated reader: a language model read the rows one by one, not a "
        f"person. Of the {len(wrong)} golds that it calls wrong, {outdated} were right once and "
        f"are outdated; their notes begin with `{OUTDATED}`.\n"
    )


def main() -> None:
    """Write the cards that are named, or all."""
    for name in sys.argv[1:] or ("starter", *FILES):
        text = render(name)
        told = "its files are not at hand" if text is None else "written"
        if text is not None:
            (HERE / f"{name}.md").write_text(text, encoding="utf-8")
        sys.stderr.write(f"{name}: {told}\n")


if __name__ == "__main__":
    main()
