"""Sentence models: what sentence-transformers loads, used as an embedder says.

It defines every model: its tokens, its length, its pooling. Computed by torch here;
other runtimes are made from this and verified against it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.pipeline.encoder import (
    LEAST_TOKENS,
    PACKAGED,
    Embedder,
    Floats,
    Reading,
    SentenceEncoder,
    copy_tokenizer,
    in_threads,
)
from indexer.pipeline.loading import (
    PACKAGED_REVISION,
    PACKAGED_SHA256,
    DType,
    ModelError,
    compute,
    cpu_has_bf16,
    open_sentence_model,
    packaged_folder,
    weights_sha256,
)

if TYPE_CHECKING:
    from indexer.pipeline.loading import SentenceTransformer

PACKAGED_MODEL = "sentence-transformers/all-MiniLM-L6-v2"

BATCH_SIZE = 16  # On one thread larger batches of equal lengths are no faster.
FINGERPRINT_DIGITS = 16
NO_LIMIT = 1_000_000  # Tokens of a model that reads texts of any length.


class TorchRuntime:
    """Batches of texts of one length, each computed on one thread."""

    def __init__(self, model: SentenceTransformer, threads: int = 1) -> None:
        self.model = model
        self._threads = threads

    def rows(self, reading: Reading) -> Floats:
        """Return one row a text, as `Runtime` says."""
        # Texts of one length share a batch: less padding, and vectors that
        # depend less on their neighbours.
        order = reading.longest_first()
        batches = [
            order[start : start + BATCH_SIZE]
            for start in range(0, len(order), BATCH_SIZE)
        ]
        # Tokenized here, one after the other: its tokenizer is not for threads.
        features = (
            self.model.preprocess(
                [reading.texts[i] for i in batch],
                prompt=reading.prompt,  # As its prompt: some do not pool over it.
            )
            for batch in batches
        )
        found = in_threads(
            lambda batch: compute(self.model, batch), features, self._threads
        )
        rows = np.concatenate(found)
        return rows[np.argsort(order)]

    def token_rows(self, reading: Reading) -> Floats | None:
        """Return the rows of one text's tokens, as `Runtime` says."""
        if not is_mean(self.model):
            return None
        features = self.model.preprocess(list(reading.texts), prompt=reading.prompt)
        rows: Floats = compute(self.model, features, "token_embeddings")[0]
        return rows


@dataclass(frozen=True, slots=True)
class SentenceModel:
    """A loaded model, set as an embedder says, with what others need to know of it.

    `identity` is all that a fingerprint is made of but the runtime, `tokenizer` JSON.
    """

    model: SentenceTransformer
    embedder: Embedder
    identity: tuple[tuple[str, ...], tuple[str, ...]]
    tokenizer: str
    max_tokens: int
    dimension: int

    @property
    def is_static(self) -> bool:
        """Whether it is a table of one vector a token."""
        first, *others = self.model
        return type(first).__name__ == "StaticEmbedding" and _only_norms(others)

    @property
    def pooling(self) -> tuple[str, bool] | None:
        """How token vectors become one, and whether the prompt's are among them.

        None unless it is a transformer, one pooling, and norms at most.
        """
        return pooling_of(self.model)

    def table(self) -> Floats:
        """Return the vectors of a static table, shape (tokens, numbers)."""
        module: Any = self.model[0]  # Any: untyped there
        weights: Floats = module.embedding.weight.detach().float().numpy()
        return weights

    def fingerprint(self, runtime: str, dtype: str) -> str:
        """Return the hex digits that its vectors have, computed so."""
        before, after = self.identity
        fields = "\0".join([*before, runtime, dtype, *after])
        return hashlib.sha256(fields.encode()).hexdigest()[:FINGERPRINT_DIGITS]


def open_model(embedder: Embedder, dtype: DType = "fp32") -> SentenceModel:
    """Return the model that `embedder` describes, set as it says.

    Raises ModelError if it is missing, its weights were altered, or it cannot do
    what is asked.
    """
    folder = Path(embedder.model)
    if embedder.revision and (embedder.model == PACKAGED or folder.is_dir()):
        raise ModelError(f"{embedder.model} has no revisions; only a model id has")
    if embedder.model == PACKAGED:
        found = open_sentence_model(str(packaged_folder()), dtype=dtype)
        names = [PACKAGED_MODEL, PACKAGED_REVISION, PACKAGED_SHA256]
    else:
        found = open_sentence_model(
            embedder.model, revision=embedder.revision, dtype=dtype
        )
        name = folder.name if folder.is_dir() else embedder.model
        names = [name, _revision(found), weights_sha256(found)]

    _set_pooling(found, embedder)
    length = _set_length(found, embedder)
    whole = found.get_embedding_dimension()
    dimension = _cut(whole, embedder)
    prefixes = [embedder.query_prefix, embedder.passage_prefix]
    # Nothing of whole vectors, so that those made before there was a choice stay
    # what they are.
    cut = [str(dimension)] if dimension != whole else []
    return SentenceModel(
        model=found,
        embedder=embedder,
        identity=((*names, *prefixes, str(length), _pooling(found)), tuple(cut)),
        tokenizer=_tokenizer_json(found),
        max_tokens=length,
        dimension=dimension,
    )


