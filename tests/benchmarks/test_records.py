"""Records and report: every figure in the file comes from a record, none by hand."""

from __future__ import annotations

import pytest

from benchmarks.records import show, tables
from benchmarks.report import fill

RECORD = {
    "date": "2026-01-02",
    "revision": "abc",
    "machine": {"cpu": "a processor", "cores": 2},
    "figures": {"MRR": {"bm25": {"all": 0.5}, "other": {"all": "not run: missing"}}},
}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.5, ".500"),
        (-0.25, "-.250"),
        (1.0, "1.000"),
        (12.34, "12.3"),
        (7, "7"),
        ("not run", "not run"),
        ({"mean": 0.5, "low": 0.25, "high": 0.75, "n": 9}, ".500 [.250, .750]"),
    ],
)
def test_a_value_is_shown_short(value: object, shown: str) -> None:
    assert show(value) == shown


def test_a_column_that_a_row_has_not_stays_empty() -> None:
    table = tables({"what": {"a": {"x": 1}, "b": {"y": 2}}})

    assert table == "| what | x | y |\n|---|---|---|\n| a | 1 |  |\n| b |  | 2 |\n"


def test_a_section_is_replaced_and_the_rest_stays() -> None:
    text = "before\n<!-- one -->\nold\n<!-- /one -->\nafter\n"

    found = fill(text, {"one": RECORD, "two": RECORD})

    assert found == (
        "before\n<!-- one -->\n2026-01-02, revision abc, 2 cores of a processor.\n\n"
        "| MRR | all |\n|---|---|\n| bm25 | .500 |\n| other | not run: missing |\n"
        "<!-- /one -->\nafter\n"
    )
    assert fill(found, {"one": RECORD}) == found
