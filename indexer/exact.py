"""Exact: keeps the texts that phrases and regular expressions are looked for in.

A build adds what its repository does not hold yet, once it is searched by words. What
was indexed before there were full texts, or lost them, is filled by the worker later.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.db.models import Exists, OuterRef

from indexer.engines.exact import BuildTexts
from indexer.events import record_event
from indexer.inspection import hides_texts
from indexer.leases import Lease
from indexer.limits import is_disk_full
from indexer.models import Build, BuildEvent, Index, Layer, Repository
from indexer.pipeline.blobs import BlobReader
from indexer.pipeline.embedded import NOTEBOOK
from indexer.pipeline.full_texts import FullTexts
from indexer.pipeline.git_command import GitError
from indexer.pipeline.languages import detect_language
from indexer.pipeline.reading import shown_source
from indexer.pipeline.store import LayerError, read_manifest
from indexer.pipeline.texts import without_nul
from indexer.pipeline.types import SkipReason
from indexer.places import full_texts_of, lexical_folder, mirror_of

logger = logging.getLogger(__name__)

STEP_SECONDS = 45.0  # Then a step ends; what takes longer goes on in the next one.
KEPT_AT_ONCE = 200  # Texts that are written together: a fifth of a second's.
KNOWN_LEDGERS = 64  # 1 MB each for 7,000 files.


def build_texts(build: Build, paths: Sequence[bytes]) -> BuildTexts:
    """Return the texts of a build, of the files of its ledger by their `paths`."""
    known = FullTexts(full_texts_of(build.index.repository))
    ledger = (build.pk, build.lexical_at)
    if hides_texts(build, lexical_folder(build)):
        return BuildTexts(ledger, known, [None] * len(paths), is_hidden=True)
    keys = _keys(build.pk, build.lexical_at)
    return BuildTexts(ledger, known, [keys.get(path) for path in paths])


def keep_texts(build: Build, lease: Lease) -> bool:
    """Keep the texts of a build, as far as a step has time; return whether that is all.

    Without them the build is searched all the same, and says what it lacks. Raises
    LeaseLost, and sqlite3.Error when the disk is full.
    """
    try:
        return _fill(build, lease.check)
    except sqlite3.Error as error:
        if is_disk_full(error):
            raise
        record_event(
            build,
            "Phrases and regular expressions are not found in its new files yet: "
            f"their texts could not be kept ({error}).",
            level=BuildEvent.Level.WARNING,
        )
        return True


def keep_missing_texts(*, build_id: int) -> bool:
    """Keep more texts of a build that is searched; return whether some are left."""
    build = Build.objects.filter(pk=build_id, layers__kind=Layer.Kind.LEXICAL).first()
    if build is None or build.is_active:
        return False
    try:
        return not _fill(build, lambda: None)
    except (sqlite3.Error, GitError, LayerError) as error:
        logger.warning("texts of build %d are not kept: %s", build_id, error)
        return False


def builds_without_texts() -> list[int]:
    """Return the builds that are searched and lack texts: keys.

    Where the index of the texts is not as it should be, it is begun anew.
    """
    indexes = Index.objects.filter(current_build__isnull=False).order_by("pk")
    lacking = []
    for index in indexes.select_related("current_build__index__repository"):
        build = index.current_build
        try:
            if build and _missing(build, is_checked=True):
                lacking.append(build.pk)
        except (sqlite3.Error, LayerError) as error:
            logger.warning("the texts of %s are not checked: %s", index, error)
    return lacking


def drop_unused_texts(repository: Repository) -> int:
    """Drop the texts that no build of a repository has; return how many.

    Not while one is made: it may be about to use them. Nor are those kept that hold
    secrets, where they are off now.
    """
    builds = Build.objects.filter(index__repository=repository)
    if builds.filter(status__in=Build.ACTIVE).exists():
        return 0
    keys: set[str] = set()
    has_layer = Exists(Layer.objects.filter(build=OuterRef("pk"), kind="lexical"))
    for build in builds.filter(has_layer).select_related("index__repository"):
        keys.update(_wanted(build))
    return FullTexts(full_texts_of(repository)).keep(keys)


@lru_cache(maxsize=KNOWN_LEDGERS)
def _keys(build_id: int, lexical_at: datetime | None) -> Mapping[bytes, str]:
    """Return the key of the text of each file of a ledger that has one, by path."""
    build = Build.objects.select_related("index__repository").get(pk=build_id)
    return {file.path: file.key for file in _files(build)}


def _fill(build: Build, check: Callable[[], None]) -> bool:
    """Keep texts until all are or the time is up; return whether all are."""
    missing = list(_missing(build).items())
    if not missing:
        return True
    texts = FullTexts(full_texts_of(build.index.repository))
    ends = time.monotonic() + STEP_SECONDS
    with BlobReader(mirror_of(build.index.repository)) as blobs:
        for start in range(0, len(missing), KEPT_AT_ONCE):
            if start and time.monotonic() > ends:
                return False
            check()
            some = missing[start : start + KEPT_AT_ONCE]
            texts.add(dict(_read(blobs, some)))
    logger.info("build %d: %d texts kept", build.pk, len(missing))
    return True


def _read(
    blobs: BlobReader, files: Sequence[tuple[str, _File]]
) -> Iterator[tuple[str, str]]:
    """Yield the text of each file, as people may read it, by its key."""
    contents = blobs.read_many([(file.oid, None) for _, file in files])
    for (key, file), data in zip(files, contents, strict=True):
        source = shown_source(file.path, data, index_secrets=file.has_secrets)
        # What was indexed has a text, unless what is skipped has changed since.
        text = "" if isinstance(source, SkipReason) else source.text
        yield key, without_nul(text)


@dataclass(frozen=True, slots=True)
class _File:
    """What a text is read from: a blob, as a path and a repository have it read."""

    path: bytes
    oid: str
    has_secrets: bool

    @property
    def key(self) -> str:
        """Return what tells its text from those of the same blob read otherwise."""
        words = [self.oid]
        if detect_language(self.path, "") == NOTEBOOK:
            words.append(NOTEBOOK)
        if self.has_secrets:
            words.append("secrets")
        return " ".join(words)


def _missing(build: Build, *, is_checked: bool = False) -> dict[str, _File]:
    """Return the files of a build whose texts are not kept, by their keys."""
    texts = FullTexts(full_texts_of(build.index.repository))
    if is_checked:
        texts.check()
    known = texts.known().ids
    return {key: file for key, file in _wanted(build).items() if key not in known}


def _wanted(build: Build) -> dict[str, _File]:
    """Return the files of a build that have a text to search, by their keys."""
    if hides_texts(build, lexical_folder(build)):
        return {}
    return {file.key: file for file in _files(build)}


def _files(build: Build) -> list[_File]:
    """Return the files of a build's ledger that were read as text."""
    facts = read_manifest(lexical_folder(build))
    has_secrets = bool(facts.get("index_secrets"))
    rows = build.files.exclude(mode="").order_by("ordinal")
    return [
        _File(bytes(path), oid, has_secrets)
        for path, oid in rows.values_list("path_bytes", "oid")
    ]
