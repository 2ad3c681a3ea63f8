"""Limits: what a step needs of disk and memory, and what to say when it ran out."""

from __future__ import annotations

import errno
import re
import shutil
from pathlib import Path

from django.conf import settings

from indexer.errors import IndexingError
from indexer.models import Build

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
# As git, SQLite, PostgreSQL, FAISS, numpy, torch and onnxruntime say it.
_DISK = re.compile(
    r"no space left|out of disk ?space|disk (is )?full|file too large"
    r"|\d+ requested and \d+ written",
    re.IGNORECASE,
)
_DATABASE = re.compile(r"disk i/o error|unable to open database", re.IGNORECASE)
_MEMORY = re.compile(r"bad_alloc|(allocate|not enough|out of) memory", re.IGNORECASE)

AT = {
    Build.Stage.READING.value: "reading files",
    Build.Stage.LEXICAL.value: "writing the lexical layer and its texts",
    Build.Stage.PURPOSES.value: "making purposes",
    Build.Stage.BODIES.value: "making bodies",
}
ROOM = (
    "{free:,} MB are free on the disk of the data, and {wanted:,} must stay so "
    "(CODESEARCH_FREE_MB). Make room, then index again: it goes on from what is cached."
)
DISK = (
    "The disk ran full while it was {at}; {free:,} MB are free now. Make room, then "
    "index again: it goes on from what is cached."
)
MEMORY = (
    "Memory ran out while it was {at}. Give the worker more, or lower "
    "CODESEARCH_WORKERS, then index again: it goes on from what is cached."
)
DEATHS = (
    "The worker died {deaths} times while it was {at}. Most often the system ended it "
    "for want of memory: look at its log and at what the kernel says (dmesg), lower "
    "CODESEARCH_WORKERS, then index again."
)


def check_room() -> None:
    """Raise IndexingError when the disk of the data has less room than it must keep.

    What nothing needs is removed first.
    """
    if _free_megabytes() < settings.FREE_MEGABYTES:
        from indexer.garbage import collect_garbage  # Only then is it needed.

        collect_garbage()
    if _free_megabytes() < settings.FREE_MEGABYTES:
        wanted = settings.FREE_MEGABYTES
        raise IndexingError(ROOM.format(free=_free_megabytes(), wanted=wanted))


def shortage(build: Build, error: BaseException) -> str:
    """Return a sentence for an error that is for want of disk or memory, else ""."""
    if isinstance(error, MemoryError) or _MEMORY.search(str(error)):
        return MEMORY.format(at=whereabouts(build))
    if is_disk_full(error):
        return DISK.format(at=whereabouts(build), free=_free_megabytes())
    return ""


def is_disk_full(error: BaseException) -> bool:
    """Tell whether an error, or what it comes from, is for want of room on the disk."""
    chain: BaseException | None = error
    while chain is not None:
        if getattr(chain, "errno", None) in FULL or _DISK.search(str(chain)):
            return True
        if _DATABASE.search(str(chain)) and not _free_megabytes():
            return True  # SQLite could not make the files beside its own.
        chain = chain.__cause__
    return False


def deaths_sentence(build: Build) -> str:
    """Return why a build whose worker died again and again is given up."""
    return DEATHS.format(deaths=build.attempts, at=whereabouts(build))


def whereabouts(build: Build) -> str:
    """Return what a build is at and how far it came: `reading files (3 of 9)`."""
    build.refresh_from_db(fields=["files_done", "vectors_done"])
    what = AT.get(build.stage, build.stage)
    if build.stage == Build.Stage.READING:
        return f"{what} ({build.files_done:,} of {build.file_count:,})"
    if build.stage in (Build.Stage.PURPOSES, Build.Stage.BODIES):
        return f"{what} ({build.vectors_done:,} of {build.vector_count:,} vectors)"
    return what


def _free_megabytes() -> int:
    folder = Path(settings.DATA_DIR)
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free >> 20
