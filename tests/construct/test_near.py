from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopebench.construct.near import near_pairs
from scopebench.construct.text import trigrams


def naive(names: list[str], threshold: float) -> list[tuple[str, str]]:
    """Compare everything with everything."""
    return sorted(
        (first, second)
        for first, second in combinations(sorted(set(names)), 2)
        if len(trigrams(first) & trigrams(second)) / len(trigrams(first) | trigrams(second))
        >= threshold
    )


def test_numerals_are_near_and_other_names_are_not():
    # 15 and 16 grams, of which only "iii" is not shared: 15 / 16.
    names = ["castor drive ii", "castor drive iii", "pollux drive ii", "castor"]
    assert near_pairs(names) == [("castor drive ii", "castor drive iii")]


def test_the_threshold_itself_is_near():
    first, second = "abcdefgh", "abcdefghxy"
    shared, union = trigrams(first) & trigrams(second), trigrams(first) | trigrams(second)
    assert (len(shared), len(union)) == (7, 11)
    assert near_pairs([first, second], threshold=7 / 11) == [(first, second)]
    assert near_pairs([first, second], threshold=7 / 11 + 1e-6) == []


@given(
    st.lists(st.text(alphabet="ab ", min_size=1, max_size=9), max_size=25),
    st.sampled_from([0.3, 0.5, 0.7, 1.0]),
)
def test_the_prefix_filter_finds_exactly_the_near_pairs(names, threshold):
    assert near_pairs(names, threshold=threshold) == naive(names, threshold)


@pytest.mark.parametrize("names", [[], ["alone"], ["same", "same"]])
def test_no_pair_of_fewer_than_two_names(names):
    assert near_pairs(names) == []


def test_near_names_finds_what_near_pairs_finds():
    from scopebench.construct.near import NearNames, near_pairs

    names = ["gregory xii", "gregory xiii", "leo xii", "leo xiii", "apple ii", "apple iii", "mara"]
    pairs = near_pairs(names)
    found = NearNames(names)
    for name in names:
        expected = sorted({other for pair in pairs if name in pair for other in pair} - {name})
        assert found.of(name) == expected
    assert found.of("gregory xi") == near_of("gregory xi", names)


def near_of(name, names):
    from scopebench.construct.near import NEAR_NAME_JACCARD
    from scopebench.construct.text import trigrams

    own = trigrams(name)
    return sorted(
        other
        for other in names
        if len(own & trigrams(other)) / len(own | trigrams(other)) >= NEAR_NAME_JACCARD
    )
