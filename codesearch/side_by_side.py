"""Side by side: the same queries put to two profiles of one repository."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from codesearch.audits.aims import Named, named_builds, take_aim
from codesearch.catalogue import chunk_place
from codesearch.corpora import Searched, current_builds, open_corpus
from codesearch.errors import AmbiguousTarget, SearchError
from codesearch.funnel.legs import DENSE
from codesearch.funnel.side import FUSED, RESULT, stand_at
from codesearch.inquiry import inquire_of
from codesearch.knobs import AS_SHIPPED
from codesearch.models import CaseSet
from codesearch.payloads import SCHEMA, Payload
from codesearch.payloads.chunk_map import symbols_payload
from indexer.access import Viewer
from indexer.models import Build
from indexer.pipeline.line_regex import Definition
from indexer.pipeline.surfaces import load_texts
from indexer.places import lexical_folder

STAGES = ("body", "purpose", "bm25", FUSED, RESULT)
LIMIT = 50  # Queries of one page; each is asked twice.
NAMED_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Wish:
    """One query and the targets that answer it, of which the best counts."""

    query: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One profile's build, opened; `missing` says why there is none."""

    profile: str
    searched: Searched | None
    named: Named
    missing: str = ""

    @property
    def build(self) -> Build | None:
        return self.searched.builds[0] if self.searched else None


def compare_profiles(
    *,
    viewer: Viewer,
    repository: str,
    profiles: tuple[str, str],
    wishes: Sequence[Wish],
    stage: str = STAGES[0],
) -> Payload:
    """Ask each query of a repository under two profiles, and say which ranks it better.

    A target that names a symbol stands, under windows, for the window with most of its
    lines. Raises UnknownRepository.
    """
    sides = [_open(viewer, repository, profile) for profile in profiles]
    is_whole = all(side.searched for side in sides)
    rows = [_row(wish, sides, stage) for wish in wishes[:LIMIT]] if is_whole else []
    verdicts = [row["verdict"] for row in rows]
    return {
        "schema": SCHEMA,
        "repository": repository,
        "stage": stage,
        "sides": [_side(side) for side in sides],
        "raw_is_comparable": _is_comparable(sides, stage),
        "rows": rows,
        "counts": {one: verdicts.count(one) for one in ("a", "tie", "b", "neither")},
        "failed": sum(bool(row["failure"]) for row in rows),
        "unasked": max(0, len(wishes) - LIMIT),
        "symbols": _symbols(sides),
    }


def _open(viewer: Viewer, repository: str, profile: str) -> _Side:
    builds = current_builds(viewer, [repository], profile)
    if not builds:
        return _Side(profile, None, {}, f"{repository} has no {profile} index yet.")
    try:
        searched = open_corpus(
            builds, viewer=viewer, repositories=[repository], profile=profile
        )
    except SearchError as error:
        return _Side(profile, None, {}, str(error))
    return _Side(profile, searched, named_builds(builds))


def _side(side: _Side) -> Payload:
    build = side.build
    return {
        "profile": side.profile,
        "missing": side.missing,
        "build": build.pk if build else None,
        "revision": build.revision if build else None,
        "chunker": build.recipe.get("chunker") if build else None,
        "chunks": build.chunk_count if build else None,
        "fingerprint": build.fingerprint if build else None,
        "note": build.note if build else "",
    }


def _is_comparable(sides: Sequence[_Side], stage: str) -> bool:
    """Tell whether raw scores of both sides are of one scale: cosines of one model."""
    models = {side.build.fingerprint for side in sides if side.build}
    return stage in DENSE and len(models) == 1 and "" not in models


def _row(wish: Wish, sides: Sequence[_Side], stage: str) -> Payload:
    cells: list[Payload | None] = []
    failures: list[str] = []
    for side in sides:
        cell, failure = _cell(wish, side, stage)
        cells.append(cell)
        failures += [f"{side.profile}: {failure}"] if failure else []
    ranks = [cell["rank"] if cell else None for cell in cells]
    return {
        "query": wish.query,
        "targets": list(wish.targets),
        "a": cells[0],
        "b": cells[1],
        "verdict": None if failures else _verdict(*ranks),
        "failure": " ".join(failures),
    }


def _verdict(a: int | None, b: int | None) -> str:
    """Return which side ranks the target better; one that does not rank it is worse."""
    if a is None and b is None:
        return "neither"
    if a == b:
        return "tie"
    return "a" if b is None or (a is not None and a < b) else "b"


def _cell(wish: Wish, side: _Side, stage: str) -> tuple[Payload | None, str]:
    """Return where a target stands on one side, and why it could not be asked."""
    if side.searched is None:
        return None, side.missing
    try:
        aims = take_aim(
            [{"target": target, "grade": 1} for target in wish.targets],
            side.searched,
            CaseSet.Unit.CHUNK,
            side.named,
        )
        outcome = inquire_of(side.searched, wish.query).answer(AS_SHIPPED)
    except AmbiguousTarget as error:
        return None, _ambiguous(error)
    except SearchError as error:
        return None, str(error)
    chunks = [chunk for aim in aims for chunk in aim.chunks]
    if not chunks:
        deaths = [aim.death.detail for aim in aims if aim.death]
        return None, " ".join(deaths) or "It has no chunk."
    place = stand_at(stage, outcome, chunks)
    if place is None:
        return None, ""
    where = chunk_place(side.searched, place.chunk)
    names = ("path", "path_url", "symbol", "kind", "start_line", "end_line")
    return {
        "rank": place.rank,
        "raw": place.raw,
        "margin": place.margin,
        "in_pool": place.in_pool,
        **{name: where[name] for name in names},
    }, ""


def _ambiguous(error: AmbiguousTarget) -> str:
    found = [one["target"] for one in error.candidates]
    more = f" and {len(found) - NAMED_SHOWN} more" if len(found) > NAMED_SHOWN else ""
    return f"it stands for several: {', '.join(found[:NAMED_SHOWN])}{more}."


def _symbols(sides: Sequence[_Side]) -> Payload | None:
    """Return the symbols by kind of the first side that is cut by symbol."""
    for side in sides:
        if (
            side.searched
            and side.build
            and side.build.recipe.get("chunker") == "symbol"
        ):
            return {
                "build": side.build.pk,
                **_count_symbols(side.build, side.build.lexical_at),
            }
    return None


@lru_cache(maxsize=8)
def _count_symbols(build: Build, lexical_at: datetime | None) -> Payload:
    """Count the symbols of a build from its rows and the heads in its texts.

    They are as they were published at `lexical_at`.
    """
    rows = build.chunks.order_by("ordinal").values_list(
        "ordinal", "file__language", "kind", "symbol"
    )
    found = list(rows)
    folder = lexical_folder(build)
    purposes = load_texts(folder / "purpose", [row[0] for row in found])
    return symbols_payload(
        Definition(language, kind, symbol, _head(purpose))
        for (_, language, kind, symbol), purpose in zip(found, purposes, strict=True)
    )


def _head(purpose: str) -> str:
    """Return the signature in a symbol's purpose: the line below its context."""
    lines = purpose.split("\n", 2)
    return lines[1] if len(lines) > 1 else ""
