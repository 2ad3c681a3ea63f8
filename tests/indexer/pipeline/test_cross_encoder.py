"""A cross-encoder gives raw logits, the same every time, and counts what it cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.pipeline.cross_encoder import load_cross_encoder
from indexer.pipeline.loading import ModelError
from tests.small_models import save_cross_encoder

TEXTS = ["def open(): pass", "def close(): pass", "the door is open", "x = 1"]


def test_it_gives_a_raw_logit_for_each_text(tmp_path: Path) -> None:
    scorer = load_cross_encoder(save_cross_encoder(tmp_path))

    found = scorer.score("open a file", TEXTS)

    assert len(found) == 4
    assert len(set(found)) == 4
    assert found[1:2] == pytest.approx(
        scorer.score("open a file", TEXTS[1:2]), abs=1e-4
    )
    assert any(not 0 <= logit <= 1 for logit in found)
    assert scorer.score("open a file", []) == []


def test_equal_pairs_give_equal_logits_to_the_last_bit(tmp_path: Path) -> None:
    folder = save_cross_encoder(tmp_path)

    first = load_cross_encoder(folder).score("open a file", TEXTS)

    assert load_cross_encoder(folder).score("open a file", TEXTS) == first


@pytest.mark.parametrize("activation", ["Sigmoid", "Tanh"])
def test_the_models_own_activation_function_is_left_out(
    tmp_path: Path, activation: str
) -> None:
    from sentence_transformers import CrossEncoder

    plain = load_cross_encoder(save_cross_encoder(tmp_path / "plain"))
    folder = save_cross_encoder(tmp_path / "own", activation=activation)

    assert type(CrossEncoder(folder).activation_fn).__name__ == activation
    assert load_cross_encoder(folder).score("open", TEXTS) == plain.score("open", TEXTS)


def test_a_classifier_is_refused_in_a_sentence(tmp_path: Path) -> None:
    folder = save_cross_encoder(tmp_path, labels=3)

    with pytest.raises(ModelError, match="has 3 labels, and a reranker has one"):
        load_cross_encoder(folder)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_cross_encoder(str(tmp_path))


def test_the_tokens_beyond_the_limit_are_counted(tmp_path: Path) -> None:
    scorer = load_cross_encoder(save_cross_encoder(tmp_path))

    # The model reads 512: two words of the query, the text, three of its own.
    assert scorer.count_unread("two words", ["word " * 507, "word " * 520]) == [0, 13]
    assert scorer.count_unread("two words", []) == []
