"""A small payload whose numbers add up, for the tests of presenters and pages.

Six hits on three cards of two repositories; the first card has four hits, so
that one is folded.
"""

from __future__ import annotations

from codesearch.payloads import Payload

REVISION = "4f9c2d17ab03" + "0" * 28
LEGS = ("purpose", "body", "bm25", "symbol")
FUNNEL_KEYS = (
    *("rank", "card", "page", "duplicate_of", "legs", "fused", "pool", "rerank"),
    *("copies", "re_exports"),
)
FILTERS = [
    {
        "name": "lang",
        "value": "python",
        "negated": False,
        "text": "lang:py",
        "start": 0,
    },
    {
        "name": "path",
        "value": "<b>",
        "negated": True,
        "text": "-path:<b>",
        "start": 14,
    },
]
NO_SCORES: Payload = {
    "edges": [],
    "counts": [],
    "unscored": 0,
    **dict.fromkeys(("mean", "sd", "min", "max", "first", "floor")),
}
FILTERED: Payload = {
    "query": "lang:py money -path:<b>",
    "filters": FILTERS,
    "in_scope": 12,
}


def standing(rank: int, raw: float, *, in_leg: bool = True, tie: int = 1) -> Payload:
    """Return what a leg says of a chunk."""
    return {
        "rank": rank,
        "ordinal": rank,
        "tie_size": tie,
        "raw": raw,
        "normalised": 0.5 if in_leg else None,
        "part": None,
        "in_leg": in_leg,
        "percentile": 99.7,
    }


def make_hit(rank: int, card: int, path: str, symbol: str, **more: object) -> Payload:
    """Return one hit that bm25 alone found."""
    start = 10 * rank
    hit: Payload = {
        "rank": rank,
        "card": card,
        "page": 1,
        "chunk": f"shop@{REVISION}:{path}#{symbol}@{start}",
        "ordinal": rank,
        "build": 1,
        "repository": "shop",
        "revision": REVISION,
        "path": path,
        "path_url": path.replace(" ", "%20"),
        "start_line": start,
        "end_line": start + 3,
        "spans": [[start, start + 3]],
        "symbol": symbol,
        "kind": "function",
        "marks": [],
        "duplicate_of": None,
        "language": "python",
        "legs": {
            "purpose": None,
            "body": None,
            "bm25": standing(rank, 20.0 - rank),
            "symbol": None,
        },
        "fused": {
            "score": 1 / (60 + rank),
            "ordinal": rank,
            "contributions": {"bm25": 1 / (60 + rank)},
        },
        "pool": {"in": True, "via": "guarantee:bm25"},
        "rerank": {
            "kind": "identity",
            "score": 0.1,
            "terms": [],
            "logit": None,
            "sigmoid": None,
            "truncated_tokens": 0,
            "rank_in": rank,
            "rank_out": rank,
            "delta": 0,
        },
        "copies": [],
        "re_exports": [],
    }
    return hit | more


def make_folded(path: str, symbol: str, **more: object) -> Payload:
    """Return a chunk that is listed beneath a hit; it ranks 9th in bm25."""
    hit = make_hit(9, 0, path, symbol) | {"rank": None, "card": None, "page": None}
    return {k: v for k, v in hit.items() if k not in ("copies", "re_exports")} | more


