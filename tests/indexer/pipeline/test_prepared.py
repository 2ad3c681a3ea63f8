"""A prepared model: exported, verified and timed once, whole or made again.

Whatever computes it, its vectors are those of sentence-transformers, nearly, and the
same bits on any number of threads.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from indexer.pipeline import prepared as module
from indexer.pipeline import preparing
from indexer.pipeline.encoder import Embedder, OverLengthError, SentenceEncoder
from indexer.pipeline.loading import DType, ModelError
from indexer.pipeline.prepared import (
    Prepared,
    open_prepared,
    prepare,
    read_prepared,
    save_prepared,
)
from indexer.pipeline.sentence_models import load_encoder, open_model
from tests.conftest import ROOT, SHARED_MODELS
from tests.small_models import save_sentence_model, save_static_model

TEXTS = [
    *(f"def f{i}(a):\n    return {'a + 1, ' * (i * 3 % 40)}" for i in range(40)),
    "Größe des Puffers",
    "文件中的行数",
]


@pytest.fixture(scope="module")
def packaged() -> Prepared:
    """The packaged model, prepared for all tests of this run."""
    return prepare(Embedder(), SHARED_MODELS, threads=2)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    """A model of 16 numbers a vector that reads 64 tokens."""
    return Embedder(save_sentence_model(tmp_path_factory.mktemp("small")))


@pytest.fixture
def few_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample of 42 short texts in place of the 500."""
    texts = [text[:60] for text in TEXTS]
    monkeypatch.setattr(preparing, "sample_texts", lambda limit, count: texts)


