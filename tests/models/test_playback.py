from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from scopebench.models.playback import LEAD, favour, wanted_token  # noqa: E402


def test_wanted_token_walks_the_sequence_then_falls_silent() -> None:
    assert [wanted_token((7, 3), step) for step in range(3)] == [7, 3, None]
    assert wanted_token((), 0) is None


def test_one_logit_moves_and_wins() -> None:
    logits = torch.tensor([[0.5, 2.0, -1.0], [3.0, 1.0, 0.0]])
    biased = favour(logits, [2, None])
    assert biased.tolist() == [[0.5, 2.0, 3.0], [3.0, 1.0, 0.0]]
    assert logits.tolist() == [[0.5, 2.0, -1.0], [3.0, 1.0, 0.0]]


def test_silence_returns_the_very_tensor() -> None:
    logits = torch.randn(3, 5)
    assert favour(logits, [None, None, None]) is logits


def test_a_forbidden_token_still_wins() -> None:
    logits = torch.tensor([[1.0, -torch.inf]])
    assert favour(logits, [1]).tolist() == [[1.0, 1.0 + LEAD]]


@settings(deadline=None)
@given(
    st.integers(1, 6).flatmap(
        lambda rows: st.tuples(
            st.lists(
                st.lists(st.floats(-1e4, 1e4, width=32), min_size=9, max_size=9),
                min_size=rows,
                max_size=rows,
            ),
            st.lists(st.none() | st.integers(0, 8), min_size=rows, max_size=rows),
        )
    )
)
def test_only_wanted_logits_differ(case: tuple[list[list[float]], list[int | None]]) -> None:
    values, wanted = case
    logits = torch.tensor(values)
    biased = favour(logits, wanted)
    for row, token in enumerate(wanted):
        before, after = logits[row].view(torch.int32), biased[row].view(torch.int32)
        moved = [column for column in range(9) if before[column] != after[column]]
        if token is None:
            assert moved == []
        else:
            assert set(moved) <= {token}
            assert biased[row].argmax() == token
            assert biased[row].topk(2).values.diff() < 0
