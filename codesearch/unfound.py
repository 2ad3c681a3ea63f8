"""Unfound: why a target is no chunk of the search, before any leg was asked.

The stages `corpus` and `chunk` of the closed list in `docs/funnel.md`.
"""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.funnel.trace import Death
from codesearch.wishes import Lines
from indexer.models import Build, Chunk, File, Repository


def death_of_file(file: File) -> Death | None:
    """Return why a file has no chunks; None where it should have some."""
    if not file.mode:
        return Death(
            "corpus",
            f"skipped:{file.reason}",
            f"{file.path} was skipped: {_spoken(file)}.",
        )
    if file.mode == "data":
        return Death(
            "corpus",
            "data_file",
            f"{file.path} is indexed as data: it has a summary and no chunks.",
            "Look for it under places.",
        )
    return None


def left_out(file: File, lines: Lines | None) -> Death:
    """Return the death of lines, None for all, that an indexed file lacks."""
    what = f"{lines.spoken} of {file.path}" if lines else f"all of {file.path}"
    detail = f"Left out is {what}: {_spoken(file)}."
    return Death("corpus", f"partial:{file.reason}", detail)


def not_extracted(file: File, lines: Lines | None, over: Sequence[Chunk]) -> Death:
    """Return the death of lines, None for all, that are no chunk's own.

    `over` are the chunks that reach over them.
    """
    if lines is None:
        detail = f"Nothing to search is in {file.path}."
    elif lines.first > file.lines:
        detail = (
            f"{file.path} has {file.lines:,} lines; there is no line {lines.first:,}."
        )
    else:
        inside = f", between the chunks of {over[0]}" if over else ""
        detail = f"Nothing to search is in {lines.spoken} of {file.path}{inside}."
    return Death("chunk", "not_extracted", detail)


def not_read_yet(target: str, previews: Sequence[Build]) -> Death:
    """Return the death of what is in no file that is read so far."""
    read = ", ".join(
        f"{one.previewed:,} of {one.file_count:,} files of {one.index.repository.name}"
        for one in previews
    )
    return Death(
        "corpus",
        "not_read_yet",
        f"No symbol, path or line called {target} is in what is read so far: {read}.",
        "Ask again when all files are read.",
    )


def not_in_revision(name: str) -> Death:
    """Return the death of what only an earlier build had."""
    return Death(
        "corpus",
        "not_in_revision",
        f"{name} was in an earlier build and is not in the revision searched.",
        "Index a revision that holds it.",
    )


def not_in_repository(
    target: str, searched: Sequence[str], beside: Repository | None
) -> Death:
    """Return the death of what no searched repository holds.

    `beside` is one in the viewer's reach that was not searched and holds it. Where
    only staff may read that, nobody else can find it: `no_permission`. It is never in
    reach of whoever may not read it: for them it is as if it existed nowhere.
    """
    nowhere = f"No symbol, path or line called {target} is in {', '.join(searched)}."
    if beside is None:
        needed = "Check the spelling, or register the repository that holds it."
        return Death("corpus", "not_in_repository", nowhere, needed)
    needed = f"A search of {beside.name}."
    if beside.visibility == Repository.Visibility.PUBLIC:
        where = f"{nowhere} It is in {beside.name}, which was not searched."
        return Death("corpus", "not_in_repository", where, needed)
    where = (
        f"{target} is in {beside.name}, which was not searched. Only staff may read"
        f" {beside.name}: nobody else finds it."
    )
    return Death("corpus", "no_permission", where, needed)


def _spoken(file: File) -> str:
    return file.reason.replace("_", " ")
