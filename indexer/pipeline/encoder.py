"""Encoder: turn texts into unit vectors, and never into silently cut ones.

What a model is and does is said by sentence-transformers; a runtime is a way to
compute it: torch, onnxruntime, or a table that numpy adds up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from indexer.pipeline.loading import ModelError
from indexer.pipeline.parts import split_text

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

Floats = npt.NDArray[np.float32]
Work = TypeVar("Work")
Result = TypeVar("Result")

PACKAGED = "packaged"
STATIC = "static"  # A table distilled from the packaged model.
LEAST_TOKENS = 32  # Below it a part is a few words, and means nothing by itself.
TOKENIZED_TOGETHER = 64  # Texts that one thread takes at a time.


class OverLengthError(ValueError):
    """A text is longer than the model reads; split it first."""


@dataclass(frozen=True, slots=True)
class Embedder:
    """Which model makes vectors, and how. What is empty is the model's own.

    `model` is "packaged", "static", a folder or a model id, `revision` a commit, tag or
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


@dataclass(frozen=True, slots=True)
class Reading:
    """Texts as a model reads them: the prompt before each, and as token ids.

    `prompt_tokens` are the first of each text's ids, special ones included.
    """

    texts: Sequence[str]
    prompt: str
    ids: Sequence[Sequence[int]]
    prompt_tokens: int

    def longest_first(self) -> list[int]:
        """Return the places of the texts, those with most tokens first."""
        return sorted(range(len(self.ids)), key=lambda i: (-len(self.ids[i]), i))


class Runtime(Protocol):
    """Computes the vectors of a model: all numbers of each, of any length but 0.

    The same texts give the same bits, whatever the number of threads.
    """

    def rows(self, reading: Reading) -> Floats:
        """Return one row a text, shape (texts, numbers)."""

    def token_rows(self, reading: Reading) -> Floats | None:
        """Return the rows of one text's tokens, whose mean is its own.

        None of a model that pools otherwise.
        """


class SentenceEncoder:
    """A model that sentence-transformers defines, computed by a runtime."""

    def __init__(
        self,
        runtime: Runtime,
        tokenizer: Tokenizer,
        *,
        fingerprint: str,
        dimension: int,
        max_tokens: int,
        query_prefix: str = "",
        passage_prefix: str = "",
        special_tokens: bool = True,
        threads: int = 1,
    ) -> None:
        self.fingerprint = fingerprint
        self.dimension = dimension
        self.max_tokens = max_tokens
        self._runtime = runtime
        self._tokenizer = tokenizer
        self._specials = special_tokens
        self._threads = threads
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._prompt_tokens: dict[str, int] = {}
        for prefix in (query_prefix, passage_prefix):
            (found,) = self._tokenize([""], prefix)
            taken = len(found.ids)
            if taken > max_tokens // 2:
                raise ModelError(
                    f"the prefix {prefix[:40]!r} takes {taken} of {max_tokens} tokens; "
                    "half of them must be left for the text"
                )
            ends = taken > 0 and found.special_tokens_mask[-1]
            self._prompt_tokens[prefix] = taken - ends if prefix else 0

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
        prefix = self._passage_prefix
        found = self._tokenizer.encode(prefix + text, add_special_tokens=self._specials)
        rows = self._runtime.token_rows(self._reading([text], [found.ids], prefix))
        if rows is None:
            return None
        places = zip(found.offsets, found.special_tokens_mask, strict=True)
        starts = [
            None if special or start < len(prefix) else start - len(prefix)
            for (start, _), special in places
        ]
        return rows[:, : self.dimension], starts

    def _rows(self, texts: Sequence[str], prefix: str) -> Floats:
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        ids = [found.ids for found in self._tokenize(texts, prefix)]
        rows = self._runtime.rows(self._reading(texts, ids, prefix))
        return _unit(rows[:, : self.dimension])

    def _reading(
        self, texts: Sequence[str], ids: Sequence[Sequence[int]], prefix: str
    ) -> Reading:
        _check_texts(texts, ids, self.max_tokens)
        return Reading(texts, prefix, ids, self._prompt_tokens[prefix])

    def _count(self, texts: Sequence[str], prefix: str) -> list[int]:
        return [len(found.ids) for found in self._tokenize(texts, prefix)]

    def _tokenize(self, texts: Sequence[str], prefix: str) -> list[Encoding]:
        groups = [
            [prefix + text for text in texts[start : start + TOKENIZED_TOGETHER]]
            for start in range(0, len(texts), TOKENIZED_TOGETHER)
        ]
        found = in_threads(self._tokenize_group, groups, self._threads)
        return [encoding for group in found for encoding in group]

    def _tokenize_group(self, texts: Sequence[str]) -> list[Encoding]:
        return self._tokenizer.encode_batch_fast(
            texts, add_special_tokens=self._specials
        )


def in_threads(
    work: Callable[[Work], Result], pieces: Iterable[Work], threads: int
) -> list[Result]:
    """Return what `work` makes of each piece, in order.

    The threads end with the call, so a process that forks has none.
    """
    if threads == 1:
        return [work(piece) for piece in pieces]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, pieces))


def copy_tokenizer(source: str) -> Tokenizer:
    """Return a tokenizer, from its JSON, that neither cuts nor pads.

    `[CLS]` in a text is text.
    """
    from tokenizers import Tokenizer

    found = Tokenizer.from_str(source)
    found.no_truncation()
    found.no_padding()
    found.encode_special_tokens = True
    return found


def _check_texts(
    texts: Sequence[str], ids: Sequence[Sequence[int]], limit: int
) -> None:
    for text, tokens in zip(texts, ids, strict=True):
        if not text.strip():
            raise ValueError("a blank text has no vector")
        if len(tokens) > limit:
            raise OverLengthError(
                f"{len(tokens)} tokens, model reads {limit}: {text[:60]!r}"
            )


def _unit(rows: Floats) -> Floats:
    """Return the rows with length 1; raise ModelError for one that has none."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        raise ModelError("the model gave a vector that is not finite or has no length")
    unit: Floats = (rows / lengths).astype(np.float32, copy=False)
    return unit
