"""Texts are encoded in one order, product code first, and known by what they are."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from indexer.pipeline.build import Assembly
from indexer.pipeline.marks import comes_first
from indexer.pipeline.ragged import offsets_of
from indexer.pipeline.surfaces import (
    load_surface,
    load_texts,
    save_breaks,
    save_order,
    save_texts,
    text_keys,
    texts_of,
)
from indexer.pipeline.types import Mark
from tests.files import place_file

CODE = "def pay(x):\n    return x\n"
PATHS = ("docs/conf.py", "shop/money.py", "shop/tests/test_money.py", "shop/till.py")


def write(folder: Path, texts: list[str], breaks: list[list[tuple[int, int]]]) -> None:
    save_texts(
        folder / "body", [text.encode("utf-8", "surrogatepass") for text in texts]
    )
    flat = [place for places in breaks for place in places]
    rows = np.array(flat, np.int32).reshape(-1, 2)
    save_breaks(folder, offsets_of([len(places) for places in breaks]), rows)


@pytest.fixture
def lexical(tmp_path: Path) -> Path:
    """The lexical layer of four files: two of a product, one of tests, one of docs."""
    Assembly([place_file(path, CODE) for path in PATHS]).write(tmp_path, {})
    return tmp_path


@pytest.mark.parametrize("surface", ["summary", "purpose", "body"])
def test_product_code_is_encoded_before_tests_and_documentation(
    lexical: Path, surface: str
) -> None:
    assert texts_of(lexical, surface) == [1, 3, 0, 2]


def test_a_build_from_before_there_was_an_order_keeps_its_own(lexical: Path) -> None:
    (lexical / "body_order.npy").unlink()

    assert texts_of(lexical, "body") == [0, 1, 2, 3]


def test_a_chunk_without_a_text_is_not_in_the_order(tmp_path: Path) -> None:
    save_order(
        tmp_path / "purpose", [b"a", b"", b"c", b"d"], [False, True, True, False]
    )

    assert texts_of(tmp_path, "purpose") == [2, 0, 3]


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ((), True),
        ((Mark.REEXPORT,), True),
        ((Mark.TEST,), False),
        ((Mark.GENERATED, Mark.REEXPORT), False),
        ((Mark.VENDORED,), False),
        ((Mark.DOCUMENTATION,), False),
        ((Mark.EXAMPLE,), False),
    ],
)
def test_what_comes_first_is_product_code(
    marks: tuple[Mark, ...], expected: bool
) -> None:
    assert comes_first(marks) is expected


def test_a_text_that_cannot_be_split_is_known_by_its_sha256(tmp_path: Path) -> None:
    write(tmp_path, ["pay \udcff", "", "refund"], [[], [], []])

    assert text_keys(tmp_path, "body", [2, 0]) == [
        hashlib.sha256(b"refund").digest(),
        hashlib.sha256(b"pay \xed\xb3\xbf").digest(),
    ]


def test_one_text_that_may_be_split_elsewhere_has_another_key(tmp_path: Path) -> None:
    places = [[(3, 0)], [(3, 1)], [(3, 0), (5, 0)], [], [(3, 0)]]
    write(tmp_path, ["pay the bill"] * 5, places)

    keys = text_keys(tmp_path, "body", range(5))

    assert keys[0] == keys[4]
    assert len(set(keys)) == 4


def test_a_purpose_is_known_whatever_the_breaks_of_its_body(tmp_path: Path) -> None:
    save_texts(tmp_path / "purpose", [b"pay"])
    write(tmp_path, ["pay"], [[(1, 0)]])

    assert text_keys(tmp_path, "purpose", [0]) == [hashlib.sha256(b"pay").digest()]


def test_texts_are_read_with_the_places_where_they_may_be_split(tmp_path: Path) -> None:
    write(tmp_path, ["pay\nnow", "", "refund"], [[(1, 0), (2, 1)], [], []])

    found = load_surface(tmp_path, "body", [2, 0])

    assert load_texts(tmp_path / "body", [1]) == [""]
    assert found.ordinals == (2, 0)
    assert found.texts == ("refund", "pay\nnow")
    assert found.heads == ("refund", "pay")
    assert found.breaks == ((), ((1, 0), (2, 1)))
    assert np.load(tmp_path / "breaks.npy").dtype == np.int32
