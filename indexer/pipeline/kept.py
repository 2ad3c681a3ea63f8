"""Kept: folders that are made once, by whoever comes first, and are whole when read.

Each holds the sha256 of its files. One that is damaged is made again.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from indexer.pipeline import store
from indexer.pipeline.loading import ModelError

logger = logging.getLogger(__name__)

SUMS = "sums.json"
FAILED = 3  # Exit code of a child that says in its last line why.


def keep_folder(folder: Path, fill: Callable[[Path], None]) -> None:
    """Let `folder` be whole: `fill` gets an empty one if it is not.

    Of several processes one does it, and the others wait. Raises OSError or
    LayerError when it cannot be written, and whatever `fill` does.
    """
    if is_whole(folder):
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _locked(folder.with_name(f".{folder.name}.lock")):
        if is_whole(folder):
            return
        for left in folder.parent.glob(f".{folder.name}.*"):
            if left.is_dir():  # Of a process that was killed at it.
                shutil.rmtree(left, ignore_errors=True)

        def write(aside: Path) -> None:
            fill(aside)
            (aside / SUMS).write_text(json.dumps(store.hash_files(aside), indent=1))

        with store.written_layer(folder, write) as made:
            made.publish()


def is_whole(folder: Path) -> bool:
    """Tell whether a folder is there, with its files as they were written."""
    if not folder.is_dir():
        return False
    try:
        sums = json.loads((folder / SUMS).read_text())
        found = store.hash_files(folder)
    except (OSError, ValueError) as error:
        logger.warning("%s is damaged, and made again: %s", folder.name, error)
        return False
    found.pop(SUMS, None)
    if found != sums:
        logger.warning("%s is damaged, and made again", folder.name)
    return bool(found == sums)


def run_child(module: str, *arguments: str) -> None:
    """Run one of our modules in a process that ends with this one.

    Raises ModelError with what it says in its last line when it ends with FAILED,
    and OSError when it dies.
    """
    with subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [sys.executable, "-m", module, *arguments],
        cwd=Path(__file__).resolve().parents[2],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        said = child.stderr.read().strip() if child.stderr else ""
        code = child.wait()
    last = said.rpartition("\n")[2]
    if code == FAILED:
        raise ModelError(last)
    if code:
        raise OSError(f"{module} ended with {code}: {last}")


@contextmanager
def as_child() -> Iterator[None]:
    """Be the child: end with the parent, and say a ModelError in one line."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        yield
    except ModelError as error:
        sys.stderr.write(f"\n{error}\n")
        sys.exit(FAILED)


def _end_with_parent() -> None:
    sys.stdin.read()  # To the end, which comes when nobody holds the other side.
    os._exit(1)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a file's lock, which the system gives back when a process dies."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
