"""Files: read one at a revision, or its line in the ledger, as far as one may."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote_to_bytes

from django.db.models import Q

from indexer.access import Viewer, readable
from indexer.kept_texts import KeptTexts
from indexer.models import Build, Chunk, File, Index, Layer, Repository
from indexer.outside import Outside, outside_of
from indexer.pipeline import git
from indexer.pipeline.blobs import BlobReader, skip_reason, split_lines
from indexer.pipeline.git_command import GitError
from indexer.pipeline.languages import detect_language
from indexer.pipeline.paths import display_path, path_url
from indexer.pipeline.reading import shown_source
from indexer.pipeline.types import SkipReason, TreeEntry
from indexer.places import mirror_of

MOST_SHOWN = 16 << 20  # Bytes of a file whose text is shown, though it is not indexed.

TextKey = tuple[str, str, str]  # repository, revision, path_url

_kept = KeptTexts()


@dataclass(frozen=True, slots=True)
class FileView:
    """One file at one revision. `text` is None when it was skipped for `reason`.

    `searched` is the revision that searches read, None before there is one; `newest`
    the newest fetched one and `fetched_at` when that was last so. `build` is the one
    that `chunks` are of, None where the revision is not indexed.
    """

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
    searched: str | None
    newest: str
    fetched_at: datetime | None
    committed_at: datetime | None
    chunks: Sequence[Chunk]
    oid: str = ""
    build: Build | None = None
    outside: Outside = Outside()


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
    entry = find_entry_at(mirror, revision, path)
    if entry is None:
        return None
    row = file_row(viewer, repository, revision, path)
    text, encoding, reason = _read_text(found, entry)
    searched = searched_revisions(found)
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
        is_current=revision in searched,
        searched=searched[0] if searched else None,
        newest=found.fetched_revision,
        fetched_at=found.fetched_at,
        committed_at=git.commit_date(mirror, revision),
        chunks=list(row.chunks.order_by("ordinal")) if row else [],
        oid=entry.oid,
        build=row.build if row else None,
        outside=outside_of(viewer, found, revision, path_url(path)),
    )


def searched_revisions(repository: Repository) -> list[str]:
    """Return the revisions that searches read, that of the default profile first."""
    current = Index.objects.filter(repository=repository, current_build__isnull=False)
    ordered = current.order_by("-is_default", "pk")
    return list(ordered.values_list("current_build__revision", flat=True))


def file_row(
    viewer: Viewer, repository: str, revision: str, path: bytes
) -> File | None:
    """Return a file's line in the ledger of the newest build that can be searched.

    Of several profiles the default one's. None if it is not in reach.
    """
    return (
        File.objects.filter(
            build__index__repository__in=readable(viewer),
            build__index__repository__name=repository,
            build__revision=revision,
            build__layers__kind=Layer.Kind.LEXICAL,
            path=display_path(path),  # The index is on what paths look like.
            path_bytes=path,
        )
        .select_related("build__index__repository")
        # A sound one first: what is known to be damaged is read for want of better.
        .order_by("build__damage", "-build__index__is_default", "-build_id")
        .first()
    )


def build_at(viewer: Viewer, repository: str, revision: str) -> Build | None:
    """Return the build that stands for a revision, chosen as in `file_row`."""
    builds = Build.objects.filter(
        index__repository__in=readable(viewer).filter(name=repository),
        revision=revision,
        layers__kind=Layer.Kind.LEXICAL,
    ).select_related("index__repository")
    return builds.order_by("damage", "-index__is_default", "-pk").first()


def find_entry_at(mirror: Path, revision: str, path: bytes) -> TreeEntry | None:
    """Return the entry of a path at a commit that the mirror holds, or None."""
    if not mirror.exists():
        return None
    try:
        return git.find_entry(mirror, revision, path)
    except GitError:
        return None


def _read_text(repository: Repository, entry: TreeEntry) -> tuple[str | None, str, str]:
    """Return (text or None, encoding, reason it has no text, or is not indexed)."""
    if reason := _unshown_reason(entry):
        return None, "", reason
    with BlobReader(mirror_of(repository)) as reader:
        data = reader.read(entry.oid)
    source = shown_source(entry.path, data, index_secrets=repository.index_secrets)
    if isinstance(source, SkipReason):
        return None, "", source
    return source.text, source.encoding, skip_reason(entry) or ""


def _unshown_reason(entry: TreeEntry) -> SkipReason | None:
    """Return why the text of an entry is not read to be shown, None to read it."""
    reason = skip_reason(entry)
    is_shown = reason is SkipReason.TOO_LARGE and (entry.size or 0) <= MOST_SHOWN
    return None if is_shown else reason


def read_texts(viewer: Viewer, wanted: Iterable[TextKey]) -> dict[TextKey, str]:
    """Return the texts of files; one that is gone, or not in reach, is absent."""
    by_repository: dict[str, list[TextKey]] = {}
    for key in dict.fromkeys(wanted):
        by_repository.setdefault(key[0], []).append(key)
    found: dict[TextKey, str] = {}
    for repository in readable(viewer).filter(name__in=by_repository):
        oids = _find_blobs(repository, by_repository[repository.name])
        names = {
            key: (repository.pk, repository.index_secrets, key[2], oid)
            for key, oid in oids.items()
        }
        kept = {key: _kept.get(name) for key, name in names.items()}
        found |= {key: text for key, text in kept.items() if text is not None}
        new = {key: oid for key, oid in oids.items() if key not in found}
        for key, text in _shown_texts(repository, new):
            _kept.put(names[key], text)
            found[key] = text
    return found


def _shown_texts(
    repository: Repository, oids: Mapping[TextKey, str]
) -> Iterator[tuple[TextKey, str]]:
    """Yield the texts of blobs as they may be shown, if they may."""
    if not oids:
        return
    with BlobReader(mirror_of(repository)) as reader:
        for key, oid in oids.items():
            with suppress(GitError):  # A blob that upstream has dropped.
                source = shown_source(
                    unquote_to_bytes(key[2]),
                    reader.read(oid),
                    index_secrets=repository.index_secrets,
                )
                if not isinstance(source, SkipReason):
                    yield key, source.text


def _find_blobs(repository: Repository, keys: Iterable[TextKey]) -> dict[TextKey, str]:
    """Find the object ids of files in the ledgers, else in the mirror's trees.

    Of what is not indexed only those that a page of a file shows.
    """
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
        if oid is None:
            entry = find_entry_at(mirror, revision, path)
            oid = entry.oid if entry and not _unshown_reason(entry) else None
        if oid is not None:
            oids[key] = oid
    return oids
