"""The sample is 500 varied texts, the same each time, none longer than the limit."""

from __future__ import annotations

from collections.abc import Sequence

from indexer.pipeline.sample_texts import sample_texts


def count(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) + 2 for text in texts]


def test_the_sample_is_the_same_each_time_and_keeps_to_the_limit() -> None:
    texts = sample_texts(64, count)

    assert texts == sample_texts(64, count)
    assert len(texts) == 500
    assert all(text.strip() for text in texts)
    assert max(count(texts)) <= 64


def test_the_sample_has_short_texts_long_ones_and_odd_ones() -> None:
    texts = sample_texts(256, count)

    sizes = count(texts)
    assert sum(size < 20 for size in sizes) > 200
    assert sum(size > 100 for size in sizes) > 50
    assert sum(not text.isascii() for text in texts) > 30
