"""Targets: from what someone expected to the chunks it stands for.

A target is a symbol (`QuerySet.get`), a path (`django/db/models/query.py`), or
a path with a line (`django/db/models/query.py:620`). Any of them may start with
a repository's name and a colon.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from django.db.models import Q

from codesearch.corpora import Searched
from codesearch.errors import AmbiguousTarget, Candidate
from codesearch.funnel.trace import Death
from indexer.models import Build, Chunk, File, Layer
from indexer.pipeline.build import load_texts
from indexer.pipeline.paths import path_url
from indexer.pipeline.sections import SEPARATOR, declared_names
from indexer.pipeline.types import ChunkKind, FileMode
from indexer.places import layer_folder

_SECTION = Q(kind=ChunkKind.SECTION)
REPOSITORY = "build__index__repository__name"  # The order of builds in a search.
_LINE = re.compile(r"^(?P<path>.+):(?P<line>\d+)$")


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a target stands for: chunks, or the death that it met before any leg.

    `chunks` are several for a path: the best of them stands for it.
    """

    target: str
    chunks: tuple[Chunk, ...]
    file: File | None = None
    death: Death | None = None


def resolve_target(target: str, builds: Sequence[Build]) -> Resolved:
    """Find what `target` stands for in the searched builds.

    Raises AmbiguousTarget when it names several symbols.
    """
    within, wanted = _split_repository(target, builds)
    line = _LINE.match(wanted)
    path = line["path"] if line else wanted
    rows = File.objects.filter(build__in=within, path=path)
    files = list(rows.select_related("build__index__repository").order_by(REPOSITORY))
    if len(files) > 1:
        raise AmbiguousTarget(target, [_file_candidate(file, line) for file in files])
    if files:
        return _resolve_file(target, files[0], int(line["line"]) if line else None)
    found = find_symbols(wanted, within)
    if len(found) > 1:
        raise AmbiguousTarget(target, [candidate(chunk) for chunk in found])
    if found:
        return Resolved(target, tuple(found), found[0].file)
    if holders := _holders(wanted, within):
        if len(holders) > 1:
            raise AmbiguousTarget(
                target, [_file_candidate(file, None) for file in holders]
            )
        return _merged(target, wanted, holders[0])
    return Resolved(target, (), death=_not_here(target, wanted, path, within))


def chunk_numbers(resolved: Resolved, searched: Searched) -> list[int]:
    """Return the numbers, in the searched corpus, of what a target stands for."""
    builds = [build.pk for build in searched.builds]
    starts = searched.corpus.starts
    return [
        starts[builds.index(chunk.build_id)] + chunk.ordinal
        for chunk in resolved.chunks
    ]


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

    Symbols come before sections. `path#Symbol@byte`, both
    percent-encoded, is the unambiguous spelling of one.
    """
    chunks = Chunk.objects.filter(build__in=builds).select_related(
        "file", "build__index__repository"
    )
    path, mark, rest = name.partition("#")
    if mark:
        symbol, _, start = rest.rpartition("@")
        if start.isdecimal():
            named = chunks.filter(
                file__path=unquote(path), symbol=unquote(symbol), start_byte=int(start)
            )
            return list(named[:limit])
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


def _file_candidate(file: File, line: re.Match[str] | None) -> Candidate:
    repository = file.build.index.repository.name
    number = int(line["line"]) if line else 1
    suffix = f":{number}" if line else ""
    return Candidate(
        target=f"{repository}:{file.path}{suffix}",
        repository=repository,
        path=file.path,
        symbol="",
        kind="file",
        start_line=number,
        end_line=number if line else file.lines,
    )


def _split_repository(
    target: str, builds: Sequence[Build]
) -> tuple[Sequence[Build], str]:
    name, colon, rest = target.partition(":")
    within = [build for build in builds if build.index.repository.name == name]
    if colon and within and not rest.isdigit():
        return within, rest
    return builds, target


def _resolve_file(target: str, file: File, line: int | None) -> Resolved:
    if not file.mode:
        return Resolved(target, (), file, _skipped(file))
    if file.mode == "data":
        return Resolved(target, (), file, _data_file(file))
    chunks = list(
        file.chunks.select_related("file", "build__index__repository").order_by(
            "ordinal"
        )
    )
    if line is None:
        return Resolved(target, tuple(chunks), file)
    if any(start <= line <= stop for start, stop in file.partial):
        return Resolved(target, (), file, _partial(file, line))
    over = [chunk for chunk in chunks if chunk.start_line <= line <= chunk.end_line]
    own = [c for c in over if any(a <= line <= b for a, b in c.spans)]
    if own:
        innermost = min(own, key=lambda c: (c.end_line - c.start_line, -c.ordinal))
        return Resolved(target, (innermost,), file)
    return Resolved(target, (), file, _not_extracted(file, line, over))


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
    rows = file.chunks.select_related("file", "build__index__repository")
    chunks = list(rows.order_by("ordinal"))
    lexical = layer_folder(file.build, Layer.Kind.LEXICAL, 0)
    texts = load_texts(lexical / "body", [chunk.ordinal for chunk in chunks])
    found = zip(chunks, texts, strict=True)
    return next((c for c, text in found if name in declared_names(text)), chunks[0])


def _skipped(file: File) -> Death:
    return Death(
        "corpus",
        f"skipped:{file.reason}",
        f"{file.path} was skipped: {file.reason.replace('_', ' ')}.",
    )


def _data_file(file: File) -> Death:
    return Death(
        "corpus",
        "data_file",
        f"{file.path} is indexed as data: it has a summary and no chunks.",
        "Look for it under places.",
    )


def _partial(file: File, line: int) -> Death:
    return Death(
        "corpus",
        f"partial:{file.reason}",
        f"Line {line} of {file.path} was left out: {file.reason.replace('_', ' ')}.",
    )


def _not_extracted(file: File, line: int, over: Sequence[Chunk]) -> Death:
    if line > file.lines:
        return Death(
            "chunk",
            "not_extracted",
            f"{file.path} has {file.lines:,} lines; there is no line {line:,}.",
        )
    inside = f", between the chunks of {over[0]}" if over else ""
    return Death(
        "chunk",
        "not_extracted",
        f"Line {line} of {file.path} holds nothing to search{inside}.",
    )


def _not_here(target: str, wanted: str, path: str, builds: Sequence[Build]) -> Death:
    repositories = [build.index.repository for build in builds]
    # Of other revisions: another profile may call the same lines by other names.
    others = Build.objects.filter(index__repository__in=repositories).exclude(
        revision__in=[build.revision for build in builds]
    )
    was_path = File.objects.filter(build__in=others, path=path).exists()
    if was_path or find_symbols(wanted, list(others), limit=1):
        name = path if was_path else wanted
        return Death(
            "corpus",
            "not_in_revision",
            f"{name} was in an earlier build and is not in the revision searched.",
            "Index a revision that holds it.",
        )
    names = ", ".join(repository.name for repository in repositories)
    return Death(
        "corpus",
        "not_in_repository",
        f"No symbol, path or line called {target} is in {names}.",
        "Check the spelling, or register the repository that holds it.",
    )
