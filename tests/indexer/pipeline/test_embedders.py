"""An embedder is a model and how it is used; each setting does what it says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from indexer.pipeline.embedding import split_texts
from indexer.pipeline.encoder import Embedder, OverLengthError, SentenceEncoder
from indexer.pipeline.loading import ModelError
from indexer.pipeline.sentence_models import load_encoder
from indexer.pipeline.surfaces import Texts
from tests.small_models import save_sentence_model, save_static_model

TEXTS = ["open a file and read it", "close the connection", "def total(rows):"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    """A model of 16 numbers a vector that reads 64 tokens."""
    return Embedder(save_sentence_model(tmp_path_factory.mktemp("small")))


@pytest.fixture(scope="module")
def plain(small: Embedder) -> SentenceEncoder:
    return load_encoder(small, dtype="fp32")


def load(small: Embedder, **changes: object) -> SentenceEncoder:
    return load_encoder(replace(small, **changes), dtype="fp32")  # type: ignore[arg-type]  # any setting


def test_prefixes_stand_before_passages_and_before_queries(
    small: Embedder, plain: SentenceEncoder
) -> None:
    found = load(small, query_prefix="find: ", passage_prefix="code: ")

    passages = plain.encode([f"code: {text}" for text in TEXTS])
    assert found.encode(TEXTS) == pytest.approx(passages, abs=1e-6)
    assert found.encode_query("a b") == pytest.approx(
        plain.encode_query("find: a b"), abs=1e-6
    )
    assert found.count_tokens(["a b"]) == plain.count_tokens(["code: a b"])
    assert np.abs(found.encode(TEXTS) - plain.encode(TEXTS)).max() > 0.01


def test_no_text_exceeds_the_length_with_its_prefix(
    small: Embedder, plain: SentenceEncoder
) -> None:
    found = load(small, max_tokens=32, passage_prefix="the code is: ")
    body = "\n".join(f"value_{n} = compute({n})" for n in range(40))
    texts = Texts((0,), (body,), ("shop cart",), ((),))

    parts = [part.text for part in split_texts(texts, found)]

    assert len(parts) > 10
    sizes = plain.count_tokens([f"the code is: {part}" for part in parts])
    assert max(sizes) <= 32
    assert found.encode(parts).shape == (len(parts), 16)
    with pytest.raises(OverLengthError, match="model reads 32"):
        found.encode([body])


def test_a_shorter_vector_is_the_head_of_the_whole_one_at_length_1(
    small: Embedder, plain: SentenceEncoder
) -> None:
    found = load(small, dimension=6)

    rows = found.encode(TEXTS)

    heads = plain.encode(TEXTS)[:, :6]
    assert rows.shape == (3, 6)
    assert found.dimension == 6
    assert rows == pytest.approx(
        heads / np.linalg.norm(heads, axis=1, keepdims=True), abs=1e-6
    )
    assert found.encode_query("a").shape == (6,)


def test_the_pooling_can_be_another_than_the_models_own(
    small: Embedder, plain: SentenceEncoder, tmp_path: Path
) -> None:
    first_token = Embedder(save_sentence_model(tmp_path, pooling="cls"))
    own = load(first_token)

    changed = load(small, pooling="cls")
    back = load(first_token, pooling="mean")

    assert changed.encode(TEXTS) == pytest.approx(own.encode(TEXTS), abs=1e-6)
    assert back.encode(TEXTS) == pytest.approx(plain.encode(TEXTS), abs=1e-6)
    assert np.abs(own.encode(TEXTS) - plain.encode(TEXTS)).max() > 0.01


def test_every_setting_changes_the_fingerprint(
    small: Embedder, plain: SentenceEncoder, tmp_path: Path
) -> None:
    settings: list[dict[str, object]] = [
        {"query_prefix": "a"},
        {"passage_prefix": "a"},
        {"max_tokens": 32},
        {"dimension": 8},
        {"pooling": "cls"},
        {"model": save_sentence_model(tmp_path, seed=1)},  # Of the same name.
    ]

    found = {load(small, **changes).fingerprint for changes in settings}

    assert len(found | {plain.fingerprint}) == 7


def test_saying_what_the_model_does_anyway_changes_nothing(
    small: Embedder, plain: SentenceEncoder
) -> None:
    found = load(small, max_tokens=64, dimension=16, pooling="mean")

    assert found.fingerprint == plain.fingerprint


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"max_tokens": 65}, "reads up to 64 tokens, and 32 are the least; 65 were"),
        ({"max_tokens": 31}, "31 were asked for"),
        ({"dimension": 17}, "gives 16 numbers a vector; 17 were asked for"),
        ({"revision": "main"}, "has no revisions; only a model id has"),
        ({"query_prefix": "word " * 40}, "takes 42 of 64 tokens; half of them must"),
        ({"passage_prefix": "word " * 40}, "takes 42 of 64 tokens"),
        ({"model": "/no/such/folder"}, "there is no such folder"),
        ({"model": "nobody/nothing"}, "model nobody/nothing cannot be loaded: "),
    ],
)
def test_what_a_model_cannot_do_is_refused_in_a_sentence(
    small: Embedder, changes: dict[str, object], reason: str
) -> None:
    with pytest.raises(ModelError, match=reason):
        load(small, **changes)


def test_damaged_weights_are_refused_in_a_sentence(tmp_path: Path) -> None:
    folder = Path(save_sentence_model(tmp_path))
    (folder / "model.safetensors").write_bytes(b"not weights")

    with pytest.raises(ModelError, match=f"model {folder} cannot be loaded: "):
        load_encoder(Embedder(str(folder)))


def test_a_static_table_reads_texts_of_any_length_to_their_end(tmp_path: Path) -> None:
    embedder = Embedder(save_static_model(tmp_path))
    found = load_encoder(embedder, dtype="fp32")

    rows = found.encode(["word " * 3000, "word " * 3000 + "apple"])

    assert found.max_tokens == 1_000_000
    assert np.abs(rows[0] - rows[1]).max() > 1e-5
    assert load(embedder, max_tokens=32).max_tokens == 32
    with pytest.raises(ModelError, match=r"the pooling of .* is fixed; leave it empty"):
        load(embedder, pooling="cls")
