"""Read repositories, progress, ledgers and files, as far as the viewer may."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import unquote_to_bytes

from django.db.models import Q
from django.utils import timezone

from indexer.access import Viewer, readable
from indexer.ledger import LedgerGroup, ledger_counts, ledger_groups
from indexer.models import Build, Chunk, File, Index, Repository
from indexer.pipeline import git
from indexer.pipeline.blobs import BlobReader, skip_reason, split_lines
from indexer.pipeline.languages import detect_language
from indexer.pipeline.paths import display_path, path_url
from indexer.pipeline.reading import shown_source
from indexer.pipeline.types import SkipReason, TreeEntry
from indexer.places import mirror_of
from indexer.services import disk_usage

STATES = {
    Build.Status.QUEUED: "queued",
    Build.Status.RUNNING: "indexing",
    Build.Status.READY: "ready",
    Build.Status.FAILED: "failed",
    Build.Status.CANCELLED: "cancelled",
}
TextKey = tuple[str, str, str]  # repository, revision, path_url
MIN_RATE_SECONDS = 3.0  # A rate over less time than this is noise.


@dataclass(frozen=True, slots=True)
class Stage:
    """One bar of a build's progress. `state` is done, busy, failed or todo."""

    name: str
    state: str
    done: int
    total: int
    text: str


@dataclass(frozen=True, slots=True)
class RepositoryCard:
    """What a page says of one repository. `state` is that of its newest build."""

    pk: int
    name: str
    source: str
    visibility: str
    state: str
    state_label: str
    sentence: str
    revision: str
    committed_at: datetime | None
    build_id: int | None
    finished_at: datetime | None
    is_active: bool
    searchable: bool
    counts: dict[str, int] = field(default_factory=dict)
    ledger: Sequence[LedgerGroup] = ()
    stages: Sequence[Stage] = ()
    disk_bytes: int = 0


@dataclass(frozen=True, slots=True)
class FileView:
    """One file at one revision. `text` is None when it was skipped for `reason`."""

    repository: str
    revision: str
    path: str
    path_url: str
    language: str
    text: str | None
    lines: int
    size: int
    encoding: str
    reason: str
    is_current: bool
    committed_at: datetime | None
    chunks: Sequence[Chunk]


def repository_names(viewer: Viewer) -> list[str]:
    """Return the names of the repositories that `viewer` may read."""
    return list(readable(viewer).values_list("name", flat=True))


def repository_cards(viewer: Viewer) -> list[RepositoryCard]:
    """Return a card for each repository in reach, by name."""
    return [_card(viewer, repository) for repository in readable(viewer)]


def repository_card(viewer: Viewer, name: str) -> RepositoryCard | None:
    """Return the card of one repository, or None if it is not in reach."""
    repository = readable(viewer).filter(name=name).first()
    return _card(viewer, repository) if repository else None


def _card(viewer: Viewer, repository: Repository) -> RepositoryCard:
    index = (
        Index.objects.filter(repository=repository, is_default=True)
        .select_related("current_build")
        .first()
    )
    newest = index.builds.first() if index else None
    current = index.current_build if index else None
    shown = current or newest
    ledger = ledger_groups(shown) if shown else []
    return RepositoryCard(
        pk=repository.pk,
        name=repository.name,
        source=git.plain_address(repository.source) if viewer.sees_all else "",
        visibility=repository.visibility,
        state=STATES[Build.Status(newest.status)] if newest else "new",
        state_label=state_label(newest),
        sentence=(newest.failure or newest.note) if newest else "",
        revision=shown.revision if shown else "",
        committed_at=shown.committed_at if shown else None,
        build_id=shown.pk if shown else None,
        finished_at=shown.finished_at if shown else None,
        is_active=bool(newest and newest.is_active),
        searchable=current is not None,
        counts=_counts(shown, ledger) if shown else {},
        ledger=ledger,
        stages=stages_of(newest) if newest else (),
        disk_bytes=disk_usage(repository) if viewer.sees_all else 0,
    )


