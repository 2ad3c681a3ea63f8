"""Garbage: what killed processes and removed things left in the data folder.

Each step may be killed and run again, by several processes at once: what someone
may still be using is left for the next time.
"""

from __future__ import annotations

import logging
import re
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from indexer.caches import trim_caches, vectors_cache
from indexer.exact import drop_unused_texts
from indexer.fetching import locked
from indexer.leases import is_at_work
from indexer.models import BadBlob, Build, Index, Repository
from indexer.pipeline import refs
from indexer.pipeline.cache import Cache
from indexer.pipeline.parsing import grammars_version
from indexer.pipeline.store import LayerError
from indexer.places import bytes_in, folder_of, place_of
from indexer.readers import no_readers
from indexer.removal import drop_old_builds, remove_folder, remove_mirror

logger = logging.getLogger(__name__)

OURS = re.compile(r"\.(\d+)\.")  # A folder on its way, in or out, of a build or mirror.


@dataclass(frozen=True, slots=True)
class Freed:
    """How many of each kind were removed, and the bytes that are free again."""

    builds: int
    folders: int
    mirrors: int
    texts: int
    caches: int
    bytes: int


def collect_garbage() -> Freed:
    """Remove what nothing needs: old builds, leftovers, caches above their limit."""
    before = bytes_in(settings.DATA_DIR)
    freed = Freed(
        builds=sum(drop_old_builds(index=index) for index in Index.objects.all()),
        folders=_collect(settings.BUILDS_DIR, _drop_from_builds),
        mirrors=_collect(settings.MIRRORS_DIR, _drop_from_mirrors),
        texts=sum(map(_drop_texts, Repository.objects.all())),
        caches=_drop_caches(),
        bytes=max(0, before - bytes_in(settings.DATA_DIR)),
    )
    BadBlob.objects.exclude(grammars=grammars_version()).delete()
    if any((freed.builds, freed.folders, freed.mirrors, freed.texts, freed.caches)):
        logger.info("removed what nothing needs: %s", freed)
    return freed


def _collect(folder: Path, drop: Callable[[list[Path]], int]) -> int:
    """Call `drop` with what is in a folder, listed before any row is looked at."""
    return drop(_inside(folder))


def _inside(folder: Path) -> list[Path]:
    """Return what is in a folder; another process may just have removed it."""
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []


def _drop_from_builds(paths: list[Path]) -> int:
    """Remove the folders of removed builds, and what was never published."""
    dropped = 0
    layers = {path: _inside(path) for path in paths if path.name.isdigit()}
    known = Build.objects.in_bulk([int(path.name) for path in layers])
    for path in paths:
        if OURS.match(path.name):
            shutil.rmtree(path, ignore_errors=True)
            dropped += 1
        elif path in layers and int(path.name) not in known:
            dropped += remove_folder(path)
        elif path in layers:
            dropped += _drop_unpublished(known[int(path.name)], layers[path])
    return dropped


def _drop_unpublished(build: Build, paths: list[Path]) -> int:
    """Remove what attempts left beside the layers of a build that no one is at.

    A worker that takes it up now writes under names that are not among `paths`.
    """
    if is_at_work(build):
        return 0
    left = [path for path in paths if path.name.startswith(".")]
    if not build.is_active:
        kept = {place_of(layer).folder.name for layer in build.layers.all()}
        left = [path for path in paths if path.name not in kept]
    with no_readers(folder_of(build)) as alone:
        if not alone:  # Of a preview that a search still reads, for one.
            return 0
        for path in left:
            shutil.rmtree(path, ignore_errors=True)
    return len(left)


def _drop_from_mirrors(paths: list[Path]) -> int:
    """Remove mirrors without a repository, and copies that were never finished."""
    known = {str(pk) for pk in Repository.objects.values_list("pk", flat=True)}
    dropped = 0
    for path in paths:
        key = path.name.lstrip(".").partition(".")[0]
        is_left = key not in known or OURS.match(path.name)
        if not key.isdigit() or not is_left or not path.exists():
            continue  # The last: it went with another of the same mirror.
        dropped += _drop_mirror(path, path.with_name(f"{key}.git"), key in known)
    return dropped


def _drop_mirror(path: Path, mirror: Path, is_known: bool) -> bool:
    """Remove a half copy, or all of an unknown mirror; False while it is in use.

    One that was laid aside to be fetched anew has pins: no other holds their commits.
    """
    try:
        with locked(mirror, wait=False):
            if is_known and not mirror.exists() and refs.pins_of(path):
                path.rename(mirror)
                return False
            if is_known:
                refs.copy_pins(path, mirror)
            shutil.rmtree(path, ignore_errors=True)
            if not is_known:
                remove_mirror(mirror)
    except BlockingIOError:
        return False
    return True


def _drop_texts(repository: Repository) -> int:
    """Remove the texts that no build of a repository has any more."""
    try:
        return drop_unused_texts(repository)
    except (sqlite3.Error, LayerError) as error:
        logger.warning("texts of %s are dropped later: %s", repository, error)
        return 0


def _drop_caches() -> int:
    """Remove the vectors of models that no build has, and trim what is left."""
    builds = Build.objects.exclude(fingerprint="").order_by()
    used = builds.values_list("fingerprint", flat=True).distinct()
    known = {vectors_cache(fingerprint).path for fingerprint in used}
    old = {*Path(settings.CACHE_DIR).glob("vectors-*.sqlite")} - known
    for path in old:
        Cache(path).discard()
    trim_caches()
    return len(old)
