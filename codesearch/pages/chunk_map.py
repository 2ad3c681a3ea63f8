"""The chunk map's page: fates in words, and the shifts at which a function is whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from codesearch.pages.links import file_url
from codesearch.payloads import Payload
from codesearch.plots.chunk_map import MARKS, MapPlot, draw_map
from indexer.mapping import MappedFile
from indexer.pipeline.chunk_map import Fate

MEANINGS = {
    Fate.INTACT: "whole in one window and at least half of it",
    Fate.PADDED: "whole, but less than half of the window",
    Fate.FRAGMENTED: "whole in no window; the dashed part is lost",
}
CELL = 3.0  # Width of a shift in the strip of a function.


@dataclass(frozen=True, slots=True)
class FateCount:
    """A fate with its mark, its meaning and how many functions met it."""

    fate: str
    style: str
    glyph: str
    meaning: str
    count: int


@dataclass(frozen=True, slots=True)
class MapRow:
    """One function in the table; `strip` is a path over its whole shifts."""

    symbol: str
    kind: str
    url: str
    lines: str
    length: int
    fate: str
    style: str
    glyph: str
    window: str
    share: str
    padding: str
    others: str
    cuts: int
    strip: str
    whole: int
    expected: int


@dataclass(frozen=True, slots=True)
class MapPage:
    """What the page prints of a map."""

    found: Payload
    url: str
    file_url: str
    inspect_url: str
    json_url: str
    kinds_url: str
    plot: MapPlot
    fates: list[FateCount]
    rows: list[MapRow]
    lengths: list[tuple[str, list[int]]]
    line: str
    line_url: str
    stored: list[tuple[bool, str]]
    revisions: list[tuple[str, object, str]]
    shapes: list[tuple[str, str, int, str]]
    whole_words: str
    strip_width: float
    strip_most: int
    strip_now: float


def map_page(found: Payload, file: MappedFile) -> MapPage:
    """Return the page of a map."""
    where = {key: found[key] for key in ("repository", "revision", "path_url")}
    url = file_url(where, page="map")
    asked = [("shift", found["shift"])] if found["shift"] else []
    around = found["line"]
    asked += [("line", around["line"])] if around else []
    blob = file_url(where)
    kinds = {"repository": found["repository"]}
    return MapPage(
        found=found,
        url=url,
        file_url=blob,
        inspect_url=file_url(where, page="inspect"),
        json_url=f"{url}?{urlencode([*asked, ('format', 'json')])}",
        kinds_url=f"{reverse('compare_profiles')}?{urlencode(kinds)}",
        plot=draw_map(found),
        fates=[
            FateCount(fate, *MARKS[fate], MEANINGS[fate], found["fates"][fate])
            for fate in Fate
        ],
        rows=[_row(one, blob) for one in found["functions"]],
        lengths=[
            (_class(one), [one[fate] for fate in Fate]) for one in found["lengths"]
        ],
        line=_around(around) if around else "",
        line_url=f"{blob}#L{around['line']}" if around else "",
        stored=[_stored(one) for one in found["stored"]],
        revisions=[
            (revision, when, file_url({**where, "revision": revision}, page="map"))
            for revision, when in file.revisions
        ],
        shapes=shape_rows(found["symbols"]),
        whole_words=_whole(found["window"]),
        strip_width=CELL * found["window"]["step"],
        strip_most=found["window"]["step"] - 1,
        strip_now=CELL * found["shift"],
    )


def shape_rows(symbols: Payload) -> list[tuple[str, str, int, str]]:
    """Return language, shape, count and what the pattern found, a dash for none."""
    return [
        (
            row["language"],
            row["shape"],
            row["symbols"],
            "–" if row["found"] is None else f"{row['found']:,}",
        )
        for row in symbols["rows"]
    ]


def _row(one: Payload, blob: str) -> MapRow:
    fate, best = Fate(one["fate"]), one["window"]
    style, glyph = MARKS[fate]
    last = one["file_line"] + one["lines"] - 1
    window = _lines(best)
    if fate is Fate.FRAGMENTED:
        window = f"none; {best['lines']} of {one['lines']} lines in {window}"
    return MapRow(
        symbol=one["symbol"],
        kind=one["kind"],
        url=f"{blob}#L{one['file_line']}-L{last}",
        lines=_lines(one),
        length=one["lines"],
        fate=fate,
        style=style,
        glyph=glyph,
        window=window,
        share=f"{best['share']:.0%}",
        padding=f"{one['padding']} of {best['size']}",
        others=_others(one["others"]),
        cuts=len(one["cuts"]),
        strip=_strip(one["whole_at"]),
        whole=len(one["whole_at"]),
        expected=one["expected_whole"],
    )


def _strip(shifts: Sequence[int]) -> str:
    """Return a path that fills the cell of each shift."""
    return "".join(f"M{shift * CELL:g} 0h{CELL:g}v8h-{CELL:g}z" for shift in shifts)


def _whole(window: Payload) -> str:
    lines, step = window["lines"], window["step"]
    least = lines - step  # The overlap: so many lines are whole wherever they stand.
    return (
        f"({lines + 1} − n) of {step} shifts where n is from {least + 1} to {lines}, "
        "at all where it is shorter and at none where it is longer"
    )


def _others(others: Sequence[Payload]) -> str:
    return ", ".join(f"{one['lines']} in {_lines(one)}" for one in others)


def _lines(where: Payload) -> str:
    return f"{where['start_line']}–{where['end_line']}"


def _class(one: Payload) -> str:
    return f"{one['least']}–{one['most']}" if one["most"] else f"{one['least']} or more"


def _around(around: Payload) -> str:
    windows = [f"{first}–{last}" for first, last in around["windows"]]
    held = f"Windows over it: {', '.join(windows)}." if windows else "No window is."
    if around["kind"] is None:
        return f"Line {around['line']} is in no chunk. {held}"
    name = around["symbol"] or f"the file’s {around['kind']} chunk"
    kind = f"{around['kind']}, " if around["symbol"] else ""
    return f"Line {around['line']} is in {name} ({kind}lines {_lines(around)}). {held}"


def _stored(one: Payload) -> tuple[bool, str]:
    """Return whether a build holds the same, and the sentence that says so."""
    build = f"Build {one['build']} ({one['profile']})"
    if not one["differing"]:
        return True, f"{build} holds the same {one['chunks']:,} chunks."
    return False, (
        f"{build} disagrees: {one['differing']:,} chunks are in it or in this map and "
        "not in both. It was made by another version, or with other settings."
    )