def state_label(build: Build | None) -> str:
    """Return a build's state in two or three words."""
    if build is None:
        return "not indexed yet"
    if build.status != Build.Status.RUNNING:
        return build.status
    if build.stage in (Build.Stage.PURPOSES, Build.Stage.BODIES):
        return f"embedding {_percent(build.vectors_done, build.vector_count)}"
    return {"fetching": "fetching", "reading": "parsing", "lexical": "indexing"}.get(
        build.stage, build.stage
    )


def _counts(build: Build, ledger: Sequence[LedgerGroup]) -> dict[str, int]:
    counts = ledger_counts(ledger)
    return {
        "files": counts["files"],
        "indexed": counts["indexed"] + counts["partial"],
        "partial": counts["partial"],
        "skipped": counts["skipped"],
        "chunks": build.chunk_count,
        "over_length": build.over_length_count,
        "vectors": build.vector_count,
        "vectors_done": build.vectors_done,
        "vectors_reused": build.vectors_reused,
    }


def stages_of(build: Build) -> list[Stage]:
    """Return the four bars of a build's progress."""
    stage = list(Build.Stage).index(Build.Stage(build.stage))
    reading, embedding = (
        list(Build.Stage).index(Build.Stage.READING),
        list(Build.Stage).index(Build.Stage.PURPOSES),
    )

    def state(first: int, last: int) -> str:
        if stage > last or build.status == Build.Status.READY:
            return "done"
        if stage < first or build.status == Build.Status.QUEUED:
            return "todo"
        return "busy" if build.is_active else "failed"

    files = f"{build.files_done:,} of {build.file_count:,} files"
    return [
        Stage("Reading", state(0, 0), int(stage > 0), 1, _fetched(build)),
        Stage("Parsing", state(1, 1), build.files_done, build.file_count, files),
        Stage(
            "Lexical and symbols",
            state(reading + 1, reading + 1),
            int(build.lexical_at is not None),
            1,
            _lexical(build),
        ),
        Stage(
            "Embedding",
            state(embedding, embedding + 1),
            build.vectors_done,
            build.vector_count,
            _embedded(build),
        ),
    ]


def _fetched(build: Build) -> str:
    if not build.revision:
        return "fetching" if build.is_active else "not fetched"
    return f"{build.file_count:,} files at {build.revision[:12]}"


def _lexical(build: Build) -> str:
    if build.lexical_at is None:
        return "not yet"
    return f"{build.chunk_count:,} chunks, live since {build.lexical_at:%H:%M} UTC"


def _embedded(build: Build) -> str:
    if build.note:
        return "lexical only"
    if not build.vector_count:
        return "not yet"
    done = f"{build.vectors_done:,} of {build.vector_count:,}"
    done += f", {_percent(build.vectors_done, build.vector_count)}"
    if not build.is_active or build.stage_started_at is None:
        return done
    elapsed = (timezone.now() - build.stage_started_at).total_seconds()
    made = build.vectors_done - build.stage_started_done
    if elapsed < MIN_RATE_SECONDS or made <= 0:
        return done
    rate = made / elapsed
    left = timedelta(seconds=(build.vector_count - build.vectors_done) / rate)
    return f"{done}, {rate:.0f} a second, {_duration(left)} left"


def _percent(done: int, total: int) -> str:
    """Round down: 100% means all."""
    return f"{100 * done // total if total else 0}%"


def _duration(span: timedelta) -> str:
    seconds = int(span.total_seconds())
    if seconds < 60:
        return f"{max(seconds, 1)} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"


# Files


