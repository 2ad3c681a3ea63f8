"""Closeness: judged build by build, the best band holds, and the evidence says why."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesearch.funnel.closeness import BANDS, JudgedBuild, judge, telling_names
from codesearch.funnel.legs import rank_leg
from codesearch.funnel.pool import fill_pool
from codesearch.funnel.query import read_query
from codesearch.funnel.types import Config, Outcome, Reranked, Run, Scope, Scores
from codesearch.funnel.vocabulary import QueryWord
from indexer.pipeline.calibration import Calibration, Scale
from indexer.pipeline.postings import build_postings
from indexer.pipeline.terms import tokenize

CALIBRATION = Calibration(
    present=100,
    absent=300,
    cosine=Scale(absent=0.2, present=0.6, reach=0.35, start=0.4),
    words=Scale(absent=-0.5, present=0.9, reach=0.2, start=0.5),
    false_flags=0.02,
    flagged=0.95,
)
SHOP = ["sign a session cookie", "hash a password"]
TILL = ["print a receipt", "open the drawer"]


class Symbols:
    """A corpus of four chunks that knows which name each one has."""

    NAMES = ("session_cookie", "hash", "Receipt.print", "drawer")
    chunk_count = 4
    place_count = 0

    def symbol(self, names: Sequence[str]) -> Scores:
        wanted = {name.lower() for name in names}
        return np.array(
            [1.0 if name.lower() in wanted else np.nan for name in self.NAMES]
        )


def make_outcome(
    text: str,
    purpose: list[float],
    body: list[float],
    outside: Collection[int] = (),
) -> Outcome:
    """Return a search whose dense legs have these cosines, not all in scope."""
    config = Config()
    scope = np.array([chunk not in outside for chunk in range(len(purpose))])
    legs = tuple(
        rank_leg(name, np.array(scores), depth=config.depth, scope=scope)
        for name, scores in (("purpose", purpose), ("body", body))
    )
    fused = Run("fused", ())
    return Outcome(
        query=read_query(text),
        config=config,
        scope=Scope((), scope, np.ones(0, np.bool_)),
        legs=legs,
        fused=fused,
        contributions={},
        pool=fill_pool(legs, fused, config),
        reranked=Reranked("identity", fused, None, {}),
        shown=fused,
        folded={},
        cards={},
        places=(),
        timings_ms={},
    )


def make_build(
    name: str,
    start: int,
    chunks: list[str],
    calibration: Calibration | None = CALIBRATION,
) -> JudgedBuild:
    postings = build_postings([tokenize(text) for text in chunks])
    return JudgedBuild(
        name, start, start + len(chunks), postings, calibration, f"{name} is not."
    )


NAN = float("nan")
BUILDS = (make_build("shop", 0, SHOP), make_build("till", 2, TILL))


def judge_text(
    text: str,
    purpose: list[float],
    body: list[float] | None = None,
    builds: Sequence[JudgedBuild] = BUILDS,
    words: Sequence[QueryWord] = (),
    outside: Collection[int] = (),
) -> tuple[str, list[str]]:
    found = judge(
        make_outcome(text, purpose, body or [NAN] * 4, outside),
        Symbols(),  # type: ignore[arg-type]  # no more of a corpus is asked for
        builds,
        words,
    )
    return found.band, [one.sentence for one in found.evidence]


def test_the_best_band_of_all_builds_holds_and_its_evidence_is_given() -> None:
    band, sentences = judge_text("hash a password", [0.3, 0.7, 0.2, 0.1])

    assert band == "close"
    assert sentences == [
        "Best cosine in shop 0.700; absent concepts reach 0.350, present sentences "
        "typically 0.600.",
        "One chunk in shop holds 100% of the query's words by weight.",
    ]


def test_nothing_needs_every_build_to_say_so() -> None:
    band, sentences = judge_text(
        "kafka vats",
        [0.1, 0.2, 0.3, 0.25],
        words=[QueryWord("kafka", 0, (), 0.5), QueryWord("vats", 0, (), 0.5)],
    )

    assert band == "nothing"
    assert sentences == [
        "“kafka” occurs nowhere in this index: 50% of what was asked for, by weight.",
        "“vats” occurs nowhere in this index: 50% of what was asked for, by weight.",
        "Best cosine in till 0.300; absent concepts reach 0.350, present sentences "
        "typically 0.600.",
        "One chunk in till holds 0% of the query's words by weight; 100% occurs "
        "nowhere.",
    ]


def test_a_build_without_a_calibration_may_hold_what_the_others_do_not() -> None:
    unknown = make_build("till", 2, TILL, None)

    band, sentences = judge_text(
        "kafka consumer", [0.1, 0.2, 0.3, 0.25], builds=(BUILDS[0], unknown)
    )

    assert band == "uncalibrated"
    assert sentences[-1] == "till is not."


def test_of_several_builds_with_the_band_the_closest_decides() -> None:
    outcome = make_outcome("hash a password", [0.3, 0.5, 0.3, 0.7], [NAN] * 4)
    builds = (BUILDS[0], make_build("till", 2, SHOP))

    found = judge(
        outcome,
        Symbols(),  # type: ignore[arg-type]  # as above
        builds,
        (),
    )

    assert found.bands == (("shop", "close"), ("till", "close"))
    assert found.decided == "till"


def test_a_calibrated_build_without_a_cosine_says_that_it_lacks_one() -> None:
    builds = [replace(build, reason="") for build in BUILDS]

    band, sentences = judge_text("hash a password", [NAN] * 4, builds=builds)

    assert band == "uncalibrated"
    assert sentences == [
        "No leg found anything.",
        "shop cannot be judged: no cosine tells how close its chunks are.",
    ]


def test_the_better_of_the_two_surfaces_counts() -> None:
    low = [0.1, 0.1, 0.1, 0.1]

    assert judge_text("hash a password", low, low)[0] == "weak"
    assert judge_text("hash a password", low, [0.1, 0.7, 0.1, 0.1])[0] == "close"


def test_only_what_is_in_scope_can_be_close() -> None:
    cosines = [0.3, 0.7, 0.2, 0.1]

    near = judge_text("hash a password", cosines, outside={0, 2})
    far = judge_text("hash a password", cosines, outside={1})

    assert near[0] == "close"
    assert far == (
        "nothing",
        [
            "Best cosine in shop 0.300; absent concepts reach 0.350, present sentences "
            "typically 0.600.",
            "One chunk in shop holds 0% of the query's words by weight.",
        ],
    )


def test_where_filters_leave_no_chunk_nothing_is_close() -> None:
    found = judge_text("Receipt.print", [0.9] * 4, outside={0, 1, 2, 3})

    assert found == ("nothing", ["The filters leave no chunk to search."])


def test_an_exact_name_keeps_a_search_from_saying_nothing() -> None:
    band, sentences = judge_text("is it Receipt.print", [0.1, 0.1, 0.1, 0.1])

    assert band != "nothing"
    assert sentences[-1] == "“Receipt.print” is the exact name of a symbol."


@pytest.mark.parametrize(
    ("text", "telling"),
    [
        ("session_cookie of a request", ["session_cookie"]),
        ("QuerySet.get or QuerySet", ["QuerySet.get", "QuerySet"]),
        ("hash", ["hash"]),
        ("hash a password", []),
        ("what is this", []),
    ],
)
def test_a_plain_word_in_a_sentence_names_no_symbol(
    text: str, telling: list[str]
) -> None:
    assert telling_names(read_query(text)) == telling


@given(
    st.lists(st.floats(-1, 1) | st.just(NAN), min_size=4, max_size=4),
    st.lists(st.sampled_from(["hash", "session_cookie", "kafka", "of"]), max_size=4),
)
def test_more_builds_never_make_a_worse_band(
    cosines: list[float], words: list[str]
) -> None:
    text = " ".join(words)
    one = judge_text(text, cosines, builds=BUILDS[:1])[0]
    other = judge_text(text, cosines, builds=BUILDS[1:])[0]

    both = judge_text(text, cosines)[0]

    assert both == max(one, other, key=BANDS.index)


def test_a_build_without_a_vector_is_uncalibrated_with_the_cosines_there_are() -> None:
    bare = [replace(build, calibration=None) for build in BUILDS]

    band, sentences = judge_text("hash", [0.1, 0.7, NAN, NAN], builds=bare)

    assert band == "uncalibrated"
    assert sentences[0] == "Best purpose cosine 0.700."
