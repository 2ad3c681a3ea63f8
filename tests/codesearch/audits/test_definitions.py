"""Every number of an audit is defined once, in words and as a formula."""

from __future__ import annotations

from pathlib import Path

import pytest

from codesearch.funnel.audit.intervals import RESAMPLES
from codesearch.funnel.audit.measures import Metric
from codesearch.funnel.audit.significance import FLIPS
from codesearch.funnel.audit.similarity import PERSISTENCE
from codesearch.pages.audits.definitions import (
    COMPARISONS,
    LISTS,
    LOSSES,
    OTHERS,
    definition_of,
)

ROOT = Path(__file__).parents[3]
ALL = (*LISTS, *LOSSES, *OTHERS, *COMPARISONS)


@pytest.mark.parametrize(
    "key",
    [
        *Metric,
        *("judged", "mean", "losses", "deaths", "control", "topics", "overlap"),
        *("iou", "reading", "retrievability", "randomisation", "sign", "holm", "rbo"),
    ],
)
def test_what_is_shown_is_defined(key: str) -> None:
    found = definition_of(key)

    assert found.key == key
    assert found.sentence.endswith(".")
    assert found.formula


def test_nothing_is_defined_twice() -> None:
    assert len({one.key for one in ALL}) == len({one.name for one in ALL}) == len(ALL)


def test_the_documents_have_every_definition_as_it_is() -> None:
    text = " ".join((ROOT / "docs" / "audits.md").read_text().split())

    missing = [
        one.name
        for one in ALL
        if f"- **{one.name}**: {one.sentence} `{one.formula}`" not in text
    ]

    assert missing == []


def test_definitions_give_the_numbers_of_the_code() -> None:
    assert f"{RESAMPLES:,} times" in definition_of("mean").sentence
    assert f"{FLIPS:,} are drawn" in definition_of("randomisation").sentence
    assert "up to 13 queries" in definition_of("randomisation").sentence
    assert 2**13 <= FLIPS < 2**14
    assert f"p = {PERSISTENCE}" in definition_of("rbo").formula
