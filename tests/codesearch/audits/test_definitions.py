"""Every number of an audit is defined once, in words and as a formula."""

from __future__ import annotations

from pathlib import Path

import pytest

from codesearch.funnel.audit.intervals import RESAMPLES
from codesearch.funnel.audit.measures import Metric
from codesearch.funnel.audit.significance import FLIPS
from codesearch.pages.audits.definitions import DEFINITIONS

ROOT = Path(__file__).parents[3]
BY_KEY = {one.key: one for one in DEFINITIONS}


@pytest.mark.parametrize(
    "key",
    [
        *Metric,
        *("judged", "mean", "losses", "deaths", "control", "topics", "overlap"),
        *("iou", "reading", "retrievability", "randomisation", "sign", "holm"),
    ],
)
def test_what_is_shown_is_defined(key: str) -> None:
    found = BY_KEY[key]

    assert found.sentence.endswith(".")
    assert found.formula


def test_nothing_is_defined_twice() -> None:
    assert len(BY_KEY) == len({one.name for one in DEFINITIONS}) == len(DEFINITIONS)


def test_the_documents_have_every_definition_as_it_is() -> None:
    text = " ".join((ROOT / "docs" / "audits.md").read_text().split())

    missing = [
        one.name
        for one in DEFINITIONS
        if f"- **{one.name}**: {one.sentence} `{one.formula}`" not in text
    ]

    assert missing == []


def test_definitions_give_the_numbers_of_the_code() -> None:
    assert f"{RESAMPLES:,} times" in BY_KEY["mean"].sentence
    assert f"{FLIPS:,} are drawn" in BY_KEY["randomisation"].sentence
    assert "up to 13 queries" in BY_KEY["randomisation"].sentence
    assert 2**13 <= FLIPS < 2**14
