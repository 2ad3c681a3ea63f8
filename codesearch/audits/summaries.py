"""Summaries: what takes the lists of all rows of an audit, counted once at its end.

A summary is JSON:

    {"topics": {topic: {"phrasings": int, "overlap": 0 to 1 or null}},
     "retrievability": {"chunks", "never", "share", "gini",
                        "hubs": [{"document", "pools", "share"}]} or null}

Chunks are files where the set counts in files. Targets that stand for several chunks
are left out of retrievability: lists do not tell which of them stood there. It is null
where the size of the corpus is not known, or there is no pool.
"""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.audits.rows import Line, answered, stages_of, unpack_lists
from codesearch.funnel.audit.retrievability import Retrievability, retrievability
from codesearch.funnel.audit.topics import by_topic, overlap_of_first
from codesearch.funnel.audit.types import Answered, Stage, StageKind
from codesearch.models import Audit, AuditRow, CaseSet
from codesearch.payloads import Payload
from codesearch.runs import one_word
from indexer.models import Chunk

BATCH = 50  # Rows in memory at once: lists are the largest that an audit has.


def summarise_lists(audit: Audit) -> Payload:
    """Return the summary of an audit whose rows have their results."""
    stages = stages_of(audit)
    pool = _last(stages, StageKind.POOL)
    result = _last(stages, StageKind.RESULT)
    pools: list[list[str]] = []
    firsts: dict[str, list[str]] = {}
    answers: list[Answered] = []
    for row in audit.rows.iterator(BATCH):
        answer = answered(row)
        if answer and row.lists:
            lists = unpack_lists(bytes(row.lists))
            answers.append(answer)
            pools.append(_pooled(row, lists.get(pool, ())))
            firsts[answer.key] = [one.document for one in lists.get(result, ())]
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


def _pooled(row: AuditRow, pool: Sequence[Line]) -> list[str]:
    """Return the chunks of a pool, or its files where the set counts in files.

    A target stands in lists under its own name: that of a file with its lines is the
    file here, and that of several chunks, of which one is not known, is left out.
    """
    names: dict[str, str] = {}
    for target in row.result["targets"] if row.result else ():
        if target["document"] and row.audit.unit == CaseSet.Unit.FILE:
            names[target["document"]] = f"{target['repository']}:{target['path_url']}"
        elif target["document"] == one_word(target["target"]):
            names[target["document"]] = ""
    return [name for one in pool if (name := names.get(one.document, one.document))]


def _last(stages: Sequence[Stage], kind: StageKind) -> str:
    """Return the name of the last stage of a kind, "" for none."""
    return next((one.name for one in reversed(stages) if one.kind is kind), "")


def _size(audit: Audit) -> int:
    """Return how many chunks or files were searched, 0 if that is not known."""
    builds = audit.header.get("builds", ())
    if audit.unit == CaseSet.Unit.FILE:
        keys = [build["id"] for build in builds]
        chunks = Chunk.objects.order_by().filter(build__in=keys)
        return chunks.values("file").distinct().count()
    return sum(build["chunks"] for build in builds)


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