def read_file(
    viewer: Viewer, repository: str, revision: str, path: bytes
) -> FileView | None:
    """Return a file at a revision of the mirror, or None if it is not in reach.

    Any commit that the mirror still holds can be read, indexed or not.
    """
    found = readable(viewer).filter(name=repository).first()
    if found is None:
        return None
    mirror = mirror_of(found)
    entry = _find_entry(mirror, revision, path)
    if entry is None:
        return None
    build = (
        Build.objects.filter(index__repository=found, revision=revision)
        .filter(layers__isnull=False)
        .order_by("-index__is_default", "-pk")
        .first()
    )
    text, encoding, reason = _read_text(found, entry)
    return FileView(
        repository=found.name,
        revision=revision,
        path=display_path(path),
        path_url=path_url(path),
        language=detect_language(path, text or ""),
        text=text,
        lines=0 if text is None else len(split_lines(text)),
        size=entry.size or 0,
        encoding=encoding,
        reason=reason,
        is_current=Index.objects.filter(
            repository=found, current_build__revision=revision
        ).exists(),
        committed_at=git.commit_date(mirror, revision),
        chunks=_outline(build, path),
    )


def _find_entry(mirror: Path, revision: str, path: bytes) -> TreeEntry | None:
    if not mirror.exists():
        return None
    try:
        return git.find_entry(mirror, revision, path)
    except git.GitError:
        return None


def _read_text(repository: Repository, entry: TreeEntry) -> tuple[str | None, str, str]:
    """Return (text or None, encoding, reason it has no text)."""
    if reason := skip_reason(entry):
        return None, "", reason
    with BlobReader(mirror_of(repository)) as reader:
        data = reader.read(entry.oid)
    shows = repository.index_secrets
    source = shown_source(entry.path, data, index_secrets=shows)
    if isinstance(source, SkipReason):
        return None, "", source
    return source.text, source.encoding, ""


def _outline(build: Build | None, path: bytes) -> list[Chunk]:
    if build is None:
        return []
    # Two paths may look alike; the index is on what they look like.
    files = File.objects.filter(build=build, path=display_path(path), path_bytes=path)
    file = files.first()
    return list(file.chunks.order_by("ordinal")) if file else []


def read_texts(viewer: Viewer, wanted: Iterable[TextKey]) -> dict[TextKey, str]:
    """Return the texts of files; one that is gone, or not in reach, is absent."""
    by_repository: dict[str, list[TextKey]] = {}
    for key in dict.fromkeys(wanted):
        by_repository.setdefault(key[0], []).append(key)
    found: dict[TextKey, str] = {}
    for repository in readable(viewer).filter(name__in=by_repository):
        oids = _find_blobs(repository, by_repository[repository.name])
        if not oids:
            continue
        with BlobReader(mirror_of(repository)) as reader:
            for key, oid in oids.items():
                with suppress(git.GitError):  # A blob that upstream has dropped.
                    source = shown_source(
                        unquote_to_bytes(key[2]),
                        reader.read(oid),
                        index_secrets=repository.index_secrets,
                    )
                    if not isinstance(source, SkipReason):
                        found[key] = source.text
    return found


def _find_blobs(repository: Repository, keys: Iterable[TextKey]) -> dict[TextKey, str]:
    """Find the object ids of files in the ledgers, else in the mirror's trees."""
    mirror = mirror_of(repository)
    if not mirror.exists():
        return {}
    wanted = {(key[1], unquote_to_bytes(key[2])): key for key in keys}
    rows = File.objects.filter(
        ~Q(mode=""),
        build__index__repository=repository,
        build__revision__in={revision for revision, _ in wanted},
        path__in={display_path(path) for _, path in wanted},
    ).values_list("build__revision", "path_bytes", "oid")
    known = {(revision, bytes(path)): oid for revision, path, oid in rows}
    oids: dict[TextKey, str] = {}
    for (revision, path), key in wanted.items():
        oid = known.get((revision, path))
        if oid is None and (entry := _find_entry(mirror, revision, path)):
            oid = entry.oid
        if oid is not None:
            oids[key] = oid
    return oids
