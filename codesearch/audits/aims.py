"""Aims: what the targets of a case stand for in the builds of an audit.

One chunk, or one file where the set counts files, serves one target, so that a list
holds each document once. In chunks it serves the target that stands for the fewest,
then the first. In files the targets of one file are one: it counts where a list holds
any chunk of it that touches one of their lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from codesearch.catalogue import chunk_place, file_place
from codesearch.corpora import Searched
from codesearch.errors import AmbiguousTarget
from codesearch.funnel.trace import Death
from codesearch.models import CaseSet
from codesearch.runs import one_word
from codesearch.targets import (
    Resolved,
    as_symbol,
    chunk_id,
    chunk_numbers,
    resolve_target,
    split_repository,
)
from codesearch.wishes import Lines
from indexer.models import Build, Chunk, Layer, Profile

PLACE = ("repository", "revision", "path", "path_url")
Named = Mapping[int, Build]  # By build of windows: the one that knows its symbols.


@dataclass(frozen=True, slots=True, eq=False)
class Aim:
    """One target: its chunks in the searched corpus, none where it met its death.

    `document` is its name in lists, None without chunks. `file` is the number of its
    file there, `spans` the lines that are wanted of it: none where all are.
    """

    target: str
    grade: int
    document: str | None
    chunks: tuple[int, ...]
    where: Mapping[str, Any]  # Any: JSON
    file: int | None = None
    spans: tuple[Lines, ...] = ()
    death: Death | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Wish:
    """One target as it was found; `symbol` is the one that it means, if it does."""

    target: str
    grade: int
    found: Resolved
    symbol: Chunk | None


def take_aim(
    targets: Sequence[Mapping[str, Any]],  # Any: JSON
    searched: Searched,
    unit: str,
    named: Named,
) -> list[Aim]:
    """Return the aims of a case whose targets are {target, grade}, in their order.

    `named` as `named_builds` returns it. Raises AmbiguousTarget and UnreadableTarget.
    """
    wishes = [
        _Wish(one["target"], one["grade"], *_find(one["target"], searched, named))
        for one in targets
    ]
    if unit == CaseSet.Unit.FILE:
        return _aims_at_files(wishes, searched)
    return _aims_at_chunks(wishes, searched)


def named_builds(builds: Iterable[Build]) -> dict[int, Build]:
    """Map each build of windows to the newest by symbols of the same revision."""
    found = {}
    for build in filter(_is_of_windows, builds):
        others = Build.objects.filter(
            index__repository=build.index.repository,
            revision=build.revision,
            recipe__chunker=Profile.Chunker.SYMBOL,
            layers__kind=Layer.Kind.LEXICAL,
        )
        if newest := others.order_by("-pk").first():
            found[build.pk] = newest
    return found


def _find(
    target: str, searched: Searched, named: Named
) -> tuple[Resolved, Chunk | None]:
    """Return what a target stands for, and the symbol that it means, if it does."""
    found = _resolve(target, searched.builds)
    windows = [build for build in searched.builds if _is_of_windows(build)]
    if found.file is None and windows and ("/" not in target or "#" in target):
        return _in_windows(target, windows, named)
    is_one = found.lines is not None and len(found.chunks) == 1
    return found, found.chunks[0] if is_one else None


def _is_of_windows(build: Build) -> bool:
    return bool(build.recipe.get("chunker") == Profile.Chunker.WINDOW)


def _resolve(target: str, builds: Sequence[Build]) -> Resolved:
    """Return what a target stands for; of one name in one file the nearest, or first.

    Raises AmbiguousTarget.
    """
    try:
        found = resolve_target(target, builds)
    except AmbiguousTarget:
        if named := _named_in_file(target, builds):
            return named
        raise
    return found if found.file else _named_in_file(target, builds) or found


def _named_in_file(target: str, builds: Sequence[Build]) -> Resolved | None:
    """Return the symbol of `path#symbol@byte` whose file may have changed since.

    It is the one of that name in that file, of several the nearest to the byte;
    without `@byte` the first.
    """
    within, wanted = split_repository(target, builds)
    path, mark, rest = wanted.partition("#")
    symbol, _, start = rest.rpartition("@") if "@" in rest else (rest, "", "0")
    if not (mark and symbol and start.isdecimal()):
        return None
    rows = Chunk.objects.filter(build__in=within, file__path=unquote(path))
    rows = rows.filter(symbol=unquote(symbol)).order_by("ordinal")
    found = list(rows.select_related("file", "build__index__repository"))
    if len({chunk.file_id for chunk in found}) != 1:
        return None
    at = int(start)
    return as_symbol(target, min(found, key=lambda chunk: abs(chunk.start_byte - at)))


def _in_windows(
    target: str, windows: Sequence[Build], named: Named
) -> tuple[Resolved, Chunk | None]:
    """Return the windows that hold most lines of a symbol, which they do not name."""
    known = [named[build.pk] for build in windows if build.pk in named]
    if not known:
        return Resolved(target, (), death=_unnamed(target, windows)), None
    found = _resolve(target, known)
    if not found.chunks:
        return found, None
    symbol = found.chunks[0]
    (build,) = (one for one in windows if named.get(one.pk) == symbol.build)
    rows = Chunk.objects.filter(
        build=build, file__path_bytes=bytes(symbol.file.path_bytes)
    )
    rows = rows.select_related("file", "build__index__repository").order_by("ordinal")
    held = {chunk: _lines_held(chunk, symbol) for chunk in rows}
    most = max(held.values(), default=0)
    chunks = tuple(chunk for chunk, lines in held.items() if lines and lines == most)
    if not chunks:
        return Resolved(target, (), death=_unnamed(target, windows)), symbol
    return Resolved(target, chunks, chunks[0].file, lines=found.lines), symbol


def _lines_held(window: Chunk, symbol: Chunk) -> int:
    """Return how many of a symbol's own lines a window holds."""
    return sum(
        max(0, min(last, window.end_line) - max(first, window.start_line) + 1)
        for first, last in symbol.spans
    )


