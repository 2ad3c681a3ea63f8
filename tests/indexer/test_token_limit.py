"""No text is encoded that the model would cut: shown with its tokenizer, on Django."""

from __future__ import annotations

from pathlib import Path

import django
import pytest

from indexer.pipeline.blobs import decode
from indexer.pipeline.build import Assembly
from indexer.pipeline.embedding import split_texts
from indexer.pipeline.encoder import Encoder
from indexer.pipeline.sentence_models import load_encoder
from indexer.pipeline.surfaces import load_surface, texts_of
from indexer.pipeline.types import Source
from tests.files import place_file

DJANGO = Path(django.__file__).parent
SURFACES = ("summary", "purpose", "body")


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_encoder()


@pytest.fixture(scope="module")
def lexical(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lexical layer of the installed Django."""
    files = []
    for path in sorted(DJANGO.rglob("*")):
        if not path.is_file() or path.suffix not in (".py", ".js", ".html", ".txt"):
            continue
        data = path.read_bytes()
        name = path.relative_to(DJANGO.parent).as_posix()
        source = decode(data)
        if isinstance(source, Source):
            files.append(place_file(name, source.text))
    folder = tmp_path_factory.mktemp("lexical") / "lexical-0"
    folder.mkdir()
    Assembly(files).write(folder, {})
    return folder


def test_a_thousand_words_count_more_than_a_thousand_tokens(encoder: Encoder) -> None:
    # The tokenizer that comes with the model cuts and pads; counts would be lies.
    assert encoder.count_tokens([" ".join(["canary"] * 1000)])[0] > 1000


@pytest.mark.parametrize("surface", SURFACES)
def test_every_text_fits_the_model_and_none_is_cut(
    lexical: Path, encoder: Encoder, surface: str
) -> None:
    ordinals = texts_of(lexical, surface)
    texts = load_surface(lexical, surface, ordinals)

    parts = split_texts(texts, encoder)

    counts = encoder.count_tokens([part.text for part in parts])
    assert max(counts) <= encoder.max_tokens
    assert {part.ordinal for part in parts} == set(ordinals)
    whole = dict.fromkeys(ordinals, "")
    heads = dict(zip(ordinals, texts.heads, strict=True))
    for part in parts:
        head = f"{heads[part.ordinal]}\n"
        piece = part.text.removeprefix(head) if part.number else part.text
        whole[part.ordinal] += piece
    wrong = [
        o for o, text in zip(ordinals, texts.texts, strict=True) if whole[o] != text
    ]
    assert wrong == []


def test_django_has_texts_that_are_too_long(lexical: Path, encoder: Encoder) -> None:
    ordinals = texts_of(lexical, "body")

    parts = split_texts(load_surface(lexical, "body", ordinals), encoder)

    assert sum(part.number == 1 for part in parts) > 500
