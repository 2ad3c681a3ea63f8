"""Lexical: fetch and read a revision, publish what makes it searchable."""

from __future__ import annotations

import gc
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from django.db import transaction
from django.utils import timezone

from indexer.errors import IndexingError
from indexer.fetching import fetch_revision
from indexer.gathering import Gathering
from indexer.leases import Lease
from indexer.models import Build, Layer
from indexer.pipeline import git, store
from indexer.pipeline.build import Assembly
from indexer.pipeline.packing import PlacedFile
from indexer.pipeline.parsing import self_test
from indexer.pipeline.surfaces import SURFACES, texts_of
from indexer.pipeline.types import TreeEntry
from indexer.places import layer_folder, lexical_folder, mirror_of
from indexer.previews import Previews
from indexer.progress import Reporter, enter_stage, publish_lexical
from indexer.rows import replace_rows

logger = logging.getLogger(__name__)


def make_lexical_layer(build: Build, lease: Lease) -> None:
    """Fetch, read, tokenise; publish postings, names and the ledger at once.

    Where nothing of the index is searched yet, what is read first is published first.
    When there are more files than a step has time for, the next one goes on.
    """
    with no_collector():
        entries = fetch_entries(build, lease)
        gathering = begin_reading(build, entries)
        report = Reporter(build, lease, "files_done")
        previews = Previews(build, gathering, partial(publish_files, build, lease))

        def note(done: int) -> None:
            report(done)
            previews.note(done)

        if not gathering.read_rest(mirror_of(build.index.repository), note):
            return
        files = gathering.files()
        refuse_nothing(files)
        enter_stage(build, Build.Stage.LEXICAL)
        publish_files(build, lease, files)
    logger.info("build %d: %d chunks searchable", build.pk, build.chunk_count)


def fetch_entries(build: Build, lease: Lease) -> list[TreeEntry]:
    """Fetch the revision that is asked for, and return the entries of its tree.

    Once it is known nothing is fetched again. Raises LeaseLost.
    """
    mirror = mirror_of(build.index.repository)
    if not build.revision:
        enter_stage(build, Build.Stage.FETCHING)
    build.revision = fetch_revision(build, mirror)
    entries = git.list_tree(mirror, build.revision)
    build.committed_at = git.commit_date(mirror, build.revision)
    build.file_count = len(entries)
    with transaction.atomic():
        lease.confirm()  # Another may be reading another commit by now.
        build.save(update_fields=["revision", "committed_at", "file_count"])
    return entries


def begin_reading(build: Build, entries: Sequence[TreeEntry]) -> Gathering:
    """Return the files of the build, as far as they are cached.

    After an earlier step or attempt some are those that it read itself.
    """
    is_first = build.stage == Build.Stage.FETCHING
    enter_stage(build, Build.Stage.READING)
    self_test()
    gathering = Gathering(build, entries)
    cached = gathering.find_cached()
    if is_first:
        build.files_reused = cached
        build.save(update_fields=["files_reused"])
    return gathering


@contextmanager
def no_collector() -> Iterator[None]:
    """Put off the collector of cycles, which would walk all that is read."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def refuse_nothing(files: Sequence[PlacedFile]) -> None:
    """Raise IndexingError when no file of the tree gave a chunk."""
    if any(placed.file.symbols for placed in files):
        return
    if not files:
        raise IndexingError(
            "The repository has no files at this revision; choose another branch."
        )
    lines = [placed.file.line for placed in files]
    reasons = Counter(line.reason or f"{line.mode}" for line in lines)
    counted = ", ".join(f"{n} {reason}" for reason, n in sorted(reasons.items()))
    raise IndexingError(
        f"Nothing to search: none of its {len(files):,} files holds code or text "
        f"({counted}). Check the branch, or remove the repository."
    )


def publish_files(build: Build, lease: Lease, files: Sequence[PlacedFile]) -> None:
    """Make the lexical layer of `files` in place of the one before; it is searched.

    Of fewer files than the tree has entries it is a preview. Searches that began on
    the layer before end on it: its folder stays until the build is at rest.
    """
    assembly = Assembly(files)
    before = build.layers.filter(kind=Layer.Kind.LEXICAL)
    last = before.values_list("number", flat=True).first()
    number = 0 if last is None else last + 1
    folder = layer_folder(build, Layer.Kind.LEXICAL, number)
    facts = _facts(build)
    with (
        store.written_layer(folder, lambda aside: assembly.write(aside, facts)) as new,
        transaction.atomic(),
    ):
        lease.confirm()
        checksums = new.publish()
        before.delete()
        chunks = len(assembly.catalogue.symbols)
        build.layers.create(
            kind=Layer.Kind.LEXICAL, number=number, covered=chunks, files=checksums
        )
        replace_rows(build, assembly)
        note_published(build, len(files), chunks)
        publish_lexical(build)


def note_published(build: Build, files: int, chunks: int) -> None:
    """Record what can be searched of a build. A preview has no texts to encode yet."""
    is_preview = files < build.file_count
    texts = 0
    if not is_preview:
        lexical = lexical_folder(build)
        texts = sum(len(texts_of(lexical, surface)) for surface in SURFACES)
    build.previewed = files if is_preview else 0
    build.files_done = files
    build.chunk_count = chunks
    build.vector_count = texts
    build.lexical_at = timezone.now()
    build.attempts = 0
    build.save(
        update_fields=[
            "previewed",
            "files_done",
            "chunk_count",
            "vector_count",
            "lexical_at",
            "attempts",
        ]
    )


def _facts(build: Build) -> dict[str, object]:
    """Return what the manifest of a lexical layer says that it was made from."""
    repository = build.index.repository
    return {
        "kind": "lexical",
        "repository": repository.name,
        "revision": build.revision,
        "profile": build.index.profile.name,
        "chunker": build.recipe["chunker"],
        "index_secrets": repository.index_secrets,
    }