@pytest.fixture
def fill(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Prepares models in this process, by a stand-in; the list says which."""
    made: list[str] = []

    def make(embedder: Embedder, folder: Path, threads: int) -> None:
        made.append(embedder.model)
        (folder / "model.int8.onnx").write_bytes(b"weights")
        found = Prepared(None, "int8", {"int8": "1a2b"}, {"texts": 500})
        save_prepared(found, folder)

    monkeypatch.setattr(module, "_fill", make)
    return made


def test_the_packaged_model_is_good_in_8_bits_and_the_record_says_how_good(
    packaged: Prepared,
) -> None:
    evidence = packaged.evidence

    assert set(packaged.fingerprints) == {"fp32", "bf16", "int8"}
    assert packaged.fingerprints["fp32"] == "60a01067ad86e466"
    assert evidence["texts"] == 500
    assert evidence["lowest_cosine"]["int8"] >= 0.98  # type: ignore[index]  # JSON
    seconds = evidence["seconds_per_text"]
    assert isinstance(seconds, dict)
    assert packaged.runtime == min(seconds, key=lambda name: seconds[name])
    assert packaged.folder is not None
    assert sorted(path.name for path in packaged.folder.iterdir()) == [
        "model.int8.onnx",
        "runtime.json",
        "sums.json",
        "tokenizer.json",
    ]


def test_8_bits_give_the_vectors_of_the_model_nearly(packaged: Prepared) -> None:
    exact = load_encoder(dtype="fp32")
    found = open_prepared(packaged, "int8", Embedder())

    rows = found.encode(TEXTS)

    assert (rows * exact.encode(TEXTS)).sum(axis=1).min() > 0.98
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-6)
    assert found.count_tokens(TEXTS) == exact.count_tokens(TEXTS)
    assert found.encode_query("read a file") @ exact.encode_query("read a file") > 0.98
    assert (found.dimension, found.max_tokens) == (384, 256)
    assert found.fingerprint not in ("", exact.fingerprint)
    with pytest.raises(OverLengthError, match="302 tokens, model reads 256"):
        found.encode(["word " * 300])
    assert found.encode([]).shape == (0, 384)


def test_a_text_in_8_bits_is_the_same_bits_alone_and_on_any_number_of_threads(
    packaged: Prepared,
) -> None:
    one = open_prepared(packaged, "int8", Embedder(), threads=1)
    three = open_prepared(packaged, "int8", Embedder(), threads=3)

    rows = one.encode(TEXTS)

    assert np.array_equal(three.encode(TEXTS), rows)
    assert np.array_equal(three.encode(TEXTS[::-1])[::-1], rows)
    assert np.array_equal(one.encode(TEXTS[7:8])[0], rows[7])


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_torch_gives_the_same_bits_on_any_number_of_threads(
    dtype: DType, small: Embedder
) -> None:
    one = load_encoder(small, dtype=dtype, threads=1)
    three = load_encoder(small, dtype=dtype, threads=3)
    texts = [text[:100] for text in TEXTS]

    assert np.array_equal(three.encode(texts), one.encode(texts))


def test_the_vectors_of_tokens_have_the_mean_of_the_text(packaged: Prepared) -> None:
    found = open_prepared(packaged, "int8", Embedder())
    text = "def total(rows):\n    return len(rows)"

    tokens = found.token_vectors(text)

    assert tokens is not None
    rows, starts = tokens
    mean = rows.mean(axis=0)
    assert mean / np.linalg.norm(mean) == pytest.approx(found.encode([text])[0])
    assert starts[0] is None
    assert starts[1] == 0
    assert starts[-1] is None


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"pooling": "cls"},
        {"dimension": 6},
        {"query_prefix": "find: ", "passage_prefix": "code: "},
        {"max_tokens": 32, "passage_prefix": "the code is: "},
    ],
)
def test_a_runtime_pools_cuts_and_prompts_as_the_model_does(
    small: Embedder, changes: dict[str, object], tmp_path: Path
) -> None:
    embedder = replace(small, **changes)  # type: ignore[arg-type]  # any setting
    exact = load_encoder(embedder, dtype="fp32")

    # Of weights this small 8 bits are too few; what they are is not the question.
    found = export(embedder, tmp_path)

    texts = [text[:30] for text in TEXTS]
    assert (found.encode(texts) * exact.encode(texts)).sum(axis=1).min() > 0.9
    assert found.encode_query("a b") @ exact.encode_query("a b") > 0.9
    assert found.count_tokens(texts) == exact.count_tokens(texts)


def export(embedder: Embedder, folder: Path) -> SentenceEncoder:
    """Return the encoder of an export, verified or not."""
    found = open_model(embedder)
    preparing.export_int8(found, folder)
    (folder / "tokenizer.json").write_text(found.tokenizer)
    assert found.pooling
    draft = Prepared(
        folder,
        "int8",
        {"int8": "1a2b"},
        {},
        dimension=found.dimension,
        max_tokens=found.max_tokens,
        pooling=found.pooling[0],
        include_prompt=found.pooling[1],
    )
    return open_prepared(draft, "int8", embedder)


def test_a_static_table_is_added_up_without_torch(tmp_path: Path) -> None:
    embedder = Embedder(save_static_model(tmp_path / "model"))
    exact = load_encoder(embedder, dtype="fp32")

    prepared = prepare(embedder, tmp_path / "models")
    found = open_prepared(prepared, "table", embedder)

    assert prepared.runtime == "table"
    assert found.encode(TEXTS) == pytest.approx(exact.encode(TEXTS), abs=1e-6)
    assert found.count_tokens(TEXTS) == exact.count_tokens(TEXTS)
    assert found.max_tokens == 1_000_000
    assert np.isfinite(found.encode(["\x00"])).all()  # A text of no token at all.


@pytest.mark.usefixtures("few_texts")
def test_a_model_that_is_wrong_in_8_bits_stays_with_torch(
    small: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing, "LEAST_COSINE", 1.1)
    monkeypatch.setattr(preparing, "cpu_has_bf16", lambda: False)

    preparing.make(small, tmp_path, 1)

    found = read_prepared(tmp_path)
    assert found.runtime == "fp32"
    assert set(found.fingerprints) == {"fp32", "bf16"}
    assert set(found.refused) == {"int8", "bf16"}
    assert "under 1.1" in found.refused["int8"]
    assert [path.name for path in tmp_path.iterdir()] == ["runtime.json"]
    with pytest.raises(ModelError, match=r"not computed in int8: its lowest cosine"):
        open_prepared(found, "int8", small)


@pytest.mark.usefixtures("few_texts")
@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        ({"onnx_versions": dict}, "onnx and onnxruntime are not installed"),
        ({"EXPORTED": ()}, "it is no transformer with one pooling, mean or cls"),
    ],
)
def test_what_cannot_be_exported_stays_with_torch_and_the_record_says_why(
    small: Embedder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    patch: dict[str, object],
    reason: str,
) -> None:
    for name, value in patch.items():
        monkeypatch.setattr(preparing, name, value)

    preparing.make(small, tmp_path, 1)

    found = read_prepared(tmp_path)
    assert found.refused["int8"] == reason
    assert found.runtime in ("fp32", "bf16")


def test_a_model_is_prepared_once_however_many_ask_at_a_time(
    fill: list[str], tmp_path: Path
) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: prepare(Embedder(), tmp_path), range(8)))

    assert fill == ["packaged"]
    assert found == [found[0]] * 8
    assert found[0].runtime_of("1a2b") == "int8"
    assert found[0].runtime_of("3c4d") is None


@pytest.mark.parametrize("name", ["model.int8.onnx", "runtime.json", "sums.json"])
@pytest.mark.parametrize("harm", ["flip", "cut", "gone"])
def test_a_damaged_model_is_made_again(
    fill: list[str], tmp_path: Path, name: str, harm: str
) -> None:
    first = prepare(Embedder(), tmp_path)
    assert first.folder is not None
    path = first.folder / name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.unlink()
    if harm != "gone":
        path.write_bytes(data if harm == "flip" else data[: len(data) // 2])

    again = prepare(Embedder(), tmp_path)

    assert len(fill) == 2
    assert again == first
    assert read_prepared(first.folder) == first


def test_each_setting_and_each_change_of_a_model_is_prepared_apart(
    fill: list[str], small: Embedder, tmp_path: Path
) -> None:
    copy = Embedder(save_sentence_model(tmp_path / "other", seed=1))
    folders = {
        prepare(embedder, tmp_path / "models").folder
        for embedder in (small, replace(small, max_tokens=32), copy, small)
    }

    assert len(folders) == 3


def test_a_preparation_that_dies_leaves_the_model_to_torch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")

    found = prepare(Embedder(), tmp_path)

    assert found.folder is None
    assert found.runtime in ("fp32", "bf16")
    assert "ended with 1" in found.refused["int8"]
    assert [path.suffix for path in tmp_path.iterdir()] == [".lock"]


def test_a_model_that_cannot_be_loaded_says_why(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="packaged has no revisions"):
        prepare(Embedder(revision="main"), tmp_path)


def test_a_prepared_model_is_used_without_the_packages_of_models(
    packaged: Prepared,
) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from indexer.pipeline.encoder import Embedder\n"
        "from indexer.pipeline.prepared import open_prepared, prepare\n"
        f"found = prepare(Embedder(), Path({str(SHARED_MODELS)!r}))\n"
        "print(open_prepared(found, 'int8', Embedder()).encode(['a b']).shape)\n"
        "heavy = {'torch', 'sentence_transformers', 'transformers', 'onnx'}\n"
        "print(sorted(heavy & sys.modules.keys()))\n"
    )

    said = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert said == "(1, 384)\n[]\n"
