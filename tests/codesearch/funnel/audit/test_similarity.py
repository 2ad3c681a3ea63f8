"""Lists are as alike as the definitions say."""

from __future__ import annotations

import pytest

from codesearch.funnel.audit.similarity import overlap
from codesearch.funnel.audit.topics import overlap_of_first


def test_an_overlap_divides_by_the_longer_of_two_short_lists() -> None:
    assert overlap("abcdefghijk", "jihgfedcbak") == 1.0
    assert overlap("abcd", "ab") == 0.5
    assert overlap("", "ab") == 0.0
    assert overlap("", "") is None


def test_the_first_five_of_each_pair_are_compared() -> None:
    assert overlap_of_first(["abcdex", "abcdey"]) == 1.0
    assert overlap_of_first(["ab", "bc", "ab"]) == pytest.approx(
        (1 / 3 + 1 / 3 + 1) / 3
    )
    assert overlap_of_first(["", "a"]) == 0.0
    assert overlap_of_first(["", ""]) is None
    assert overlap_of_first(["a"]) is None
