"""Phrasings: the sweep as a heat table, its spread, and the cosines beneath."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from codesearch.funnel.legs import DENSE
from codesearch.funnel.phrasings import IN_POOL, LIMIT, ON_PAGE, TRACED
from codesearch.pages.links import Scope
from codesearch.pages.scores import hit_name, leg_style, signed
from codesearch.payloads import Payload

BUCKETS = (10, 50, 200, 1000)  # The last rank of the colours 1 to 4; 5 is beyond.
REFUSED_SHOWN = 5
ADDRESS = 4000  # Bytes; gunicorn reads 4,094 of a request's first line.


@dataclass(frozen=True, slots=True)
class Column:
    """A stage that ranks; `style` is its colour."""

    name: str
    style: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A rank and its colour, 1 (dark, the first ten) to 5; no rank has none."""

    text: str
    bucket: int | None = None


@dataclass(frozen=True, slots=True)
class End:
    """Where a target ended: state, glyph, words."""

    state: str
    glyph: str
    words: str


@dataclass(frozen=True, slots=True)
class Cosine:
    """The cosine of one surface, its floor, and whether its leg took it; in words."""

    cosine: str
    floor: str
    outcome: str
    is_in: bool


@dataclass(frozen=True, slots=True)
class PhrasingRow:
    """One phrasing. `other` names the chunk where it is not that of the trace."""

    text: str
    origin: str
    is_traced: bool
    url: str
    other: str
    cells: list[Cell]
    end: End
    closeness: str
    cosines: list[Cosine]
    difference: str


@dataclass(frozen=True, slots=True)
class SweepView:
    """The sweep of one target.

    `spread` are the rows of the foot: a word and a cell for each column. `sentence` is
    there in place of a table, `told` says what the table shows.
    """

    name: str
    columns: list[Column]
    rows: list[PhrasingRow]
    spread: list[tuple[str, list[Cell]]]
    surfaces: Sequence[str]
    is_sensitive: bool
    kind: str
    told: str
    sentence: str
    notes: list[str]


def sweep_url(
    scope: Scope,
    targets: Sequence[str],
    phrasings: Sequence[str] = (),
    *,
    with_variants: bool = True,
    **more: str,
) -> str:
    """Return the address of a sweep for the first target."""
    pairs = [("phrasing", text) for text in phrasings]
    pairs += [] if with_variants else [("variants", "off")]
    base = scope.target_url("phrasings", *targets, **more)
    return f"{base}&{urlencode(pairs)}" if pairs else base


def fitting(
    scope: Scope, targets: Sequence[str], phrasings: Sequence[str]
) -> Sequence[str]:
    """Return the first phrasings, as many as one sweep and its address can hold."""
    kept = phrasings[: LIMIT - 1]
    while kept and len(sweep_url(scope, targets, kept)) > ADDRESS:
        kept = kept[:-1]
    return kept


def sweep_view(found: Payload, scope: Scope) -> SweepView:
    """Return everything the page says of a sweep."""
    names = {
        **{name: name for name in found["legs"]},
        "fused": "fused",
        "final": "final rank",
    }
    rows, summary = found["phrasings"], found["summary"]
    return SweepView(
        name=chunk_name(found["target"]),
        columns=[Column(shown, _style(name)) for name, shown in names.items()],
        rows=[_row(row, found, scope) for row in rows],
        spread=_spread(summary["ranks"], list(names)) if rows else [],
        surfaces=DENSE,
        is_sensitive=summary["sensitive"],
        kind=kind(found),
        told=told(found),
        sentence="" if rows else f"No phrasing can find it. {nowhere(found)}",
        notes=notes(found),
    )


def kind(found: Payload) -> str:
    """Return whether the target's end depends on the phrasing, in words."""
    is_sensitive = found["summary"]["sensitive"]
    return "Phrasing-sensitive" if is_sensitive else "Not phrasing-sensitive"


