"""Which weights of a feature show a chunk on page one: as rerank, fold and cards do."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from codesearch.funnel.legs import score_legs
from codesearch.funnel.page_one import scores_with, seat_pool, weights_on_page_one
from codesearch.funnel.query import read_query
from codesearch.funnel.search import decide
from codesearch.funnel.trace import trace_chunk
from codesearch.funnel.types import Config, Findings, Models, Outcome, QueryEncoder, Sum
from codesearch.funnel.weights import DENSE
from tests.codesearch.funnel.fake_corpus import FakeCorpus

MODELS = Models([QueryEncoder("", lambda text: np.ones(3, np.float32))])
CHUNKS = 24
MOST = 100.0


@dataclass(frozen=True)
class Page:
    """A corpus, what a query found in it, a config, and a chunk of the pool."""

    corpus: FakeCorpus
    findings: Findings
    config: Config
    chunk: int

    def run(self, **points: float) -> Outcome:
        config = replace(self.config, points={**self.config.points, **points})
        return decide(self.findings, self.corpus, MODELS, config)

    def is_shown(self, **points: float) -> bool:
        traced = trace_chunk(self.run(**points), self.chunk, (), has_purpose=True)
        return traced.death is None


cosine = st.integers(0, 9).map(lambda n: n / 10)
every = st.lists(cosine, min_size=CHUNKS, max_size=CHUNKS)
number = st.integers(0, CHUNKS - 1)


@st.composite
def pages(draw: st.DrawFn) -> Page:
    """Pools with copies and stubs, cards and folds, on pages of few cards."""
    scores = {name: dict(enumerate(draw(every))) for name in ("purpose", "body")}
    bm25 = draw(st.dictionaries(number, st.integers(1, 5).map(float)))
    corpus = FakeCorpus(CHUNKS, **scores, bm25=bm25)
    for chunk, content in draw(st.dictionaries(number, st.sampled_from("ab"))).items():
        corpus.contents[chunk] = content.encode()
    corpus.stubs = draw(
        st.dictionaries(number, st.lists(number, max_size=2), max_size=4)
    )
    config = Config(
        pool_size=draw(st.integers(8, CHUNKS)),
        cards_per_page=draw(st.integers(1, 3)),
        chunks_per_card=draw(st.integers(1, 3)),
        points=draw(st.dictionaries(st.sampled_from(["bm25", "members bm25"]), cosine)),
    )
    findings = score_legs(read_query("save"), corpus, MODELS)
    pool = decide(findings, corpus, MODELS, config).pool.entry
    return Page(corpus, findings, config, draw(st.sampled_from(sorted(pool))))


@settings(max_examples=150, deadline=None)
@given(pages(), st.sampled_from(["purpose cosine", "body cosine", "bm25"]))
def test_the_ends_of_a_feature_s_weights_hold_on_both_sides(
    page: Page, feature: str
) -> None:
    total = page.run().reranked.total
    assert total
    seated = seat_pool(total, page.corpus, page.chunk)

    found = weights_on_page_one(seated, page.config, feature, -MOST, MOST)

    tried = [DENSE[feature], 0.0, -MOST, MOST]
    for one in found:
        ends = (one.start, one.stop)
        tried += [(one.start + one.stop) / 2, *ends]
        tried += [end + step for end in ends for step in (-1e-9, 1e-9)]
    for value in tried:
        if -MOST <= value <= MOST and not is_told_by_rounding(total, feature, value):
            expected = any(value in one for one in found)
            assert page.is_shown(**{feature: value}) == expected, value


def is_told_by_rounding(total: Sum, feature: str, value: float) -> bool:
    """Tell whether two chunks of equal sums differ in their last bits alone."""
    gaps = np.diff(np.unique(scores_with(total, feature, np.array([value]))))
    return bool((gaps < 1e-12).any())
