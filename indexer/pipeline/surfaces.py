"""Surfaces: the texts of a build, in which order they are encoded, and by what key.

The texts of one surface lie one after the other in a file, by ordinal. The most
useful come first where they are encoded: layer k of a surface covers the texts that
its order has there, whatever happened to the build before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from indexer.pipeline.ragged import Places, offsets_of
from indexer.pipeline.store import map_array

SURFACES = ("summary", "purpose", "body")  # The most useful first.


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts of one surface, in order: what is encoded, and for which ordinal.

    `ordinals` are chunk ordinals, or place rows for summaries. `heads` repeat
    at the start of every part but the first. `breaks` are (character, depth).
    """

    ordinals: tuple[int, ...]
    texts: tuple[str, ...]
    heads: tuple[str, ...]
    breaks: tuple[tuple[tuple[int, int], ...], ...]


def save_texts(stem: Path, texts: Sequence[bytes]) -> None:
    """Write texts one after the other with their offsets; an empty one is none."""
    offsets = offsets_of([len(text) for text in texts])
    np.save(stem.with_name(f"{stem.name}_offsets.npy"), offsets)
    with stem.with_suffix(".txt").open("wb") as file:
        file.writelines(texts)


def load_texts(stem: Path, ordinals: Sequence[int]) -> list[str]:
    """Read the texts of `ordinals`; "" stands for none."""
    return [text.decode("utf-8", "surrogatepass") for text in _read(stem, ordinals)]


def save_breaks(folder: Path, offsets: Places, breaks: npt.NDArray[np.int32]) -> None:
    """Write where each body may be split: the rows (character, depth) of `breaks`."""
    np.save(folder / "break_offsets.npy", offsets)
    np.save(folder / "breaks.npy", breaks)


def save_order(stem: Path, texts: Sequence[bytes], first: Sequence[bool]) -> None:
    """Write the ordinals that have a text: those of `first`, then the rest."""
    has_text = np.array([bool(text) for text in texts], dtype=bool)
    is_first = np.array(first, dtype=bool)
    order = [np.flatnonzero(has_text & is_first), np.flatnonzero(has_text & ~is_first)]
    np.save(_order_path(stem), np.concatenate(order).astype(np.int32))


def texts_of(lexical: Path, surface: str) -> list[int]:
    """Return the ordinals that have a text on a surface, as they are encoded.

    Windows have no purpose. In a build from before there was an order it is that of
    the ordinals.
    """
    path = _order_path(lexical / surface)
    if path.exists():
        order = np.load(path)
    else:
        order = np.flatnonzero(np.diff(np.load(lexical / f"{surface}_offsets.npy")))
    ordinals: list[int] = order.tolist()
    return ordinals


def count_texts(lexical: Path, surface: str) -> int:
    """Return how many ordinals have a text on a surface."""
    path = _order_path(lexical / surface)
    if path.exists():
        return len(np.load(path, mmap_mode="r"))
    return len(texts_of(lexical, surface))


def load_surface(lexical: Path, surface: str, ordinals: Sequence[int]) -> Texts:
    """Read what one surface has to encode for `ordinals`."""
    texts = load_texts(lexical / surface, ordinals)
    heads = [text.partition("\n")[0] for text in texts]
    breaks: list[tuple[tuple[int, int], ...]] = [()] * len(texts)
    if surface == "body":
        breaks = [
            tuple((int(a), int(b)) for a, b in places)
            for places in _load_breaks(lexical, ordinals)
        ]
    return Texts(tuple(ordinals), tuple(texts), tuple(heads), tuple(breaks))


def text_keys(lexical: Path, surface: str, ordinals: Sequence[int]) -> list[bytes]:
    """Return what the vectors of each text are known by, 32 bytes.

    The sha256 of the text; where it may be split, of that and of the places. Its
    vectors depend on nothing else, and neither tokenizer nor model is asked.
    """
    keys = text_digests(lexical / surface, ordinals)
    if surface != "body":
        return keys
    return [
        hashlib.sha256(key + places.astype("<i4").tobytes()).digest()
        if len(places)
        else key
        for key, places in zip(keys, _load_breaks(lexical, ordinals), strict=True)
    ]


def text_digests(stem: Path, ordinals: Sequence[int]) -> list[bytes]:
    """Return the sha256 of each text, 32 bytes."""
    return [hashlib.sha256(text).digest() for text in _read(stem, ordinals)]


def text_sizes(lexical: Path, surface: str, ordinals: Sequence[int]) -> list[int]:
    """Return the bytes of each text in UTF-8."""
    sizes = np.diff(np.load(lexical / f"{surface}_offsets.npy"))
    return [int(size) for size in sizes[list(ordinals)]]


def _read(stem: Path, ordinals: Sequence[int]) -> Iterator[bytes]:
    starts, stops = _bounds(stem.with_name(f"{stem.name}_offsets.npy"), ordinals)
    with stem.with_suffix(".txt").open("rb") as file:
        for start, stop in zip(starts, stops, strict=True):
            file.seek(start)
            yield file.read(stop - start)


def _load_breaks(lexical: Path, ordinals: Sequence[int]) -> list[npt.NDArray[np.int32]]:
    starts, stops = _bounds(lexical / "break_offsets.npy", ordinals)
    places = map_array(lexical / "breaks.npy")
    return [places[start:stop] for start, stop in zip(starts, stops, strict=True)]


def _bounds(path: Path, ordinals: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return where the piece of each ordinal starts and ends."""
    offsets, wanted = map_array(path), np.array(ordinals, np.int64)
    return offsets[wanted].tolist(), offsets[wanted + 1].tolist()


def _order_path(stem: Path) -> Path:
    return stem.with_name(f"{stem.name}_order.npy")
