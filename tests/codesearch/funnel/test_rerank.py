"""A cross-encoder decides for the pairs it had time for; the rest keep their order."""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.funnel.query import read_query
from codesearch.funnel.rerank import rerank
from codesearch.funnel.types import Config, Hit, Models, Pool, Run

QUERY = read_query("save")
FUSED = Run("fusion", tuple(Hit(c, n, 1.0 / n) for n, c in enumerate(range(20), 1)))
POOL = Pool(dict.fromkeys(range(18), "fusion"), 1)


def test_without_a_cross_encoder_the_fused_order_stands_and_says_so() -> None:
    found = rerank(QUERY, POOL, FUSED, Models(None), Config())

    assert found.kind == "identity"
    assert [hit.chunk for hit in found.run.hits] == list(range(18))
    assert found.note == "no cross-encoder is configured: the fused order stands"


def test_logits_decide_and_unscored_pairs_follow_in_fused_order() -> None:
    asked: list[int] = []

    def score(query: str, chunks: Sequence[int]) -> list[float]:
        asked.extend(chunks)
        return [float(chunk) for chunk in chunks]

    ticks = iter([0.0, 9.0])
    models = Models(None, score_pairs=score)
    found = rerank(QUERY, POOL, FUSED, models, Config(), clock=lambda: next(ticks))

    assert asked == list(range(8))
    assert [hit.chunk for hit in found.run.hits] == [*range(7, -1, -1), *range(8, 18)]
    assert found.logits == {chunk: float(chunk) for chunk in range(8)}
    assert found.note == "8 of 18 pairs scored"
