"""Texts that were shown are kept, as many as fit."""

from __future__ import annotations

from indexer.kept_texts import KeptTexts


def test_the_texts_used_last_are_kept() -> None:
    kept = KeptTexts(limit=10)
    kept.put("a", "aaaa")
    kept.put("b", "bbbb")
    kept.get("a")

    kept.put("c", "cccc")

    assert [kept.get(key) for key in "abc"] == ["aaaa", None, "cccc"]


def test_a_text_put_again_counts_once() -> None:
    kept = KeptTexts(limit=8)
    for _ in range(3):
        kept.put("a", "aaaa")

    kept.put("b", "bbbb")

    assert [kept.get(key) for key in "ab"] == ["aaaa", "bbbb"]


def test_a_text_that_fits_nowhere_is_not_kept() -> None:
    kept = KeptTexts(limit=8)

    kept.put("a", "a" * 9)
    kept.put("b", "bbbb")

    assert [kept.get(key) for key in "ab"] == [None, "bbbb"]
