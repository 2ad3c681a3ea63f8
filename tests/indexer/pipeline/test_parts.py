"""Parts: every one fits the model, and together they are the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.pipeline.encoder import SentenceEncoder
from indexer.pipeline.parts import split_text
from indexer.pipeline.sentence_models import load_encoder

CODE = "def f():\n    if a:\n        b()\n        c()\n    for d in e:\n        g()\n"
BLOCKS = (("if a", 0), ("b()", 1), ("c()", 1), ("for d", 0), ("g()", 1))
BREAKS = [(CODE.index(block), depth) for block, depth in BLOCKS]
TEXTS = st.text(alphabet="ab .\n,é", max_size=120)


def count(texts: Sequence[str]) -> list[int]:
    """Return the number of words and marks: a tokenizer without special tokens."""
    return [len(re.findall(r"\w+|[^\w\s]", text)) for text in texts]


@cache
def packaged_encoder() -> SentenceEncoder:
    return load_encoder()


def joined(parts: list[str], head: str = "") -> str:
    prefix = f"{head}\n" if head else ""
    assert all(part.startswith(prefix) for part in parts[1:])
    return parts[0] + "".join(part[len(prefix) :] for part in parts[1:])


def test_a_text_that_fits_is_its_only_part() -> None:
    assert split_text("a b c", breaks=(), limit=3, count=count, head="h") == ["a b c"]


def test_code_is_cut_at_the_outermost_breaks_that_fit() -> None:
    parts = split_text(CODE, breaks=BREAKS, limit=16, count=count, head="m f")

    assert parts == [
        "def f():\n    if a:\n        b()\n        c()\n    ",
        "m f\nfor d in e:\n        g()\n",
    ]


def test_only_a_block_that_is_too_long_is_cut_inside() -> None:
    parts = split_text(CODE, breaks=BREAKS, limit=8, count=count)

    assert parts == [
        "def f():\n    if a:\n        ",
        "b()\n        c()\n    ",
        "for d in e:\n        g()\n",
    ]


def test_a_block_without_breaks_is_cut_at_line_ends() -> None:
    text = "f\n" + "call(a, b)\n" * 4

    parts = split_text(text, breaks=[(2, 0)], limit=14, count=count)

    assert parts == ["f\n" + "call(a, b)\n" * 2, "call(a, b)\n" * 2]


def test_prose_is_cut_at_sentence_ends_before_lines() -> None:
    text = "Return the user\nof a session. Raise an error\nif there is none."

    parts = split_text(text, breaks=(), limit=9, count=count)

    assert parts == [
        "Return the user\nof a session. ",
        "Raise an error\nif there is none.",
    ]


def test_a_list_of_names_is_cut_between_names() -> None:
    parts = split_text("defines: aa, bb, cc, dd", breaks=(), limit=6, count=count)

    assert parts == ["defines: aa, bb, ", "cc, dd"]


def test_a_word_that_is_too_long_is_cut_between_characters() -> None:
    parts = split_text(
        "abcdefgh", breaks=(), limit=3, count=lambda texts: [len(t) for t in texts]
    )

    assert "".join(parts) == "abcdefgh"
    assert max(map(len, parts)) <= 3


def test_a_head_that_takes_more_than_half_of_the_limit_is_left_out() -> None:
    parts = split_text("a b c d e", breaks=(), limit=4, count=count, head="x y z")

    assert parts == ["a b c d ", "e"]


def test_a_limit_below_one_character_is_an_error() -> None:
    with pytest.raises(ValueError, match="limit of 0 tokens is too small"):
        split_text("a b", breaks=(), limit=0, count=count)


def test_tokens_that_do_not_add_up_are_counted_again() -> None:
    def joining(texts: Sequence[str]) -> list[int]:
        return [t.count("a") + 5 * t.count("a a a") for t in texts]

    parts = split_text("a a a a a a", breaks=(), limit=5, count=joining)

    assert "".join(parts) == "a a a a a a"
    assert max(joining(parts)) <= 5


@given(
    TEXTS,
    st.lists(st.tuples(st.integers(0, 130), st.integers(0, 3)), max_size=8),
    st.integers(1, 12),
    st.sampled_from(["", "h", "h h", "h h h h h"]),
)
def test_parts_fit_and_lose_nothing(
    text: str, breaks: list[tuple[int, int]], limit: int, head: str
) -> None:
    parts = split_text(text, breaks=breaks, limit=limit, count=count, head=head)

    used = head if count([head])[0] <= limit // 2 else ""
    assert joined(parts, used) == text
    assert max(count(parts)) <= limit


@given(st.text(max_size=60), st.integers(1, 30))
def test_characters_as_tokens_lose_nothing(text: str, limit: int) -> None:
    def characters(texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]

    parts = split_text(text, breaks=(), limit=limit, count=characters)

    assert "".join(parts) == text
    assert max(characters(parts)) <= limit


@settings(deadline=None, max_examples=60)  # The real tokenizer takes its time.
@given(text=st.text(max_size=300), limit=st.integers(24, 64))
def test_parts_fit_the_packaged_model_s_tokenizer(text: str, limit: int) -> None:
    encoder = packaged_encoder()

    parts = split_text(
        text * 3, breaks=(), limit=limit, count=encoder.count_tokens, head="a b f"
    )

    assert joined(parts, "a b f") == text * 3
    assert max(encoder.count_tokens(parts)) <= limit


def test_a_long_function_takes_few_counts() -> None:
    calls: list[int] = []

    def counted(texts: Sequence[str]) -> list[int]:
        calls.append(len(texts))
        return count(texts)

    text = "".join(f"    call_{i}(a, b)\n" for i in range(2000))
    parts = split_text(text, breaks=(), limit=256, count=counted, head="m f")

    assert joined(parts, "m f") == text
    assert len(calls) <= 5
