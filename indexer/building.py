"""Building: one step of one build, safe to repeat, published by one row.

First the lexical layer, which makes the build searchable; then vectors in
batches, summaries and purposes before bodies. A step that dies leaves nothing
behind but files without a row, and the next worker repeats it.
"""

from __future__ import annotations

import fcntl
import logging
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from indexer.encoders import current_encoder
from indexer.engines.local import VectorLayer, open_layer
from indexer.errors import IndexingError
from indexer.leases import MAX_ATTEMPTS, Lease
from indexer.models import Build, Chunk, File, Index, Layer
from indexer.pipeline import git, store
from indexer.pipeline.build import (
    Assembly,
    Texts,
    load_surface,
    texts_of,
)
from indexer.pipeline.embedding import (
    VectorCache,
    embed,
    split_texts,
    write_vector_layer,
)
from indexer.pipeline.encoder import Encoder, ModelError
from indexer.pipeline.parsing import GrammarError, self_test
from indexer.pipeline.reading import display_path, read_entries
from indexer.pipeline.types import FileResult
from indexer.pipeline.vectors import VectorError
from indexer.places import layer_folder, mirror_of, place_of

logger = logging.getLogger(__name__)

SURFACES = ("summary", "purpose", "body")  # The most useful first.
STAGE_OF = {
    "summary": Build.Stage.PURPOSES,
    "purpose": Build.Stage.PURPOSES,
    "body": Build.Stage.BODIES,
}
# Texts a layer covers: under half a minute of one core, so that what is lost to a
# stop is little. A body takes about four times as long as a purpose.
BATCH = {"summary": 1024, "purpose": 1024, "body": 512}
ROWS_PER_INSERT = 2000
REPORT_SECONDS = 1.0
# What a step raises with a sentence for people; anything else is a bug.
EXPECTED = (git.GitError, store.LayerError, GrammarError, ModelError, VectorError)


def advance(build: Build, lease: Lease) -> bool:
    """Do the next step of `build`; return whether there is another.

    Raises IndexingError when the build cannot be made, LeaseLost when someone
    else has it now.
    """
    if build.attempts >= MAX_ATTEMPTS:
        raise IndexingError(
            f"the worker died {build.attempts} times while it was {build.stage}; "
            "look at its log, then index again"
        )
    try:
        if not build.layers.filter(kind=Layer.Kind.LEXICAL).exists():
            make_lexical_layer(build, lease)
            return True
        return make_next_vector_layer(build, lease)
    except EXPECTED as error:
        raise IndexingError(str(error)) from error


# The lexical layer


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
    chunker = build.index.profile.chunker
    for result in read_entries(
        mirror, entries, chunker, index_secrets=repository.index_secrets
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
    }
    folder = layer_folder(build, Layer.Kind.LEXICAL, 0)
    files = store.write_layer(folder, lambda aside: assembly.write(aside, facts))
    publish_lexical_layer(build, lease, assembly, files)
    logger.info("build %d: %d chunks searchable", build.pk, build.chunk_count)


def fetch_revision(build: Build, mirror: Path) -> str:
    """Bring the mirror up to date and return the commit to build, pinned."""
    repository = build.index.repository
    mirror.parent.mkdir(parents=True, exist_ok=True)
    with locked(mirror):
        if build.revision:  # Resumed: the same commit, or nothing would add up.
            return build.revision
        if repository.source.startswith("/"):
            revision = git.snapshot_folder(real_folder(repository.source), mirror)
        else:
            git.update_mirror(repository.source, mirror)
            revision = git.head_revision(mirror)
        if repository.branch:
            revision = git.resolve_revision(mirror, repository.branch)
        git.pin_revision(mirror, revision, f"build-{build.pk}")
    return revision


def real_folder(source: str) -> Path:
    """Return a registered folder; refuse one that has become a link to elsewhere."""
    folder = Path(source)
    if folder.resolve() != folder:
        raise IndexingError(
            f"{source} was a folder when it was registered and is now reached through "
            "a link; register the folder that is meant."
        )
    return folder


@contextmanager
def locked(mirror: Path) -> Iterator[None]:
    """Let one process at a time fetch into a mirror."""
    with mirror.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


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
    build: Build, lease: Lease, assembly: Assembly, files: dict[str, str]
) -> None:
    """Write the rows of the build and make it the one that searches read."""
    with transaction.atomic():
        lease.confirm()
        Chunk.objects.filter(build=build).delete()
        File.objects.filter(build=build).delete()
        save_rows(build, assembly)
        lexical = layer_folder(build, Layer.Kind.LEXICAL, 0)
        build.files_done = build.file_count
        build.chunk_count = len(assembly.chunks)
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
        Index.objects.filter(pk=build.index_id).update(current_build=build)


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


def without_nul(text: str) -> str:
    """Return `text` with its NULs replaced: PostgreSQL stores none.

    A file counts as binary by its first 8 kB only, as in git.
    """
    return text.replace("\x00", "\ufffd")


# Vectors


