"""Sentences: what the docs of a build say, chosen without chance."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.pipeline.sentences import (
    choose_sentences,
    first_sentence,
    load_sentences,
    opening_sentence,
    save_sentences,
)
from indexer.pipeline.types import (
    NONE,
    ChunkKind,
    Mark,
)


def choose(
    *docs: tuple[ChunkKind, str], mark: Mark | None = None, original: int = NONE
) -> list[tuple[int, str]]:
    """Return what is chosen of chunks of these kinds and docs."""
    sentences = [(number, first_sentence(doc)) for number, (_, doc) in enumerate(docs)]
    return choose_sentences(
        sentences,
        kinds=[kind for kind, _ in docs],
        marks=[(mark,) if mark else ()] * len(docs),
        duplicate_of=[original] * len(docs),
    )


@pytest.mark.parametrize(
    ("doc", "sentence"),
    [
        ("Return the user of a session. Or None.", "Return the user of a session"),
        ("Read one\nline after another.\n\nMore.", "Read one line after another"),
        (
            "Add two numbers e.g. one and two, up.",
            "Add two numbers e.g. one and two, up",
        ),
        ("Get the user.", ""),  # too short
        ("word " * 30, ""),  # too long
        ("Call open(path) and read the whole file.", ""),  # code
        ("@param name what the user is called here", ""),
        ("", ""),
    ],
)
def test_the_first_sentence_is_prose_of_a_few_words(doc: str, sentence: str) -> None:
    assert first_sentence(doc) == sentence


@pytest.mark.parametrize(
    ("doc", "sentence"),
    [
        ("Add `a` to\n  b (or c) both. Then stop.", "Add `a` to b (or c) both"),
        ("Add\n\nmore.", "Add"),
        ("", ""),
    ],
)
def test_the_opening_sentence_may_be_any_text(doc: str, sentence: str) -> None:
    assert opening_sentence(doc) == sentence


def test_definitions_come_before_sections_and_no_sentence_twice() -> None:
    docs = [
        (ChunkKind.SECTION, "How to open the shop door."),
        (ChunkKind.FUNCTION, "Open the door of a shop."),
        (ChunkKind.METHOD, "Open the door of a shop."),
    ]

    assert choose(*docs) == [
        (1, "Open the door of a shop"),
        (0, "How to open the shop door"),
    ]


def test_copies_and_what_was_not_written_here_are_left_out() -> None:
    doc = (ChunkKind.FUNCTION, "Open the door of a shop.")

    assert choose(doc) == [(0, "Open the door of a shop")]
    assert choose(doc, mark=Mark.VENDORED) == []
    assert choose(doc, mark=Mark.TEST) == []
    assert choose(doc, original=0) == []


def test_the_choice_does_not_depend_on_the_order_of_the_files() -> None:
    docs = [
        (ChunkKind.FUNCTION, f"Open the door number {n} of it.") for n in range(300)
    ]

    chosen = {text for _, text in choose(*docs)}

    assert len(chosen) == 200
    assert {text for _, text in choose(*docs[::-1])} == chosen


def test_sentences_are_loaded_as_they_were_saved(tmp_path: Path) -> None:
    save_sentences([(3, "Überall gilt das hier")], tmp_path)

    assert load_sentences(tmp_path) == [(3, "Überall gilt das hier")]


def test_a_build_of_an_earlier_version_has_none(tmp_path: Path) -> None:
    assert load_sentences(tmp_path) == []
