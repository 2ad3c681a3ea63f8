"""The trace page: where each target went, in words, counts and tables."""

from __future__ import annotations

from dataclasses import dataclass

from codesearch.pages.filters import chunks_in, chunks_in_scope
from codesearch.pages.links import file_url
from codesearch.pages.points import PointTable, point_table
from codesearch.pages.scores import (
    LegCell,
    decimals,
    fused_score,
    hit_name,
    joined,
    leg_cells,
    leg_style,
    raw_score,
    rerank_depth,
    rerank_score,
    score_kind,
    within_query,
)
from codesearch.payloads import Payload, beneath

POOL_HEAD = 10  # Of the pool, how many stand beside the target for comparison.


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a target: state, label, and a sentence after its name."""

    state: str
    glyph: str
    label: str
    name: str
    sentence: str
    more: list[str]


@dataclass(frozen=True, slots=True)
class LegRow:
    """One leg's word on a target. `ran` is False where the leg did not run."""

    name: str
    style: str
    rank: int | None
    tie: int
    raw: str
    floor: str
    margin: str
    short: bool
    percentile: str
    normalised: str
    formula: str
    contribution: str
    outcome: str
    state: str
    glyph: str


@dataclass(frozen=True, slots=True)
class FunnelRow:
    """One stage of the funnel; `kept` + `left_out` is what came in."""

    stage: str
    kept: int
    left_out: int | None
    reason: str
    target: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row of the comparison: a target, a leg's first, or a head of the pool."""

    name: str
    chunk: Payload
    is_target: bool
    notes: list[str]
    url: str
    legs: list[LegCell]
    fused: str
    ordinal: int | None
    via: str
    rerank: str
    rank: int | None
    card: int | None


@dataclass(frozen=True, slots=True)
class TargetView:
    """Everything the page says of one target."""

    target: Payload
    verdict: Verdict
    legs: list[LegRow]
    funnel: list[FunnelRow]
    fused: str
    contributions: str
    rerank: str
    points: PointTable | None
    term_sum: float
    term_raw: float | None
    url: str


def target_name(target: Payload) -> str:
    """Return what a target is called: its symbol, its path, or the wish itself.

    A name that has no chunk of its own is called as it was asked for.
    """
    death = target.get("death")
    if death and death["reason"].startswith("merged_into:"):
        return str(target["target"])
    name: str = target.get("symbol") or target.get("path") or target["target"]
    return name


def verdict(target: Payload, trace: Payload) -> Verdict:
    """Return what became of `target` in words, from the record alone."""
    death = target["death"]
    name = target_name(target)
    if death is None:
        return Verdict("ok", "ok", "On page one", name, _survived(target, trace), [])
    reason, _, rest = death["reason"].partition(":")
    under = holder(target, trace)
    spoken = reason.replace("re_export", "re-export").replace("_", " ")
    if under and rest:
        spoken += f" rank {under['rank']:,}"
    elif rest:
        spoken += f" ({rest})"
    more = [death["detail"]]
    is_near = is_on_page_one(target, trace)
    if death["needed"]:
        what = death["needed"]
        more.append(what if is_near else f"What would admit it: {what}")
    sentence = _died(target, trace)
    if not sentence:
        sentence = f"did not get past the {death['stage']}."
    if is_near:
        return Verdict("warn", "warn", f"On page one: {spoken}", name, sentence, more)
    return Verdict(
        "target", "bad", f"Died at the {death['stage']}: {spoken}", name, sentence, more
    )


def holder(target: Payload, trace: Payload) -> Payload | None:
    """Return the hit that a target is, or is folded under; None if it is in none."""
    return next(
        (
            hit
            for hit in trace["hits"]
            if target["chunk"] in (hit["chunk"], *(c["chunk"] for c in beneath(hit)))
        ),
        None,
    )


def is_on_page_one(target: Payload, trace: Payload) -> bool:
    """Tell whether page one holds a target, if only to unfold."""
    hit = holder(target, trace)
    return hit is not None and hit["card"] <= trace["config"]["cards_per_page"]


def _survived(target: Payload, trace: Payload) -> str:
    taken, left = _leg_phrases(target, trace)
    found = f" It was found by {joined(taken)}." if taken else ""
    lost = f" {_capital(joined(left))}." if left else ""
    return f"is number {target['rank']}, on card {target['card']}.{found}{lost}"


def _died(target: Payload, trace: Payload) -> str:
    stage = target["death"]["stage"]
    taken, left = _leg_phrases(target, trace)
    if stage == "leg":
        return (
            f"was taken by no leg: {joined(left)}." if left else "was taken by no leg."
        )
    if stage == "pool":
        but = f", but {joined(left)}" if left else ""
        fused = target["fused"]
        pool = trace["pool"]["size"]
        came = f" It came {ordinal(fused['ordinal'])} in the fusion" if fused else ""
        tail = f"{came}, and the pool takes {pool}." if came else ""
        return f"was found by {joined(taken)}{but}.{tail}"
    if stage == "page":
        return _off_page(target, trace)
    return {
        "corpus": "is not among what was searched.",
        "chunk": "is not a chunk of its own.",
        "scope": "is outside the scope of this search.",
    }.get(stage, "")


