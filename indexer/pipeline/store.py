"""Store: the folders of a build on disk, written aside and verified when read.

A layer is a folder. It is written under a temporary name, flushed, renamed,
and only then published by a row that holds the sha256 of each of its files;
`docs/build-format.md` lists the files.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
# Bytes. A mapped file holds a descriptor, of which many systems give a process 1,024.
LEAST_MAPPED = 1 << 20


class LayerError(Exception):
    """A layer cannot be written or does not read back as it was written."""


def write_layer(folder: Path, write: Callable[[Path], None]) -> dict[str, str]:
    """Write a layer into `folder` in one step and return its files' sha256.

    `write` gets an empty folder to fill. Whatever stood at `folder` was never
    published and is replaced. Raises LayerError when the disk is full.
    """
    aside = folder.with_name(f".{folder.name}.{os.getpid()}")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    try:
        write(aside)
        checksums = hash_files(aside)
        for path in [*aside.rglob("*"), aside]:
            _flush(path)
        shutil.rmtree(folder, ignore_errors=True)
        aside.rename(folder)
        _flush(folder.parent)
    except OSError as error:
        raise LayerError(
            f"cannot write {folder.name}: {error.strerror or error}; "
            "free some space, then index again"
        ) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return checksums


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
    """Raise LayerError unless `folder` holds exactly these files, unaltered."""
    try:
        found = hash_files(folder)
    except OSError as error:
        raise LayerError(f"cannot read {folder.name}: {error.strerror}") from error
    missing = sorted(checksums.keys() - found.keys())
    altered = sorted(
        name for name, digest in found.items() if checksums.get(name) != digest
    )
    if missing or altered:
        names = ", ".join(missing + altered)
        raise LayerError(f"{folder.name} is damaged ({names}): index it again")


def hash_files(folder: Path) -> dict[str, str]:
    """Return the sha256 of every file below `folder`, by relative name."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
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
