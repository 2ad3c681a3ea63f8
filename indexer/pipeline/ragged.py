"""Ragged: rows of different lengths, one after the other in a flat array."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.int64]


def offsets_of(sizes: Sequence[int] | npt.NDArray[np.integer]) -> Places:
    """Return where rows of these sizes begin, and the last ends: int64 (n + 1)."""
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def places_of(offsets: Places, rows: npt.NDArray[np.integer]) -> Places:
    """Return the places in the flat array of the values of `rows`, row after row."""
    sizes = np.diff(offsets)[rows]
    ends = offsets_of(sizes)
    places: Places = np.arange(ends[-1])
    places += np.repeat(offsets[rows] - ends[:-1], sizes)
    return places
