"""Summaries: what takes the lists of all rows of an audit, counted once at its end.

A summary is JSON:

    {"topics": {topic: {"phrasings": int, "overlap": 0 to 1 or null}},
     "retrievability": {"chunks", "never", "share", "gini",
                        "hubs": [{"document", "pools", "share"}]} or null}

Chunks are files where the set counts in files. Retrievability is null where the size
of the corpus is not known, or there is no pool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codesearch.audits.rows import answered, stages_of, unpack_lists
from codesearch.funnel.audit.retrievability import Retrievability, retrievability
from codesearch.funnel.audit.topics import by_topic, overlap_of_first
from codesearch.funnel.audit.types import Answered, Stage, StageKind
from codesearch.models import Audit, CaseSet
from codesearch.payloads import Payload

BATCH = 50  # Rows in memory at once: lists are the largest that an audit has.


def summarise_lists(audit: Audit) -> Payload:
    """Return the summary of an audit whose rows have their results."""
    stages = stages_of(audit)
    pool = _last(stages, StageKind.POOL)
    result = _last(stages, StageKind.RESULT)
    pools: list[list[str]] = []
    firsts: dict[str, list[str]] = {}
    answers: list[Answered] = []
    for answer, lists in _listed(audit):
        answers.append(answer)
        pools.append(lists.get(pool, []))
        firsts[answer.key] = lists.get(result, [])
    chunks = _size(audit)
    return {
        "topics": {
            topic: {
                "phrasings": len(asked),
                "overlap": overlap_of_first([firsts[one.key] for one in asked]),
            }
            for topic, asked in by_topic(answers).items()
        },
        "retrievability": _told(retrievability(pools, chunks), len(pools))
        if chunks and any(pools)
        else None,
    }


def _listed(audit: Audit) -> Iterator[tuple[Answered, dict[str, list[str]]]]:
    """Yield the answered rows with the documents of each stage."""
    for row in audit.rows.iterator(BATCH):
        answer = answered(row)
        if answer and row.lists:
            lists = unpack_lists(bytes(row.lists))
            yield (
                answer,
                {stage: [one.document for one in lists[stage]] for stage in lists},
            )


def _last(stages: Sequence[Stage], kind: StageKind) -> str:
    """Return the name of the last stage of a kind, "" for none."""
    return next((one.name for one in reversed(stages) if one.kind is kind), "")


def _size(audit: Audit) -> int:
    """Return how many chunks or files were searched, 0 if that is not known."""
    counts = [build["counts"] for build in audit.header.get("builds", ())]
    if audit.case_set.unit == CaseSet.Unit.FILE:
        return sum(one["indexed"] - one["data"] for one in counts)
    return sum(one["chunks"] for one in counts)


def _told(found: Retrievability, pools: int) -> Payload:
    return {
        "chunks": found.chunks,
        "never": found.never,
        "share": found.share,
        "gini": found.gini,
        "hubs": [
            {"document": document, "pools": count, "share": count / pools}
            for document, count in found.hubs
        ],
    }