def _off_page(target: Payload, trace: Payload) -> str:
    if target["rank"] is None:
        under = holder(target, trace)
        place = f" {hit_name(under)}, rank {under['rank']:,}" if under else " another"
        return f"reached the pool and is folded under{place}."
    place = f"is number {target['rank']:,}"
    if target["card"] is None:
        return f"{place}, and page one does not show it."
    if target["card"] > trace["config"]["cards_per_page"]:
        return f"{place}, on card {target['card']:,}, which is not on page one."
    shown = trace["config"]["chunks_per_card"]
    return (
        f"{place}. Its card, {target['card']}, is on page one and shows its first"
        f" {shown} chunks; the rest unfolds."
    )


def _leg_phrases(target: Payload, trace: Payload) -> tuple[list[str], list[str]]:
    """Return which legs took a target, at which rank, and why the others did not."""
    taken: list[str] = []
    left: list[str] = []
    for name, leg in trace["legs"].items():
        seen = (target.get("legs") or {}).get(name)
        if not leg["ran"]:
            left.append(f"{name} did not run")
        elif seen is None:
            left.append(f"{name} has nothing of it")
        elif seen["in_leg"]:
            taken.append(f"{name} at rank {seen['rank']:,}")
        else:
            left.append(f"{name} put it at {seen['rank']:,}{_short_by(name, seen)}")
    return taken, left


def _short_by(name: str, seen: Payload) -> str:
    margin = seen["margin"]
    if margin is None or margin >= 0:
        return ""
    return f", {-margin:.{decimals(name)}f} of {score_kind(name)} below its floor"


def ordinal(number: int) -> str:
    """Return 214 as "214th"."""
    tail = "th" if number % 100 in (11, 12, 13) else ""
    return f"{number:,}{tail or {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def target_views(trace: Payload) -> list[TargetView]:
    """Return the views of all targets, in the order in which they were asked."""
    return [_target_view(target, trace) for target in trace["targets"]]


def _target_view(target: Payload, trace: Payload) -> TargetView:
    fused = target["fused"]
    contributions = (fused or {}).get("contributions", {})
    bm25 = (target.get("legs") or {}).get("bm25")
    return TargetView(
        target=target,
        verdict=verdict(target, trace),
        legs=[leg_row(name, target, trace) for name in trace["legs"]],
        funnel=funnel_rows(trace, target),
        fused=fused_score(fused),
        contributions=f"{sum(contributions.values()):.6f}" if contributions else "–",
        rerank=rerank_score(target["rerank"]),
        points=point_table(trace, target),
        term_sum=sum(term["points"] for term in target["terms"] or []),
        term_raw=bm25["raw"] if bm25 else None,
        url=where_url(target),
    )


def where_url(chunk: Payload) -> str:
    """Return the address of a target's lines, "" where it has no file."""
    return file_url(chunk) if chunk.get("path_url") and chunk.get("revision") else ""


def leg_row(name: str, target: Payload, trace: Payload) -> LegRow:
    """Return the row of one leg in a target's leg table."""
    leg = trace["legs"][name]
    seen = (target.get("legs") or {}).get(name)
    places = decimals(name)
    outside = (target.get("unfiltered_ranks") or {}).get(name) if not seen else None
    outcome, state, glyph = _outcome(leg, seen, outside)
    contributed = ((target["fused"] or {}).get("contributions") or {}).get(name)
    margin = seen["margin"] if seen else None
    weight = trace["config"]["weights"].get(name, 1.0)
    return LegRow(
        name=name,
        style=leg_style(name),
        rank=seen["rank"] if seen else None,
        tie=seen["tie_size"] if seen else 1,
        raw=_raw_of_part(name, seen) if seen else "–",
        floor="–" if leg["floor"] is None else f"{leg['floor']:.{places}f}",
        margin="–" if margin is None else f"{margin:+.{places}f}".replace("-", "−"),
        short=margin is not None and margin < 0,
        percentile=percentile(seen),
        normalised=within_query(seen.get("normalised")) if seen else "–",
        formula=(
            f"{weight:g} / ({trace['config']['rrf_k']} + {seen['ordinal']:,})"
            if seen and contributed
            else ""
        ),
        contribution=f"{contributed:.6f}" if contributed else "–",
        outcome=outcome,
        state=state,
        glyph=glyph,
    )


def _raw_of_part(name: str, seen: Payload) -> str:
    """Return a raw score, with the part that has it where a later one does."""
    part = seen["part"] or 1
    raw = raw_score(name, seen["raw"])
    return f"{raw}, part {part}" if part > 1 else raw


def percentile(seen: Payload | None) -> str:
    """Return how much of the corpus is below a chunk, rounded down."""
    share = (seen or {}).get("percentile")
    if share is None:
        return "–"
    return f"{int(share * 10) / 10:.1f}%"


