"""Write what every kind of query and every check means to `docs/kinds.md`."""

from __future__ import annotations

from pathlib import Path

from scopebench.construct.checks.rows import CHECKS
from scopebench.construct.curated import KINDS

KINDS_FILE = Path(__file__).with_name("kinds.md")

HEAD = """\
# Kinds and checks of `curated`

Rendered from `scopebench/construct/curated/` and `scopebench/construct/checks/` by `make docs`. How
many rows of each kind a source yields is in the card of every build; a kind that a source cannot
make is named there with what it needs.

Every row has two labels that are never merged: which edits govern it (the decision label), and
which answers are right if the system acts correctly (the outcome gold), null where not known.

"""

SCOPES = {
    "in": "in scope",
    "out": "out of scope",
    "both": "of both labels",
}


def render() -> str:
    """Return the page's text."""
    parts = [HEAD, "## Kinds\n"]
    for kind in KINDS:
        module = kind.propose.__module__.rpartition(".")[2]
        parts.append(f"\n### `{kind.name}`: {SCOPES[kind.scope]}\n\n")
        parts.append(f"- **Tests** {kind.tests}.\n- **Gold** {kind.gold}.\n")
        parts.append(f"- **Pitfalls** {kind.pitfalls}.\n- **Needs** {kind.needs}.\n")
        if kind.share < 1:
            parts.append(f"- **Share** at most {kind.share:.0%} of the rows of a cell.\n")
        parts.append(f"- **Code** `scopebench/construct/curated/{module}.py`\n")
    parts.append("\n## Checks\n\n")
    parts.append("| check | a row fails it when | in `curated` | in `original`, `withheld` |\n")
    parts.append("|---|---|---|---|\n")
    for check in CHECKS:
        effects = (check.curated.replace("_", " "), check.direct.replace("_", " "))
        parts.append(f"| `{check.id}` | {check.meaning} | {effects[0]} | {effects[1]} |\n")
    return "".join(parts)


if __name__ == "__main__":
    KINDS_FILE.write_text(render(), encoding="utf-8")