def load_encoder(
    embedder: Embedder = Embedder(),  # noqa: B008 - frozen
    *,
    dtype: DType | None = None,
    threads: int = 1,
) -> SentenceEncoder:
    """Return the encoder that `embedder` describes, computed by torch.

    `dtype` None is bf16 where the CPU computes with it and fp32 elsewhere. Raises
    ModelError, as `open_model`.
    """
    dtype = dtype or ("bf16" if cpu_has_bf16() else "fp32")
    return torch_encoder(open_model(embedder, dtype), dtype, threads=threads)


def torch_encoder(
    found: SentenceModel, dtype: DType, *, threads: int = 1
) -> SentenceEncoder:
    """Return the encoder of a model whose weights are of `dtype`."""
    return SentenceEncoder(
        TorchRuntime(found.model, threads),
        copy_tokenizer(found.tokenizer),
        fingerprint=found.fingerprint("torch", dtype),
        dimension=found.dimension,
        max_tokens=found.max_tokens,
        query_prefix=found.embedder.query_prefix,
        passage_prefix=found.embedder.passage_prefix,
        special_tokens=not found.is_static,
        threads=threads,
    )


def is_mean(model: SentenceTransformer) -> bool:
    """Tell whether a vector is nothing but the mean over all tokens."""
    pooling = pooling_of(model)
    return pooling is not None and pooling == ("mean", True)


def pooling_of(model: SentenceTransformer) -> tuple[str, bool] | None:
    """Return what `SentenceModel.pooling` says of a model."""
    first, *others = model
    pooling = others[0] if others else None
    mode = getattr(pooling, "pooling_mode", None)
    if (
        type(first).__name__ == "Transformer"
        and isinstance(mode, str)
        and _only_norms(others[1:])
    ):
        return mode, bool(getattr(pooling, "include_prompt", True))
    return None


def _only_norms(modules: Sequence[object]) -> bool:
    return all(type(module).__name__ == "Normalize" for module in modules)


def _set_pooling(model: SentenceTransformer, embedder: Embedder) -> None:
    """Pool as `embedder` says: one way in place of another, nothing more."""
    if not embedder.pooling:
        return
    for module in model:
        if isinstance(getattr(module, "pooling_mode", None), str):
            setattr(module, "pooling_mode", embedder.pooling)  # noqa: B010 - untyped
            return
    raise ModelError(f"the pooling of {embedder.model} is fixed; leave it empty")


def _set_length(model: SentenceTransformer, embedder: Embedder) -> int:
    """Limit what the model reads as `embedder` says; return the tokens it reads."""
    own = model.max_seq_length
    if not own:
        raise ModelError(f"{embedder.model} does not say how many tokens it reads")
    most = int(min(own, NO_LIMIT))
    wanted = embedder.max_tokens
    if wanted is None:
        return most
    if not LEAST_TOKENS <= wanted <= most:
        raise ModelError(
            f"{embedder.model} reads up to {most:,} tokens, and {LEAST_TOKENS} are the "
            f"least; {wanted:,} were asked for"
        )
    if own != math.inf:
        model.max_seq_length = wanted
    return wanted


def _cut(whole: int | None, embedder: Embedder) -> int:
    """Return how many numbers of a vector are kept."""
    if not whole:
        raise ModelError(f"{embedder.model} does not say how long its vectors are")
    wanted = embedder.dimension
    if wanted is None:
        return whole
    if not 0 < wanted <= whole:
        raise ModelError(
            f"{embedder.model} gives {whole} numbers a vector; {wanted} were asked for"
        )
    return wanted


def _tokenizer_json(model: SentenceTransformer) -> str:
    """Return the tokenizer of a model as JSON, and let the model's own read as it.

    `[CLS]` in a text is text, for both.
    """
    from tokenizers import Tokenizer

    own = getattr(model, "tokenizer", None)
    backend = getattr(own, "backend_tokenizer", own)
    if own is None or not isinstance(backend, Tokenizer):
        raise ModelError(
            "the model has no fast tokenizer, so its tokens cannot be counted"
        )
    if backend is own:  # Of a static table, which reads texts of any length.
        backend.no_truncation()
        backend.encode_special_tokens = True
    else:
        own.split_special_tokens = True
    return backend.to_str()


def _revision(model: SentenceTransformer) -> str:
    """Return the commit a model id was loaded at, "" for a folder."""
    config = getattr(getattr(model[0], "auto_model", None), "config", None)
    return str(getattr(config, "_commit_hash", None) or "")


def _pooling(model: SentenceTransformer) -> str:
    """Return what follows the transformer: `Pooling mean, Normalize`."""
    modules = [(type(m).__name__, getattr(m, "pooling_mode", "")) for m in model]
    return ", ".join(f"{name} {mode}".strip() for name, mode in modules[1:])
