"""Spelling: near names are offered, the nearest and commonest first."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.pipeline.spelling import (
    build_spellings,
    load_spellings,
    nearest_spellings,
    save_spellings,
)

SPELLINGS = build_spellings(
    [
        "Paginator.get_page",
        "Paginator",
        "paginate",
        "QuerySet.get_or_create",
        "get_object_or_404",
        "get_list_or_404",
        "strip",
        "",
    ]
)


@pytest.mark.parametrize(
    ("word", "offered"),
    [
        ("Pagintor", ["Paginator"]),
        ("paginata", ["paginate", "Paginator"]),
        ("QuerrySet", ["QuerySet"]),
        ("stripe", ["strip"]),
        ("pag", []),  # too short to have neighbours
        ("kafka", []),
    ],
)
def test_names_within_two_edits_are_offered(word: str, offered: list[str]) -> None:
    spellings = build_spellings(
        ["Paginator.x1", "Paginator", "paginate", "QuerySet", "strip"]
    )

    assert nearest_spellings([spellings], word) == offered


def test_names_that_hold_two_known_parts_are_offered_after() -> None:
    assert nearest_spellings([SPELLINGS], "get_single_object") == ["get_object_or_404"]
    assert nearest_spellings([SPELLINGS], "ObjectLister") == []


def test_ties_go_to_the_commoner_name_then_by_name() -> None:
    spellings = build_spellings(["total1", "total2", "A.total2", "total3"])

    assert nearest_spellings([spellings], "total9") == ["total2", "total1", "total3"]


def test_counts_are_summed_over_builds() -> None:
    one = build_spellings(["total1", "total2"])
    other = build_spellings(["A.total2", "B.total2"])

    assert nearest_spellings([one, other], "total9")[0] == "total2"


def test_a_name_is_offered_once_whatever_its_case() -> None:
    spellings = build_spellings(["Signal", "signal", "SIGNAL"])

    assert nearest_spellings([spellings], "signall") == ["signal"]


def test_spellings_are_loaded_as_they_were_saved(tmp_path: Path) -> None:
    save_spellings(SPELLINGS, tmp_path)

    assert load_spellings(tmp_path) == SPELLINGS


def test_a_build_of_an_earlier_version_has_none(tmp_path: Path) -> None:
    assert nearest_spellings([load_spellings(tmp_path)], "signall") == []