def make_search(**more: object) -> Payload:
    """Return the payload of a search."""
    payload: Payload = {
        "schema": 1,
        "query": "format money",
        "filters": [],
        "literals": [],
        "in_scope": 1234,
        "without": [],
        "builds": [
            {
                "id": 1,
                "repository": "shop",
                "repository_id": 1,
                "revision": REVISION,
                "profile": "symbol",
                "committed_at": "2026-06-26T12:00:00+00:00",
                "preview": "",
                "coverage": {
                    "files": 0.9,
                    "chunks": 1.0,
                    "summary": 1.0,
                    "purpose": 1.0,
                    "body": 1.0,
                },
                "surfaces": {
                    "summary": {"done": 9, "total": 9},
                    "purpose": {"done": 1225, "total": 1225},
                    "body": {"done": 1234, "total": 1234},
                },
                "counts": {
                    "files": 10,
                    "read": 10,
                    "indexed": 9,
                    "partial": 0,
                    "data": 0,
                    "skipped": 1,
                    "chunks": 1234,
                    "vectors": 2468,
                    "vectors_done": 2468,
                },
                "status": "ready",
                "note": "",
                "fingerprint": "a1b2c3d4",
                "newest": {
                    "revision": REVISION,
                    "fetched_at": "2026-06-26T12:30:00+00:00",
                    "failed": False,
                    "is_newest": True,
                    "behind": None,
                    "tracked": "",
                    "wanted": "",
                    "indexing": False,
                },
            }
        ],
        "left_out": [],
        "unsearched": [],
        "definitions": [],
        "legs": {
            name: {
                "floor": 4.5 if name == "bm25" else None,
                "depth": 200,
                "matched": 6 if name == "bm25" else 0,
                "listed": 6 if name == "bm25" else 0,
                "total": 1234,
                "ran": True,
                "note": "",
            }
            for name in LEGS
        },
        "union": 6,
        "pool": {
            "size": 200,
            "filled": 6,
            "guarantee": 25,
            "by_guarantee": 6,
            "by_fusion": 0,
            "folded": 0,
        },
        "rerank": {
            "kind": "identity",
            "note": "",
            "failure": "",
            "scored": 0,
            "pairs": 14,
            "budget_seconds": 2.0,
            "truncated_pairs": 0,
            "truncated_tokens": 0,
        },
        "config": {
            "depth": 200,
            "rrf_k": 60,
            "pool": 200,
            "guarantee": 25,
            "cards_per_page": 10,
            "chunks_per_card": 3,
            "reranker": "cross_encoder",
            "off": [],
            "points": {},
            "k1": 1.2,
            "b": 0.75,
            "weights": dict.fromkeys(LEGS, 1.0),
        },
        "settings": [],
        "terms": [
            {"term": "format", "df": 7, "idf": 5.1},
            {"term": "monei", "df": 3, "idf": 5.9},
        ],
        "words": [
            {"word": "format", "df": 7, "parts": [], "share": 0.46, "near": []},
            {"word": "money", "df": 3, "parts": [], "share": 0.54, "near": []},
        ],
        "missing_share": 0,
        "closeness": {
            "band": "uncalibrated",
            "evidence": [
                {
                    "signal": "calibration",
                    "value": None,
                    "sentence": "shop is not calibrated.",
                    "scale": None,
                    "place": None,
                    "says": "",
                }
            ],
            "builds": [{"repository": "shop", "band": "uncalibrated", "decided": True}],
            "calibration": None,
        },
        "timings_ms": {"legs": 1.0, "fusion": 1.0, "rerank": 0.0, "total": 2.5},
        "hits": [
            make_hit(1, 1, "shop/money.py", "format_money"),
            make_hit(2, 1, "shop/money.py", "parse_money"),
            make_hit(3, 2, "shop/cart.py", "Cart.total"),
            make_hit(4, 1, "shop/money.py", "round_money"),
            make_hit(5, 1, "shop/money.py", "split_money"),
            make_hit(6, 3, "shop/a b.py", "load"),
        ],
        "places": [
            {
                "rank": 1,
                "repository": "shop",
                "revision": REVISION,
                "path": "shop/money.py",
                "path_url": "shop/money.py",
                "language": "python",
                "score": 0.6,
                "doc": "Money.",
                "defines": ["format_money"],
                "terms": [
                    {
                        "name": "summary cosine",
                        "value": 0.583,
                        "weight": 1.0,
                        "points": 0.583,
                    }
                ],
            }
        ],
    }
    return payload | more


def make_term(term: str, tf: int, df: int, idf: float, points: float) -> Payload:
    """Return what bm25 says of a term that the query holds once."""
    found: Payload = {"term": term, "qtf": 1, "tf": tf, "df": df, "idf": idf}
    return found | {"tf_sat": points / idf, "points": points}


def make_length(dl: int, norm: float, share: float) -> Payload:
    """Return the length of a chunk, and what it lacks of an idf mass of 11."""
    missed = {"missed_idf": 11 * share, "missed_share": share}
    return {"dl": dl, "len_norm": norm, **missed}


