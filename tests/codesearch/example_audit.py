"""A small payload of an audit whose numbers add up, for presenters, plots and pages.

Ten queries with one wanted target each: six are on page one, one is on page two, one
was cut by the pool, one is in no leg and one is no chunk.
"""

from __future__ import annotations

from urllib.parse import urlencode

from codesearch.payloads import Payload

KS = (1, 5, 10, 20, 60, 100, 200)
STAGES: list[Payload] = [
    {"name": "purpose", "kind": "leg", "depth": 200},
    {"name": "body", "kind": "leg", "depth": 200},
    {"name": "bm25", "kind": "leg", "depth": 200},
    {"name": "symbol", "kind": "leg", "depth": 200},
    {"name": "union", "kind": "union", "depth": None},
    {"name": "fusion", "kind": "fusion", "depth": None},
    {"name": "pool", "kind": "pool", "depth": 200},
    {"name": "rerank", "kind": "rerank", "depth": None},
    {"name": "result", "kind": "result", "depth": None},
    {"name": "card", "kind": "card", "depth": None},
    {"name": "page", "kind": "page", "depth": None},
]
CURVES = {
    "purpose": (0.1, 0.3, 0.4, 0.5, 0.6, 0.6, 0.7),
    "body": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.6),
    "bm25": (0.2, 0.3, 0.4, 0.4, 0.5, 0.6, 0.6),
    "symbol": (0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1),
    "union": (0.3, 0.4, 0.5, 0.6, 0.7, 0.7, 0.8),
    "fusion": (0.2, 0.4, 0.5, 0.5, 0.6, 0.7, 0.7),
    "pool": (0.2, 0.4, 0.5, 0.5, 0.6, 0.7, 0.7),
    "rerank": (0.3, 0.5, 0.6, 0.6, 0.7, 0.7, 0.7),
    "result": (0.3, 0.5, 0.6, 0.6, 0.7, 0.7, 0.7),
    "card": (0.4, 0.5, 0.6, 0.7, 0.7, 0.7, 0.7),
    "page": (0.3, 0.5, 0.6, 0.6, 0.6, 0.6, 0.6),
}
STEPS = (
    ("before", "before", 9, 1),
    ("legs", "leg", 8, 1),
    ("pool", "pool", 7, 1),
    ("rerank", "rerank", 7, 0),
    ("result", "result", 7, 0),
    ("page", "page", 6, 1),
)


def mean(value: float, n: int = 10) -> Payload:
    """Return a mean with an interval of two tenths around it, within 0 and 1."""
    low, high = round(max(value - 0.2, 0.0), 3), round(min(value + 0.2, 1.0), 3)
    return {"mean": value, "low": low, "high": high, "n": n}


def make_measures(curve: tuple[float, ...], kind: str = "leg") -> Payload:
    """Return the measures of a stage of one wanted target a query."""
    at_k = {str(k): mean(value) for k, value in zip(KS, curve, strict=True)}
    precision = {k: mean(one["mean"] / int(k)) for k, one in at_k.items()}
    is_list = kind not in ("union", "card")
    return {
        "recall": at_k,
        "recall_whole": list(at_k.values())[-1],
        "success": at_k,
        "precision": precision if is_list else {},
        "ndcg": at_k if is_list else {},
        "mrr": mean(curve[1]),
        "mrr_at": at_k,
        "judged": {str(k): round(0.2 / (1 + i), 3) for i, k in enumerate(KS)},
    }


def make_miss(key: str, stage: str, reason: str, **more: object) -> Payload:
    """Return one target that is not on page one."""
    places: dict[str, int | None] = dict.fromkeys(CURVES)
    if stage in ("pool", "page"):
        places |= {"bm25": 150, "union": 150, "fusion": 201}
    if stage == "page":
        places |= {"fusion": 64, "pool": 64, "rerank": 33, "result": 33, "card": 17}
    leg = {"rank": 150, "ordinal": 150, "tie_size": 1, "raw": 8.2, "margin": 0.4}
    legs: Payload = dict.fromkeys(("purpose", "body", "bm25", "symbol"))
    if places["bm25"]:
        legs = {**legs, "bm25": {**leg, "in_leg": True}}
    return {
        "key": key,
        "topic": "",
        "query": f"what <{key}> asks",
        "target": f"Target.{key}",
        "stages": places,
        "legs": legs,
        "death": {"stage": stage, "reason": reason},
        "lookup": {"found": True, "name": f"Target.{key}"},
        "is_synthetic": False,
        "trace": urlencode(
            {"q": f"what <{key}> asks", "repository": "shop", "target": f"Target.{key}"}
        ),
        **more,
    }


MISSES = [
    make_miss("q7", "page", "beyond_page"),
    make_miss("q8", "pool", "outvoted", is_synthetic=True),
    make_miss("q9", "leg", "below_floor", lookup={"found": False, "name": None}),
    make_miss("q10", "chunk", "not_extracted", topic="lazy"),
]
HUB = f"shop@4f9c2d17ab03{'0' * 28}:billing/money.py#format_money@58"
TOPICS = [
    {
        "topic": "lazy",
        "phrasings": 2,
        "found": "some",
        "in_pool": "some",
        "best": 1,
        "median": 1,
        "worst": 1,
        "absent": 1,
        "overlap": 0.25,
    }
]


