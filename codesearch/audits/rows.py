"""Rows: the result of one case of an audit, and the lists that it comes from.

A result is JSON:

    {"failure": sentence or "", "milliseconds": float, "closeness": band or null,
     "reading": {"lines": int, "tokens": int} or null,
     "judged_at": {stage: {k: judged ones among its first k}},
     "targets": [{"target", "grade",
        "document": its name in lists and qrels, null where there is none,
        "repository", "revision", "path", "path_url", "start_line", "end_line",
        "symbol", "kind",                                       (null where unknown)
        "stages": {stage: place from 1, null for not in its list},
        "legs": {leg: {"rank", "ordinal", "tie_size", "raw", "margin",
                       "in_leg"} or null},
        "death": {"stage", "reason", "detail"} or null for on page one,
        "lookup": {"found": bool, "name": str or null},
        "iou": best line overlap of a result on page one, 0 to 1, null without lines}]}

`reading` is what one reads of page one, card by card, before the first target: null
when it holds none, 0 lines when the target is the first of all. Where the set counts
files, the targets of one file are one. Lists are kept of all stages but the union and
the cards, whose places come from the others. The runs of another system know less:
what they do not know is null, or missing. A row whose query could not be asked has a
failure and no targets' places.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from codesearch.funnel.audit.measures import depths_of
from codesearch.funnel.audit.types import Answered, Judged, Stage, StageKind
from codesearch.models import Audit, AuditRow

PRESET = 1  # Four times as fast as the default of xz, and a seventh larger.


class Line(NamedTuple):
    """One line of a list: a document and its raw score at that stage."""

    document: str
    score: float


# What is said of a target of which nothing is known.
NOWHERE: Mapping[str, None] = dict.fromkeys(
    ("document", "repository", "revision", "path", "path_url", "start_line")
    + ("end_line", "symbol", "kind")
)
Lists = Mapping[str, Sequence[Line]]  # By stage, each best first.


def pack_lists(lists: Lists) -> bytes:
    """Return lists as xz of JSON, each document spelled once."""
    numbers: dict[str, int] = {}
    stages = {
        stage: [
            [numbers.setdefault(line.document, len(numbers)) for line in lines],
            [line.score for line in lines],
        ]
        for stage, lines in lists.items()
    }
    packed = {"documents": list(numbers), "stages": stages}
    written = json.dumps(packed, separators=(",", ":")).encode()
    return lzma.compress(written, preset=PRESET)


def unpack_lists(packed: bytes) -> dict[str, list[Line]]:
    """Return the lists that were packed, equal to the last bit of each score."""
    told: Any = json.loads(lzma.decompress(packed))  # Any: JSON
    documents = told["documents"]
    return {
        stage: [Line(documents[n], s) for n, s in zip(numbers, scores, strict=True)]
        for stage, (numbers, scores) in told["stages"].items()
    }


def count_judged(places: Iterable[int], stage: Stage) -> dict[str, int]:
    """Return how many places of judged ones are among the first k, by k as text."""
    judged = list(places)
    return {str(k): sum(place <= k for place in judged) for k in depths_of(stage)}


def stages_of(audit: Audit) -> tuple[Stage, ...]:
    """Return the stages of an audit, in order."""
    return tuple(
        Stage(one["name"], StageKind(one["kind"]), one["depth"]) for one in audit.stages
    )


def answered(row: AuditRow) -> Answered | None:
    """Return a row as what is measured; None while it has no result, or a failure."""
    result = row.result
    if result is None or result["failure"]:
        return None
    return Answered(
        key=row.key,
        topic=row.topic,
        query=row.query,
        targets=tuple(map(_judged, result["targets"])),
        is_synthetic=row.is_synthetic,
        judged_at={
            stage: {int(k): n for k, n in counts.items()}
            for stage, counts in result["judged_at"].items()
        },
    )


def _judged(target: Mapping[str, Any]) -> Judged:  # Any: JSON
    death = target["death"]
    return Judged(
        target=target["target"],
        grade=target["grade"],
        places=target["stages"],
        death=death and (death["stage"], death["reason"]),
    )
