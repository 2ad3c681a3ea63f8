"""Vectors: rows of length 1 in a file, and their exact scores for a query.

FAISS stores the rows. Its search is not used: ties come back in falling order,
a NaN row vanishes and a short list is filled with -1. Here every row has a
score, in row order, and the order is made elsewhere. It is imported when vectors
are read or written, not for a search without any.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import faiss

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int32]

UNIT_TOLERANCE = 1e-3  # Rounding of float32 is far below, a raw vector far above.


class VectorError(ValueError):
    """Vectors cannot be stored, read or compared; the message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Rows of one layer, mapped from a file; `rows` has shape (n, d) and is read-only.

    Concurrent reads are safe. `rows` is a view of what `index` has mapped and
    keeps it alive.
    """

    index: faiss.IndexFlatIP
    rows: Floats

    @property
    def count(self) -> int:
        """The number of rows."""
        return int(self.rows.shape[0])

    @property
    def dimension(self) -> int:
        """The numbers in a row."""
        return int(self.rows.shape[1])


def save_vectors(path: Path, rows: Floats) -> None:
    """Write `rows`, shape (n, d), to `path`; the file is there whole or not at all.

    Raises VectorError if the rows are not finite and of length 1, or if the
    file could not be written or does not read back as the same rows: FAISS does
    not report a disk that is full for the last 4 KiB.
    """
    import faiss

    check_rows(rows)
    index = faiss.IndexFlatIP(rows.shape[1])
    index.add(np.ascontiguousarray(rows))
    aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        faiss.write_index(index, os.fspath(aside))
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        if not _reads_back(aside, rows):
            raise VectorError(
                f"{path} reads back other than written; is the disk full?"
            )
        aside.replace(path)
    except (OSError, RuntimeError) as error:
        raise VectorError(f"{path} could not be written: {error}") from error
    finally:
        aside.unlink(missing_ok=True)


def load_vectors(path: Path) -> Vectors:
    """Return the vectors in `path`, mapped: processes share their memory.

    Raises VectorError if the file is missing, cut short, or of another kind.
    """
    import faiss

    try:
        index = faiss.read_index(os.fspath(path), faiss.IO_FLAG_MMAP_IFC)
        size = path.stat().st_size
    except (OSError, RuntimeError) as error:
        raise VectorError(f"{path} cannot be read, build it again: {error}") from error
    if not isinstance(index, faiss.IndexFlatIP):
        raise VectorError(f"{path} holds a {type(index).__name__}, not IndexFlatIP")

    shape = (int(index.ntotal), int(index.d))
    numbers = shape[0] * shape[1]
    if size < numbers * 4:
        raise VectorError(
            f"{path} has {size} bytes, {shape[0]} rows of {shape[1]} numbers need "
            f"{numbers * 4}; build it again"
        )
    rows = np.asarray(_Memory(index, shape)) if numbers else np.empty(shape, np.float32)
    return Vectors(index, rows)


def scores(vectors: Vectors, query: Floats) -> Floats:
    """Return the inner product of `query` with every row, in row order.

    Shape (n,), float32; a cosine, because rows and query have length 1. A row's
    score depends on that row and the query only, not on the rows beside it or
    on threads. Raises VectorError for a query of another dimension or one that
    is not finite.
    """
    import faiss

    if query.shape != (vectors.dimension,):
        raise VectorError(
            f"query has shape {query.shape}, rows have {vectors.dimension} numbers: "
            "encode it with the model of the build"
        )
    if not np.isfinite(query).all():
        bad = int(np.count_nonzero(~np.isfinite(query)))
        raise VectorError(
            f"query has {bad} of {query.size} numbers that are not finite"
        )

    wanted = np.ascontiguousarray(query, np.float32)
    found = np.empty(vectors.count, np.float32)
    if vectors.count:
        # Row by row: fvec_inner_products_ny adds short rows (d of 1, 2, 4, 8, 12)
        # in groups, so that a score changes with the number of rows.
        ids = np.arange(vectors.count, dtype=np.int64)
        faiss.fvec_inner_products_by_idx(  # type: ignore[attr-defined]  # no stub
            faiss.swig_ptr(found),
            faiss.swig_ptr(wanted),
            vectors.index.get_xb(),
            faiss.swig_ptr(ids),
            vectors.dimension,
            1,
            vectors.count,
        )
    return found


def best_part_scores(
    row_scores: Floats, row_chunk: Integers, chunk_count: int
) -> tuple[Floats, Integers]:
    """Return each chunk's best score, and the row that has it.

    `row_chunk` is the chunk's ordinal of each row: a chunk has a row for every
    part. Ties go to the earlier row. A chunk without a row scores NaN; its row
    is -1, which stands for nothing and must not be used as an index.
    """
    best = np.full(chunk_count, -np.inf, np.float32)
    np.maximum.at(best, row_chunk, row_scores)

    # Of repeated places the last assignment stays, so the earliest row goes last.
    winners = np.flatnonzero(row_scores == best[row_chunk])[::-1]
    best_row = np.full(chunk_count, -1, np.int32)
    best_row[row_chunk[winners]] = winners
    best[best_row < 0] = np.nan
    return best, best_row


class _Memory:
    """The rows of an index as numpy reads them; an array of it keeps the index."""

    def __init__(self, index: faiss.IndexFlatIP, shape: tuple[int, int]) -> None:
        self.index = index
        self.__array_interface__ = {
            "version": 3,
            "typestr": "<f4",
            "shape": shape,
            "data": (int(index.get_xb()), True),  # An address, read-only.
        }


def check_rows(rows: Floats) -> None:
    """Raise VectorError unless `rows` are float32 (n, d), finite and of length 1."""
    if rows.ndim != 2 or rows.dtype != np.float32 or not rows.shape[1]:
        raise VectorError(f"rows are {rows.dtype} {rows.shape}, not float32 (n, d)")
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):
        raise VectorError(
            f"{len(bad)} of {len(rows)} rows are not finite, the first is row {bad[0]}"
        )
    bad = np.flatnonzero(~are_sound(rows))
    if len(bad):
        raise VectorError(
            f"{len(bad)} of {len(rows)} rows are not of length 1, "
            f"row {bad[0]} has {np.linalg.norm(rows[bad[0]]):.4f}"
        )


def are_sound(rows: Floats) -> npt.NDArray[np.bool_]:
    """Tell of each of `rows`, float32 (n, d), whether it is finite and of length 1."""
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(rows, axis=1)
        return np.asarray(np.abs(lengths - 1) <= UNIT_TOLERANCE)


def _reads_back(path: Path, rows: Floats) -> bool:
    try:
        stored = load_vectors(path).rows
    except VectorError:
        return False
    return np.array_equal(stored, rows)
