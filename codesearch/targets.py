"""Targets: from what someone expected to the chunks it stands for.

A target is a symbol (`QuerySet.get`), a path (`django/db/models/query.py`), or a
path with lines (`wishes.py`); `path#QuerySet.get` is the symbol of that file. Any of
them may start with a repository's name, or one that it had, and a colon.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from django.db.models import Q

from codesearch.corpora import Searched
from codesearch.errors import (
    AmbiguousTarget,
    Candidate,
    IndexMoved,
    UnreadableTarget,
)
from codesearch.funnel.trace import Death
from codesearch.unfound import (
    death_of_file,
    left_out,
    not_extracted,
    not_in_repository,
    not_in_revision,
    not_read_yet,
)
from codesearch.wishes import Lines, is_lines, read_lines
from indexer.engines.builds import LocalBuild
from indexer.models import Build, Chunk, File, FormerName, Repository
from indexer.pipeline.paths import path_url
from indexer.pipeline.sections import SEPARATOR, declared_names
from indexer.pipeline.surfaces import load_texts
from indexer.pipeline.types import ChunkKind, FileMode
from indexer.places import lexical_folder

TARGET_LIMIT = 4000  # A path may be as long as the system allows.
_SECTION = Q(kind=ChunkKind.SECTION)
REPOSITORY = "build__index__repository__name"  # The order of builds in a search.


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a target stands for: chunks, or the death that it met before any leg.

    `chunks` are several for a path: the best of them stands for it. `lines` are those
    of the symbol or of the wish, None where a whole file is meant.
    """

    target: str
    chunks: tuple[Chunk, ...]
    file: File | None = None
    death: Death | None = None
    lines: Lines | None = None


def resolve_target(
    target: str, builds: Sequence[Build], beside: Sequence[Build] = ()
) -> Resolved:
    """Find what `target` stands for in the searched builds.

    What is in none of them is looked for in the builds `beside`, those of other
    repositories in the viewer's reach. Raises AmbiguousTarget when it names several
    symbols, UnreadableTarget when it is longer than a path can be.
    """
    if len(target) > TARGET_LIMIT:
        raise UnreadableTarget(
            f"The target has {len(target):,} characters; {TARGET_LIMIT:,} are read."
        )
    within, wanted = split_repository(target, builds)
    files, lines = _find_files(wanted, within)
    if len(files) > 1:
        raise AmbiguousTarget(target, [_file_candidate(file, lines) for file in files])
    if files:
        return _resolve_file(target, files[0], lines)
    found = find_symbols(wanted, within)
    if len(found) > 1:
        raise AmbiguousTarget(target, [candidate(chunk) for chunk in found])
    if found:
        return as_symbol(target, found[0])
    if holders := _holders(wanted, within):
        if len(holders) > 1:
            raise AmbiguousTarget(
                target, [_file_candidate(file, None) for file in holders]
            )
        return _merged(target, wanted, holders[0])
    return Resolved(target, (), death=_not_here(target, wanted, within, beside))


def as_symbol(target: str, chunk: Chunk) -> Resolved:
    """Return what a target that means one symbol stands for."""
    lines = Lines(chunk.start_line, chunk.end_line)
    return Resolved(target, (chunk,), chunk.file, lines=lines)


def _find_files(
    wanted: str, builds: Sequence[Build]
) -> tuple[list[File], Lines | None]:
    """Return the files of a path, and the lines that are asked for; None is all.

    A path may look like one with lines: it is tried as it is first.
    """
    rows = File.objects.filter(build__in=builds).order_by(REPOSITORY)
    rows = rows.select_related("build__index__repository")
    path, lines = read_lines(wanted)
    as_written = list(rows.filter(path=wanted))
    if as_written or lines is None:
        return as_written, None
    return list(rows.filter(path=path)), lines


def chunk_numbers(resolved: Resolved, searched: Searched) -> list[int]:
    """Return the numbers, in the searched corpus, of what a target stands for.

    Raises IndexMoved when its rows were written after the corpus was opened.
    """
    builds = [build.pk for build in searched.builds]
    starts = searched.corpus.starts
    numbers = []
    for chunk in resolved.chunks:
        number = builds.index(chunk.build_id)
        if not _is_held(chunk, searched.corpus.builds[number]):
            raise IndexMoved(chunk.build.index.repository.name)
        numbers.append(starts[number] + chunk.ordinal)
    return numbers


