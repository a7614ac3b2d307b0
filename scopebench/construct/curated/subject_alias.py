"""`subject_alias`: the edit asked under another name of its subject."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from scopebench.construct.curated.aliases import Bearers, bearers, is_own
from scopebench.construct.curated.direct import positive
from scopebench.construct.curated.draft import Draft, wording_of
from scopebench.construct.curated.kind import Kind
from scopebench.construct.curated.pool import Pool
from scopebench.construct.wording import template_around


def propose(pool: Pool) -> Iterator[Draft]:
    """Yield the questions of edits in force with an alias in the place of the subject."""
    names = bearers(pool)
    for _, n, probe in pool.probes("alias"):
        direct = pool.kept.get(probe.edit_id or "")
        if direct is None or (probe.subject and not is_own(probe.subject, direct.edit, names)):
            continue
        draft = positive(pool, direct, KIND.name, probe.question, probe.form, n=str(n))
        told = [direct.edit.subject] if probe.subject is None else [probe.subject]
        answers = probe.after or draft.answers
        yield replace(draft, answers=answers, wording=wording_of(probe.question, told))
    yield from _from_paths(pool, names)


def _from_paths(pool: Pool, names: Bearers) -> Iterator[Draft]:
    """Take aliases that a multi-hop path gives to an entity that is an edited subject."""
    aliases: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for _, _, probe in pool.probes("chain"):
        for link in (*probe.path_before, *probe.path_after):
            if link.object_id is not None:
                aliases[link.object_id].update(dict.fromkeys(link.answers))
    for direct in pool.kept.values():
        edit = direct.edit
        template = template_around(edit.asked, edit.subject)
        if template is None or edit.subject_id is None:
            continue
        for n, alias in enumerate(aliases.get(edit.subject_id, ())):
            if is_own(alias, edit, names):
                text = template.replace("{}", alias)
                draft = positive(pool, direct, KIND.name, text, edit.form, n=f"path{n}")
                yield replace(draft, wording=wording_of(text, [alias]))
                break


KIND = Kind(
    name="subject_alias",
    scope="in",
    tests="whether the edit is found under another name of its subject",
    gold="the new object, by construction",
    pitfalls="an alias may name somebody else: those that another entity of the data set bears, "
    "codes and words of fewer than four characters are left out",
    needs="aliases of subjects",
    share=1.0,
    propose=propose,
)
