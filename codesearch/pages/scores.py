"""Scores and ranks as text: always with their kind, an absent one absent."""

from __future__ import annotations

from dataclasses import dataclass

from codesearch.payloads import Payload

# The colour and the shape of each leg; the part after a colon names an embedder.
LEG_STYLES = {
    "purpose": "purpose",
    "body": "dense",
    "bm25": "bm25",
    "symbol": "symbol",
    "literal": "literal",
}
KINDS = {"purpose": "cosine", "body": "cosine"}
SURFACES = {"summary": "summaries", "purpose": "purposes", "body": "bodies"}
RERANK_KINDS = {"cross_encoder": "logit", "structural": "sum", "identity": "rrf"}


@dataclass(frozen=True, slots=True)
class LegCell:
    """What one leg says of one chunk. `rank` is None where it says nothing.

    A leg that did not run (`ran` is False) says nothing of any.
    """

    name: str
    style: str
    rank: int | None
    tie: int
    raw: str
    normalised: str
    in_leg: bool
    ran: bool = True


def percent(share: float | None) -> str:
    """Return a share as whole per cent; only all of it is 100%."""
    if share is None:
        return "–"
    return "100%" if share >= 1 else f"{min(99, int(share * 100))}%"


def leg_style(leg: str) -> str:
    """Return the style of a leg; one of another kind looks like the fusion."""
    return LEG_STYLES.get(leg.partition(":")[0], "fused")


def score_kind(leg: str) -> str:
    """Return the kind of a leg's raw score: cosine, or the leg's own name."""
    kind = leg.partition(":")[0]
    return KINDS.get(kind, kind)


def decimals(leg: str) -> int:
    """Return how many decimals of a leg's raw score mean something."""
    return 2 if score_kind(leg) in ("bm25", "literal") else 3


def raw_score(leg: str, raw: float | None) -> str:
    """Return a raw score with its kind: "cosine 0.706", "bm25 17.30"."""
    return "" if raw is None else f"{score_kind(leg)} {raw:.{decimals(leg)}f}"


def within_query(normalised: float | None) -> str:
    """Return a normalised score as text, a dash outside the list."""
    return "–" if normalised is None else f"{normalised:.2f}"


def minus(text: str) -> str:
    """Return a number as text with a minus sign in place of its hyphen."""
    return text.replace("-", "−")


def signed(value: float | None, places: int = 3) -> str:
    """Return +0.067, −0.004, and 0.000 without a sign; a dash for None."""
    if value is None:
        return "–"
    text = minus(f"{value:+.{places}f}")
    return text if text.strip("+−0.") else text[1:]


def p_value(p: float) -> str:
    """Return the p of a test with three decimals, or as below the least of them."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def leg_cells(payload: Payload, chunk: Payload) -> list[LegCell]:
    """Return what each leg of the search says of a hit or a target, in order."""
    cells = []
    for name, leg in payload["legs"].items():
        seen = (chunk.get("legs") or {}).get(name)
        cells.append(
            LegCell(
                name=name,
                style=leg_style(name),
                rank=seen["rank"] if seen else None,
                tie=seen["tie_size"] if seen else 1,
                raw=raw_score(name, seen["raw"]) if seen else "",
                normalised=within_query(seen.get("normalised")) if seen else "–",
                in_leg=bool(seen and seen["in_leg"]),
                ran=leg["ran"],
            )
        )
    return cells


def fused_score(fused: Payload | None) -> str:
    """Return the fused score with its kind, "" where there is none."""
    return f"rrf {fused['score']:.6f}" if fused else ""


def rerank_score(rerank: Payload | None) -> str:
    """Return the rerank score with its kind, "" where nothing was reordered."""
    if not rerank or rerank["kind"] == "identity":
        return ""
    if rerank["kind"] == "cross_encoder":
        logit = rerank.get("logit")
        return "not scored" if logit is None else f"logit {logit:.2f}"
    return f"{RERANK_KINDS.get(rerank['kind'], rerank['kind'])} {rerank['score']:.3f}"


def rerank_depth(payload: Payload) -> str:
    """Return how deep a cross-encoder went, "" where none ran.

    Records of searches made before it was counted say how many it scored.
    """
    rerank = payload["rerank"]
    if rerank["kind"] != "cross_encoder":
        return ""
    pairs = rerank.get("pairs", payload["pool"]["filled"])
    seconds = payload["timings_ms"]["rerank"] / 1000
    told = f"{rerank['scored']} of {pairs} pairs scored in {seconds:.1f} s"
    if tokens := rerank.get("truncated_tokens"):
        told += (
            f"; {rerank['truncated_pairs']} of them longer than the model reads, "
            f"{tokens:,} tokens unread"
        )
    _, _, others = rerank["note"].partition("; ")  # How the rest was ordered.
    return f"{told}; {others}" if others else told


def hit_name(hit: Payload) -> str:
    """Return what a chunk is called: its symbol, else its kind and lines."""
    return hit.get("symbol") or f"{hit['kind']} {hit['start_line']}–{hit['end_line']}"


def joined(phrases: list[str]) -> str:
    """Return "a", "a and b" or "a, b and c"."""
    if len(phrases) < 2:
        return "".join(phrases)
    return f"{', '.join(phrases[:-1])} and {phrases[-1]}"


def ordinal(number: int) -> str:
    """Return 214 as "214th"."""
    tail = "th" if number % 100 in (11, 12, 13) else ""
    return f"{number:,}{tail or {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
