"""Terms and edges of a trace: they add up, and the page says what the JSON says."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from django.template.loader import render_to_string

from codesearch import services
from codesearch.funnel.types import Config
from codesearch.pages.links import Scope
from codesearch.pages.trace.edge import leg_edges, pool_edge, tie_sentences
from codesearch.pages.trace.terms import term_table
from codesearch.payloads import Payload
from codesearch.plots.term_bars import draw_terms
from codesearch.views.trace import trace_context
from indexer.access import ANYONE
from indexer.models import Build
from indexer.pipeline.terms import tokenize
from tests.codesearch.example_payload import make_target, make_trace
from tests.codesearch.test_score_plots import numbers

NAME = re.compile(r"\d[\d,]*(?:\.\d+)?")


def traced(query: str, target: str) -> Payload:
    return services.trace(viewer=ANYONE, query=query, targets=[target])


def page_of(trace: Payload) -> str:
    context = trace_context(trace, Scope(query="format money"))
    return render_to_string("codesearch/_traced.html", context | {"is_frozen": True})


@pytest.mark.parametrize(
    "query", ["format money locale", "send the invoice, send money, send a bill"]
)
def test_idf_times_saturation_adds_up_to_the_raw_score_to_the_last_bit(
    shop: Build, query: str
) -> None:
    trace = traced(query, "Invoice")

    for chunk, raw in (
        (trace["targets"][0], trace["targets"][0]["legs"]["bm25"]["raw"]),
        (trace["bm25_compared"]["first"], trace["bm25_compared"]["first"]["raw"]),
        (trace["bm25_compared"]["floor"], trace["bm25_compared"]["floor"]["raw"]),
    ):
        terms = {term["term"]: term for term in chunk["terms"]}
        total = 0.0
        for term in tokenize(query):
            total += terms[term]["idf"] * terms[term]["tf_sat"]
        assert total == raw


def test_a_repeated_word_counts_as_often_as_it_is_asked(shop: Build) -> None:
    trace = traced("send send money", "Report.send")

    counts = {t["term"]: t["qtf"] for t in trace["targets"][0]["terms"]}

    assert counts == {"send": 2, "monei": 1}
    send = trace["targets"][0]["terms"][0]
    assert send["points"] == 2 * (send["idf"] * send["tf_sat"])


def test_no_chunk_gets_more_of_a_term_than_the_most_that_any_gets(shop: Build) -> None:
    trace = traced("send money nowhere", "Invoice")

    for i, about in enumerate(trace["bm25_compared"]["terms"]):
        points = [
            services.trace(viewer=ANYONE, query="send money nowhere", targets=[name])[
                "targets"
            ][0]["terms"][i]["points"]
            for name in ("format_money", "Invoice", "Invoice.send", "Report.send")
        ]
        if about["term"] == "nowher":
            assert about["max_points"] is None
        else:
            assert max(points) <= about["max_points"]


def test_what_a_chunk_lacks_is_the_rest_of_the_idf_mass(shop: Build) -> None:
    target = traced("send send money", "Report.send")["targets"][0]

    send, money = target["terms"]

    assert (send["tf"] > 0, money["tf"]) == (True, 0)
    assert target["length"]["missed_idf"] == money["idf"]
    assert target["length"]["missed_share"] == pytest.approx(
        money["idf"] / (2 * send["idf"] + money["idf"])
    )


def test_stop_words_are_named_and_a_query_of_them_alone_has_a_sentence(
    shop: Build,
) -> None:
    trace = traced("what is this", "Invoice")

    assert trace["bm25_compared"]["stop_words"] == ["what", "is", "this"]
    assert trace["bm25_compared"]["floor"] is None
    assert (
        term_table(trace, trace["targets"][0]).sentence
        == "The query has no term: what, is and this are stop words."
    )


def test_a_pool_that_holds_all_says_so_in_place_of_a_table(shop: Build) -> None:
    trace = traced("format money", "Invoice")

    edge = pool_edge(trace)

    assert edge
    assert edge.rows == []
    assert edge.sentences == [
        f"The pool has 200 places and the legs found {trace['union']} chunks: "
        "nothing is cut."
    ]


def test_every_number_of_the_bars_is_in_the_payload_and_in_the_table() -> None:
    trace = make_trace()
    table = re.sub(r"<svg.*?</svg>", "", page_of(trace), flags=re.DOTALL)
    bars = draw_terms(trace, trace["targets"][0])
    assert bars
    known = numbers(trace)

    for label in bars.texts:
        if "tick" in label.css or not NAME.fullmatch(label.text.split()[-1]):
            continue
        text = label.text.split()[-1]
        places = len(text.partition(".")[2])
        assert float(text.replace(",", "")) in {round(one, places) for one in known}
        assert text in table


def test_the_bars_are_the_first_the_target_and_the_floor_each_as_long_as_its_sum() -> (
    None
):
    trace = make_trace()
    bars = draw_terms(trace, trace["targets"][0])
    assert bars

    rows = Counter(box.y for box in bars.boxes)

    assert list(rows.values()) == [2, 1, 1]
    widths = [sum(b.width for b in bars.boxes if b.y == y) for y in rows]
    assert [round(19 * width / widths[0], 6) for width in widths] == [19, 8.02, 4.5]
    assert len(bars.cuts) == 1


def test_a_target_that_is_the_first_is_drawn_once() -> None:
    trace = make_trace()
    trace["bm25_compared"]["first"]["chunk"] = trace["targets"][0]["chunk"]

    names = [one.name for one in term_table(trace, trace["targets"][0]).columns]

    assert names == ["Cart.discount", "load"]


def test_the_edge_names_the_tie_and_who_took_the_place_of_the_target() -> None:
    edge = pool_edge(make_trace())

    assert edge
    assert edge.sentences == [
        "The pool takes 200: the first 25 of each leg, then the fused order, down to "
        "ordinal 200.",
        "2 below it are in by guarantee.",
        "The cut falls inside a tie of 2: ordinals 200 to 201 have the same score "
        "(edge_200 and edge_201) and stand in the order of their paths and lines; "
        "1 of them is in.",
        "Cart.discount is 14 places below the cut, 0.000212 below the last that fusion "
        "seated. 1 that stands below it in the fused order is in, by guarantee: "
        "edge_230 (230, guarantee:symbol).",
    ]
    assert [row.above for row in edge.rows][-1] == "11 more, 203–213; 1 of them in"
    assert [row.kept for row in edge.rows] == ["guarantee:bm25", "fusion", "", "", ""]


def test_a_cut_beside_a_tie_says_nothing() -> None:
    assert tie_sentences(None) == []


def test_a_target_that_no_leg_listed_is_shown_below_the_end_of_each_list(
    shop: Build,
) -> None:
    config = Config(depth=1, pool_size=20, reranker="structural")
    trace = services.trace(
        viewer=ANYONE,
        query="invoice money customer",
        targets=["Report.send"],
        config=config,
    )

    assert trace["targets"][0]["death"]["stage"] == "leg"
    edges = {edge.name: edge for edge in leg_edges(trace)}
    assert edges
    for edge in edges.values():
        assert [row.name for row in edge.rows if row.is_target] == ["Report.send"]
        assert next(row for row in edge.rows if row.is_last).ordinal == 1


def test_a_record_from_before_there_were_edges_says_so() -> None:
    trace = make_trace()
    old = {k: v for k, v in trace.items() if k not in ("edge", "bm25_compared")}
    old["targets"] = [
        make_target(
            length=None,
            terms=[{"term": "format", "tf": 2, "df": 7, "idf": 5.1, "points": 8.02}],
        )
    ]

    page = page_of(old)

    assert "made before the edges of the pool were kept" in page
    assert "k1 1.2, b 0.75." in page