def _is_held(chunk: Chunk, local: LocalBuild) -> bool:
    """Tell whether a layer that is open has the chunk of a row, by its ordinal.

    It has not where the row is of the layer that took the place of a preview.
    """
    catalogue = local.lexical.catalogue
    if chunk.ordinal >= local.chunk_count:
        return False
    file = catalogue.files[local.lexical.file_of[chunk.ordinal]]
    return (file.path, catalogue.symbols[chunk.ordinal]) == (
        bytes(chunk.file.path_bytes),
        chunk.symbol,
    ) and catalogue.start_bytes[chunk.ordinal] == chunk.start_byte


def chunk_id(chunk: Chunk) -> str:
    """Return the id of a chunk from its row."""
    path = path_url(chunk.file.path_bytes)
    return spell_id(chunk.build, path, chunk.symbol, chunk.start_byte)


def spell_id(build: Build, path: str, symbol: str, start_byte: int) -> str:
    """Return `repository@revision:path#symbol@startbyte`; `path` is its address."""
    name = quote(symbol, safe="")
    where = f"{build.index.repository.name}@{build.revision}"
    return f"{where}:{path}#{name}@{start_byte}"


def find_symbols(
    name: str, builds: Sequence[Build], limit: int | None = None
) -> list[Chunk]:
    """Return the chunks called `name`: as written, else in any case, else by suffix.

    Symbols come before sections. `path#Symbol@byte`, both percent-encoded, is the
    unambiguous spelling of one; without the byte those of that name in the file.
    """
    chunks = Chunk.objects.filter(build__in=builds).select_related(
        "file", "build__index__repository"
    )
    path, mark, rest = name.partition("#")
    if mark:
        in_file = chunks.filter(file__path=unquote(path)).order_by(
            REPOSITORY, "ordinal"
        )
        symbol, _, start = rest.rpartition("@")
        if start.isdecimal():
            named = in_file.filter(symbol=unquote(symbol), start_byte=int(start))
            return list(named[:limit])
        if same := list(in_file.filter(symbol=unquote(rest))[:limit]):
            return same
    if not name.strip():
        return []
    for match in (
        ~_SECTION & Q(symbol=name),
        ~_SECTION & Q(symbol__iexact=name),
        ~_SECTION & Q(symbol__iendswith=f".{name}"),
        _SECTION & Q(symbol__iexact=name),
        _SECTION & Q(symbol__iendswith=f"{SEPARATOR}{name}"),
    ):
        found = list(chunks.filter(match).order_by(REPOSITORY, "ordinal")[:limit])
        if found:
            return found
    return []


def suggest_symbols(
    text: str, builds: Sequence[Build], limit: int = 20
) -> list[Candidate]:
    """Return symbols that `text` may be meant for, the exact ones first."""
    found = find_symbols(text, builds, limit)
    if len(found) < limit and len(text) > 1:
        chunks = Chunk.objects.filter(build__in=builds, symbol__icontains=text)
        more = chunks.select_related("file", "build__index__repository")
        known = {chunk.pk for chunk in found}
        ordered = more.exclude(pk__in=known).order_by("symbol", REPOSITORY, "ordinal")
        found += list(ordered[: limit - len(found)])
    return [candidate(chunk) for chunk in found]


def spell_target(repository: str, path: str, symbol: str, start_byte: int) -> str:
    """Return the unambiguous spelling of a chunk; `path` is the display form."""
    return f"{repository}:{quote(path)}#{quote(symbol)}@{start_byte}"


def spell_lasting(chunk: Chunk) -> str:
    """Return the spelling of a chunk that lasts longest, without its repository."""
    same = Chunk.objects.filter(file=chunk.file, symbol=chunk.symbol).count()
    return spell_in_file(
        chunk.file.path, chunk.symbol, chunk.start_byte, is_alone=same == 1
    )


def spell_in_file(path: str, symbol: str, start_byte: int, *, is_alone: bool) -> str:
    """Return a chunk by its name, which no other line moves, where that `is_alone`.

    Else by its first byte too; also a name that would be read as lines.
    """
    named = f"{quote(path)}#{quote(symbol)}"
    if symbol and is_alone and read_lines(named)[1] is None:
        return named
    return f"{named}@{start_byte}"


def candidate(chunk: Chunk) -> Candidate:
    """Return a chunk as something to choose from."""
    repository = chunk.build.index.repository.name
    path = chunk.file.path
    return Candidate(
        target=spell_target(repository, path, chunk.symbol, chunk.start_byte),
        repository=repository,
        path=path,
        symbol=chunk.symbol,
        kind=chunk.kind,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
    )


def _file_candidate(file: File, lines: Lines | None) -> Candidate:
    repository = file.build.index.repository.name
    return Candidate(
        target=f"{repository}:{file.path}{lines.suffix if lines else ''}",
        repository=repository,
        path=file.path,
        symbol="",
        kind="file",
        start_line=lines.first if lines else 1,
        end_line=lines.last if lines else file.lines,
    )


