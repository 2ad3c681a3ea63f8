"""Lines: the code of a target, with what each line adds to its cosines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from codesearch.highlight import Line, highlight_lines, highlight_numbered
from codesearch.pages.links import where_url
from codesearch.pages.scores import hit_name
from codesearch.pages.trace.sums import left_out_sentence, line_sums, method_sentence
from codesearch.payloads import Payload
from codesearch.plots.heat import Heat, Scale, draw_heat, make_scale
from indexer.pipeline.numbering import CONTEXT, MEMBERS

MOST_SHOWN = 120  # Rows; the others are folded.
STYLES = {"purpose": "f-purpose", "body": "f-dense"}

Shares = Mapping[str, float | None]  # By surface.


@dataclass(frozen=True, slots=True)
class LineRow:
    """One row: a line of the file, a `label` with the text that is none, or a `gap`.

    `heats` has a cell for each measured surface. `brace` is the text that the row
    stands in, `begins` and `ends` say where a run of one does.
    """

    line: Line | None = None
    label: str = ""
    heats: tuple[Heat | None, ...] = ()
    brace: str = ""
    begins: bool = False
    ends: bool = False
    gap: str = ""
    is_split: bool = False

    @property
    def css(self) -> str:
        """Return the classes of the brace."""
        if not self.brace:
            return "brace"
        edges = " brace--start" * self.begins + " brace--end" * self.ends
        return f"brace brace--{self.brace.partition(',')[0]}{edges}"


@dataclass(frozen=True, slots=True)
class LinesView:
    """What the page prints of a target's lines; `columns` are the surfaces measured."""

    name: str
    url: str
    method: str
    columns: list[str]
    rows: list[LineRow]
    folded: list[LineRow]
    sums: list[list[str]]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What all rows are made from.

    `purpose` are the purpose's lines that the file has, by number; `claimed` are all
    lines of the file that are the purpose's.
    """

    payload: Payload
    surfaces: Mapping[str, Payload]
    code: Mapping[int, Line]
    scale: Scale
    purpose: Mapping[int, Payload]
    claimed: frozenset[int]

    def parts(self, surface: str) -> list[Payload]:
        """Return the measured parts of a text."""
        found: list[Payload] = self.surfaces.get(surface, {}).get("parts", [])
        return found

    def row(
        self, shares: Shares, line: Line | None, label: str = "", brace: str = ""
    ) -> LineRow:
        """Return a row with a cell for each measured surface."""
        told = [(name, shares.get(name)) for name in self.surfaces]
        heats = (
            None if share is None else draw_heat(share, self.scale, STYLES[name])
            for name, share in told
        )
        return LineRow(line, label, tuple(heats), brace)


def lines_view(payload: Payload) -> LinesView:
    """Return the rows of a target, their sums, and a note for what has none."""
    measured = [one for one in payload["surfaces"] if one["parts"]]
    notes = [one["note"] for one in payload["surfaces"] if one["note"]]
    if payload["chunk"] is None:
        notes = ["It is no chunk, so nothing of it was encoded."]
    rows = _braced(_rows(_sheet(payload, measured))) if measured else []
    return LinesView(
        name=hit_name(payload) if payload["chunk"] else payload["target"],
        url=where_url(payload),
        method=method_sentence(measured),
        columns=[one["surface"] for one in measured],
        rows=rows[:MOST_SHOWN],
        folded=rows[MOST_SHOWN:],
        sums=[line_sums(one) for one in measured],
        notes=notes,
    )


def _sheet(payload: Payload, measured: Sequence[Payload]) -> _Sheet:
    parts = [part for one in measured for part in one["parts"]]
    shares = [line["contribution"] for part in parts for line in part["lines"]]
    shares += [part["rest"] for part in parts]
    surfaces = {one["surface"]: one for one in measured}
    purpose: dict[int, Payload] = {}
    for part in surfaces.get("purpose", {}).get("parts", []):
        for line in part["lines"]:
            if line["line"]:
                purpose.setdefault(line["line"], line)
    scale = make_scale(share for share in shares if share is not None)
    return _Sheet(
        payload,
        surfaces,
        _coloured(payload),
        scale,
        purpose,
        frozenset(payload["purpose_lines"]),
    )


def _coloured(payload: Payload) -> dict[int, Line]:
    """Return the lines of the file as HTML; those above the chunk are lexed apart.

    Without those that parts of the body share: each shows what it has of them.
    """
    start = payload["start_line"]
    texts = {one["line"]: one["text"] for one in payload["source"]}
    lines: dict[int, Line] = {}
    for own in (False, True):
        lines |= highlight_numbered(
            {n: text for n, text in texts.items() if (n >= start) is own},
            language=payload["language"],
            path=payload["path"],
            terms=payload["terms"],
        )
    bodies = [one["parts"] for one in payload["surfaces"] if one["surface"] == "body"]
    told = Counter(
        line["line"]
        for parts in bodies
        for part in parts
        for line in part["lines"]
        if line["text"].strip()
    )
    return {number: line for number, line in lines.items() if told[number] <= 1}


def _rows(sheet: _Sheet) -> Iterator[LineRow]:
    """Yield what stands before the lines, then the file's lines in their order."""
    purposes, bodies = sheet.parts("purpose"), sheet.parts("body")
    firsts = {name: sheet.parts(name)[0] for name in sheet.surfaces}
    yield from _outside(sheet, firsts)
    for part in purposes:
        if part is not purposes[0]:
            yield from _outside(sheet, {"purpose": part})
        yield from _unnumbered(sheet, part)
    own = {line["line"] for part in bodies for line in part["lines"]}
    apart = sorted(sheet.claimed - own)
    start = sheet.payload["start_line"]
    yield from _comment(sheet, [n for n in apart if n < start])
    for i, part in enumerate(bodies):
        if i:
            split = _split_sentence(sheet.surfaces["body"], bodies[i - 1], part)
            yield LineRow(gap=split, is_split=True)
            yield from _outside(sheet, {"body": part})
        yield from _body(sheet, part)
    if bodies and sheet.surfaces["body"]["left_out"]:
        yield LineRow(gap=left_out_sentence(sheet.surfaces["body"]), is_split=True)
    yield from _comment(sheet, [n for n in apart if n >= start])