def _outcome(
    leg: Payload, seen: Payload | None, outside: int | None
) -> tuple[str, str, str]:
    """Return an outcome's words, state and glyph.

    `outside` is the unfiltered rank of a target that is out of scope.
    """
    if not leg["ran"]:
        return (leg["note"] or "did not run").rstrip("."), "none", "none"
    if outside:
        return f"out of scope; unfiltered rank {outside:,}", "target", "bad"
    if seen is None:
        return "nothing of it", "none", "none"
    if seen["in_leg"]:
        return "in the leg", "ok", "ok"
    return "below the floor", "target", "bad"


def page_hits(trace: Payload) -> int:
    """Return how many hits page one shows."""
    cards: dict[int, int] = {}
    for hit in trace["hits"]:
        if hit["card"] <= trace["config"]["cards_per_page"]:
            cards[hit["card"]] = cards.get(hit["card"], 0) + 1
    shown = trace["config"]["chunks_per_card"]
    return sum(min(count, shown) for count in cards.values())


def funnel_rows(trace: Payload, target: Payload) -> list[FunnelRow]:
    """Return the counts of each stage; what is kept and left out adds up."""
    corpus, scope = chunks_in(trace), chunks_in_scope(trace)
    lists = {name: leg["listed"] for name, leg in trace["legs"].items()}
    pool, union, page = trace["pool"], trace["union"], page_hits(trace)
    filled = pool["filled"]
    died = (target["death"] or {}).get("stage")
    texts = [one["text"] for one in trace.get("filters", ())]
    by = " ".join(texts) or "no filter"
    rows = [
        FunnelRow("corpus", corpus, None, "all chunks indexed", _at("corpus", died)),
        FunnelRow("scope", scope, corpus - scope, by, _at("scope", died)),
    ]
    rows += [
        FunnelRow(
            f"{name} leg",
            lists[name],
            scope - lists[name],
            _list_reason(trace["legs"][name]),
            _leg_word(trace, target, name),
        )
        for name in lists
    ]
    twice = sum(lists.values()) - union
    legs = f"in no leg ({' + '.join(map(str, lists.values()))} − {twice} in several)"
    seats = f"{pool['by_guarantee']} by guarantee, {pool['by_fusion']} by fused order"
    rerank = rerank_depth(trace) or trace["rerank"]["kind"]
    folded = pool.get("folded", 0)
    later = f"{folded} copies and stubs, the rest on later cards or folded"
    rows += [
        FunnelRow("union", union, scope - union, legs, _at("union", died)),
        FunnelRow("pool", filled, union - filled, seats, _at("pool", died)),
        FunnelRow("rerank", filled, 0, rerank, _at("rerank", died)),
        FunnelRow("page one", page, filled - page, later, _at("page", died)),
    ]
    return rows


STAGES = ("corpus", "scope", "union", "pool", "rerank", "page")
# The first stage of the strip that does not hold a target any more.
LOST_AT = {"corpus": 0, "chunk": 0, "scope": 1, "leg": 2, "pool": 3, "page": 5}


def _at(stage: str, died: str | None) -> str:
    if died is None or STAGES.index(stage) < LOST_AT[died]:
        return "present"
    return "left out" if STAGES.index(stage) == LOST_AT[died] else "–"


def _list_reason(leg: Payload) -> str:
    if not leg["ran"]:
        return leg["note"] or "did not run"
    return f"depth {leg['depth']}, {leg['matched']:,} with evidence"


def _leg_word(trace: Payload, target: Payload, name: str) -> str:
    seen = (target.get("legs") or {}).get(name)
    if seen is None:
        return "–"
    word = "entered" if seen["in_leg"] else "left out"
    return f"{word}, rank {seen['rank']:,}"


def candidates(trace: Payload) -> list[Candidate]:
    """Return the targets, then each leg's first and the head of the pool, by rank.

    What is folded follows the hit that it is folded under.
    """
    wanted = {target["chunk"] for target in trace["targets"] if target["chunk"]}
    rows = [_candidate(trace, target, [], True) for target in trace["targets"]]
    for hit in (row for first in trace["hits"] for row in (first, *beneath(first))):
        notes = [
            f"{name} leader"
            for name, seen in hit["legs"].items()
            if seen and seen["in_leg"] and seen["ordinal"] == 1
        ]
        is_head = hit["rank"] is not None and hit["rank"] <= POOL_HEAD
        if hit["chunk"] not in wanted and (notes or is_head):
            rows.append(_candidate(trace, hit, notes, False))
    return rows


def _candidate(
    trace: Payload, chunk: Payload, notes: list[str], is_target: bool
) -> Candidate:
    fused = chunk["fused"]
    pool = chunk["pool"] or {"in": False, "via": None}
    return Candidate(
        name=target_name(chunk) if is_target else hit_name(chunk),
        chunk=chunk,
        is_target=is_target,
        notes=notes,
        url=where_url(chunk),
        legs=leg_cells(trace, chunk),
        fused=fused_score(fused),
        ordinal=fused["ordinal"] if fused else None,
        via=(pool["via"] or "–") if pool["in"] else "cut",
        rerank=rerank_score(chunk["rerank"]) or "–",
        rank=chunk["rank"],
        card=chunk["card"],
    )
