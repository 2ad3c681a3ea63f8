"""Every target dies once, at the first stage that lost it, or not at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.query import read_query
from codesearch.funnel.search import run_search
from codesearch.funnel.trace import (
    Death,
    TargetTrace,
    stage_reached,
    trace_chunk,
)
from codesearch.funnel.types import Config, Models, Outcome, QueryEncoder
from codesearch.funnel.vocabulary import WordCount
from tests.codesearch.funnel.fake_corpus import FakeCorpus

KNOWN = (WordCount("save", df=9, tf=1, idf=2.0, share=0.2),)
UNKNOWN = (
    WordCount("NoSuchKey", df=0, tf=0, idf=8.0, share=0.8),
    WordCount("save", df=9, tf=1, idf=2.0, share=0.2),
)


def encode(text: str) -> npt.NDArray[np.float32]:
    return np.ones(1, dtype=np.float32)


WITH_MODEL = Models([QueryEncoder("1a2b3c4d5e6f7a8b", encode)])
WITHOUT_MODEL = Models([QueryEncoder("", None, "no model is configured")])


def search(corpus: FakeCorpus, config: Config, models: Models = WITH_MODEL) -> Outcome:
    return run_search(read_query("save"), corpus, models, config)


def trace(
    outcome: Outcome, chunk: int, words: Sequence[WordCount] = KNOWN
) -> TargetTrace:
    return trace_chunk(outcome, chunk, words, has_purpose=True)


def reason(death: Death | None) -> tuple[str, str] | None:
    return (death.stage, death.reason) if death else None


def falling(count: int) -> dict[int, float]:
    return {chunk: 1.0 / (1 + chunk) for chunk in range(count)}


def test_a_hit_on_page_one_has_no_death() -> None:
    found = trace(search(FakeCorpus(8, bm25={0: 2.0}), Config()), 0)

    assert found.death is None
    assert (found.final and found.final.ordinal, found.card) == (1, 1)


def test_a_chunk_below_every_floor_dies_in_the_legs_with_its_margins() -> None:
    config = Config(depth=10, pool_size=10)
    scores = falling(20)
    outcome = search(FakeCorpus(20, purpose=scores, body=scores), config)

    found = trace(outcome, 12)

    assert reason(found.death) == ("leg", "below_floor")
    assert found.margins["body"] == 1 / 13 - 1 / 10
    assert found.death
    assert found.death.needed == "A purpose list of 13; it takes 10."


def test_a_leg_that_did_not_run_is_named_before_any_other_reason() -> None:
    outcome = search(FakeCorpus(8, bm25={0: 1.0}), Config(), WITHOUT_MODEL)

    assert reason(trace(outcome, 3, UNKNOWN).death) == ("leg", "leg_missing:purpose")


def test_words_that_the_text_lacks_are_a_vocabulary_gap() -> None:
    config = Config(depth=2, pool_size=10)
    scores = falling(8)
    outcome = search(FakeCorpus(8, purpose=scores, body=scores), config)

    found = trace(outcome, 5, UNKNOWN)

    assert reason(found.death) == ("leg", "vocabulary_gap")
    assert found.death
    assert "20% of the query's idf mass" in found.death.detail
    assert "“NoSuchKey” occurs nowhere in this index." in found.death.detail


def test_a_chunk_without_a_vector_was_not_embedded() -> None:
    outcome = search(FakeCorpus(8, purpose={0: 0.5}, body={0: 0.5}), Config())

    found = trace(outcome, 3)

    assert reason(found.death) == ("leg", "not_embedded")
    assert found.unembedded == ("purpose", "body")


def test_a_listed_chunk_names_the_legs_that_have_no_vector_of_it_yet() -> None:
    outcome = search(FakeCorpus(8, purpose={0: 0.5, 3: 0.4}, body={0: 0.5}), Config())

    assert trace(outcome, 3).unembedded == ("body",)
    assert trace(outcome, 0).unembedded == ()


def test_a_window_has_no_purpose_that_it_waits_for() -> None:
    outcome = search(FakeCorpus(8, bm25={3: 1.0}, body={0: 0.5}), Config())

    found = trace_chunk(outcome, 3, (), has_purpose=False)

    assert found.unembedded == ("body",)


def test_a_leg_that_did_not_run_lacks_no_vector() -> None:
    outcome = search(FakeCorpus(8, bm25={3: 1.0}), Config(off=frozenset({"purpose"})))

    assert trace(outcome, 3).unembedded == ("body",)


def test_a_listed_chunk_without_a_seat_was_outvoted() -> None:
    config = Config(depth=40, pool_size=8)
    strong = {chunk: 40.0 - chunk for chunk in range(30)}
    lone = {chunk: 1.0 / (1 + chunk) for chunk in (35, 36, 37)}
    outcome = search(FakeCorpus(40, purpose=strong, body=strong, bm25=lone), config)

    found = trace(outcome, 37)

    assert reason(found.death) == ("pool", "outvoted")
    assert found.in_leg == {
        "purpose": False,
        "body": False,
        "bm25": True,
        "symbol": False,
    }
    assert found.death
    assert found.death.detail.startswith("In the list of bm25 3; fused ordinal 33")
    assert found.death.needed == "A pool of 24."


def test_the_pool_that_is_said_to_admit_a_chunk_does() -> None:
    config = Config(depth=40, pool_size=8)
    strong = {chunk: 40.0 - chunk for chunk in range(30)}
    corpus = FakeCorpus(40, purpose=strong, body=strong, bm25={35: 2.0, 36: 1.0})
    found = trace(search(corpus, config), 36)
    assert found.death
    assert found.death.needed == "A pool of 16."

    larger = search(corpus, Config(depth=40, pool_size=16))
    smaller = search(corpus, Config(depth=40, pool_size=15))

    assert trace(larger, 36).via == "guarantee:bm25"
    assert trace(smaller, 36).via is None


def test_a_later_page_and_a_fourth_chunk_are_deaths_of_the_page() -> None:
    config = Config(cards_per_page=2, chunks_per_card=3)
    outcome = search(FakeCorpus(40, bm25=falling(16)), config)

    assert reason(trace(outcome, 3).death) == ("page", "folded")
    beyond = trace(outcome, 8).death
    assert reason(beyond) == ("page", "beyond_page")
    assert beyond
    assert beyond.detail == "Rank 9, on card 3: page 2."


def test_a_copy_dies_of_the_first_of_its_content() -> None:
    corpus = FakeCorpus(40, bm25=falling(8))
    corpus.contents = dict.fromkeys((1, 5, 6), b"same")
    outcome = search(corpus, Config())

    found = trace(outcome, 5)

    assert reason(found.death) == ("page", "duplicate_of:1")
    assert (found.via, found.final, found.card) == ("guarantee:bm25", None, None)
    assert found.death
    assert found.death.detail == (
        "It holds the same text, and is listed beneath rank 2, on card 1: page 1."
    )
    assert found.death.needed == "Unfold what is beneath rank 2."


def test_a_stub_dies_of_the_definition_it_re_exports() -> None:
    corpus = FakeCorpus(40, bm25=falling(8))
    corpus.stubs = {0: [20, 6]}
    outcome = search(corpus, Config())

    assert reason(trace(outcome, 0).death) == ("page", "re_export_of:6")
    final = trace(outcome, 6).final
    assert final
    assert final.ordinal == 6


def test_the_chunk_that_came_furthest_stands_for_a_path() -> None:
    config = Config(depth=4, pool_size=8)
    outcome = search(FakeCorpus(20, bm25=falling(20)), config)

    rows = [trace(outcome, chunk) for chunk in (12, 2, 5)]

    assert [row.chunk for row in sorted(rows, key=stage_reached)] == [2, 5, 12]


def test_what_is_folded_came_further_than_what_the_pool_cut() -> None:
    config = Config(depth=40, pool_size=8)
    corpus = FakeCorpus(20, purpose=falling(20), bm25={18: 2.0, 19: 1.0})
    corpus.contents = {18: b"same", 19: b"same"}
    outcome = search(corpus, config)

    rows = [trace(outcome, chunk) for chunk in (7, 19)]

    assert [row.chunk for row in sorted(rows, key=stage_reached)] == [19, 7]


columns = st.dictionaries(st.integers(0, 39), st.integers(0, 5).map(float))


contents = st.dictionaries(st.integers(0, 39), st.sampled_from([b"a", b"b"]))
stubs = st.dictionaries(
    st.integers(0, 39), st.lists(st.integers(0, 39), min_size=1, max_size=3)
)


@given(
    columns,
    columns,
    columns,
    columns,
    st.integers(8, 20),
    st.integers(1, 30),
    contents,
    stubs,
)
def test_every_chunk_dies_once_or_is_on_page_one(
    purpose: dict[int, float],
    body: dict[int, float],
    bm25: dict[int, float],
    symbol: dict[int, float],
    pool_size: int,
    depth: int,
    contents: dict[int, bytes],
    stubs: dict[int, list[int]],
) -> None:
    config = Config(depth=depth, pool_size=pool_size, cards_per_page=2)
    corpus = FakeCorpus(40, purpose=purpose, body=body, bm25=bm25, symbol=symbol)
    corpus.contents, corpus.stubs = contents, stubs
    outcome = search(corpus, config)

    for chunk in range(40):
        found = trace(outcome, chunk)
        stage = found.death.stage if found.death else None
        assert (stage == "leg") == (not any(found.in_leg.values()))
        assert (stage == "pool") == (stage != "leg" and found.via is None)
        assert (found.final is None) == (stage in ("leg", "pool") or bool(found.fold))
        if stage is None:
            assert found.card is not None
            assert found.card <= 2
    leaders = {leg.run.hits[0].chunk for leg in outcome.legs if leg.run.hits}
    assert leaders <= outcome.pool.entry.keys()


def filtered(typed: str, **scores: dict[int, float]) -> Outcome:
    """Search eight chunks, of which the first four are classes and 2 is a test."""
    corpus = FakeCorpus(8, **scores)
    corpus.described = {"kind:class": {0, 1, 2, 3}, "is:test": {2}}
    return run_search(read_query(typed), corpus, WITHOUT_MODEL, Config())


def test_a_chunk_out_of_scope_dies_there_with_its_unfiltered_ranks() -> None:
    outcome = filtered("save kind:class", bm25={5: 3.0, 6: 2.0, 1: 1.0})

    found = trace(outcome, 6)

    assert found.death == Death(
        "scope",
        "filter:kind",
        "“kind:class” leaves it out. Its unfiltered ranks: bm25 2.",
        "A search without “kind:class”.",
    )
    assert found.standings == dict.fromkeys(found.standings)
    assert (trace(outcome, 1).death, trace(outcome, 1).unfiltered_ranks["bm25"]) == (
        None,
        3,
    )


def test_of_several_filters_the_first_that_leaves_a_chunk_out_is_named() -> None:
    outcome = filtered("-is:test save kind:class kind:enum", bm25={2: 1.0})

    found = [trace(outcome, chunk).death for chunk in (2, 7)]

    assert [reason(death) for death in found] == [
        ("scope", "filter:is"),
        ("scope", "filter:kind"),
    ]
    assert found[1]
    assert found[1].needed == "A search without “kind:class kind:enum”."
    assert "No leg knows it." in found[1].detail


def test_a_chunk_in_scope_stands_for_a_file_before_one_that_is_not() -> None:
    outcome = filtered("save kind:class", bm25={5: 3.0})

    inside, outside = (trace(outcome, chunk) for chunk in (3, 5))

    assert stage_reached(inside) < stage_reached(outside)