def _outside(sheet: _Sheet, parts: Mapping[str, Payload]) -> Iterator[LineRow]:
    """Yield the context line and the special tokens of one part of each surface."""
    number = max(part["part"] for part in parts.values())
    which = f", part {number}" if number > 1 else ""
    contexts = {
        name: part["lines"][0]
        for name, part in parts.items()
        if part["lines"][0]["label"] == CONTEXT
    }
    for text in dict.fromkeys(line["text"] for line in contexts.values()):
        shares = {
            name: line["contribution"]
            for name, line in contexts.items()
            if line["text"] == text
        }
        yield sheet.row(shares, _alone(text), f"context line{which}")
    rests = {name: part["rest"] for name, part in parts.items()}
    if any(rest is not None for rest in rests.values()):
        yield sheet.row(rests, None, f"special tokens{which}")


def _unnumbered(sheet: _Sheet, part: Payload) -> Iterator[LineRow]:
    """Yield the lines of a purpose that are no lines of the file as they stand."""
    for line in part["lines"]:
        is_placed = sheet.purpose.get(line["line"]) is line
        if not line["label"] and not is_placed and line["text"].strip():
            share = {"purpose": line["contribution"]}
            yield sheet.row(share, _alone(line["text"]), "text", "purpose")


def _comment(sheet: _Sheet, numbers: Iterable[int]) -> Iterator[LineRow]:
    """Yield lines of the file that are in the purpose and not in the body."""
    for number in numbers:
        line = sheet.purpose.get(number)
        shares = {"purpose": line["contribution"]} if line else {}
        yield sheet.row(shares, sheet.code[number], brace="purpose")


def _body(sheet: _Sheet, part: Payload) -> Iterator[LineRow]:
    """Yield the lines of one part of the body."""
    is_whole = sheet.surfaces["body"]["tokens"] <= sheet.surfaces["body"]["limit"]
    brace = "body" if is_whole else f"body, part {part['part']}"
    last = None
    for line in part["lines"]:
        number = line["line"]
        if line["label"] == CONTEXT or _is_rest(line, part):
            continue
        if last and number and number > last + 1:
            yield LineRow(gap=f"lines {last + 1}–{number - 1} are other chunks")
        last = number
        shares: dict[str, float | None] = {}
        if line["text"].strip():
            shares["body"] = line["contribution"]
            shares["purpose"] = sheet.purpose.get(number, {}).get("contribution")
        yield sheet.row(
            shares,
            _shown(sheet, line),
            "member" if line["label"] == MEMBERS else "",
            "purpose" if number in sheet.claimed else brace,
        )


def _is_rest(line: Payload, part: Payload) -> bool:
    """Tell whether a part ends with the indentation of the next one's first line."""
    return line is part["lines"][-1] and not line["text"].strip()


def _shown(sheet: _Sheet, line: Payload) -> Line:
    """Return a line of the body as the file has it; as it is where parts share one."""
    number = line["line"]
    known = sheet.code.get(number)
    return known or replace(_alone(line["text"]), number=number or 0)


def _alone(text: str) -> Line:
    """Return a line of a text that is no line of the file; its number is 0."""
    return replace(highlight_lines(text or "\n")[0], number=0)


def _split_sentence(surface: Payload, before: Payload, after: Payload) -> str:
    """Return why a text was split here, and into what."""
    repeats = after["lines"][0]["label"] == CONTEXT
    missing = after["part"] - before["part"] - 1
    return (
        f"Over length: {surface['tokens']:,} tokens, the model reads"
        f" {surface['limit']:,}. Split here: part {before['part']} has"
        f" {before['tokens']:,} tokens, part {after['part']} has {after['tokens']:,}"
        + (", with the context line repeated" if repeats else "")
        + (f", {missing:,} between them left out." if missing else ".")
    )


def _braced(rows: Iterable[LineRow]) -> list[LineRow]:
    """Return the rows, told where a run of one brace begins and ends."""
    told: list[LineRow] = []
    for _, group in groupby(rows, key=lambda row: (row.brace, row.gap)):
        run = list(group)
        run[0] = replace(run[0], begins=True)
        run[-1] = replace(run[-1], ends=True)
        told += run
    return told
