"""Checks that any editor must pass, ours or a third party's.

    from scopebench.testing import run_checks, toy_context

    for result in run_checks(INFO, toy_context()):  # INFO: an EditorInfo, or a factory
        print(result)

`toy_context` needs no model and takes milliseconds; give the context of a real model and encoder to
check an editor as it will be scored. Under pytest, one test per check:

    @pytest.mark.parametrize("check", list(check_editor(INFO, toy_context())), ids=str)
    def test_my_editor(check):
        if check.skip:
            pytest.skip(check.skip)
        check()
"""

from __future__ import annotations

from scopebench.testing.checks import Check, CheckResult, check_editor, run_checks
from scopebench.testing.samples import EDITS, QUERIES
from scopebench.testing.toys import ToyEncoder, ToyModel, toy_context

__all__ = [
    "EDITS",
    "QUERIES",
    "Check",
    "CheckResult",
    "ToyEncoder",
    "ToyModel",
    "check_editor",
    "run_checks",
    "toy_context",
]
