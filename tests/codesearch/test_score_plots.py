"""The plots of the scores: true to the payload, in a table too, labels apart."""

from __future__ import annotations

import re

import pytest
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st

from codesearch.pages.links import Scope
from codesearch.pages.trace.distributions import absent_of, leg_scores
from codesearch.payloads import Payload
from codesearch.plots.distribution import (
    LEFT,
    RIGHT,
    Histogram,
    calibration_band,
    draw_distribution,
)
from codesearch.plots.shapes import GAP, ROW, Flag, Text, place_flags, shorten
from codesearch.views.trace import trace_context
from tests.codesearch.example_payload import (
    NO_SCORES,
    make_distribution,
    make_target,
    make_trace,
    standing,
)

SCALE = {"absent": 0.41, "present": 0.7, "reach": 0.523, "start": 0.6}


def calibrated(trace: Payload) -> Payload:
    trace["closeness"]["calibration"] = {"cosine": SCALE, "words": None}
    return trace


def drawn(trace: Payload, leg: str) -> Histogram:
    plot = draw_distribution(trace, leg)
    assert plot
    return plot


def page_of(trace: Payload) -> str:
    """Return the section of a trace as HTML."""
    context = trace_context(trace, Scope(query="format money"))
    return render_to_string("codesearch/trace/_scores.html", context)


def numbers(value: object) -> set[float]:
    """Return every number of a payload."""
    if isinstance(value, dict):
        return set().union(*map(numbers, value.values()), set())
    if isinstance(value, list | tuple):
        return set().union(*map(numbers, value), set())
    return {float(value)} if isinstance(value, int | float) else set()


def overlap(one: Text, other: Text) -> bool:
    """True if the boxes of two labels meet."""
    across = one.left < other.left + other.width and other.left < one.left + one.width
    return across and abs(one.y - other.y) < ROW - 3


def test_every_number_of_a_label_is_in_the_payload_and_in_the_table() -> None:
    trace = calibrated(make_trace())
    page = page_of(trace)
    known = numbers(trace) | {1000.0}  # The sum of the bins.
    table = re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL)

    for leg in ("purpose", "bm25"):
        for label in drawn(trace, leg).texts:
            if "tick" in label.css:
                continue
            for text in re.findall(
                r"\d[\d,]*(?:\.\d+)?", label.text.replace("bm25", "")
            ):
                value, places = (
                    float(text.replace(",", "")),
                    len(text.partition(".")[2]),
                )
                assert value in {round(one, places) for one in known}, label.text
                if "chunks" not in label.text:
                    assert text in table, label.text


def test_there_is_a_bar_for_each_bin_as_high_as_the_root_of_its_count() -> None:
    trace = make_trace()
    found = trace["legs"]["bm25"]["distribution"]
    found["counts"] = [900] + [0] * 57 + [100, 0]

    shade, first, second = drawn(trace, "bm25").boxes

    assert shade.css == "f-bm25-soft"
    assert (first.height, round(second.height, 6)) == (74, round(74 / 3, 6))


def test_the_shade_begins_at_the_floor_or_holds_all_that_was_scored() -> None:
    trace = make_trace()
    found = trace["legs"]["bm25"]["distribution"]

    found["floor"] = (found["min"] + found["max"]) / 2
    half = drawn(trace, "bm25").boxes[0]
    found["floor"] = None
    whole = drawn(trace, "bm25").boxes[0]

    assert (half.x, half.width) == ((LEFT + RIGHT) / 2, (RIGHT - LEFT) / 2)
    assert (whole.x, whole.width) == (LEFT, RIGHT - LEFT)


def test_scores_that_are_all_equal_are_one_bar_in_the_middle() -> None:
    trace = make_trace()
    trace["legs"]["symbol"]["distribution"] = NO_SCORES | {
        "edges": [0.58, 0.58],
        "counts": [56],
        "unscored": 1178,
        **dict.fromkeys(("mean", "min", "max", "first"), 0.58),
        "sd": 0.0,
    }

    plot = drawn(trace, "symbol")

    (bar,) = [box for box in plot.boxes if box.css == "f-symbol"]
    assert bar.x + bar.width / 2 == (LEFT + RIGHT) / 2
    assert "56 chunks, square-root counts" in [text.text for text in plot.texts]


