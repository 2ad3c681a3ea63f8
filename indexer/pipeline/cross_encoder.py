"""Cross-encoder: reads a query and a text together, and gives one raw logit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from indexer.pipeline.loading import ModelError, open_cross_encoder

if TYPE_CHECKING:
    from indexer.pipeline.loading import CrossEncoder

BATCH_SIZE = 16  # A pair's logit moves in the last digits with its batch mates.


class CrossEncoderScorer:
    """A cross-encoder with one label, on one thread of the CPU."""

    def __init__(self, model: CrossEncoder, name: str) -> None:
        self._model = model
        self._name = name

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the raw logit of each (query, text) pair, higher is better.

        The model reads a pair up to its own limit and no further; see
        `count_unread`. The same texts in the same order give the same logits.
        Raises ModelError if the model does not give one finite number a pair.
        """
        if not texts:
            return []
        logits = np.asarray(
            self._model.predict(
                [(query, text) for text in texts],
                batch_size=BATCH_SIZE,
                show_progress_bar=False,
            ),
            np.float64,
        )
        if logits.shape != (len(texts),) or not np.isfinite(logits).all():
            raise ModelError(
                f"{self._name} gives {logits.shape} for {len(texts)} pairs, "
                "not one finite number each; choose a reranking model"
            )
        return [float(logit) for logit in logits]

    def count_unread(self, query: str, texts: Sequence[str]) -> list[int]:
        """Return how many tokens of each pair lie beyond what the model reads."""
        limit = self._model.max_seq_length
        if limit is None or not texts:
            return [0] * len(texts)
        found = self._model.tokenizer(
            [query] * len(texts), list(texts), truncation=False, verbose=False
        )
        return [max(0, len(ids) - limit) for ids in found["input_ids"]]


def load_cross_encoder(model: str) -> CrossEncoderScorer:
    """Return the cross-encoder `model`: a folder or a model id.

    Raises ModelError if it cannot be loaded, or is no reranking model.
    """
    found = open_cross_encoder(model)
    if found.num_labels != 1:
        raise ModelError(
            f"cross-encoder {model} has {found.num_labels} labels, and a reranker "
            "has one; choose a reranking model"
        )
    return CrossEncoderScorer(found, model)
