"""Lexical: fetch and read a revision, publish what makes it searchable."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence

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
from indexer.places import layer_folder, mirror_of
from indexer.progress import Reporter, enter_stage, publish_lexical
from indexer.rows import replace_rows

logger = logging.getLogger(__name__)


def make_lexical_layer(build: Build, lease: Lease) -> None:
    """Fetch, read, tokenise; publish postings, names and the ledger at once."""
    repository = build.index.repository
    mirror = mirror_of(repository)
    enter_stage(build, Build.Stage.FETCHING)
    revision = fetch_revision(build, mirror)
    entries = git.list_tree(mirror, revision)
    build.revision = revision
    build.committed_at = git.commit_date(mirror, revision)
    build.file_count = len(entries)
    build.save(update_fields=["revision", "committed_at", "file_count"])

    enter_stage(build, Build.Stage.READING)
    self_test()
    gathering = Gathering(build, entries)
    gathering.read_all(mirror, Reporter(build, lease, "files_done"))
    files = gathering.files()
    refuse_nothing(files)
    build.files_reused = gathering.reused

    enter_stage(build, Build.Stage.LEXICAL)
    facts: dict[str, object] = {
        "kind": "lexical",
        "repository": repository.name,
        "revision": revision,
        "profile": build.index.profile.name,
        "chunker": gathering.chunker,
        "index_secrets": repository.index_secrets,
    }
    assembly = Assembly(files)
    folder = layer_folder(build, Layer.Kind.LEXICAL, 0)
    with store.written_layer(folder, lambda aside: assembly.write(aside, facts)) as new:
        publish_lexical_layer(build, lease, assembly, new)
    logger.info("build %d: %d chunks searchable", build.pk, build.chunk_count)


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


def publish_lexical_layer(
    build: Build, lease: Lease, assembly: Assembly, layer: store.WrittenLayer
) -> None:
    """Write the rows of the build, which can be searched from here on."""
    with transaction.atomic():
        lease.confirm()
        files = layer.publish()
        replace_rows(build, assembly)
        lexical = layer_folder(build, Layer.Kind.LEXICAL, 0)
        build.files_done = build.file_count
        build.chunk_count = len(assembly.catalogue.symbols)
        build.vector_count = sum(len(texts_of(lexical, s)) for s in SURFACES)
        build.lexical_at = timezone.now()
        build.attempts = 0
        build.save(
            update_fields=[
                "files_done",
                "files_reused",
                "chunk_count",
                "vector_count",
                "lexical_at",
                "attempts",
            ]
        )
        build.layers.create(
            kind=Layer.Kind.LEXICAL, covered=build.chunk_count, files=files
        )
        publish_lexical(build)
