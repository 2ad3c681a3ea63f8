"""Lexical: fetch and read a revision, publish what makes it searchable."""

from __future__ import annotations

import logging
from collections import Counter

from django.db import transaction
from django.utils import timezone

from indexer.errors import IndexingError
from indexer.fetching import fetch_revision
from indexer.leases import Lease
from indexer.models import Build, Chunk, File, Layer
from indexer.pipeline import git, store
from indexer.pipeline.build import Assembly
from indexer.pipeline.isolation import IsolatedReader
from indexer.pipeline.parsing import self_test
from indexer.pipeline.paths import display_path
from indexer.pipeline.reading import read_entries
from indexer.pipeline.surfaces import SURFACES, texts_of
from indexer.pipeline.texts import without_nul
from indexer.pipeline.types import FileResult
from indexer.places import layer_folder, mirror_of
from indexer.progress import Reporter, enter_stage, publish_lexical
from indexer.quarantine import CarefulReader

logger = logging.getLogger(__name__)

ROWS_PER_INSERT = 2000


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
    assembly = Assembly()
    report = Reporter(build, lease, "files_done")
    chunker = build.recipe["chunker"]
    with IsolatedReader() as reader:
        for result in read_entries(
            mirror,
            entries,
            chunker,
            index_secrets=repository.index_secrets,
            cut=CarefulReader(reader),
        ):
            assembly.add(result)
            report(len(assembly.results))
    refuse_nothing(assembly.results)

    enter_stage(build, Build.Stage.LEXICAL)
    facts: dict[str, object] = {
        "kind": "lexical",
        "repository": repository.name,
        "revision": revision,
        "profile": build.index.profile.name,
        "chunker": chunker,
        "index_secrets": repository.index_secrets,
    }
    folder = layer_folder(build, Layer.Kind.LEXICAL, 0)
    with store.written_layer(folder, lambda aside: assembly.write(aside, facts)) as new:
        publish_lexical_layer(build, lease, assembly, new)
    logger.info("build %d: %d chunks searchable", build.pk, build.chunk_count)


def refuse_nothing(results: list[FileResult]) -> None:
    """Raise IndexingError when no file of the tree gave a chunk."""
    if any(result.chunks for result in results):
        return
    if not results:
        raise IndexingError(
            "The repository has no files at this revision; choose another branch."
        )
    reasons = Counter(result.line.reason or f"{result.line.mode}" for result in results)
    counted = ", ".join(f"{n} {reason}" for reason, n in sorted(reasons.items()))
    raise IndexingError(
        f"Nothing to search: none of its {len(results):,} files holds code or text "
        f"({counted}). Check the branch, or remove the repository."
    )


def publish_lexical_layer(
    build: Build, lease: Lease, assembly: Assembly, layer: store.WrittenLayer
) -> None:
    """Write the rows of the build, which can be searched from here on."""
    with transaction.atomic():
        lease.confirm()
        files = layer.publish()
        Chunk.objects.filter(build=build).delete()
        File.objects.filter(build=build).delete()
        save_rows(build, assembly)
        lexical = layer_folder(build, Layer.Kind.LEXICAL, 0)
        build.files_done = build.file_count
        build.chunk_count = len(assembly.terms)
        build.vector_count = sum(len(texts_of(lexical, s)) for s in SURFACES)
        build.lexical_at = timezone.now()
        build.attempts = 0
        build.save(
            update_fields=[
                "files_done",
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


def save_rows(build: Build, assembly: Assembly) -> None:
    """Insert the ledger and the chunks of a build."""
    files = []
    places = 0
    for ordinal, result in enumerate(assembly.results):
        files.append(file_row(build, ordinal, result, places))
        places += result.summary is not None
    File.objects.bulk_create(files, batch_size=ROWS_PER_INSERT)
    rows: list[Chunk] = []
    for file, result in zip(files, assembly.results, strict=True):
        for chunk, spans, marks in zip(
            result.chunks, result.line_spans, result.chunk_marks, strict=True
        ):
            rows.append(
                Chunk(
                    build=build,
                    file=file,
                    ordinal=len(rows),
                    symbol=without_nul(chunk.symbol),
                    kind=chunk.kind,
                    start_byte=chunk.start_byte,
                    start_line=chunk.start_line,
                    end_line=chunk.end_line,
                    spans=spans,
                    marks=marks,
                    duplicate_of=assembly.duplicate_of[len(rows)],
                )
            )
    Chunk.objects.bulk_create(rows, batch_size=ROWS_PER_INSERT)


def file_row(build: Build, ordinal: int, result: FileResult, place: int) -> File:
    """Return the ledger row of one tree entry."""
    line = result.line
    return File(
        build=build,
        ordinal=ordinal,
        path=display_path(line.entry.path),
        path_bytes=line.entry.path,
        oid=line.entry.oid,
        size=line.entry.size or 0,
        language=line.language,
        mode=line.mode or "",
        reason=line.reason or "",
        partial=line.partial,
        marks=result.marks,
        encoding=line.encoding,
        lines=line.lines,
        chunk_count=len(result.chunks),
        doc=without_nul((result.doc or "").partition("\n\n")[0]),
        defines=[without_nul(name) for name in result.defines],
        place=place if result.summary is not None else None,
    )
