"""Every registered editor keeps every promise: on the toys, and on the real small models."""

from __future__ import annotations

import pytest

from scopebench.registry import discover
from scopebench.testing import check_editor, toy_context
from scopebench.testing.promises import PROMISES

NAMES = ("base", "inlay", "rag", "static")
CHECKS = [promise.__name__ for promise in PROMISES]


def _run(name, check_name, context):
    info = discover().get(name)
    [check] = [c for c in check_editor(info, context) if c.name == check_name]
    assert check.skip is None
    check()


@pytest.mark.parametrize("check_name", CHECKS)
@pytest.mark.parametrize("name", NAMES)
def test_on_the_toys(name, check_name):
    _run(name, check_name, toy_context())


@pytest.mark.parametrize("check_name", CHECKS)
@pytest.mark.parametrize("name", NAMES)
def test_on_the_real_model_and_encoder(name, check_name, real_context):
    _run(name, check_name, real_context)
