"""The search page beside its hits: places, coverage, what did not run."""

from __future__ import annotations

from dataclasses import dataclass

from codesearch.pages.cards import text_key
from codesearch.pages.links import file_url
from codesearch.pages.scores import SURFACES, joined, percent, rerank_depth
from codesearch.payloads import Payload, repository_then
from indexer.files import TextKey
from indexer.stages import count_of

PLACES_SHOWN = 3
DEFINES_SHOWN = 6

# Times of a search: what they are of.
STAGES = {
    "legs": "legs",
    "fusion": "fusion and pool",
    "rerank": "rerank",
    "places": "places",
    "answer": "answer in all",
}

# Counts of a build: what they say.
UNCOVERED = {
    "skipped": ("file is not indexed", "files are not indexed"),
    "partial": ("is indexed in part", "are indexed in part"),
    "data": ("is data, found as a place only", "are data, found as places only"),
}


@dataclass(frozen=True, slots=True)
class PlaceView:
    """One file; its terms sum to its score."""

    place: Payload
    url: str
    score: str
    defines: list[str]
    more: int
    terms: list[str]
    hits: int


@dataclass(frozen=True, slots=True)
class VectorNotice:
    """What is missing of a build's vectors; `surfaces` says how far each is."""

    build: Payload
    is_active: bool
    surfaces: str


def uncovered(payload: Payload) -> str:
    """Return what the searched chunks do not speak for, "" if they hold all files.

    Records of searches made before there were such counts have none.
    """
    totals = {
        words: sum(build["counts"].get(name, 0) for build in payload["builds"])
        for name, words in UNCOVERED.items()
    }
    told = [
        f"{n:,} {one if n == 1 else more}" for (one, more), n in totals.items() if n
    ]
    return joined(told)


def place_views(payload: Payload) -> tuple[list[PlaceView], list[PlaceView]]:
    """Return the places to show at once, and those behind "more"."""
    counts: dict[TextKey, int] = {}
    for hit in payload["hits"]:
        key = text_key(hit)
        counts[key] = counts.get(key, 0) + 1
    views = [
        PlaceView(
            place=place,
            url=file_url(place),
            score=f"sum {place['score']:.3f}",
            defines=place["defines"][:DEFINES_SHOWN],
            more=max(0, len(place["defines"]) - DEFINES_SHOWN),
            terms=_place_terms(place),
            hits=counts.get(text_key(place), 0),
        )
        for place in payload["places"]
    ]
    return views[:PLACES_SHOWN], views[PLACES_SHOWN:]


def _place_terms(place: Payload) -> list[str]:
    return [
        f"{term['name']} {term['value']:.3f}"
        f" × {term['weight']:g} = {term['points']:.3f}"
        for term in place["terms"]
        if term["value"] is not None
    ]


def count_rows(payload: Payload) -> list[tuple[str, str]]:
    """Return how many chunks were left after each stage."""
    pool, hits = payload["pool"], payload["hits"]
    return [
        *((name, f"{leg['listed']:,}") for name, leg in payload["legs"].items()),
        ("in any leg", f"{payload['union']:,}"),
        ("pool", f"{pool['filled']:,} of {pool['size']:,}"),
        ("folded", f"{pool['folded']:,}"),
        ("ranked", f"{len(hits):,}"),
        ("files", f"{len({hit['card'] for hit in hits}):,}"),
    ]


def time_rows(payload: Payload) -> list[tuple[str, str]]:
    """Return the milliseconds of each stage; the last is all of the answer.

    Legs that were found before, for an earlier page, have the time they took then.
    """
    times = payload["timings_ms"]
    stages = [(words, times[name]) for name, words in STAGES.items() if name in times]
    return [(words, f"{milliseconds:.1f} ms") for words, milliseconds in stages]


def silent_legs(payload: Payload) -> list[str]:
    """Return a sentence for the legs that did not run, and for each with a remark.

    Before them `unread`. What did not run for one reason is said once.
    """
    idle: dict[str, list[str]] = {}
    remarks = []
    for name, leg in payload["legs"].items():
        if not leg["ran"]:
            idle.setdefault(leg["note"], []).append(name)
        elif leg["note"]:
            remarks.append(f"The {name} leg: {leg['note']}")
    sentences = unread(payload)
    for note, names in idle.items():
        legs = f"{joined(names)} leg{'s' if len(names) > 1 else ''}"
        sentences.append(f"The {legs} did not run{f': {note}' if note else ''}")
    sentences += remarks
    rerank = payload["rerank"]
    if failure := rerank.get("failure"):
        sentences.append(f"The cross-encoder did not run: {failure}")
    told = rerank_depth(payload) or rerank["note"]
    if told and rerank["kind"] != "identity":  # Its absence is no failure.
        sentences.append(f"Rerank: {told}")
    return [sentence.rstrip(".") + "." for sentence in sentences]


def unread(payload: Payload) -> list[str]:
    """Return a sentence for each index that could not be read, or not yet in full."""
    told = (*payload.get("left_out", ()), *payload.get("unsearched", ()))
    return [*told, *previews(payload), *not_looked_at(payload)]


def not_looked_at(payload: Payload) -> list[str]:
    """Return how many files a phrase or an expression was not looked for in, if any.

    Said of queries that ask for one: any line may be in such a file.
    """
    skipped = sum(build["counts"].get("skipped", 0) for build in payload["builds"])
    if not skipped or not payload.get("literals"):
        return []
    verb = "is" if skipped == 1 else "are"
    return [f"{count_of(skipped, 'file')} {verb} not indexed, and not looked at."]


def previews(payload: Payload) -> list[str]:
    """Return a sentence for each build of which only some files can be searched.

    Before there were previews, no build said so.
    """
    return [
        f"{repository_then(build)}: {build['preview']}"
        for build in payload["builds"]
        if build.get("preview")
    ]


def vector_notices(payload: Payload) -> list[VectorNotice]:
    """Return a notice for each build that is still lacking vectors."""
    return [
        VectorNotice(
            build,
            is_active=build["status"] in ("queued", "running"),
            surfaces=surface_words(build),
        )
        for build in payload["builds"]
        if any(build["coverage"].get(name, 1) < 1 for name in SURFACES)
    ]


def surface_words(build: Payload) -> str:
    """Return `surface_rows` in one line."""
    return ", ".join(f"{words} {count}" for words, count in surface_rows(build))


def surface_rows(build: Payload) -> list[tuple[str, str]]:
    """Return each surface of a build, and how many of its texts have a vector.

    Records of searches made before there were counts have shares.
    """
    if "surfaces" in build:
        counts = build["surfaces"]
        return [
            (words, f"{counts[name]['done']:,} of {counts[name]['total']:,}")
            for name, words in SURFACES.items()
        ]
    shares = build["coverage"]
    return [
        (words, percent(shares[name]))
        for name, words in SURFACES.items()
        if name in shares
    ]
