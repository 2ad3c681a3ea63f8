"""Distillation: a table of one vector a token, made from the packaged model.

The method is that of model2vec: each token of the vocabulary is encoded by itself,
the vectors are turned to their principal axes, and frequent tokens weigh less, by
their place in the vocabulary, which goes by frequency (Zipf; the weight is SIF,
Arora et al. 2017). A text is then the mean of its tokens, in microseconds.
Run as a module, in a process of its own: it loads the whole model.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from indexer.pipeline import store
from indexer.pipeline.encoder import Embedder, Floats, copy_tokenizer, in_threads
from indexer.pipeline.kept import as_child, keep_folder, run_child
from indexer.pipeline.loading import (
    PACKAGED_SHA256,
    ModelError,
    compute_ids,
    packaged_folder,
    save_static,
)
from indexer.pipeline.sentence_models import open_model

# The defaults of model2vec.
DIMENSION = 256  # Of 384: the last third of the axes holds 4 % of the variance.
SIF = 1e-4  # A token of this probability has half of its weight.
FORMAT = 1  # Of what follows: another one is another model.
UNUSED = "[unused"  # Places of the vocabulary that stand for nothing.
BATCH = 256


def distilled_folder(models: Path, *, threads: int = 1) -> Path:
    """Return the folder of the table, a model of sentence-transformers.

    Made if it is not there, in half a minute. Raises ModelError.
    """
    packaged_folder()  # Checks it.
    folder = models / f"static-{FORMAT}-{PACKAGED_SHA256[:8]}"
    try:
        keep_folder(
            folder,
            lambda aside: run_child(
                "indexer.pipeline.distillation", str(aside.resolve()), str(threads)
            ),
        )
    except (OSError, store.LayerError) as error:
        raise ModelError(f"the static table cannot be made: {error}") from error
    return folder


def distil(folder: Path, threads: int) -> None:
    """Write the table into an empty folder. Raises ModelError."""
    found = open_model(Embedder())
    places: dict[str, int] = json.loads(found.tokenizer)["model"]["vocab"]
    tokens = sorted(places, key=lambda token: places[token])
    used = np.array([not token.startswith(UNUSED) for token in tokens])
    start, end = copy_tokenizer(found.tokenizer).encode("").ids
    ids = [[start, token, end] for token in range(len(tokens))]
    batches = [ids[first : first + BATCH] for first in range(0, len(ids), BATCH)]
    means = in_threads(lambda batch: compute_ids(found.model, batch), batches, threads)
    rows = np.concatenate(means)[used]
    table = np.zeros((len(tokens), DIMENSION), np.float32)
    table[used] = turn(rows, DIMENSION) * weights(len(rows))[:, None]
    save_static(found.tokenizer, table, folder)


def turn(rows: Floats, dimension: int) -> npt.NDArray[np.float64]:
    """Return rows around their mean, on their first principal axes.

    An axis points to where its largest part is positive, so that equal rows give
    equal tables.
    """
    centred = rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)  # By variance, rising.
    axes = axes[:, ::-1][:, :dimension]
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(dimension)]
    turned: npt.NDArray[np.float64] = centred @ (axes * np.sign(largest))
    return turned


def weights(tokens: int) -> npt.NDArray[np.float64]:
    """Return the weight of each token of a vocabulary in order of frequency."""
    probability = 1.0 / np.arange(2, tokens + 2)
    probability /= probability.sum()
    weight: npt.NDArray[np.float64] = SIF / (SIF + probability)
    return weight


if __name__ == "__main__":
    with as_child():
        distil(Path(sys.argv[1]), int(sys.argv[2]))