def split_repository(
    target: str, builds: Sequence[Build]
) -> tuple[Sequence[Build], str]:
    """Return the builds that a target is looked for in, and the rest of it."""
    name, colon, rest = target.partition(":")
    if not colon or is_lines(rest):
        return builds, target
    within = [build for build in builds if build.index.repository.name == name]
    if not within:
        had = FormerName.objects.filter(name=name).values_list("repository", flat=True)
        keys = set(had)
        within = [build for build in builds if build.index.repository_id in keys]
    return (within, rest) if within else (builds, target)


def _resolve_file(target: str, file: File, lines: Lines | None) -> Resolved:
    if death := death_of_file(file):
        return Resolved(target, (), file, death, lines)
    chunks = _chunks_of(file)
    if lines is None and chunks:
        return Resolved(target, tuple(chunks), file)
    parts = [lines.lies_in(*part) if lines else True for part in file.partial]
    if any(parts):
        return Resolved(target, (), file, left_out(file, lines), lines)
    if lines is None:
        return Resolved(target, (), file, not_extracted(file, None, ()))
    over = [c for c in chunks if lines.overlaps(c.start_line, c.end_line)]
    own = [c for c in over if any(lines.overlaps(*span) for span in c.spans)]
    if not own:
        return Resolved(target, (), file, not_extracted(file, lines, over), lines)
    if lines.first == lines.last:
        own = [min(own, key=lambda c: (c.end_line - c.start_line, -c.ordinal))]
    return Resolved(target, tuple(own), file, lines=lines)


def _chunks_of(file: File) -> list[Chunk]:
    """Return the chunks of a file in order, all with this file.

    Read anew beside each chunk, its names would be as many times as it has chunks.
    """
    rows = file.chunks.select_related("build__index__repository")
    return list(rows.order_by("ordinal"))


def _holders(name: str, builds: Sequence[Build]) -> list[File]:
    """Return the files that define `name` and have no chunk of that name.

    They are one chunk as a whole, or sections. What encloses a name will do.
    """
    wanted = {name, name.partition(".")[0]}
    files = File.objects.filter(
        build__in=builds, mode__in=(FileMode.FILE, FileMode.SECTION)
    )
    rows = files.exclude(defines=[]).values_list("pk", "defines")
    keys = [pk for pk, defines in rows if not wanted.isdisjoint(defines)]
    found = File.objects.filter(pk__in=keys)
    return list(
        found.select_related("build__index__repository").order_by(REPOSITORY, "ordinal")
    )


def _merged(target: str, name: str, file: File) -> Resolved:
    chunk = _section_of(name, file)
    where = f"lines {chunk.start_line} to {chunk.end_line} of {file.path}"
    death = Death(
        "chunk",
        f"merged_into:{chunk_id(chunk)}",
        f"{name} is no chunk of its own: it lies in {where}, which are one.",
        f"Trace {file.path}:{chunk.start_line} instead.",
    )
    return Resolved(target, (), file, death)


def _section_of(name: str, file: File) -> Chunk:
    """Return the chunk of a file that declares `name`, else its first."""
    chunks = _chunks_of(file)
    lexical = lexical_folder(file.build)
    texts = load_texts(lexical / "body", [chunk.ordinal for chunk in chunks])
    found = zip(chunks, texts, strict=True)
    return next((c for c, text in found if name in declared_names(text)), chunks[0])


def _not_here(
    target: str, wanted: str, builds: Sequence[Build], beside: Sequence[Build]
) -> Death:
    if previews := [build for build in builds if build.previewed]:
        return not_read_yet(target, previews)
    repositories = [build.index.repository for build in builds]
    # Of other revisions: another profile may call the same lines by other names.
    others = Build.objects.filter(index__repository__in=repositories).exclude(
        revision__in=[build.revision for build in builds]
    )
    if name := _name_in(wanted, list(others)):
        return not_in_revision(name)
    names = [repository.name for repository in repositories]
    return not_in_repository(target, names, _holder_beside(target, beside))


def _name_in(wanted: str, builds: Sequence[Build]) -> str:
    """Return the path or symbol of a wish that some of `builds` has, else ""."""
    path, _ = read_lines(wanted)
    files = File.objects.filter(build__in=builds)
    for name in (wanted, path):
        if files.filter(path=name).exists():
            return name
    return wanted if find_symbols(wanted, builds, limit=1) else ""


def _holder_beside(target: str, beside: Sequence[Build]) -> Repository | None:
    """Return the first of the repositories beside that holds a target."""
    within, wanted = split_repository(target, beside)
    for build in within:
        if _name_in(wanted, [build]):
            return build.index.repository
    return None
