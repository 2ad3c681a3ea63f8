"""Encoder: turn texts into unit vectors, and never into silently cut ones."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from indexer.pipeline.loading import (
    PACKAGED_REVISION,
    PACKAGED_SHA256,
    DType,
    ModelError,
    cpu_has_bf16,
    open_sentence_model,
    packaged_folder,
    weights_sha256,
)
from indexer.pipeline.parts import split_text

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from indexer.pipeline.loading import SentenceTransformer

Floats = npt.NDArray[np.float32]

PACKAGED = "packaged"
PACKAGED_MODEL = "sentence-transformers/all-MiniLM-L6-v2"

BATCH_SIZE = 16  # On one thread larger batches of equal lengths are no faster.
FINGERPRINT_DIGITS = 16
LEAST_TOKENS = 32  # Below it a part is a few words, and means nothing by itself.
NO_LIMIT = 1_000_000  # Tokens of a model that reads texts of any length.


class OverLengthError(ValueError):
    """A text is longer than the model reads; split it first."""


@dataclass(frozen=True, slots=True)
class Embedder:
    """Which model makes vectors, and how. What is empty is the model's own.

    `model` is "packaged", a folder or a model id, `revision` a commit, tag or
    branch of an id. The prefixes stand before every query and every passage.
    `max_tokens` is the longest text read, prefix included. `dimension` keeps the
    first numbers of a vector, which only models trained so bear (Matryoshka).
    """

    model: str = PACKAGED
    revision: str = ""
    query_prefix: str = ""
    passage_prefix: str = ""
    max_tokens: int | None = None
    dimension: int | None = None
    pooling: str = ""


class Encoder(Protocol):
    """What the pipeline asks of an embedding model."""

    @property
    def fingerprint(self) -> str:
        """Hex digits that change with anything that changes a vector."""

    @property
    def dimension(self) -> int:
        """The numbers in a vector."""

    @property
    def max_tokens(self) -> int:
        """The longest text the model reads, special tokens and prefix included."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the length of each text in the model's own tokens.

        As a passage: its special tokens and the passage prefix are counted.
        """

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return one row of length 1 per text, shape (len(texts), dimension).

        Raises OverLengthError if a text is longer than `max_tokens`, ValueError
        if one is blank.
        """

    def encode_query(self, text: str) -> Floats:
        """Return the vector of a query, shape (dimension,), of length 1.

        A query longer than the model reads is the mean of its parts.
        """

    def token_vectors(self, text: str) -> tuple[Floats, list[int | None]] | None:
        """Return the vectors whose mean, at length 1, is that of a passage.

        Shape (tokens, dimension), and where in `text` each token starts, None for one
        outside of it. None of a model that pools otherwise. Raises OverLengthError.
        """


class SentenceEncoder:
    """A sentence-transformers model on one thread of the CPU."""

    def __init__(
        self,
        model: SentenceTransformer,
        *,
        fingerprint: str,
        max_tokens: int,
        query_prefix: str = "",
        passage_prefix: str = "",
    ) -> None:
        self.fingerprint = fingerprint
        self.dimension = int(model.get_embedding_dimension() or 0)
        self.max_tokens = max_tokens
        self._model = model
        self._tokenizer = _counting_tokenizer(model)
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        for prefix in (query_prefix, passage_prefix):
            (taken,) = self._count([""], prefix)
            if taken > max_tokens // 2:
                raise ModelError(
                    f"the prefix {prefix[:40]!r} takes {taken} of {max_tokens} tokens; "
                    "half of them must be left for the text"
                )

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the length of each text in tokens, as `Encoder` says."""
        return self._count(texts, self._passage_prefix)

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return one row of length 1 per text, as `Encoder` says."""
        return self._rows(texts, self._passage_prefix)

    def encode_query(self, text: str) -> Floats:
        """Return the vector of a query, as `Encoder` says."""
        prefix = self._query_prefix
        parts = split_text(
            text,
            breaks=(),
            limit=self.max_tokens,
            count=lambda texts: self._count(texts, prefix),
        )
        rows = self._rows(parts, prefix)
        vector: Floats = _unit(rows.mean(axis=0, keepdims=True))[0]
        return vector

    def token_vectors(self, text: str) -> tuple[Floats, list[int | None]] | None:
        """Return the vectors whose mean is that of a passage, as `Encoder` says."""
        if not _is_mean(self._model):
            return None
        prefix = self._passage_prefix
        encoding = self._tokenizer.encode(prefix + text)
        _check_texts([text], [len(encoding.ids)], self.max_tokens)
        (found,) = self._model.encode(
            [text],
            prompt=prefix,
            output_value="token_embeddings",
            show_progress_bar=False,
        )
        rows = found.float().numpy()[:, : self.dimension]
        places = zip(encoding.offsets, encoding.special_tokens_mask, strict=True)
        starts = [
            None if special or start < len(prefix) else start - len(prefix)
            for (start, _), special in places
        ]
        return rows, starts

    def _count(self, texts: Sequence[str], prefix: str) -> list[int]:
        found = self._tokenizer.encode_batch_fast([prefix + text for text in texts])
        return [len(encoding.ids) for encoding in found]

    def _rows(self, texts: Sequence[str], prefix: str) -> Floats:
        rows = np.empty((len(texts), self.dimension), np.float32)
        counts = self._count(texts, prefix)
        _check_texts(texts, counts, self.max_tokens)

        # Texts of one length share a batch: less padding, and vectors that
        # depend less on their neighbours.
        order = sorted(range(len(texts)), key=lambda i: (counts[i], i))
        for start in range(0, len(order), BATCH_SIZE):
            batch = order[start : start + BATCH_SIZE]
            found = self._model.encode(
                [texts[i] for i in batch],
                prompt=prefix,  # As its prompt: some models do not pool over it.
                batch_size=BATCH_SIZE,
                show_progress_bar=False,
            )
            rows[batch] = np.asarray(found, np.float32)
        return _unit(rows)


