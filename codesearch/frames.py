"""Frames of a stack trace: the indexed files and chunks that they lie in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.db.models import Q

from codesearch.corpora import current_builds
from codesearch.errors import SearchError
from codesearch.funnel.stack_trace import Frame
from indexer.access import Viewer
from indexer.models import Chunk, File


@dataclass(frozen=True, slots=True)
class Place:
    """Where a frame lies. `file` is None if in no indexed file, `chunk` in none.

    `others` counts the files that match its path as well.
    """

    frame: Frame
    file: File | None = None
    chunk: Chunk | None = None
    others: int = 0


def resolve_frames(
    viewer: Viewer,
    frames: Sequence[Frame],
    repositories: Sequence[str] = (),
    profile: str | None = None,
) -> list[Place]:
    """Return the place of each frame, in their order, as far as `viewer` may read.

    A file matches by the longest end of its path: two steps of it at least, or all of
    the one path or the other. Of several the first by repository and path.
    """
    try:
        builds = current_builds(viewer, repositories, profile)
    except SearchError:
        builds = []
    wanted = Q(pk__in=[])
    for name in sorted({_last_step(frame.path) for frame in frames}):
        wanted |= Q(path=name) | Q(path__endswith=f"/{name}")
    rows = File.objects.filter(wanted, build__in=builds)
    order = ("build__index__repository__name", "path", "pk")
    files: dict[str, list[File]] = {}
    for file in rows.select_related("build__index__repository").order_by(*order):
        files.setdefault(_last_step(file.path), []).append(file)
    called = [files.get(_last_step(frame.path), []) for frame in frames]
    return _with_chunks([_place(*pair) for pair in zip(frames, called, strict=True)])


def _last_step(path: str) -> str:
    return path.rpartition("/")[2]


def _place(frame: Frame, files: Sequence[File]) -> Place:
    lengths = [common_steps(frame.path, file.path) for file in files]
    most = max(lengths, default=0)
    if not most:
        return Place(frame)
    best = [file for file, length in zip(files, lengths, strict=True) if length == most]
    return Place(frame, best[0], others=len(best) - 1)


def _with_chunks(places: Sequence[Place]) -> list[Place]:
    """Return places with the innermost chunk of each line, where one is."""
    wanted = Q(pk__in=[])
    for place in places:
        if place.file is None:
            continue
        line = place.frame.line
        wanted |= Q(file=place.file, start_line__lte=line, end_line__gte=line)
    chunks = sorted(Chunk.objects.filter(wanted), key=_size)
    return [replace(place, chunk=_innermost(place, chunks)) for place in places]


def _size(chunk: Chunk) -> tuple[int, int]:
    return chunk.end_line - chunk.start_line, chunk.ordinal


def _innermost(place: Place, chunks: Iterable[Chunk]) -> Chunk | None:
    """Return the first of the chunks that holds the line of a place."""
    line = place.frame.line
    for chunk in chunks:
        is_here = place.file is not None and chunk.file_id == place.file.pk
        if is_here and chunk.start_line <= line <= chunk.end_line:
            return chunk
    return None


def common_steps(printed: str, path: str) -> int:
    """Return how many last steps two paths share, 0 if too few to tell."""
    one, two = (
        [s for s in p.split("/") if s not in ("", ".")] for p in (printed, path)
    )
    shared = 0
    for left, right in zip(reversed(one), reversed(two), strict=False):
        if left != right:
            break
        shared += 1
    return shared if shared >= min(2, len(one), len(two)) else 0
