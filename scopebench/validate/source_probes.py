"""Checks of the questions that a raw file holds beside its edits, and of the edits' own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scopebench.construct.checks.rows import SHORT_ALIAS
from scopebench.construct.curated.paraphrase import without_lead_in
from scopebench.construct.text import normalise
from scopebench.records import Edit
from scopebench.scoring.match import credits_refusal
from scopebench.scoring.normalise import fold_paper
from scopebench.sources.case import Case, Probe
from scopebench.validate.finding import Finding
from scopebench.validate.names import Names

_TELLS_ONLY = "other_value"
"""The role of probes that are read for their answers and not asked."""


@dataclass(frozen=True)
class Asked:
    """One probe and the case it stands in.

    Attributes:
        case: The case.
        probe: The probe.
        edit: The edit it stands beside; None: the case as a whole.
    """

    case: Case
    probe: Probe
    edit: Edit | None

    def finding(self, check: str, reason: str, others: Sequence[str] = ()) -> Finding:
        """Return a finding on the probe."""
        source = self.case.edits[0].source
        return Finding(check, source.file, source.record, self.probe.field, reason, tuple(others))


def probes_of(cases: Sequence[Case]) -> list[Asked]:
    """Return every probe of the cases that asks something, in order."""
    asked: list[Asked] = []
    for case in cases:
        edits = {edit.edit_id: edit for edit in case.edits}
        asked.extend(
            Asked(case, probe, edits.get(probe.edit_id or ""))
            for probe in case.probes
            if probe.role != _TELLS_ONLY
        )
    return asked


def neighbours(asked: Sequence[Asked], edits: Sequence[Edit]) -> Iterator[Finding]:
    """Yield neighbours that name an edited subject, and those of them that ask an edited fact.

    A neighbour is contaminated if it names, as whole words, a subject other than its own record's
    of which some edit has the neighbour's gold as its old object: then the edit changes the answer.
    field.md section 2.3 counts 648 of CounterFact's 10,000. Where both relations are known by id
    and differ, the edit is another fact.
    """
    by_id = {edit.edit_id: edit for edit in edits}
    names = Names((edit.subject, edit.edit_id) for edit in edits)
    for one in asked:
        if one.probe.role != "neighbour":
            continue
        own = {normalise(edit.subject) for edit in one.case.edits}
        named = [by_id[key] for key in names.named_in(one.probe.question)]
        others = [edit for edit in named if normalise(edit.subject) not in own]
        if len(others) < len(named):
            yield one.finding("names_own_subject", "it names the subject of its own record's edit")
        if not others:
            continue
        yield one.finding(
            "mentions_edited_subject", f"it names {others[0].subject!r}, {_records(others)} edits"
        )
        hit = [edit for edit in others if _asks(one.probe, edit)]
        if hit:
            reason = (
                f"its gold is what record {hit[0].source.record} changes: {hit[0].cloze!r} becomes "
                f"{hit[0].target_new.text!r}"
            )
            records = dict.fromkeys(edit.source.record for edit in hit)
            yield one.finding("contaminated_locality", reason, tuple(records))


def _records(edits: Sequence[Edit]) -> str:
    records = dict.fromkeys(edit.source.record for edit in edits)
    return f"which {'record' if len(records) == 1 else 'records'} {', '.join(records)}"


def _asks(probe: Probe, edit: Edit) -> bool:
    """Whether the edit's old object is the gold of a probe that names its subject."""
    if probe.relation_id and edit.relation_id and probe.relation_id != edit.relation_id:
        return False
    if edit.target_true is None:
        return False
    old = {normalise(answer) for answer in edit.target_true.answers}
    return any(normalise(answer) in old for answer in probe.before or ())


def repeated(asked: Sequence[Asked]) -> Iterator[Finding]:
    """Yield neighbours asked in the words of an earlier one, with the same or another gold."""
    first: dict[str, Asked] = {}
    for one in asked:
        if one.probe.role != "neighbour":
            continue
        words = normalise(one.probe.question)
        earlier = first.setdefault(words, one)
        if earlier is one:
            continue
        record = earlier.case.edits[0].source.record
        same = _golds(earlier.probe) & _golds(one.probe)
        if same or not (_golds(earlier.probe) and _golds(one.probe)):
            yield one.finding("duplicate_probe", "an earlier one asks the same words", (record,))
        else:
            reason = "an earlier one asks the same words and has another gold"
            yield one.finding("contradictory_probe", reason, (record,))


