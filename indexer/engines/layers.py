"""Layers: the files of a build, opened for reading.

A layer is verified when it is first opened and then shared by every search of
the process; it never changes, so readers take no lock.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from indexer.engines.columns import Columns
from indexer.pipeline import catalogue as catalogues
from indexer.pipeline import names as name_table
from indexer.pipeline import postings as posting_lists
from indexer.pipeline import spelling, store, vectors
from indexer.pipeline.paths import path_stem

Integers = npt.NDArray[np.int32]

CATALOGUE = "catalogue"
OPEN_LAYERS = 400  # Mapped files, not memory: about ten builds of Django's size.


@dataclass(frozen=True, slots=True)
class LayerPlace:
    """Where a published layer lies, and the sha256 of each of its files."""

    folder: Path
    checksums: Mapping[str, str]


class LexicalLayer:
    """Catalogue, postings and names of a build."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.catalogue = catalogues.load_catalogue(folder / CATALOGUE)
        self.paths = posting_lists.load_postings(folder / "paths")
        self.postings = posting_lists.load_postings(folder / "postings")
        self.summaries = posting_lists.load_postings(folder / "summaries")
        self.names = name_table.load_names(folder / "names")
        self.file_of: Integers = np.load(folder / "file_of.npy")
        self.columns = Columns(self.catalogue, self.file_of)
        self.places: Integers = np.load(folder / "places.npy")
        offsets = np.load(folder / "purpose_offsets.npy")
        self.has_purpose: npt.NDArray[np.bool_] = np.diff(offsets) > 0
        self.purpose_count = int(np.count_nonzero(self.has_purpose))
        self.own_lines: Integers = catalogues.own_lines(self.catalogue)
        self.stems = [path_stem(f.path) for f in self.catalogue.files]

    @cached_property
    def reexports(self) -> dict[int, list[int]]:
        """The definitions that each stub passes on, by ordinal."""
        found: dict[int, list[int]] = {}
        for stub, definition in self.catalogue.reexports.tolist():
            found.setdefault(stub, []).append(definition)
        return found

    @cached_property
    def chunk_places(self) -> Integers:
        """The row of the place of each chunk's file, -1 without one."""
        rows = np.full(len(self.catalogue.files), -1, np.int32)
        rows[self.places] = np.arange(len(self.places), dtype=np.int32)
        return rows[self.file_of]

    @cached_property
    def spellings(self) -> spelling.Spellings:
        """The names to offer for a word that occurs nowhere; read when one does."""
        return spelling.load_spellings(self.folder)


class VectorLayer:
    """Rows of one surface, with the ordinal and part number of each."""

    def __init__(self, folder: Path) -> None:
        self.vectors = vectors.load_vectors(folder / "vectors.faiss")
        self.ordinals: Integers = np.load(folder / "ordinals.npy")
        self.numbers: npt.NDArray[np.int16] = np.load(folder / "numbers.npy")
        self.digests: npt.NDArray[np.uint8] = np.load(folder / "digests.npy")


_open: OrderedDict[tuple[str, str], LexicalLayer | VectorLayer] = OrderedDict()
_lock = threading.Lock()


def open_layer(place: LayerPlace) -> LexicalLayer | VectorLayer:
    """Return a layer, verified at its first opening in this process.

    Raises DamagedError when a file is missing or altered, LayerError when it is of
    another format: only a layer that can be read is hashed, one that cannot is met at
    every search.
    """
    key = (str(place.folder), place.checksums[store.MANIFEST])
    with _lock:
        if key in _open:
            _open.move_to_end(key)
            return _open[key]
    if store.is_unaltered(place.folder / store.MANIFEST, key[1]):
        check_format(place.folder, place.checksums)
    store.verify_layer(place.folder, place.checksums)
    layer = _read(place.folder)
    with _lock:
        for known in [key for key in _open if not Path(key[0]).exists()]:
            del _open[known]  # Removed: what is mapped would keep its place on disk.
        _open[key] = layer
        while len(_open) > OPEN_LAYERS:
            _open.popitem(last=False)
    return layer


def close_layers(folder: Path) -> None:
    """Keep the layers of a build's folder no longer; who reads one goes on with it."""
    with _lock:
        for known in [key for key in _open if Path(key[0]).parent == folder]:
            del _open[known]


def _read(folder: Path) -> LexicalLayer | VectorLayer:
    """Read a layer that was just found whole. Raises DamagedError."""
    try:
        return LexicalLayer(folder) if _is_lexical(folder) else VectorLayer(folder)
    except FileNotFoundError as error:
        raise store.damaged(folder.name) from error


def check_format(folder: Path, files: Iterable[str] | None = None) -> None:
    """Raise LayerError if this version cannot read a layer, by its manifest.

    `files` are the names of what was published, if they are known.
    """
    store.read_manifest(folder)
    # Layers from before there was a catalogue have the same format number.
    if files is None:
        files = [f"{path.name}/" for path in folder.iterdir()]
    has_catalogue = any(name.startswith(f"{CATALOGUE}/") for name in files)
    if _is_lexical(folder) and not has_catalogue:
        raise store.LayerError(
            f"{folder.name} is of an earlier version; index the repository again"
        )


def _is_lexical(folder: Path) -> bool:
    return folder.name.startswith("lexical")
