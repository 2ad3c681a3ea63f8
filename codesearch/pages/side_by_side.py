"""Profiles side by side, in words: ranks, raw scores with their kind, margins."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from codesearch.funnel.side import FUSED, RESULT
from codesearch.knobs import AS_SHIPPED
from codesearch.pages.chunk_map import shape_rows
from codesearch.pages.links import Scope, file_url
from codesearch.pages.scores import decimals, minus, raw_score, signed
from codesearch.payloads import Payload
from codesearch.plots.slope import Slope, deepest, draw_slope

POOL = AS_SHIPPED.pool_size  # Both sides are asked so.
STAGE_NAMES = {FUSED: "fused order", RESULT: "result"}
KINDS = {FUSED: "rrf", RESULT: "sum"}


@dataclass(frozen=True, slots=True)
class CellView:
    """A target on one side; `rank` is a dash where the stage does not rank it.

    `lines` are those of the chunk that stands for it.
    """

    rank: str
    raw: str
    margin: str
    in_pool: bool | None
    lines: str
    url: str
    trace_url: str


@dataclass(frozen=True, slots=True)
class RowView:
    """One query on both sides. `shift` and `style` say which is better."""

    query: str
    targets: str
    a: CellView
    b: CellView
    slope: Slope
    shift: str
    style: str
    raw_shift: str
    failure: str


@dataclass(frozen=True, slots=True)
class SidesPage:
    """What the page prints of a comparison."""

    found: Payload
    stage: str
    rows: list[RowView]
    firsts: str
    note: str
    shapes: list[tuple[str, str, int, str]]


def sides_page(found: Payload) -> SidesPage:
    """Return the page of a comparison."""
    stage = found["stage"]
    return SidesPage(
        found=found,
        stage=STAGE_NAMES.get(stage, f"{stage} leg"),
        rows=[_row(row, found) for row in found["rows"]],
        firsts=_first_ranks(found),
        note=_note(found),
        shapes=shape_rows(found["symbols"]) if found["symbols"] else [],
    )


def _first_ranks(found: Payload) -> str:
    """Return how often each side ranks the target first."""
    firsts = [
        sum(bool(row[side]) and row[side]["rank"] == 1 for row in found["rows"])
        for side in ("a", "b")
    ]
    return " / ".join(str(first) for first in firsts)


def _note(found: Payload) -> str:
    if found["raw_is_comparable"]:
        return (
            "Raw cosines may be compared here: both builds are of one model. Margins "
            "are to the best chunk that is not the target’s."
        )
    if found["stage"] in ("body", "purpose"):
        return (
            "Raw cosines may not be compared here: the builds are of different models. "
            "Ranks may; a margin only with its own side."
        )
    return (
        "Raw scores of this stage may not be compared: they depend on all chunks of a "
        "build. Ranks may, knowing how many chunks each build has."
    )


def _row(row: Payload, found: Payload) -> RowView:
    a, b = row["a"], row["b"]
    worst = max([side["chunks"] or 1 for side in found["sides"]])
    ranks = [cell["rank"] if cell else None for cell in (a, b)]
    shift, style = _shift(row["verdict"], ranks, found["sides"])
    both = a and b and a["raw"] is not None and b["raw"] is not None
    raws = a["raw"] - b["raw"] if both and found["raw_is_comparable"] else None
    return RowView(
        query=row["query"],
        targets=", ".join(row["targets"]),
        a=_cell(a, row, found, 0),
        b=_cell(b, row, found, 1),
        slope=draw_slope(*ranks, last=deepest([worst, POOL]), pool=POOL),
        shift=shift,
        style=style,
        raw_shift=signed(raws),
        failure=row["failure"],
    )


def _shift(
    verdict: str | None, ranks: list[int | None], sides: list[Payload]
) -> tuple[str, str]:
    """Return how far A's rank is above (▲) or below (▼) that of B, and its colour."""
    if verdict in (None, "neither"):
        return "in neither" if verdict else "–", "faint"
    if verdict == "tie":
        return "equal", "faint"
    arrow, style = ("▲", "ok") if verdict == "a" else ("▼", "bad")
    if None in ranks:
        return f"{arrow} only by {sides[verdict == 'b']['profile']}", style
    a, b = (rank or 0 for rank in ranks)
    return f"{arrow} {abs(a - b):,} by {sides[0]['profile']}", style


def _cell(cell: Payload | None, row: Payload, found: Payload, side: int) -> CellView:
    profile = found["sides"][side]["profile"]
    scope = Scope(row["query"], (found["repository"],), profile)
    trace_url = scope.trace_url(*row["targets"])
    if cell is None:
        return CellView("–", "", "–", None, "", "", trace_url)
    stage = found["stage"]
    where = {**cell, "repository": found["repository"]}
    where["revision"] = found["sides"][side]["revision"]
    return CellView(
        rank=f"{cell['rank']:,}",
        raw=_raw(stage, cell["raw"]),
        margin=signed(cell["margin"], 6 if stage == FUSED else decimals(stage)),
        in_pool=cell["in_pool"],
        lines=f"{cell['start_line']}–{cell['end_line']}",
        url=file_url(where),
        trace_url=trace_url,
    )


def _raw(stage: str, raw: float | None) -> str:
    if raw is None:
        return ""
    if stage == FUSED:
        return f"{KINDS[stage]} {raw:.6f}"
    if stage == RESULT:
        return minus(f"{KINDS[stage]} {raw:.3f}")
    return raw_score(stage, raw)


def sides_url(base: str, **asked: object) -> str:
    """Return the address of a comparison; lists are repeated parameters."""
    given = {name: value for name, value in asked.items() if value}
    return f"{base}?{urlencode(given, doseq=True)}"