def make_deaths(misses: list[Payload]) -> list[Payload]:
    """Return the deaths of misses by stage."""
    stages = ("corpus", "chunk", "scope", "leg", "pool", "page")
    found = {
        stage: [m for m in misses if m["death"]["stage"] == stage] for stage in stages
    }
    return [
        {
            "stage": stage,
            "count": len(ones),
            "reasons": [{"reason": m["death"]["reason"], "count": 1} for m in ones],
        }
        for stage, ones in found.items()
        if ones
    ]


def make_audit(**changes: object) -> Payload:
    """Return the payload of a finished audit of our own."""
    return {
        "schema": 1,
        "audit": 7,
        "set": {"id": 3, "name": "shop symbols", "unit": "chunk", "is_foreign": False},
        "system": "",
        "note": "a larger pool",
        "status": "done",
        "failure": "",
        "created_at": "2026-06-26T13:40:00+00:00",
        "started_at": "2026-06-26T13:40:02+00:00",
        "finished_at": "2026-06-26T13:42:53+00:00",
        "seconds": 171.0,
        "created_by": "ada",
        "repositories": ["shop"],
        "profile": "",
        "settings": [["pool", "214"]],
        "builds": [
            {
                "repository": "shop",
                "revision": "4f9c2d17ab03" + "0" * 28,
                "profile": "symbol",
                "build": 1,
                "coverage": {"files": 1.0, "chunks": 1.0, "purpose": 1.0, "body": 1.0},
            }
        ],
        "config": {"pool_size": 214},
        "stages": STAGES,
        "only": "all",
        "queries": {
            "asked": 11,
            "answered": 10,
            "failed": 1,
            "unjudged": 0,
            "synthetic": 4,
            "written": 7,
        },
        "wanted": 10,
        "measures": {n: make_measures(curve, n) for n, curve in CURVES.items()},
        "losses": {
            "total": 10,
            "steps": [
                {
                    "name": name,
                    "kind": kind,
                    "kept": kept,
                    "lost": lost,
                    "share": lost / 10,
                }
                for name, kind, kept, lost in STEPS
            ],
        },
        "deaths": make_deaths(MISSES),
        "misses": MISSES,
        "topics": TOPICS,
        "iou": {"0": 0.6, "0.1": 0.5, "0.3": 0.4, "0.5": 0.3, "n": 10},
        "reading": {
            "lines": {"median": 14, "p90": 80, "n": 6},
            "tokens": {"median": 160, "p90": 900, "n": 6},
            "without": 4,
        },
        "retrievability": {
            "chunks": 120,
            "never": 90,
            "share": 0.75,
            "gini": 0.91,
            "hubs": [{"document": HUB, "pools": 9, "share": 0.9}],
        },
        "control": {"misses": 4, "found_by_name": 3},
        **changes,
    }


def make_foreign(**changes: object) -> Payload:
    """Return the audit of the runs of another system, which says less."""
    stages = [
        {"name": "lexical", "kind": "leg", "depth": 100},
        {"name": "dense", "kind": "leg", "depth": 100},
        {"name": "union", "kind": "union", "depth": None},
        {"name": "answers", "kind": "result", "depth": 10},
    ]
    curves = {
        "lexical": CURVES["bm25"],
        "dense": CURVES["body"],
        "union": CURVES["union"],
        "answers": CURVES["page"],
    }
    misses = [
        {
            **make_miss(f"q{n}", stage, reason),
            "stages": {
                "lexical": place,
                "dense": None,
                "union": place,
                "answers": None,
            },
            "legs": None,
            "lookup": None,
            "trace": None,
        }
        for n, stage, reason, place in (
            (7, "answers", "not_listed", 12),
            (8, "answers", "not_listed", 40),
            (9, "legs", "not_listed", None),
            (10, "legs", "not_listed", None),
        )
    ]
    deaths = [
        {"stage": s, "count": 2, "reasons": [{"reason": "not_listed", "count": 2}]}
        for s in ("legs", "answers")
    ]
    return make_audit(
        set={"id": 4, "name": "their questions", "unit": "chunk", "is_foreign": True},
        system="their-rag 1.2",
        repositories=[],
        settings=[],
        builds=None,
        config=None,
        stages=stages,
        measures={n: make_measures(curve, n) for n, curve in curves.items()},
        losses={
            "total": 10,
            "steps": [
                {"name": "legs", "kind": "leg", "kept": 8, "lost": 2, "share": 0.2},
                {
                    "name": "answers",
                    "kind": "result",
                    "kept": 6,
                    "lost": 2,
                    "share": 0.2,
                },
            ],
        },
        deaths=deaths,
        misses=misses,
        topics=[],
        iou={"0": None, "0.1": None, "0.3": None, "0.5": None, "n": 0},
        reading={
            "lines": {"median": None, "p90": None, "n": 0},
            "tokens": {"median": None, "p90": None, "n": 0},
            "without": 10,
        },
        retrievability=None,
        control={"misses": 4, "found_by_name": None},
        **changes,
    )
