"""One search finds its findings once and can be decided under any config."""

from __future__ import annotations

import numpy as np
import pytest

from codesearch.funnel.legs import score_legs
from codesearch.funnel.query import read_query
from codesearch.funnel.search import decide, run_search
from codesearch.funnel.types import Config, Models, Outcome, QueryEncoder
from tests.codesearch.funnel.fake_corpus import FakeCorpus

MODELS = Models([QueryEncoder("", lambda text: np.ones(3, np.float32))])
CORPUS = FakeCorpus(
    40,
    purpose={chunk: (chunk * 7 % 40) / 40 for chunk in range(40)},
    body={chunk: (chunk * 11 % 40) / 40 for chunk in range(40)},
    bm25={chunk: 1.0 + chunk % 5 for chunk in range(0, 40, 2)},
)
CONFIGS = [
    Config(depth=10, pool_size=12),
    Config(depth=10, pool_size=12, guarantee=0, weights={"bm25": 2.5}),
    Config(depth=4, pool_size=8, rrf_k=1, off=frozenset({"body"})),
    Config(reranker="identity", points={"bm25": 9.0}),
]


@pytest.mark.parametrize("config", CONFIGS)
def test_findings_answers_as_a_search_with_that_config(config: Config) -> None:
    findings = score_legs(read_query("save"), CORPUS, MODELS)
    decide(findings, CORPUS, MODELS, Config())

    replayed = decide(findings, CORPUS, MODELS, config)

    searched = run_search(read_query("save"), CORPUS, MODELS, config)
    assert (replayed.fused, replayed.pool) == (searched.fused, searched.pool)
    assert (replayed.shown, replayed.cards) == (searched.shown, searched.cards)


def test_findings_answers_under_other_filters() -> None:
    CORPUS.described["kind:class"] = {1, 2, 3}
    findings = score_legs(read_query("save kind:class"), CORPUS, MODELS)

    assert in_scope(decide(findings, CORPUS, MODELS, Config())) == 3
    assert in_scope(decide(findings, CORPUS, MODELS, Config(), ())) == 40
    other = read_query("-kind:class").filters
    assert in_scope(decide(findings, CORPUS, MODELS, Config(), other)) == 37


def in_scope(outcome: Outcome) -> int:
    return int(outcome.scope.chunks.sum())