def _golds(probe: Probe) -> frozenset[str]:
    return frozenset(normalise(answer) for answer in probe.before or probe.after or ())


def echoes(asked: Sequence[Asked], edits: Sequence[Edit]) -> Iterator[Finding]:
    """Yield prompts that hold an accepted answer, as the paper's matcher looks for it.

    Repeating the prompt would then be right (field.md section 2.3: 924 edit prompts and 842
    locality prompts of CounterFact).
    """
    for edit in edits:
        old = () if edit.target_true is None else edit.target_true.answers
        for check, field, answers in (
            ("echo", "target_true", old),
            ("echo_new", "target_new", edit.target_new.answers),
        ):
            held = _held(edit.asked, answers)
            if held is not None:
                reason = f"its prompt holds the answer {held!r}"
                yield Finding(check, edit.source.file, edit.source.record, field, reason)
    for one in asked:
        held = _held(one.probe.question, (*(one.probe.before or ()), *(one.probe.after or ())))
        if held is not None:
            yield one.finding("echo", f"it holds the answer {held!r}")


def _held(text: str, answers: Sequence[str]) -> str | None:
    folded = fold_paper(text)
    return next((a for a in answers if a.strip() and fold_paper(a).strip() in folded), None)


def golds(cases: Sequence[Case]) -> Iterator[Finding]:
    """Yield golds and aliases that chance or a refusal finds, once for each list of a record."""
    for case in cases:
        source = case.edits[0].source
        for field, answers in _lists(case).values():
            short = [answer for answer in answers if len(answer) <= SHORT_ALIAS]
            paid = [answer for answer in answers if credits_refusal(answer)]
            if short:
                reason = f"accepted answers of few characters: {', '.join(short)}"
                yield Finding("short_alias", source.file, source.record, field, reason)
            if paid:
                reason = f"an ordinary refusal holds {', '.join(map(repr, paid))}"
                yield Finding("refusal_alias", source.file, source.record, field, reason)


def _lists(case: Case) -> dict[frozenset[str], tuple[str, tuple[str, ...]]]:
    """Return every distinct list of accepted answers of a case, with the first field it is in.

    Multi-hop questions come first and edits last, since each repeats answers of those before.
    """
    found: dict[frozenset[str], tuple[str, tuple[str, ...]]] = {}
    for probe in sorted(case.probes, key=lambda probe: probe.role != "chain"):
        for answers in (probe.before, probe.after):
            if answers and probe.role != _TELLS_ONLY:
                found.setdefault(frozenset(answers), (probe.field, answers))
    for edit in case.edits:
        for field, named in (("target_new", edit.target_new), ("target_true", edit.target_true)):
            if named is not None:
                found.setdefault(frozenset(named.answers), (field, named.answers))
    return found


def subjects(asked: Sequence[Asked], edits: Sequence[Edit]) -> Iterator[Finding]:
    """Yield questions that do not name what they ask about, and paraphrases with a lead-in."""
    for edit in edits:
        if normalise(edit.subject) not in normalise(edit.asked):
            yield Finding(
                "subject_missing",
                edit.source.file,
                edit.source.record,
                "question",
                f"it does not name {edit.subject!r}",
            )
    for one in asked:
        probe = one.probe
        if probe.role not in ("paraphrase", "alias") or one.edit is None:
            continue
        subject = probe.subject or (one.edit.subject if probe.role == "paraphrase" else None)
        if subject is None:
            continue
        if normalise(subject) not in normalise(probe.question):
            yield one.finding("subject_missing", f"it does not name {subject!r}")
        elif probe.role == "paraphrase" and _has_lead_in(probe.question, subject):
            yield one.finding("lead_in", "it opens with a sentence that does not name its subject")


def _has_lead_in(text: str, subject: str) -> bool:
    rest = without_lead_in(text, subject)
    return rest is not None and rest != text.strip()
