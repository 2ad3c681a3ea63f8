"""Names: a chunk is found by its qualified name and by every suffix of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.pipeline.names import (
    NamesError,
    build_names,
    load_names,
    lookup,
    rarity,
    save_names,
)

SYMBOLS = ["QuerySet.get", "", "get", "Manager.QuerySet.Get", "ns::sort"]


@pytest.mark.parametrize(
    ("key", "ordinals"),
    [
        ("QuerySet.get", [0, 3]),
        ("manager.queryset.get", [3]),
        ("GET", [0, 2, 3]),
        ("QuerySet", []),
        ("ns.sort", [4]),
        ("ns::sort", [4]),
        ("sort", [4]),
        ("zzz", []),
        ("", []),
    ],
)
def test_a_name_stands_for_the_chunks_it_ends(key: str, ordinals: list[int]) -> None:
    assert lookup(build_names(SYMBOLS), key).tolist() == ordinals


def test_a_repeated_part_names_a_chunk_once() -> None:
    assert lookup(build_names(["get.get.get"]), "get").tolist() == [0]


def test_no_symbols_no_names() -> None:
    assert lookup(build_names(["", ""]), "get").tolist() == []


@pytest.mark.parametrize("symbols", [SYMBOLS, []])
def test_names_are_loaded_as_they_were_saved(
    tmp_path: Path, symbols: list[str]
) -> None:
    saved = build_names(symbols)

    save_names(saved, tmp_path / "new")
    loaded = load_names(tmp_path / "new")

    assert loaded.keys == saved.keys
    assert lookup(loaded, "get").tolist() == lookup(saved, "get").tolist()


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    save_names(build_names(SYMBOLS), tmp_path)
    (tmp_path / "names.json").write_text("[]")

    with pytest.raises(NamesError, match="0 names"):
        load_names(tmp_path)


@given(st.lists(st.lists(st.sampled_from(["a", "B", "c"]), max_size=4), max_size=8))
def test_every_suffix_of_every_symbol_is_found(parts: list[list[str]]) -> None:
    names = build_names([".".join(symbol) for symbol in parts])

    for ordinal, symbol in enumerate(parts):
        for start in range(len(symbol)):
            assert ordinal in lookup(names, ".".join(symbol[start:])).tolist()


def test_a_name_is_the_rarer_the_fewer_chunks_are_called_by_it() -> None:
    found = [rarity(definitions, 99) for definitions in (1, 9, 99)]

    assert found == pytest.approx([1.0, 0.5396, 0.1505], abs=1e-4)
