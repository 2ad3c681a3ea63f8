"""A table is distilled from a model: one vector a token, the frequent ones light."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from indexer.pipeline import distillation
from indexer.pipeline.distillation import distil, distilled_folder, turn, weights
from indexer.pipeline.encoder import Embedder, SentenceEncoder
from indexer.pipeline.loading import ModelError
from indexer.pipeline.sentence_models import SentenceModel, load_encoder, open_model
from tests.small_models import save_sentence_model


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> SentenceModel:
    """A model of 16 numbers a vector, with the vocabulary of the packaged one."""
    return open_model(Embedder(save_sentence_model(tmp_path_factory.mktemp("small"))))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, teacher: SentenceModel) -> None:
    """The small model in place of the packaged one, and 8 of its 16 numbers."""
    monkeypatch.setattr(distillation, "open_model", lambda embedder: teacher)
    monkeypatch.setattr(distillation, "DIMENSION", 8)


def test_rows_are_turned_to_their_axes_widest_first_and_around_their_mean() -> None:
    rows = np.array([[1, 5], [3, 5], [5, 6], [7, 6]], np.float32)

    found = turn(rows, 2)

    assert found.mean(axis=0) == pytest.approx([0, 0])
    assert found.T @ found == pytest.approx(np.diag([20.82, 0.18]), abs=0.1)
    # Turned and not stretched: what is apart stays as far apart.
    assert np.linalg.norm(found[0] - found[3]) == pytest.approx(np.hypot(6, 1))
    assert turn(rows, 1) == pytest.approx(found[:, :1])
    assert turn(-rows, 2) == pytest.approx(-found)


def test_rarer_tokens_weigh_more_and_none_more_than_one() -> None:
    found = weights(30_000)

    assert (np.diff(found) > 0).all()
    assert 0 < found[0] < 0.01
    assert 0.5 < found[-1] < 1


@pytest.mark.usefixtures("small")
def test_a_table_is_a_model_of_a_vector_a_token_and_the_same_each_time(
    tmp_path: Path, teacher: SentenceModel
) -> None:
    for name, threads in (("one", 1), ("two", 2)):
        (tmp_path / name).mkdir()
        distil(tmp_path / name, threads)

    found = load(tmp_path / "one")
    weights_of = [tmp_path / name / "model.safetensors" for name in ("one", "two")]
    assert weights_of[0].read_bytes() == weights_of[1].read_bytes()
    assert found.dimension == 8
    assert found.count_tokens(["open the file"]) == [3]
    rows = found.encode(["file", "file file", "the file"])
    assert rows[0] @ rows[1] == pytest.approx(1, abs=1e-6)
    assert rows[0] @ rows[2] < 0.9


@pytest.mark.usefixtures("small")
def test_a_place_without_a_token_weighs_nothing(
    tmp_path: Path, teacher: SentenceModel
) -> None:
    distil(tmp_path, 1)

    table = open_model(Embedder(str(tmp_path))).table()
    assert not table[1].any()  # [unused0]
    assert table[100].any()  # [UNK]


def test_a_table_that_cannot_be_made_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")

    with pytest.raises(ModelError, match="the static table cannot be made: .* with 1"):
        distilled_folder(tmp_path)


def load(folder: Path) -> SentenceEncoder:
    return load_encoder(Embedder(str(folder)), dtype="fp32")
