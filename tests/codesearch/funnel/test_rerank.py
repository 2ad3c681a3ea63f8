"""The sum decides, or a cross-encoder for the pairs it had time for; both are shown."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from codesearch.funnel.fusion import fuse
from codesearch.funnel.legs import rank_legs, score_legs
from codesearch.funnel.query import read_query
from codesearch.funnel.rerank import LEXICAL_NOTE, rerank
from codesearch.funnel.types import Config, Models, Pool, Reranked
from indexer.pipeline.loading import ModelError
from tests.codesearch.funnel.fake_corpus import FakeCorpus

QUERY = read_query("save")
NO_MODEL = Models()
CORPUS = FakeCorpus(20, bm25={chunk: 2.0 - chunk / 20 for chunk in range(20)})
POOL = Pool(dict.fromkeys(range(18), "fusion"), 1)


def rerank_with(
    models: Models,
    ticks: Sequence[float] = (0.0, 0.0),
    config: Config = Config(),  # noqa: B008 - frozen
) -> Reranked:
    legs = rank_legs(score_legs(QUERY, CORPUS, NO_MODEL), config)
    fused, _ = fuse(legs, config)
    clock = iter([*ticks, *[9.0] * 9])
    return rerank(
        QUERY, fused, POOL, CORPUS, legs, models, config, clock=lambda: next(clock)
    )


def test_without_a_cross_encoder_the_structural_sum_decides() -> None:
    found = rerank_with(NO_MODEL)

    assert found.kind == "structural"
    assert [hit.chunk for hit in found.run.hits] == list(range(18))
    assert found.note == LEXICAL_NOTE


def test_the_points_of_a_chunk_sum_to_its_score() -> None:
    found = rerank_with(NO_MODEL)

    assert found.total
    for hit in found.run.hits:
        points = sum(points for *_, points in found.total.parts(hit.chunk))
        assert points == pytest.approx(hit.score, abs=1e-12)


def test_logits_decide_and_unscored_pairs_follow_in_structural_order() -> None:
    asked: list[int] = []

    def score(query: str, chunks: Sequence[int]) -> list[float]:
        asked.extend(chunks)
        return [float(chunk) for chunk in chunks]

    found = rerank_with(Models(score_pairs=score), ticks=(0.0, 9.0))

    assert asked == list(range(8))
    assert [hit.chunk for hit in found.run.hits] == [*range(7, -1, -1), *range(8, 18)]
    assert found.logits == {chunk: float(chunk) for chunk in range(8)}
    assert found.note == f"8 of 18 pairs scored; the others {LEXICAL_NOTE}"


def test_a_cross_encoder_that_fails_on_the_way_leaves_the_structural_order() -> None:
    def score(query: str, chunks: Sequence[int]) -> list[float]:
        if 8 in chunks:
            raise ModelError("a logit is not finite")
        return [float(chunk) for chunk in chunks]

    found = rerank_with(Models(score_pairs=score), ticks=(0.0, 0.0))

    assert found.kind == "structural"
    assert [hit.chunk for hit in found.run.hits] == list(range(18))
    assert found.logits == {}
    assert found.failure == "a logit is not finite"


def test_a_config_can_ask_for_the_fused_order_as_it_is() -> None:
    found = rerank_with(NO_MODEL, config=Config(reranker="identity"))

    assert found.kind == "identity"
    assert found.total is None
    assert [hit.chunk for hit in found.run.hits] == list(range(18))
    assert found.run.hits[0].score == pytest.approx(1 / 61)


def test_a_config_can_leave_the_cross_encoder_out() -> None:
    models = Models(score_pairs=lambda query, chunks: [0.0] * len(chunks))

    found = rerank_with(models, config=Config(reranker="structural"))

    assert found.kind == "structural"


def test_a_config_can_weigh_a_feature_otherwise() -> None:
    found = rerank_with(NO_MODEL, config=Config(points={"bm25": -99.0, "test": 0.0}))

    assert found.total
    weights = dict(zip(found.total.names, found.total.weights, strict=True))
    assert (weights["bm25"], weights["test"], weights["coverage"]) == (-99.0, 0.0, 3.0)
    assert [hit.chunk for hit in found.run.hits] == list(range(17, -1, -1))