def load_encoder(
    embedder: Embedder = Embedder(),  # noqa: B008 - frozen
    *,
    dtype: DType | None = None,
) -> SentenceEncoder:
    """Return the encoder that `embedder` describes.

    `dtype` None is bf16 where the CPU computes with it and fp32 elsewhere.

    Raises ModelError if the model is missing, its weights were altered, or it
    cannot do what is asked.
    """
    dtype = dtype or ("bf16" if cpu_has_bf16() else "fp32")
    folder = Path(embedder.model)
    if embedder.revision and (embedder.model == PACKAGED or folder.is_dir()):
        raise ModelError(f"{embedder.model} has no revisions; only a model id has")
    if embedder.model == PACKAGED:
        found = open_sentence_model(str(packaged_folder()), dtype=dtype)
        identity = [PACKAGED_MODEL, PACKAGED_REVISION, PACKAGED_SHA256]
    else:
        found = open_sentence_model(
            embedder.model, revision=embedder.revision, dtype=dtype
        )
        name = folder.name if folder.is_dir() else embedder.model
        identity = [name, _revision(found), weights_sha256(found)]

    _set_pooling(found, embedder)
    length = _set_length(found, embedder)
    cut = _set_dimension(found, embedder)
    prefixes = [embedder.query_prefix, embedder.passage_prefix]
    made_by = [str(length), _pooling(found), "torch", dtype]
    return SentenceEncoder(
        found,
        fingerprint=_digest([*identity, *prefixes, *made_by, *cut]),
        max_tokens=length,
        query_prefix=embedder.query_prefix,
        passage_prefix=embedder.passage_prefix,
    )


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


def _set_dimension(model: SentenceTransformer, embedder: Embedder) -> list[str]:
    """Cut vectors as `embedder` says; return what the fingerprint says of it.

    Nothing for whole vectors, so that those made before there was a choice stay
    what they are.
    """
    whole = model.get_embedding_dimension()
    if not whole:
        raise ModelError(f"{embedder.model} does not say how long its vectors are")
    wanted = embedder.dimension
    if wanted is None or wanted == whole:
        return []
    if not 0 < wanted < whole:
        raise ModelError(
            f"{embedder.model} gives {whole} numbers a vector; {wanted} were asked for"
        )
    model.truncate_dim = wanted
    return [str(wanted)]


def _counting_tokenizer(model: SentenceTransformer) -> Tokenizer:
    """Return a copy of the model's tokenizer that neither cuts nor pads.

    `[CLS]` in a text is text, for both tokenizers.
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
    found = Tokenizer.from_str(backend.to_str())
    found.no_truncation()
    found.no_padding()
    found.encode_special_tokens = True
    return found


def _check_texts(texts: Sequence[str], counts: Sequence[int], limit: int) -> None:
    for text, length in zip(texts, counts, strict=True):
        if not text.strip():
            raise ValueError("a blank text has no vector")
        if length > limit:
            raise OverLengthError(
                f"{length} tokens, model reads {limit}: {text[:60]!r}"
            )


def _unit(rows: Floats) -> Floats:
    """Return the rows with length 1; raise ModelError for one that has none."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        raise ModelError("the model gave a vector that is not finite or has no length")
    unit: Floats = (rows / lengths).astype(np.float32, copy=False)
    return unit


def _revision(model: SentenceTransformer) -> str:
    """Return the commit a model id was loaded at, "" for a folder."""
    config = getattr(getattr(model[0], "auto_model", None), "config", None)
    return str(getattr(config, "_commit_hash", None) or "")


def _is_mean(model: SentenceTransformer) -> bool:
    """Tell whether a vector is nothing but the mean over all tokens."""
    first, *others = model
    pooling = others[0] if others else None
    return (
        type(first).__name__ == "Transformer"
        and getattr(pooling, "pooling_mode", "") == "mean"
        and bool(getattr(pooling, "include_prompt", True))
        and all(type(module).__name__ == "Normalize" for module in others[1:])
    )


def _pooling(model: SentenceTransformer) -> str:
    """Return what follows the transformer: `Pooling mean, Normalize`."""
    modules = [(type(m).__name__, getattr(m, "pooling_mode", "")) for m in model]
    return ", ".join(f"{name} {mode}".strip() for name, mode in modules[1:])


def _digest(fields: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(fields).encode()).hexdigest()[:FINGERPRINT_DIGITS]
