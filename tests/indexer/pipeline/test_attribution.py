"""What the lines of a text add to its cosine: exactly, where the model allows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.pipeline.attribution import (
    ADDITIVE,
    MOST_LINES,
    OCCLUSION,
    attribute_text,
)
from indexer.pipeline.encoder import Embedder, OverLengthError
from indexer.pipeline.sentence_models import load_encoder
from tests.encoders import WordEncoder
from tests.small_models import save_sentence_model

TEXT = "shop money format\ndef format(é):\n\n\treturn 'größe'  # 金額\r\nlast"


@pytest.mark.parametrize("prefix", ["", "passage: "])
@pytest.mark.parametrize("text", [TEXT, "one line", "\n\nlate\n", "a\n" * 20])
def test_the_lines_and_the_rest_sum_to_the_cosine(text: str, prefix: str) -> None:
    encoder = load_encoder(Embedder(passage_prefix=prefix), dtype="fp32")
    query = encoder.encode_query("format an amount of money")

    found = attribute_text(encoder, text, query)

    assert found.method == ADDITIVE
    assert len(found.lines) == len(text.split("\n"))
    assert found.rest is not None
    told = sum(share for share in found.lines if share is not None) + found.rest
    assert told == pytest.approx(found.cosine, abs=1e-9)
    assert told == pytest.approx(float(encoder.encode([text])[0] @ query), abs=1e-5)


def test_a_line_without_a_token_adds_nothing_and_the_right_one_adds_most() -> None:
    encoder = load_encoder(dtype="fp32")
    query = encoder.encode_query("send mail to a customer")
    text = "x = 1\n\nsend mail to a customer\ny = 2"

    lines = attribute_text(encoder, text, query).lines

    assert lines[1] == 0.0
    assert max(range(4), key=lambda n: lines[n] or 0.0) == 2


def test_vectors_that_were_cut_add_up_too() -> None:
    encoder = load_encoder(Embedder(dimension=128), dtype="fp32")
    query = encoder.encode_query("money")

    found = attribute_text(encoder, TEXT, query)

    assert found.cosine == pytest.approx(
        float(encoder.encode([TEXT])[0] @ query), abs=1e-5
    )


def test_another_pooling_is_measured_by_leaving_lines_out(tmp_path: Path) -> None:
    model = save_sentence_model(tmp_path, pooling="cls")
    encoder = load_encoder(Embedder(model=model), dtype="fp32")
    query = encoder.encode_query("format money")

    found = attribute_text(encoder, TEXT, query)

    assert (found.method, found.rest) == (OCCLUSION, None)
    assert found.lines[2] is None  # A blank line.
    without = encoder.encode(["\n".join(TEXT.split("\n")[1:])])[0]
    assert found.lines[0] == pytest.approx(found.cosine - float(without @ query))


def test_many_lines_are_measured_up_to_a_limit() -> None:
    encoder = WordEncoder()
    encoder.max_tokens = 1000
    text = "\n".join(f"word{n}" for n in range(MOST_LINES + 5))

    found = attribute_text(encoder, text, encoder.encode_query("word3"))

    assert [n for n, share in enumerate(found.lines) if share is None] == [
        *range(MOST_LINES, MOST_LINES + 5)
    ]


def test_a_single_line_cannot_be_left_out() -> None:
    encoder = WordEncoder()

    found = attribute_text(encoder, "only this\n", encoder.encode_query("this"))

    assert found.lines == (None, None)


def test_a_text_that_the_model_does_not_read_whole_is_refused() -> None:
    encoder = load_encoder(dtype="fp32")

    with pytest.raises(OverLengthError):
        attribute_text(encoder, "word " * 600, encoder.encode_query("word"))
