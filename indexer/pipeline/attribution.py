"""Attribution: what each line of an encoded text adds to its cosine with a query.

The vector of a mean-pooled model is the mean of its tokens' vectors, so the cosine is a
sum over tokens: with unit query q, tokens h and their mean m, q.h_i / (n |m|) each.
That is exact. Of any other model a line is left out and the text encoded again: what
the cosine loses is the line's, and the lines need not add up to anything.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from indexer.pipeline.encoder import Encoder, Floats

ADDITIVE, OCCLUSION = "additive", "occlusion"
MOST_LINES = 120  # Encoded again one by one, 10 ms each.


@dataclass(frozen=True, slots=True)
class Attribution:
    """What the lines of a text add to `cosine`, which was computed again for this.

    `lines` has one entry a line, None for one that was not measured. `rest` is what the
    tokens outside the text add, special ones and a prefix: with `additive` the lines
    and it sum to the cosine, with `occlusion` there is none. `tokens` counts all.
    """

    method: str
    cosine: float
    lines: tuple[float | None, ...]
    rest: float | None
    tokens: int


def attribute_text(encoder: Encoder, text: str, query: Floats) -> Attribution:
    """Return what each line of `text`, which the model reads whole, adds.

    `query` is a unit vector, shape (dimension,).
    """
    (tokens,) = encoder.count_tokens([text])
    found = encoder.token_vectors(text)
    if found is None:
        return _occlude(encoder, text, query, tokens)
    rows, starts = found
    shares = rows @ query / (len(rows) * np.linalg.norm(rows.mean(axis=0)))
    lines = [0.0] * len(text.split("\n"))
    rest = 0.0
    begins = _line_starts(text)
    for share, start in zip(shares.tolist(), starts, strict=True):
        if start is None:
            rest += share
        else:
            lines[bisect_right(begins, start) - 1] += share
    return Attribution(ADDITIVE, sum(lines) + rest, tuple(lines), rest, tokens)


def _occlude(encoder: Encoder, text: str, query: Floats, tokens: int) -> Attribution:
    lines = text.split("\n")
    written = [n for n, line in enumerate(lines) if line.strip()]
    left_out = written[:MOST_LINES] if len(written) > 1 else []
    without = ["\n".join(lines[:n] + lines[n + 1 :]) for n in left_out]
    whole, *others = (encoder.encode([text, *without]) @ query).tolist()
    shares: list[float | None] = [None] * len(lines)
    for n, cosine in zip(left_out, others, strict=True):
        shares[n] = whole - cosine
    return Attribution(OCCLUSION, whole, tuple(shares), None, tokens)


def _line_starts(text: str) -> Sequence[int]:
    lengths = [len(line) + 1 for line in text.split("\n")]
    return [0, *accumulate(lengths)][:-1]
