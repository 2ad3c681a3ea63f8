"""Texts are encoded in portions of like length, and laid out in their order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from indexer.pipeline import embedding
from indexer.pipeline.embedding import assemble, encode_texts, read_parts
from indexer.pipeline.surfaces import save_texts
from tests.encoders import WordEncoder, direction

KEYS = [bytes([n]) * 32 for n in range(4)]


def test_a_portion_holds_texts_of_like_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "PORTION_TEXTS", 2)
    save_texts(tmp_path / "purpose", [b"pay the bill", b"pay", b"refund", b"a bill"])
    encoder = WordEncoder()

    wanted = dict(zip(KEYS, range(4), strict=True))
    portions = list(encode_texts(tmp_path, "purpose", wanted, encoder))

    assert [list(portion) for portion in portions] == [
        [KEYS[1], KEYS[2]],
        [KEYS[3], KEYS[0]],
    ]
    assert np.array_equal(portions[1][KEYS[0]], [direction("pay the bill")])


def test_a_portion_holds_no_more_text_than_a_second_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "PORTION_BYTES", 8)
    save_texts(tmp_path / "purpose", [b"pay", b"pays", b"a longer text", b"x"])

    wanted = dict(zip(KEYS, range(4), strict=True))
    portions = list(encode_texts(tmp_path, "purpose", wanted, WordEncoder()))

    assert [list(portion) for portion in portions] == [
        [KEYS[3], KEYS[0], KEYS[1]],
        [KEYS[2]],
    ]


def test_short_and_long_portions_take_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "PORTION_TEXTS", 1)
    save_texts(tmp_path / "purpose", [b"p" * length for length in range(1, 9)])
    keys = [bytes([n]) * 32 for n in range(8)]

    wanted = dict(zip(keys, range(8), strict=True))
    made = encode_texts(tmp_path, "purpose", wanted, WordEncoder())
    order = [keys.index(key) for portion in made for key in portion]

    assert order == [0, 5, 2, 7, 4, 1, 6, 3]


def test_a_text_in_parts_has_a_vector_of_each(tmp_path: Path) -> None:
    long = " ".join(f"word{n}" for n in range(100))
    save_texts(tmp_path / "summary", [long.encode(), b"pay"])
    encoder = WordEncoder()

    (made,) = encode_texts(tmp_path, "summary", {KEYS[0]: 0, KEYS[1]: 1}, encoder)

    assert [len(made[key]) for key in KEYS[:2]] == [2, 1]
    assert len(encoder.encoded) == 3


def test_a_layer_has_the_rows_of_each_text_in_the_order_of_its_texts(
    tmp_path: Path,
) -> None:
    one, two = np.eye(2, dtype=np.float32), -np.eye(2, dtype=np.float32)[:1]

    batch = assemble(
        [7, 3, 5], [KEYS[0], KEYS[1], KEYS[0]], {KEYS[0]: one, KEYS[1]: two}
    )

    assert batch.rows.tolist() == [[1, 0], [0, 1], [-1, 0], [1, 0], [0, 1]]
    assert batch.ordinals.tolist() == [7, 7, 3, 5, 5]
    assert batch.numbers.tolist() == [0, 1, 0, 0, 1]
    assert batch.digests[:, 0].tolist() == [0, 0, 1, 0, 0]
    assert batch.split_count == 2
    embedding.write_vector_layer(tmp_path, batch, {})
    assert read_parts(tmp_path) == {7: 2, 5: 2}
