"""The rank flow: every rank drawn is one of the payload, and what is absent is so."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st

from codesearch.pages.links import Scope
from codesearch.pages.trace.candidates import candidates
from codesearch.pages.trace.ranks import RankLine, rank_flow
from codesearch.payloads import Payload
from codesearch.plots.flow import LEFT, STEP, Flow, decade_after, draw_flow, spread
from codesearch.plots.shapes import LETTER
from codesearch.views.trace import trace_context
from tests.codesearch.example_payload import (
    make_folded,
    make_hit,
    make_target,
    make_trace,
    standing,
)

COLUMNS = ["purpose", "body", "bm25", "symbol", "fused", "rerank", "card"]


def drawn(trace: Payload) -> Flow:
    flow = draw_flow(rank_flow(trace))
    assert flow
    return flow


def page_of(trace: Payload) -> str:
    """Return the section of a trace as HTML."""
    context = trace_context(trace, Scope(query="format money"))
    return render_to_string("codesearch/trace/_ranks.html", context)


def line_of(trace: Payload, name: str) -> RankLine:
    (found,) = (line for line in rank_flow(trace).lines if line.name == name)
    return found


def test_a_line_has_the_rank_of_each_stage_and_none_where_there_is_none() -> None:
    trace = make_trace()

    target, hit = line_of(trace, "Cart.discount"), line_of(trace, "Cart.total")

    assert [column.name for column in rank_flow(trace).columns] == COLUMNS
    assert target.ranks == [1482, None, 127, None, 214, None, None]
    assert target.kept[:5] == [False, False, True, False, False]
    assert (target.ended, target.rank) == ("pool: outvoted", None)
    assert hit.ranks == [None, None, 3, None, 3, 3, 2]
    assert (hit.ended, hit.rank) == ("page one", 3)


def test_the_first_hits_each_legs_first_and_the_targets_are_drawn_once() -> None:
    hits = [make_hit(n, n, "a.py", f"f{n}") for n in range(1, 30)]
    hits[20]["legs"]["symbol"] = standing(1, 1.0)
    hits[24]["copies"] = [make_folded("b.py", "copy", legs={"body": standing(1, 0.9)})]
    cut = make_hit(300, 0, "c.py", "cut") | {
        **dict.fromkeys(("rank", "card", "page", "rerank")),
        "legs": {"purpose": standing(1, 0.8)},
        "pool": {"in": False, "via": None},
    }
    twice = make_target(chunk=hits[2]["chunk"], symbol="f3")
    trace = make_trace(twice, make_target(), hits=hits) | {"cut_leaders": [cut]}

    names = [line.name for line in rank_flow(trace).lines]

    firsts = [f"f{n}" for n in range(1, 16) if n != 3]
    assert names == [*firsts, "f21", "copy", "cut", "f3", "Cart.discount"]
    assert line_of(trace, "f21").leads == ["symbol"]
    assert line_of(trace, "cut").ended == "cut by the pool"
    assert line_of(trace, "copy").ended == "folded"


def test_every_number_of_a_label_is_a_rank_or_a_limit_and_in_the_table() -> None:
    trace = make_trace()
    page = page_of(trace)
    table = set(re.findall(r">(?:takes )?([\d,]+)<", page.partition("<details")[2]))
    labels = [t for t in drawn(trace).texts if "tick" not in t.css]

    said = [
        number
        for label in labels
        if "t-mono" not in label.css and label.text not in COLUMNS
        for number in re.findall(r"[\d,]+", label.text.replace("rank, log", ""))
    ]

    assert {"1,482", "127", "214", "200"} <= set(said)
    assert set(said) <= table


def test_the_axis_is_logarithmic_and_stops_at_the_decade_after_the_worst() -> None:
    flow = drawn(make_trace())

    ticks = {text.text: text.y for text in flow.texts if "tick" in text.css}

    assert flow.limit == 10_000
    assert list(ticks)[-1] == "10,000"
    steps = [ticks[mark] for mark in ("1", "10", "100", "1,000", "10,000")]
    gaps = [round(after - before, 6) for before, after in pairwise(steps)]
    assert len(set(gaps)) == 1
    assert "The axis stops at 10,000" in page_of(make_trace())


@pytest.mark.parametrize(
    ("rank", "limit"), [(1, 10), (10, 10), (11, 100), (1482, 10_000), (10_000, 10_000)]
)
def test_a_decade_begins_behind_a_power_of_ten(rank: int, limit: int) -> None:
    assert decade_after(rank) == limit


def test_a_way_is_broken_where_a_stage_has_no_rank_and_ends_where_it_died() -> None:
    trace = make_trace(
        hits=[make_hit(1, 1, "a.py", "f", legs={"body": standing(2, 0.5)})]
    )
    flow = drawn(trace)

    ways = [line for line in flow.lines if "stroke--bold" in line.css]
    dots = [dot for dot in flow.dots if dot.radius == 5]

    # Columns: purpose, body, bm25, fused, rerank, card; none of these is in symbol.
    assert flow.left_out == ["symbol"]
    assert ["dot" in way.css.split() for way in ways] == [True, False]
    assert [dot.x for dot in dots] == [LEFT, LEFT + 2 * STEP, LEFT + 3 * STEP]
    assert [dot.kind for dot in dots] == ["out", "in", "out"]


def test_the_first_of_a_leg_has_its_colour_and_the_others_none() -> None:
    lines = drawn(make_trace()).lines

    assert any("s-bm25 stroke--mid" in line.css for line in lines)
    assert not any("s-purpose" in line.css for line in lines)


def test_a_target_without_a_rank_is_named_and_not_drawn() -> None:
    nowhere = make_target(
        target="logo.png",
        chunk=None,
        symbol=None,
        path="logo.png",
        legs=dict.fromkeys(("purpose", "body", "bm25", "symbol")),
        fused=None,
        death={
            "stage": "corpus",
            "reason": "skipped:binary",
            "detail": "",
            "needed": "",
        },
    )
    trace = make_trace(nowhere)

    assert [line.name for line in rank_flow(trace).unplaced] == ["logo.png"]
    assert "logo.png has no rank: corpus: skipped." in page_of(trace)
    assert draw_flow(rank_flow(make_trace(nowhere, hits=[]))) is None
    assert "no stage has a rank of anything" in page_of(make_trace(nowhere, hits=[]))


def test_many_legs_make_the_chart_wider_and_name_their_embedder() -> None:
    trace = make_trace()
    for digits in ("1a2b3c4d", "99ffee00"):
        for surface in ("purpose", "body"):
            name = f"{surface}:{digits}"
            trace["legs"][name] = trace["legs"][surface]
            for hit in trace["hits"]:
                hit["legs"][name] = standing(4, 0.5)

    flow = drawn(trace)

    assert flow.is_wide
    assert flow.width > drawn(make_trace()).width
    assert "99ffee00" in [text.text for text in flow.texts]


def test_a_record_of_before_draws_the_final_ranks() -> None:
    trace = make_trace()
    del trace["cut_leaders"]
    for hit in trace["hits"]:
        hit["rerank"] = {"kind": "identity", "score": 0.1, "terms": [], "logit": None}

    assert line_of(trace, "Cart.total").ranks[5] == 3
    assert candidates(trace)[1].move is None


@given(
    ranks=st.lists(
        st.tuples(*[st.none() | st.integers(1, 99_999)] * 3), min_size=1, max_size=10
    )
)
def test_labels_never_meet(
    ranks: list[tuple[int | None, int | None, int | None]],
) -> None:
    targets = [
        make_target(
            chunk=f"c{n}",
            symbol=f"A_very_long_name_of_a_class_{n}.and_of_its_method",
            legs={
                name: rank and standing(rank, 0.5)
                for name, rank in zip(("purpose", "body"), row, strict=False)
            },
            fused={"score": 0.1, "ordinal": row[2], "contributions": {}},
        )
        for n, row in enumerate(ranks)
    ]

    flow = drawn(make_trace(*targets))

    for i, one in enumerate(flow.texts):
        assert one.left >= 0
        assert one.left + one.width <= flow.width
        assert one.y <= flow.height
        for other in flow.texts[:i]:
            apart = max(one.left, other.left) >= min(
                one.left + one.width, other.left + other.width
            )
            assert apart or abs(one.y - other.y) >= LETTER + 4, (one, other)


def test_labels_stand_where_they_want_or_below_the_one_before() -> None:
    assert spread([(10, 15), (12, 30), (90, 15)], 200) == [10, 25, 90]


def test_labels_that_would_run_out_move_up() -> None:
    assert spread([(10, 15), (80, 15), (95, 15)], 100) == [10, 70, 85]


def test_a_candidate_says_how_it_moved_and_what_each_leg_gave_it() -> None:
    trace = make_trace()
    trace["rerank"]["kind"] = "cross_encoder"
    trace["hits"][0]["rerank"] |= {
        "kind": "cross_encoder",
        "logit": 2.0,
        "sigmoid": 0.8807970779778823,
        "rank_in": 9,
        "rank_out": 1,
        "delta": 8,
    }

    target, first = candidates(trace)[:2]

    assert first.move
    assert (first.move.before, first.move.after, first.move.up) == (9, 1, 8)
    assert (first.rerank, first.sigmoid, first.page) == ("logit 2.00", "0.881", 1)
    bm25 = target.legs[2]
    assert (bm25.cell.raw, bm25.percentile, bm25.z) == ("bm25 8.02", "99.7%", "+1.06")
    assert (bm25.contribution, target.ended) == ("0.005348", "pool: outvoted")
