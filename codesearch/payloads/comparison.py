"""Comparisons: two audits of the same queries as JSON, query by query.

    {schema, a, b, stage, stages, queries, targets, first, pool, ranks, overlap, chunks,
     metrics, differences, cautions, rows}

`a` and `b` name the audits. A difference is always A minus B, and `better` is for A.
Ranks of a leg count over all that is in scope, those of other stages are places in
their lists; null is: not there. `overlap` is the mean share of the first ten that both
lists have, over the first queries, `n` of them. What is not known is null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import NamedTuple

from codesearch.audits.differences import cautions_of, comparable_scores, differences_of
from codesearch.audits.pairs import (
    Pair,
    Paired,
    Side,
    compare_pairs,
    pair_audits,
    paired_stages,
)
from codesearch.audits.rows import unpack_lists
from codesearch.funnel.audit.measures import Metric, metrics_of
from codesearch.funnel.audit.significance import holm, sign_test
from codesearch.funnel.audit.similarity import FIRST, overlap
from codesearch.funnel.audit.types import Stage, StageKind
from codesearch.models import Audit, AuditRow, CaseSet
from codesearch.payloads import SCHEMA, Payload
from codesearch.payloads.audit import set_payload, trace_query

Stages = Mapping[str, tuple[Stage, Stage]]
OVERLAPS = 60  # Queries whose lists are read: each takes two to five milliseconds.
DEFAULTS = (
    StageKind.RESULT,
    StageKind.RERANK,
    StageKind.POOL,
    StageKind.FUSION,
    StageKind.UNION,
    StageKind.LEG,
    StageKind.PAGE,
)
WHOLE_LISTS = (StageKind.UNION, StageKind.POOL, StageKind.PAGE)


class Measured(NamedTuple):
    """What a line of the table of metrics is of; k is None for the whole list."""

    stage: str
    metric: Metric
    k: int | None


def comparison_payload(a: Audit, b: Audit, stage: str = "") -> Payload:
    """Return two audits compared at a stage of A, at its deepest order if it has none.

    Both are finished or not; what was answered so far is compared.
    """
    paired, stages = pair_audits(a, b), paired_stages(a, b)
    chosen = stage if stage in stages else default_stage(stages)
    sides = _sides(a, b, stages, chosen)
    rows = [row for pair in paired.pairs for row in _rows(pair, sides)] if sides else []
    pool = next((n for n, one in stages.items() if one[0].kind is StageKind.POOL), "")
    return {
        "schema": SCHEMA,
        "a": _name(a),
        "b": _name(b),
        "stage": chosen,
        "stages": [
            {"name": one.name, "kind": one.kind, "other": other.name}
            for one, other in stages.values()
        ],
        "queries": _queries(paired),
        "targets": len(rows),
        "first": {"k": FIRST, **_held(rows, "place", FIRST)},
        "pool": _pool(rows, stages.get(pool)) if rows else None,
        "ranks": _ranks(rows),
        "overlap": _overlap(paired.pairs, stages[chosen]) if chosen else None,
        "chunks": {"a": _chunks(a), "b": _chunks(b)},
        "metrics": _metrics(paired.pairs, stages, chosen),
        "differences": differences_of(a, b),
        "cautions": cautions_of(a, b, paired, stages.get(chosen)),
        "rows": rows,
    }


def default_stage(stages: Stages) -> str:
    """Return the stage that is compared unless another is asked for, "" for none."""
    for kind in DEFAULTS:
        for name, (stage, _) in stages.items():
            if stage.kind is kind:
                return name
    return ""


def _name(audit: Audit) -> Payload:
    return {
        "audit": audit.pk,
        "set": set_payload(audit),
        "system": audit.system,
        "profile": audit.profile,
        "note": audit.note,
        "status": audit.status,
        "created_at": audit.created_at.isoformat(),
    }


def _queries(paired: Paired) -> Payload:
    return {
        "compared": len(paired.pairs),
        "only_a": paired.only_a,
        "only_b": paired.only_b,
        "failed": paired.failed,
        "unjudged": paired.unjudged,
        "other_targets": list(paired.other_targets),
        "other_texts": list(paired.other_texts),
    }


class Looked(NamedTuple):
    """What is looked at of one audit: a stage, its pool if any, and for its traces."""

    stage: Stage
    pool: Stage | None
    is_of_files: bool
    head: Payload


def _sides(
    a: Audit, b: Audit, stages: Stages, chosen: str
) -> tuple[Looked, Looked, bool] | None:
    """Return both sides, and whether their raw scores may be subtracted."""
    if not chosen:
        return None
    pools = next(
        (one for one in stages.values() if one[0].kind is StageKind.POOL), (None, None)
    )
    first, second = (
        Looked(
            stage,
            pool,
            audit.unit == CaseSet.Unit.FILE,
            {
                "repositories": sorted(one.name for one in audit.repositories.all()),
                "profile": audit.profile,
                "settings": audit.knobs,
            },
        )
        for audit, stage, pool in zip((a, b), stages[chosen], pools, strict=True)
    )
    return first, second, comparable_scores(a, b, stages[chosen])


def _rows(pair: Pair, sides: tuple[Looked, Looked, bool]) -> list[Payload]:
    """Return a row for each wanted target of a pair."""
    looked_a, looked_b, may_subtract = sides
    rows = []
    for name in pair.a.targets:
        a, b = _side(pair.a, name, looked_a), _side(pair.b, name, looked_b)
        is_in_both = a["rank"] is not None and b["rank"] is not None
        have_raws = a["raw"] is not None and b["raw"] is not None
        rows.append(
            {
                "key": pair.a.row.key,
                "topic": pair.a.row.topic,
                "query": pair.a.row.query,
                "target": name,
                "a": a,
                "b": b,
                "outcome": _outcome(a["rank"], b["rank"]),
                "rank_shift": b["rank"] - a["rank"] if is_in_both else None,
                "raw_shift": a["raw"] - b["raw"]
                if may_subtract and have_raws
                else None,
            }
        )
    return rows


def _side(side: Side, name: str, looked: Looked) -> Payload:
    told = side.targets[name]
    leg = (told.get("legs") or {}).get(looked.stage.name)
    place, pool = told["stages"].get(looked.stage.name), looked.pool
    return {
        "rank": leg["rank"] if leg and not looked.is_of_files else place,
        "raw": leg["raw"] if leg else None,
        "place": place,
        "in_pool": told["stages"].get(pool.name) is not None if pool else None,
        "death": told["death"],
        "trace": trace_query(side.row.query, told["target"], looked.head),
    }


def _outcome(a: int | None, b: int | None) -> str:
    """Return for which of two ranks a target is better off."""
    if a == b:
        return "equal"
    if b is None or (a is not None and a < b):
        return "better"
    return "worse"


def _held(rows: Sequence[Payload], what: str, k: int) -> Payload:
    return {
        side: sum(row[side][what] is not None and row[side][what] <= k for row in rows)
        for side in ("a", "b")
    }


def _pool(
    rows: Sequence[Payload], stages: tuple[Stage, Stage] | None
) -> Payload | None:
    if stages is None:
        return None
    return {
        "depth": {"a": stages[0].depth, "b": stages[1].depth},
        **{side: sum(row[side]["in_pool"] for row in rows) for side in ("a", "b")},
    }


def _ranks(rows: Sequence[Payload]) -> Payload:
    better, worse = (
        sum(row["outcome"] == one for row in rows) for one in ("better", "worse")
    )
    return {
        "better": better,
        "equal": len(rows) - better - worse,
        "worse": worse,
        "p_sign": sign_test(better, worse),
    }


def _overlap(pairs: Sequence[Pair], stages: tuple[Stage, Stage]) -> Payload | None:
    """Return the mean overlap of the first ten of both lists, by document."""
    chosen = pairs[:OVERLAPS]
    keys = [side.row.pk for pair in chosen for side in pair]
    rows = AuditRow.objects.filter(pk__in=keys).values_list("pk", "lists")
    packed = {key: bytes(lists) for key, lists in rows if lists is not None}
    shares = []
    for a, b in chosen:
        if a.row.pk in packed and b.row.pk in packed:
            ours = _documents(packed[a.row.pk], stages[0])
            theirs = _documents(packed[b.row.pk], stages[1])
            shares.append(overlap(ours, theirs))
    known = [share for share in shares if share is not None]
    return {"mean": sum(known) / len(known), "n": len(known)} if known else None


def _documents(packed: bytes, stage: Stage) -> list[str]:
    lines = unpack_lists(packed).get(stage.name, [])
    names = dict.fromkeys(without_revision(line.document) for line in lines)
    return list(names)[:FIRST]


def without_revision(document: str) -> str:
    """Return a document without the revision and the byte that a chunk's id has.

    So a chunk is the same one in two builds whose files moved.
    """
    head, colon, rest = document.partition(":")
    repository, at, _ = head.rpartition("@")
    symbol, hash_, byte = rest.rpartition("@")
    if colon and at and hash_ and byte.isdecimal():
        return f"{repository}:{symbol}"
    return document


def _chunks(audit: Audit) -> int | None:
    builds = audit.header.get("builds")
    return sum(build["chunks"] for build in builds) if builds else None


def _metrics(pairs: Sequence[Pair], stages: Stages, chosen: str) -> list[Payload]:
    """Return the metrics with their tests; p is corrected for all of them (Holm)."""
    if not pairs:
        return []
    rows = []
    for stage, metric, k in measured(stages, chosen):
        found = compare_pairs(pairs, stages[stage], metric, k)
        rows.append({"stage": stage, "metric": metric, "k": k} | asdict(found))
    corrected = holm([row["p_randomisation"] for row in rows])
    return [{**row, "p_holm": p} for row, p in zip(rows, corrected, strict=True)]


def measured(stages: Stages, chosen: str) -> list[Measured]:
    """Return what is tested: recall where lists are cut, and the order at `chosen`."""
    lines = [
        Measured(name, Metric.RECALL, None)
        for name, (stage, _) in stages.items()
        if stage.kind in WHOLE_LISTS
    ]
    if chosen:
        possible = metrics_of(stages[chosen][0])
        wished = [
            (Metric.RECALL, FIRST),
            (Metric.SUCCESS, 1),
            (Metric.RECIPROCAL, None),
            (Metric.NDCG, FIRST),
        ]
        lines += [Measured(chosen, m, k) for m, k in wished if m in possible]
    return list(dict.fromkeys(lines))
