"""The points of a target stand beside those of the first hit and sum to the score."""

from __future__ import annotations

from codesearch.pages.trace.points import point_table
from codesearch.payloads import Payload
from tests.codesearch.example_payload import make_hit, make_target, make_trace


def structural(*terms: tuple[str, float | None, float, float]) -> Payload:
    """Return a rerank of (name, value, weight, points) terms."""
    keys = ("name", "value", "weight", "points")
    return {
        "kind": "structural",
        "score": sum(term[3] for term in terms),
        "terms": [dict(zip(keys, term, strict=True)) for term in terms],
        "logit": None,
    }


FIRST = make_hit(1, 1, "shop/cart.py", "Cart") | {
    "rerank": structural(("bm25", 0.5, 4.0, 2.0), ("test", 0.0, -3.0, 0.0))
}
SECOND = make_target(
    chunk="other", rerank=structural(("bm25", 0.25, 4.0, 1.0), ("test", 1.0, -3.0, -3))
)


def test_each_term_is_a_product_beside_the_first_hit_s_points() -> None:
    table = point_table(make_trace(SECOND, hits=[FIRST]), SECOND)

    assert table
    assert table.first_name == "Cart"
    rows = [(row.formula, row.points, row.first, row.ahead) for row in table.rows]
    assert rows == [
        ("0.250 × 4", "1.000", "2.000", "−1.000"),
        ("1.000 × −3", "−3.000", "0.000", "−3.000"),
    ]
    total = table.total
    assert (total.points, total.first, total.ahead) == ("−2.000", "2.000", "−4.000")


def test_the_first_hit_stands_alone() -> None:
    target = make_target(chunk=FIRST["chunk"], rerank=FIRST["rerank"])

    table = point_table(make_trace(target, hits=[FIRST]), target)

    assert table
    assert table.first_name is None
    assert [row.first for row in table.rows] == ["", ""]


def test_a_term_that_did_not_run_says_so() -> None:
    target = make_target(
        chunk=FIRST["chunk"], rerank=structural(("body cosine", None, 4.0, 0.0))
    )

    table = point_table(make_trace(target, hits=[FIRST]), target)

    assert table
    assert table.rows[0].formula == "did not run"


def test_what_was_never_in_the_pool_has_no_points() -> None:
    target = make_target(rerank=None)

    assert point_table(make_trace(target), target) is None