def _unnamed(target: str, windows: Sequence[Build]) -> Death:
    names = ", ".join(build.index.repository.name for build in windows)
    return Death(
        "chunk",
        "not_extracted",
        f"Windows have no names: which of them hold {target} is known from an index "
        f"of {names} by symbols at the same revision, and there is none.",
        f"Index {names} by symbols too.",
    )


def _aims_at_chunks(wishes: Sequence[_Wish], searched: Searched) -> list[Aim]:
    numbers = [chunk_numbers(wish.found, searched) for wish in wishes]
    served: set[int] = set()
    aims: dict[int, Aim] = {}
    for i in sorted(range(len(wishes)), key=lambda i: (len(numbers[i]), i)):
        own = tuple(number for number in numbers[i] if number not in served)
        served.update(own)
        aims[i] = _aim_at_chunks(wishes[i], own, searched)
    return [aims[i] for i in range(len(wishes))]


def _aim_at_chunks(wish: _Wish, own: tuple[int, ...], searched: Searched) -> Aim:
    found = wish.found
    death, document = found.death, None
    if own:
        document = _chunk_document(wish, own, searched)
    elif found.chunks:  # All of them serve other targets.
        held = chunk_id(found.chunks[0])
        detail = f"{wish.target} is what another target of the case stands for."
        death = Death("chunk", f"merged_into:{held}", detail)
    return Aim(
        wish.target,
        wish.grade,
        document,
        own,
        _where(wish),
        _file_number(found, searched),
        (found.lines,) if found.lines else (),
        death,
    )


def _chunk_document(wish: _Wish, own: Sequence[int], searched: Searched) -> str:
    """Return a chunk's id, or of several the target itself without blanks."""
    if len(own) == 1:
        return str(chunk_place(searched, own[0])["chunk"])
    return one_word(wish.target)


def _aims_at_files(wishes: Sequence[_Wish], searched: Searched) -> list[Aim]:
    groups: dict[object, list[_Wish]] = {}
    for wish in wishes:
        file = _file_number(wish.found, searched)
        groups.setdefault(wish.target if file is None else file, []).append(wish)
    return [_aim_at_file(group, searched) for group in groups.values()]


def _aim_at_file(group: Sequence[_Wish], searched: Searched) -> Aim:
    """Return the aim of targets of one file, or of one that has none."""
    first = group[0]
    lines = [wish.found.lines for wish in group]
    spans = () if None in lines else tuple(dict.fromkeys(filter(None, lines)))
    chunks = _touching(first.found, spans, searched)
    where = _where(first)
    document = None
    if chunks:
        parts = ",".join(one.suffix[1:] for one in spans)
        document = f"{where['repository']}:{where['path_url']}{parts and f':{parts}'}"
    return Aim(
        first.target,
        max(wish.grade for wish in group),
        document,
        chunks,
        where,
        _file_number(first.found, searched),
        spans,
        None if chunks else first.found.death,
    )


def _touching(
    found: Resolved, spans: Sequence[Lines], searched: Searched
) -> tuple[int, ...]:
    """Return the chunks of a file that touch some of the lines, without any all."""
    if found.file is None:
        return ()
    corpus, which = searched.corpus, searched.builds.index(found.file.build)
    lines = corpus.builds[which].lexical.catalogue.lines
    start = corpus.starts[which]
    return tuple(
        number
        for number in corpus.chunks_of_file(which, found.file.ordinal)
        if not spans
        or any(span.overlaps(*lines[number - start].tolist()) for span in spans)
    )


def _file_number(found: Resolved, searched: Searched) -> int | None:
    if found.file is None:
        return None
    which = searched.builds.index(found.file.build)
    return searched.corpus.file_number(which, found.file.ordinal)


def _where(wish: _Wish) -> dict[str, Any]:
    """Return where a target lies and what it is, null where that is not known."""
    place: dict[str, Any] = dict.fromkeys(PLACE)
    if file := wish.found.file:
        known = file_place(file.build, bytes(file.path_bytes), file.language)
        place = {key: known[key] for key in PLACE}
    lines, symbol = wish.found.lines, wish.symbol
    return {
        **place,
        "start_line": lines.first if lines else None,
        "end_line": lines.last if lines else None,
        "symbol": (symbol.symbol or None) if symbol else None,
        "kind": symbol.kind if symbol else None,
    }