def test_a_leg_without_scores_says_why_in_one_sentence() -> None:
    trace = make_trace()
    trace["legs"]["body"] |= {"ran": False, "note": "no model", "distribution": None}

    said = {one.name: one.sentence for one in leg_scores(trace)}

    assert said["symbol"] == "No run: none of format, money names a symbol in scope."
    assert said["body"] == "No run: no model."
    assert said["bm25"] == ""
    assert draw_distribution(trace, "symbol") is None
    assert "No run: no model." in page_of(trace)


def test_without_a_chunk_in_scope_every_leg_says_so() -> None:
    trace = make_trace(in_scope=0)
    trace["legs"]["bm25"]["distribution"] = NO_SCORES

    said = {one.name: one.sentence for one in leg_scores(trace)}

    assert said["bm25"] == "No run: no chunk is in scope."


def test_a_record_without_distributions_says_so_in_one_sentence() -> None:
    trace = make_trace()
    for leg in trace["legs"].values():
        del leg["distribution"]

    page = page_of(trace)

    assert "made before the distributions of scores were kept" in page
    assert "<svg" not in page


def test_the_chunks_of_the_table_add_up_to_the_scope() -> None:
    (scores,) = [one for one in leg_scores(make_trace()) if one.name == "bm25"]

    assert sum(row.count for row in scores.bins) + scores.unscored == 1234
    assert (scores.bins[0].start, scores.bins[0].end) == ("0.500", "0.808")
    assert scores.note == "234 chunks hold no term and have no score"


def test_absent_concepts_are_drawn_for_the_build_that_decided_only() -> None:
    trace = calibrated(make_trace())
    other = dict(trace["builds"][0], repository="till", fingerprint="99ffee00")
    trace["builds"].append(other)

    assert calibration_band(trace, "purpose:a1b2c3d4") == (0.41, 0.523)
    assert calibration_band(trace, "purpose:99ffee00") is None
    assert calibration_band(trace, "bm25") is None
    assert absent_of(trace) == "shop"
    assert absent_of(make_trace()) == ""


def test_several_targets_are_named_and_each_is_marked() -> None:
    trace = make_trace(
        make_target(),
        make_target(symbol="Cart.total", legs={"bm25": standing(9, 8.1) | {"z": 1.0}}),
    )

    said = [text.text for text in drawn(trace, "bm25").texts]

    assert "Cart.discount 8.02, rank 127" in said
    assert "Cart.total 8.10, rank 9" in said
    assert len(drawn(trace, "bm25").arrows) == 2


RAWS = st.lists(st.floats(0.5, 19.0), min_size=1, max_size=10)


@given(raws=RAWS, floor=st.floats(0.5, 19.0), ends=st.sampled_from([0.41, 12.0, 40.0]))
def test_labels_never_meet_and_never_leave_the_plot(
    raws: list[float], floor: float, ends: float
) -> None:
    targets = [
        make_target(
            symbol="A_rather_long.name_of_a_method"[: 8 + 2 * n],
            legs={"purpose": standing(100 * n + 1, raw)},
        )
        for n, raw in enumerate(raws)
    ]
    trace = calibrated(make_trace(*targets))
    trace["closeness"]["calibration"]["cosine"] = SCALE | {"reach": ends}
    trace["legs"]["purpose"]["distribution"] = make_distribution(0.5, 19.0, floor)

    texts = drawn(trace, "purpose").texts

    for i, one in enumerate(texts):
        if "tick" not in one.css:
            assert one.left >= LEFT - 1e-6
            assert one.left + one.width <= RIGHT + 1e-6
        for other in texts[:i]:
            assert not overlap(one, other), (one, other)


def test_a_flag_stands_where_no_stem_passes_if_there_is_such_a_place() -> None:
    floor, first = (
        Flag(x, text, "", "") for x, text in ((350, "floor 1"), (421, "first 2"))
    )

    right, left = place_flags([floor, first], 14, 446)

    assert (right.row, right.label.anchor, right.label.x) == (0, "end", 421 - GAP)
    assert (left.row, left.label.anchor, left.label.x) == (0, "end", 350 - GAP)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("QuerySet.get", "QuerySet.get"),
        ("TemplateMixin.get_template_names", "Templ…plate_names"),
    ],
)
def test_of_a_long_name_the_end_stays(name: str, short: str) -> None:
    assert shorten(name, 17) == short
