"""Lists of queries with judged targets, made up or drawn by hypothesis."""

from __future__ import annotations

from collections.abc import Mapping

from codesearch.funnel.audit.types import Answered, Judged, Stage, StageKind

OURS = (
    Stage("body", StageKind.LEG, 200),
    Stage("bm25", StageKind.LEG, 200),
    Stage("union", StageKind.UNION, 200),
    Stage("fusion", StageKind.FUSION),
    Stage("pool", StageKind.POOL, 200),
    Stage("rerank", StageKind.RERANK, 200),
    Stage("result", StageKind.RESULT),
    Stage("card", StageKind.CARD),
    Stage("page", StageKind.PAGE, 30),
)


def judged(
    target: str,
    places: Mapping[str, int | None],
    death: tuple[str, str] | None = None,
    grade: int = 1,
) -> Judged:
    return Judged(target, grade, places, death)


def query(key: str, *targets: Judged, topic: str = "") -> Answered:
    return Answered(key, topic, f"query {key}", targets)