def make_compared() -> Payload:
    """Return the first of the bm25 leg and its last, `load`."""
    first, last = (
        make_hit(1, 1, "shop/money.py", "format_money"),
        make_hit(200, 3, "shop/a b.py", "load"),
    )
    for hit in (first, last):
        for name in FUNNEL_KEYS:
            hit.pop(name, None)
    common = {"df_share": 7 / 1234, "is_common": False}
    return {
        "avgdl": 83.1,
        "stop_words": ["a", "the"],
        "terms": [
            {
                "term": "format",
                "qtf": 1,
                "df": 7,
                **common,
                "idf": 5.1,
                "max_points": 9.25,
            },
            {
                "term": "monei",
                "qtf": 1,
                "df": 3,
                **common,
                "idf": 5.9,
                "max_points": 10.5,
            },
        ],
        "first": first
        | {
            "leg_ordinal": 1,
            "raw": 19.0,
            "length": make_length(30, 0.52, 0.0),
            "terms": [
                make_term("format", 3, 7, 5.1, 8.75),
                make_term("monei", 4, 3, 5.9, 10.25),
            ],
        },
        "floor": last
        | {
            "leg_ordinal": 200,
            "raw": 4.5,
            "length": make_length(99, 1.14, 5.1 / 11),
            "terms": [
                make_term("format", 0, 7, 5.1, 0.0),
                make_term("monei", 1, 3, 5.9, 4.5),
            ],
        },
    }


def make_edge_row(ordinal: int, via: str | None, **more: object) -> Payload:
    """Return a chunk near the cut of the pool; 200 and 201 are tied."""
    row = make_hit(ordinal, 1, "shop/edge.py", f"edge_{ordinal}")
    for name in FUNNEL_KEYS:
        row.pop(name, None)
    is_tied = ordinal in (200, 201)
    place = {"ordinal": 120, "tie_size": 2, "in_leg": True}
    return row | {
        "fused_ordinal": ordinal,
        "score": 0.00556 if is_tied else 1.112 / ordinal,
        "tie_size": 1 + is_tied,
        "difference": -0.000031,
        "legs": dict.fromkeys(LEGS) | {"bm25": place},
        "pool": {"in": via is not None, "via": via},
        "skipped": 0,
        "skipped_in": 0,
        **more,
    }


def make_edge() -> Payload:
    """Return a pool that ends within a tie, and one below it that a leg is sure of."""
    target = make_target()
    where = {key: target[key] for key in ("chunk", "symbol", "path")}
    far = {"score": 0.005348, "skipped": 11, "skipped_in": 1}
    sure = make_edge_row(230, "guarantee:symbol")
    return {
        "pool": {
            "cut": 200,
            "tie": {"first": 200, "size": 2, "kept": 1, "score": 0.00556},
            "below": 2,
            "last": {"ordinal": 200, "score": 0.00556},
            "rows": [
                make_edge_row(199, "guarantee:bm25"),
                make_edge_row(200, "fusion"),
                make_edge_row(201, None, difference=0.0),
                make_edge_row(202, None),
                make_edge_row(214, None) | where | far,
            ],
            "lost": [
                {
                    "chunk": target["chunk"],
                    "places": 14,
                    "overtaken": 1,
                    "by": [sure | {"via": "guarantee:symbol"}],
                }
            ],
        },
        "legs": {name: {"tie": None, "rows": []} for name in LEGS},
    }


def make_evidence() -> Payload:
    """Return what the example stands on: one build, nothing newer than it."""
    return {
        "tokens": ["format", "monei"],
        "oov_tokens": [],
        "n_chunks": 1234,
        "n_symbols": 1100,
        "n_after_filter": 1234,
        "avgdl": 83.1,
        "overlength_count": 3,
        "parse_error_count": 0,
        "index_type": dict.fromkeys(LEGS, "exact"),
        "provenance": {"captured": ["legs"], "recomputed": ["targets.terms"]},
        "builds": [
            {
                "id": 1,
                "repository": "shop",
                "chunker": "symbol",
                "embedder": {
                    "model": "small",
                    "revision": "",
                    "fingerprint": "a1b2c3d4",
                    "dimension": 384,
                    "pooling": "mean",
                    "max_tokens": 256,
                },
                "symbols": 1100,
                "vocabulary": 6320,
                "overlength": 3,
                "parts": {"purpose": 0, "body": 3, "summary": 0},
                "newer": None,
            }
        ],
    }