def make_next_vector_layer(build: Build, lease: Lease) -> bool:
    """Encode the next batch of texts; return whether there is another."""
    encoder, missing = current_encoder()
    if encoder is None:
        finish(build, note=f"No vectors: {missing}. Searches are lexical only.")
        return False
    if build.fingerprint not in ("", encoder.fingerprint):
        raise IndexingError(
            "The embedding model changed while its vectors were being made; "
            "index again with the new model."
        )
    if not build.fingerprint:
        build.fingerprint = encoder.fingerprint
        build.save(update_fields=["fingerprint"])

    lexical = layer_folder(build, Layer.Kind.LEXICAL, 0)
    for surface in SURFACES:
        ordinals = texts_of(lexical, surface)
        covered = covered_texts(build, surface)
        if covered < len(ordinals):
            batch = ordinals[covered : covered + BATCH[surface]]
            texts = load_surface(lexical, surface, batch)
            make_vector_layer(build, lease, encoder, surface, texts)
            return True
    finish(build, note="")
    return False


def covered_texts(build: Build, surface: str) -> int:
    """Return how many texts of a surface published layers cover."""
    total = build.layers.filter(kind=surface).aggregate(Sum("covered"))["covered__sum"]
    return total or 0


def make_vector_layer(
    build: Build, lease: Lease, encoder: Encoder, surface: str, texts: Texts
) -> None:
    """Encode one batch and publish it as a layer of its own."""
    enter_stage(build, STAGE_OF[surface])
    done = build.layers.exclude(kind=Layer.Kind.LEXICAL).aggregate(Sum("covered"))
    before = done["covered__sum"] or 0
    report = Reporter(build, lease, "vectors_done")
    parts = split_texts(texts, encoder)
    batch = embed(parts, encoder, reusable_vectors(build), lambda n: report(before + n))
    number = build.layers.filter(kind=surface).count()
    facts: dict[str, object] = {
        "kind": surface,
        "fingerprint": encoder.fingerprint,
        "dimension": encoder.dimension,
        "texts": len(texts.ordinals),
    }
    folder = layer_folder(build, surface, number)
    files = store.write_layer(
        folder, lambda aside: write_vector_layer(aside, batch, facts)
    )
    split = sum(part.number == 1 for part in parts)
    with transaction.atomic():
        lease.confirm()
        build.layers.create(
            kind=surface, number=number, covered=len(texts.ordinals), files=files
        )
        build.vectors_done = before + len(texts.ordinals)
        build.vectors_reused += batch.reused
        build.over_length_count += split
        build.attempts = 0
        build.save(
            update_fields=[
                "vectors_done",
                "vectors_reused",
                "over_length_count",
                "attempts",
            ]
        )


def reusable_vectors(build: Build) -> VectorCache:
    """Return the rows that other builds, of any repository, made with this model."""
    layers = Layer.objects.filter(build__fingerprint=build.fingerprint)
    layers = layers.exclude(kind=Layer.Kind.LEXICAL).exclude(build=build)
    return _read_cache(tuple(layers.order_by("pk").values_list("pk", flat=True)))


@lru_cache(maxsize=1)
def _read_cache(layers: tuple[int, ...]) -> VectorCache:
    """Read published layers, which never change; a damaged one is left out."""
    found = []
    for layer in Layer.objects.filter(pk__in=layers).select_related("build"):
        try:
            opened = open_layer(place_of(layer))
        except store.LayerError as error:
            logger.warning("no vectors are copied from %s: %s", layer, error)
            continue
        if isinstance(opened, VectorLayer):
            found.append((opened.vectors, opened.digests))
    return VectorCache(found)


# Progress and endings


class Reporter:
    """Writes one progress field of a build about once a second, and checks in."""

    def __init__(self, build: Build, lease: Lease, field: str) -> None:
        self.build = build
        self.lease = lease
        self.field = field
        self._next = 0.0

    def __call__(self, done: int) -> None:
        """Record that `done` are done. Raises LeaseLost."""
        self.lease.check()
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + REPORT_SECONDS
        Build.objects.filter(pk=self.build.pk).update(**{self.field: done})


def enter_stage(build: Build, stage: str) -> None:
    """Record that `build` is now doing `stage`."""
    now = timezone.now()
    build.started_at = build.started_at or now
    if build.stage != stage or build.stage_started_at is None:
        build.stage = stage
        build.stage_started_at = now
        build.stage_started_done = build.vectors_done
    build.save(
        update_fields=["started_at", "stage", "stage_started_at", "stage_started_done"]
    )


def finish(build: Build, *, note: str) -> None:
    """Mark a build complete. Raises LayerError if one of its layers is damaged."""
    for layer in build.layers.all():
        store.verify_layer(layer_folder(build, layer.kind, layer.number), layer.files)
    running = Build.objects.filter(pk=build.pk, status=Build.Status.RUNNING)
    running.update(
        note=note,
        status=Build.Status.READY,
        stage=Build.Stage.DONE,
        finished_at=timezone.now(),
    )
    logger.info("build %d is complete", build.pk)
