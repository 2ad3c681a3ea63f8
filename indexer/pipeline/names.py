"""Names: which chunks a name stands for, by qualified name or suffix of it."""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from indexer.pipeline.store import map_array

Ordinals = npt.NDArray[np.int32]


class NamesError(ValueError):
    """The files of the names do not belong together; build the index again."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a build.

    `keys` is sorted, lower-cased. The chunks of key i, by ordinal, are
    `chunks[offsets[i]:offsets[i + 1]]`.
    """

    keys: list[str]
    offsets: npt.NDArray[np.int64]
    chunks: Ordinals


def build_names(symbols: Sequence[str]) -> Names:
    """Return the names of `symbols`, the qualified name of each chunk by ordinal.

    `a.B.c` is found as `a.b.c`, `b.c` and `c`. A chunk whose symbol is "" has
    no name.
    """
    table: dict[str, list[int]] = defaultdict(list)
    for ordinal, symbol in enumerate(symbols):
        for suffix in _suffixes(_key(symbol)):
            table[suffix].append(ordinal)
    keys = sorted(table)
    ends = list(accumulate((len(table[key]) for key in keys), initial=0))
    chunks = list(chain.from_iterable(table[key] for key in keys))
    return Names(keys, np.array(ends, np.int64), np.array(chunks, np.int32))


def lookup(names: Names, key: str) -> Ordinals:
    """Return the ordinals of the chunks named `key`, rising; empty if none is.

    Case does not count, and `A::b` is `A.b`.
    """
    wanted = _key(key)
    i = bisect_left(names.keys, wanted)
    if i == len(names.keys) or names.keys[i] != wanted:
        return np.empty(0, np.int32)
    return names.chunks[int(names.offsets[i]) : int(names.offsets[i + 1])]


def rarity(definitions: int, total: int) -> float:
    """Return how rare a name is that so many of all chunks are called, 0 to 1.

    log(1 + total / definitions) / log(1 + total): 1 for the only definition, near 0
    for a name that everything has.
    """
    return math.log1p(total / definitions) / math.log1p(total)


def save_names(names: Names, folder: Path) -> None:
    """Write the names into `folder`, which is made if needed."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = json.dumps(names.keys, separators=(",", ":"))
    (folder / "names.json").write_text(keys, encoding="ascii")
    np.save(folder / "name_offsets.npy", names.offsets, allow_pickle=False)
    np.save(folder / "name_chunks.npy", names.chunks, allow_pickle=False)


def load_names(folder: Path) -> Names:
    """Return the names in `folder`, their arrays mapped, not read.

    Raises NamesError if the files do not belong together.
    """
    keys = json.loads((folder / "names.json").read_bytes())
    offsets, chunks = (
        map_array(folder / name) for name in ("name_offsets.npy", "name_chunks.npy")
    )
    if len(offsets) != len(keys) + 1 or int(offsets[-1]) != len(chunks):
        raise NamesError(
            f"{folder}: {len(keys)} names, {len(offsets)} offsets, "
            f"{len(chunks)} chunks; build it again"
        )
    return Names(keys, offsets, chunks)


def _key(name: str) -> str:
    return name.replace("::", ".").lower()


def _suffixes(key: str) -> list[str]:
    """Return `key` and what follows each of its dots, from the shortest."""
    *outer, last = [part for part in key.split(".") if part] or [""]
    found = [last] if last else []
    for part in reversed(outer):
        found.append(f"{part}.{found[-1]}")
    return found
