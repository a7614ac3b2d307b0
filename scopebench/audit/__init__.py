"""Audits: people judge a sample of a benchmark's rows, and what they found stands beside it.

A benchmark's labels are made by rules. `audit.json` in its folder says how often people found a
label, a gold or a question wrong, by kind, with intervals (docs/audit.md).
"""

from scopebench.audit.answers import Verdict
from scopebench.audit.card_section import section, with_section
from scopebench.audit.records import Audit
from scopebench.audit.store import AUDIT_FILE, load_audit, read_audit
from scopebench.audit.summary import summarise

__all__ = [
    "AUDIT_FILE",
    "Audit",
    "Verdict",
    "load_audit",
    "read_audit",
    "section",
    "summarise",
    "with_section",
]
