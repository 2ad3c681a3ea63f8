"""A vector is known by its text, and is used only if it is one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from indexer.pipeline.cache import Cache
from indexer.pipeline.embedding import assemble, write_vector_layer
from indexer.pipeline.known import Floats, KnownVectors, held_texts
from indexer.pipeline.ragged import offsets_of
from indexer.pipeline.store import read_manifest, write_manifest
from indexer.pipeline.surfaces import save_breaks, save_texts, text_digests, text_keys

A, B, C = (bytes([n]) * 32 for n in range(3))
ONE = np.array([[1.0, 0.0]], np.float32)
TWO = np.array([[0.0, 1.0], [0.6, 0.8]], np.float32)


@pytest.fixture
def known(tmp_path: Path) -> KnownVectors:
    return KnownVectors(Cache(tmp_path / "vectors.sqlite"), 2)


def test_the_vectors_of_all_parts_of_a_text_are_found(known: KnownVectors) -> None:
    known.add({A: ONE, B: TWO})

    found = known.find([C, B, A, B])

    assert found.keys() == {A, B}
    assert np.array_equal(found[A], ONE)
    assert np.array_equal(found[B], TWO)


def test_the_first_vector_of_a_text_stays(known: KnownVectors) -> None:
    known.add({A: ONE})
    known.add({A: -ONE})

    assert np.array_equal(known.find([A])[A], ONE)


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"\0" * 7,
        np.array([1.0, 0.0, 0.0], "<f4").tobytes(),
        np.array([0.5, 0.5], "<f4").tobytes(),
        np.array([np.nan, 1.0], "<f4").tobytes(),
        np.array([np.inf, 0.0], "<f4").tobytes(),
        np.array([1.0, 0.0, 3e38, 3e38], "<f4").tobytes(),
    ],
)
def test_what_is_no_vector_of_length_one_is_not_known(
    known: KnownVectors, value: bytes
) -> None:
    known.add({B: TWO})
    known.cache.add({A: value})

    assert known.find([A, B]).keys() == {B}


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    """A layer of three texts, of which the second is in two parts."""
    save_texts(tmp_path / "body", [b"pay", b"a long text", b"refund"])
    save_breaks(tmp_path, offsets_of([0, 1, 0]), np.array([[2, 0]], np.int32))
    keys = text_keys(tmp_path, "body", [2, 1, 0])
    rows: list[Floats] = [ONE, TWO, -ONE]
    batch = assemble([2, 1, 0], keys, dict(zip(keys, rows, strict=True)))
    folder = tmp_path / "body-0"
    folder.mkdir()
    write_vector_layer(folder, batch, {"kind": "body"})
    return folder


def test_a_layer_tells_which_rows_are_of_which_text(layer: Path) -> None:
    found = held_texts(layer, layer.parent, "body")

    keys = text_keys(layer.parent, "body", [0, 1, 2])
    rows = [(one.ordinal, one.start, one.stop, one.key, one.agrees) for one in found]
    assert rows == [
        (2, 0, 1, keys[2], True),
        (1, 1, 3, keys[1], True),
        (0, 3, 4, keys[0], True),
    ]


@pytest.mark.parametrize(("row", "ordinals"), [(0, [2]), (1, [1]), (2, [1]), (3, [0])])
def test_a_row_of_another_text_is_told(
    layer: Path, row: int, ordinals: list[int]
) -> None:
    digests = np.load(layer / "digests.npy")
    digests[row, 0] ^= 1
    np.save(layer / "digests.npy", digests)

    found = held_texts(layer, layer.parent, "body")

    assert [text.ordinal for text in found if not text.agrees] == ordinals


def test_a_row_of_another_chunk_is_told(layer: Path) -> None:
    ordinals = np.load(layer / "ordinals.npy")
    ordinals[2] = 0
    np.save(layer / "ordinals.npy", ordinals)

    found = held_texts(layer, layer.parent, "body")

    assert [text.agrees for text in found] == [True, False, True]


def test_an_earlier_layer_says_nothing_of_a_text_that_it_split(layer: Path) -> None:
    facts = read_manifest(layer)
    del facts["digests"]
    write_manifest(layer, facts)
    digests = np.load(layer / "digests.npy")
    whole = text_digests(layer.parent / "body", [2, 0])
    digests[[0, 3]] = [np.frombuffer(one, np.uint8) for one in whole]
    digests[0, 0] ^= 1
    np.save(layer / "digests.npy", digests)

    found = held_texts(layer, layer.parent, "body")

    assert [text.agrees for text in found] == [False, None, True]