def make_target(**more: object) -> Payload:
    """Return a target that the pool cut: bm25 had it, purpose had not."""
    target: Payload = {
        "target": "Cart.discount",
        "chunk": f"shop@{REVISION}:shop/cart.py#Cart.discount@900",
        "ordinal": 7,
        "build": 1,
        "repository": "shop",
        "revision": REVISION,
        "path": "shop/cart.py",
        "path_url": "shop/cart.py",
        "language": "python",
        "start_line": 40,
        "end_line": 52,
        "spans": [[40, 52]],
        "symbol": "Cart.discount",
        "kind": "method",
        "marks": [],
        "legs": {
            "purpose": standing(1482, 0.601, in_leg=False)
            | {"margin": -0.096, "percentile": 95.7, "z": 1.62},
            "body": None,
            "bm25": standing(127, 8.02) | {"margin": 0.51, "z": 1.06},
            "symbol": None,
        },
        "unembedded": [],
        "fused": {
            "score": 0.005348,
            "ordinal": 214,
            "contributions": {"bm25": 0.005348},
        },
        "pool": {"in": False, "via": None},
        "unfiltered_ranks": {
            "purpose": 1482,
            "body": None,
            "bm25": 127,
            "symbol": None,
        },
        "rerank": None,
        "rank": None,
        "card": None,
        "page": None,
        "terms": [
            make_term("format", 2, 7, 5.1, 8.02),
            make_term("monei", 0, 3, 5.9, 0.0),
        ],
        "length": make_length(52, 0.7, 5.9 / 11),
        "parts": {"purpose": 1, "body": 1},
        "state": "fresh",
        "literals": [],
        "words": [
            {
                "word": "format_money",
                "df": 4,
                "tf": 1,
                "idf": 5.9,
                "share": 0.6,
                "parts": [
                    {"part": "format", "df": 7, "tf": 2},
                    {"part": "monei", "df": 3, "tf": 0},
                ],
            },
            {
                "word": "locale",
                "df": 12,
                "tf": 0,
                "idf": 3.9,
                "share": 0.4,
                "parts": [],
            },
        ],
        "missing_share": 0.4,
        "lookup": {
            "found": True,
            "name": "discount",
            "in_query": False,
            "definitions": 3,
            "position": 2,
        },
        "death": {
            "stage": "pool",
            "reason": "outvoted",
            "detail": "Ordinal 214 in the fusion.",
            "needed": "A pool of 214.",
        },
    }
    return target | more


def make_distribution(low: float, high: float, floor: float | None) -> Payload:
    """Return 60 bins that hold 1, 2, 3 ... chunks as far as 1,000 chunks go."""
    counts = [min(n, 1000 - n * (n - 1) // 2) if n < 46 else 0 for n in range(1, 61)]
    counts[59] = 1000 - sum(counts)
    step = (high - low) / 60
    return {
        "edges": [low + step * n for n in range(60)] + [high],
        "counts": counts,
        "unscored": 234,
        "mean": (low + high) / 2,
        "sd": step * 10,
        "min": low,
        "max": high,
        "first": high,
        "floor": floor,
    }


def make_trace(*targets: Payload, **more: object) -> Payload:
    """Return the payload of a trace."""
    trace = make_search(**more)
    for name, leg in trace["legs"].items():
        leg["distribution"] = NO_SCORES | {"unscored": 1234}
        for hit in trace["hits"]:
            if seen := hit["legs"].get(name):
                seen["z"] = 2.5
    if "purpose" in trace["legs"]:
        trace["legs"]["purpose"]["distribution"] = make_distribution(-0.1, 0.781, 0.697)
    if "bm25" in trace["legs"]:
        trace["legs"]["bm25"]["distribution"] = make_distribution(0.5, 19.0, 4.5)
    trace["cut_leaders"] = []
    trace["bm25_compared"] = make_compared()
    trace["edge"] = make_edge()
    trace["evidence"] = make_evidence()
    return trace | {"targets": list(targets) or [make_target()]}
