"""Store: the folders of a build on disk, written aside and verified when read.

A layer is a folder. It is written under a temporary name and flushed; then, in one
transaction, renamed and published by a row that holds the sha256 of each of its
files. `docs/build-format.md` lists the files.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
MOST_NAMED = 3  # Files of a damaged layer in a sentence.
# What a process may lack for a moment: no fault of the file that it could not open.
SHORT_OF = {errno.EMFILE, errno.ENFILE, errno.ENOMEM}
# Bytes. A mapped file holds a descriptor, of which many systems give a process 1,024.
LEAST_MAPPED = 1 << 20


class LayerError(Exception):
    """A layer cannot be written or does not read back as it was written."""


class DamagedError(LayerError):
    """Files of a published layer are missing or altered; `fault` says which."""

    def __init__(self, message: str, fault: str) -> None:
        self.fault = fault
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class WrittenLayer:
    """A layer that is complete and on the disk, beside the place where it is to be.

    `files` are the sha256 of its files by relative name.
    """

    aside: Path
    folder: Path
    files: dict[str, str]

    def publish(self) -> dict[str, str]:
        """Put it in its place and return `files`, for the row that publishes it.

        Whatever stood there is replaced: call this only while nobody else can have
        published it, in the transaction that confirms the lease and makes the row.
        Raises LayerError.
        """
        try:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.aside.rename(self.folder)
            _flush(self.folder.parent)
        except OSError as error:
            raise _unwritten(self.folder, error) from error
        return self.files


@contextmanager
def written_layer(
    folder: Path, write: Callable[[Path], None]
) -> Iterator[WrittenLayer]:
    """Write a layer beside `folder`; what the block does not publish is removed.

    `write` gets an empty folder to fill, of a name that no other attempt has: one
    that was given up may still be writing. Raises LayerError when the disk is full.
    """
    aside = folder.with_name(f".{folder.name}.{secrets.token_hex(8)}")
    try:
        try:
            aside.mkdir(parents=True)
            write(aside)
            files = hash_files(aside)
            for path in [*aside.rglob("*"), aside]:
                _flush(path)
        except OSError as error:
            raise _unwritten(folder, error) from error
        yield WrittenLayer(aside, folder, files)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _unwritten(folder: Path, error: OSError) -> LayerError:
    return LayerError(
        f"cannot write {folder.name}: {error.strerror or error}; "
        "free some space, then index again"
    )


def write_manifest(folder: Path, facts: Mapping[str, object]) -> None:
    """Write what the layer is, with the version of its format."""
    text = json.dumps({"format": FORMAT_VERSION, **facts}, indent=1, sort_keys=True)
    (folder / MANIFEST).write_text(text + "\n")


def read_manifest(folder: Path) -> dict[str, object]:
    """Return the manifest; raise LayerError if there is none, or not of our format."""
    try:
        facts: dict[str, object] = json.loads((folder / MANIFEST).read_text())
    except (OSError, ValueError) as error:
        raise LayerError(f"{folder.name} has no manifest: index it again") from error
    if facts.get("format") != FORMAT_VERSION:
        raise LayerError(
            f"{folder.name} has format {facts.get('format')}, "
            f"this version reads {FORMAT_VERSION}: index the repository again"
        )
    return facts


def verify_layer(folder: Path, checksums: Mapping[str, str]) -> None:
    """Raise DamagedError unless `folder` holds exactly these files, unaltered.

    LayerError when this process is too short of something to tell.
    """
    if not folder.is_dir():
        raise damaged(folder.name)
    try:
        names = {path.relative_to(folder).as_posix() for path in _files_below(folder)}
        unlike = {n for n in names if not is_unaltered(folder / n, checksums.get(n))}
    except OSError as error:
        raise LayerError(f"cannot read {folder.name}: {error.strerror}") from error
    if wrong := sorted(unlike | (checksums.keys() - names)):
        raise damaged(folder.name, wrong)


def damaged(layer: str, files: Sequence[str] = ()) -> DamagedError:
    """Return what to raise for a layer of which some files, or all, are damaged."""
    named = files[:MOST_NAMED]
    more = len(files) - len(named)
    verb = "is" if len(files) < 2 else "are"
    paths = ", ".join(f"{layer}/{name}" for name in named) or layer
    tail = f" and {more} more" if more else ""
    told = f" ({', '.join(named)}{tail})" if named else ""
    return DamagedError(
        f"{layer} is damaged{told}: index it again",
        f"{paths}{tail} {verb} missing or altered",
    )


def is_unaltered(path: Path, checksum: str | None) -> bool:
    """Tell whether a file has its sha256; one that cannot be read has not."""
    try:
        return hash_file(path) == checksum
    except OSError as error:
        if error.errno in SHORT_OF:
            raise
        return False


def _files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def hash_files(folder: Path) -> dict[str, str]:
    """Return the sha256 of every file below `folder`, by relative name."""
    paths = _files_below(folder)
    return {path.relative_to(folder).as_posix(): hash_file(path) for path in paths}


def hash_file(path: Path) -> str:
    """Return the sha256 of one file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def map_array(path: Path) -> npt.NDArray[Any]:  # Any: the file says its type
    """Return an array that is mapped if it is large, and read if it is small.

    As a plain array: each slice of a `memmap` costs several times as much.
    """
    mode: Literal["r"] | None = "r" if path.stat().st_size > LEAST_MAPPED else None
    return np.asarray(np.load(path, mmap_mode=mode, allow_pickle=False))


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