def told(found: Payload) -> str:
    """Return how many phrasings the target ended where for, as a sentence."""
    summary = found["summary"]
    leaking = len(found["phrasings"]) - summary["phrasings"]
    without = f"; the {leaking} with its own name or docs aside" if leaking else ""
    ends = summary["ends"]
    return f"{ends[:1].upper()}{ends[1:]} phrasings{without}."


def notes(found: Payload) -> list[str]:
    """Return what the sweep left out or could not read, and why."""
    said = list(dict.fromkeys(found["notes"]))
    if found["unswept"]:
        said.append(
            f"{found['unswept']:,} more phrasings were left out: a sweep has at most "
            f"{found['limit']}."
        )
    refused = found["refused"]
    said += [f"“{one['text']}”: {one['reason']}" for one in refused[:REFUSED_SHOWN]]
    if len(refused) > REFUSED_SHOWN:
        said.append(f"{len(refused) - REFUSED_SHOWN:,} more could not be read.")
    return said


def nowhere(found: Payload) -> str:
    """Return why no phrasing can find the target."""
    death: Payload = found["target"]["death"]
    return str(death["detail"])


def end_of(row: Payload) -> End:
    """Return where the target of a phrasing ended."""
    if row["end"] == ON_PAGE:
        return End("ok", "ok", "page one")
    death = row["death"]
    reason = death["reason"].partition(":")[0].replace("_", " ")
    if row["end"] == IN_POOL:
        return End("warn", "warn", reason.replace("beyond page", "a later page"))
    return End("target", "bad", f"{death['stage']}: {reason}")


def ranks_of(row: Payload) -> list[int | None]:
    """Return the rank of each leg, the fused ordinal and the final rank, in order."""
    ranks = [leg["rank"] if leg else None for leg in row["legs"].values()]
    return [*ranks, row["fused"]["ordinal"] if row["fused"] else None, row["rank"]]


def rank_text(rank: float | None) -> str:
    """Return a rank, or the mean of two, as text; a dash for none."""
    if rank is None:
        return "–"
    return f"{rank:,.0f}" if rank == int(rank) else f"{rank:,.1f}"


def chunk_name(chunk: Payload) -> str:
    """Return what a target's chunk is called, or the target where it has none."""
    if chunk["chunk"]:
        return hit_name(chunk)
    return str(chunk.get("path") or chunk["target"])


def _row(row: Payload, found: Payload, scope: Scope) -> PhrasingRow:
    target = found["target"]
    difference = row["cosines"]["difference"]
    return PhrasingRow(
        text=row["text"],
        origin=row["origin"],
        is_traced=row["source"] == TRACED,
        url=replace(scope, query=row["query"]).trace_url(target["target"]),
        other="" if row["chunk"] == target["chunk"] else chunk_name(row),
        cells=[_cell(rank) for rank in ranks_of(row)],
        end=end_of(row),
        closeness=row["closeness"],
        cosines=[_cosine(row["cosines"][surface]) for surface in DENSE],
        difference=signed(difference),
    )


def _style(column: str) -> str:
    return "rerank" if column == "final" else leg_style(column)


def _cell(rank: float | None) -> Cell:
    text = rank_text(rank)
    if rank is None:
        return Cell(text)
    return Cell(text, 1 + sum(rank > last for last in BUCKETS))


def _cosine(found: Payload | None) -> Cosine:
    if found is None:
        return Cosine("–", "–", "no vector", is_in=False)
    floor = "–" if found["floor"] is None else f"{found['floor']:.3f}"
    outcome = "in" if found["in_leg"] else "out"
    return Cosine(f"{found['raw']:.3f}", floor, outcome, found["in_leg"])


def _spread(
    ranks: Mapping[str, Payload], names: Sequence[str]
) -> list[tuple[str, list[Cell]]]:
    keys = {"best": "least", "median": "median", "worst": "most"}
    rows = [
        (word, [_cell(ranks[name][key]) for name in names])
        for word, key in keys.items()
    ]
    absent = [Cell(f"{ranks[name]['absent']}") for name in names]
    return [*rows, ("not found by", absent)]
