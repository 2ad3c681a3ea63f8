"""Run files: `qid Q0 document rank score tag`, one line a document, between blanks.

A list is ordered as trec_eval orders it, whatever its rank column says: by score
falling, scores as 32-bit floats; equal ones by the document's name, falling.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from codesearch.audits.foreign.types import (
    DOCUMENT_LIMIT,
    MOST_LINES,
    Ranked,
    Report,
    fault_of_name,
)
from codesearch.case_files.records import (
    KEY_LIMIT,
    Refused,
    UnreadableFile,
)

FIELDS = 6
LARGEST = float(np.finfo(np.float32).max)


def read_run(
    lines: Iterable[str], source: str, report: Report, keys: frozenset[str]
) -> dict[str, Ranked]:
    """Return the list of each query of one run file, of those in `keys`.

    Lines that cannot be taken, ties, ranks against the scores and queries that are not
    in `keys` go to the report. Raises UnreadableFile beyond MOST_LINES.
    """
    found: dict[str, dict[str, tuple[float, str]]] = {}
    beyond: dict[str, int] = {}
    known: dict[str, str] = {}  # Names that were checked, each kept once.
    for number, line in enumerate(lines, start=1):
        parts = line.split()
        if not parts:
            continue
        count_line(report)
        try:
            key, document, rank, score = _read_line(parts, known)
            held = found.setdefault(key, {}) if key in keys else None
            if held is None:
                if fault := fault_of_name(key, "query id", KEY_LIMIT):
                    raise Refused(fault)
                beyond[key] = beyond.get(key, 0) + 1
            elif document in held:
                raise Refused(f"“{document}” is in the list of {key} already.")
            else:
                held[document] = (score, rank)
        except Refused as why:
            report.refuse(f"{source}, line {number:,}", line, str(why))
    if beyond:
        report.remarks.append(_told_beyond(source, beyond))
    return _ranked(found, source, report)


def count_line(report: Report) -> None:
    """Count one line of a list. Raises UnreadableFile where there are too many."""
    report.line_count += 1
    if report.line_count > MOST_LINES:
        raise UnreadableFile(
            f"The lists have more than {MOST_LINES:,} lines together. Cut each list "
            "at the depth that matters, or bring fewer queries."
        )


def read_score(told: object) -> float | None:
    """Return a finite score that a 32-bit float holds, None for everything else."""
    if isinstance(told, bool) or not isinstance(told, (int, float, str)):
        return None
    try:
        score = float(told)
    except (ValueError, OverflowError):
        return None
    return score if math.isfinite(score) and abs(score) <= LARGEST else None


def tie_count(scores: Sequence[float]) -> int:
    """Return how many of these share their score, as a 32-bit float, with another."""
    _, counts = np.unique(np.asarray(scores, dtype=np.float32), return_counts=True)
    return int(counts[counts > 1].sum())


def _read_line(
    parts: Sequence[str], known: dict[str, str]
) -> tuple[str, str, str, float]:
    if len(parts) != FIELDS:
        raise Refused(
            f"It has {len(parts)} fields; a line is: qid Q0 document rank score tag."
        )
    key, _, document, rank, told, _ = parts
    is_new = document not in known
    if is_new and (fault := fault_of_name(document, "document", DOCUMENT_LIMIT)):
        raise Refused(fault)
    score = read_score(told)
    if score is None:
        raise Refused(f"“{told[:40]}” is no score that a list is sorted by.")
    return key, known.setdefault(document, document), rank, score


def _ranked(
    found: dict[str, dict[str, tuple[float, str]]], source: str, report: Report
) -> dict[str, Ranked]:
    """Return the lists in the order of trec_eval, and say what that order hides."""
    lists, tied, tied_lists, against = {}, 0, 0, 0
    for key, held in found.items():
        documents = sorted(held, reverse=True)
        keys = np.array([-held[one][0] for one in documents], dtype=np.float32)
        order = [documents[n] for n in np.argsort(keys, kind="stable")]
        lists[key] = Ranked(order, [held[one][0] for one in order])
        ties = tie_count(lists[key].scores or ())
        tied, tied_lists = tied + ties, tied_lists + bool(ties)
        against += not _rises([held[one][1] for one in order])
    if tied:
        report.remarks.append(
            f"{source}: {tied:,} documents in {tied_lists:,} lists share their score "
            "with another; these stand by name, falling, as trec_eval has them."
        )
    if against:
        report.remarks.append(
            f"{source}: in {against:,} lists the rank column is not the order of the "
            "scores; the scores count, as in trec_eval."
        )
    return lists


def _rises(ranks: Sequence[str]) -> bool:
    """Return whether a rank column is of whole numbers that rise."""
    try:
        numbers = [int(rank) for rank in ranks]
    except ValueError:
        return False
    return all(a < b for a, b in zip(numbers, numbers[1:], strict=False))


def _told_beyond(source: str, beyond: dict[str, int]) -> str:
    names = list(beyond)
    shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return (
        f"{source}: {sum(beyond.values()):,} lines are of {len(names):,} query ids "
        f"that no judgement or query has, and were left out: {shown}."
    )
