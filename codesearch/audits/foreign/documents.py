"""Documents: everything of an import in one JSON document, or in JSON lines.

    {"system": "my pipeline 2",
     "stages": [{"name": "dense", "kind": "leg", "depth": 100}, ...],
     "queries": [{"id": "q1", "text": "...", "topic": "...", "synthetic": false,
                  "judgments": {"doc7": 2, "doc9": 1},
                  "lists": {"dense": [{"document": "doc3", "score": 0.81}, "doc7"]}}]}

As JSON lines the first line is the document without `queries`, every further one a
query. An entry of a list is a document with its score, or its name alone. A list whose
entries all have scores is ordered by them, equal ones as they are listed; one without
any score is in its order. Blanks in a document's name are written as in an address.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from codesearch.audits.foreign.runs import count_line, read_score, tie_count
from codesearch.audits.foreign.stages import read_stage
from codesearch.audits.foreign.types import (
    DOCUMENT_LIMIT,
    TEXT_LIMIT,
    Brought,
    BroughtStage,
    Question,
    Ranked,
    Report,
    fault_of_name,
)
from codesearch.case_files.records import (
    KEY_LIMIT,
    TOPIC_LIMIT,
    Refused,
    UnreadableFile,
    fault_of_text,
    read_grade,
)
from codesearch.runs import one_word

Lists = dict[str, dict[str, Ranked]]  # By stage, then by query.


def read_document(text: str, source: str, report: Report) -> Brought:
    """Return what a document brings. Raises UnreadableFile where it has no shape."""
    head, entries = _parts(text)
    told = head.get("stages")
    if not isinstance(told, list) or not told:
        raise UnreadableFile(f"{source} has no list of “stages”.")
    stages = [_read_stage(one, number) for number, one in enumerate(told, start=1)]
    lists: Lists = {stage.name: {} for stage in stages}
    tied = dict.fromkeys(lists, 0)
    questions: dict[str, Question] = {}
    for place, entry in entries:
        where = f"{source}, {place}"
        try:
            question = _read_question(entry, where, report)
            if question.key in questions:
                raise Refused(f"The query {question.key} was there before.")
        except Refused as why:
            report.refuse(where, json.dumps(entry)[:200], str(why))
            continue
        questions[question.key] = question
        for name, found in _read_lists(entry, where, lists, report).items():
            lists[name][question.key] = found
            tied[name] += tie_count(found.scores or ())
    report.remarks += _remarks(tied, report)
    system = head.get("system")
    return Brought(
        system=system if isinstance(system, str) else "",
        stages=[
            BroughtStage(one.name, one.kind, one.depth, lists[one.name])
            for one in stages
        ],
        questions=list(questions.values()),
    )


def _remarks(tied: Mapping[str, int], report: Report) -> list[str]:
    """Return what was made of lists whose scores are no order, stage by stage."""
    return [
        f"{name}: {count:,} documents share their score with another of their list; "
        "these stand as they were listed."
        for name, count in tied.items()
        if count
    ] + [
        f"{name}: {count:,} lists were in another order than that of their scores; "
        "the scores count."
        for name, count in report.moved.items()
    ]


def _parts(text: str) -> tuple[dict[str, Any], Iterator[tuple[str, Any]]]:  # Any: JSON
    """Return the head of a document and its queries, each with its place."""
    first, _, rest = text.partition("\n")
    try:
        head = _load(first)
    except ValueError:
        head = None
    if isinstance(head, dict) and "queries" not in head and rest.strip():
        return head, _json_lines(rest)
    try:
        whole = _load(text)
    except ValueError as error:
        raise UnreadableFile(f"This is no JSON: {error}.") from error
    if not isinstance(whole, dict) or not isinstance(whole.get("queries"), list):
        raise UnreadableFile("The document has no list of “queries”.")
    return whole, (
        (f"query {number:,}", one)
        for number, one in enumerate(whole["queries"], start=1)
    )


def _json_lines(text: str) -> Iterator[tuple[str, Any]]:  # Any: JSON
    for number, line in enumerate(text.split("\n"), start=2):
        if line.strip():
            try:
                yield f"line {number:,}", _load(line)
            except ValueError:
                yield f"line {number:,}", line


def _load(text: str) -> Any:  # Any: JSON
    """Return JSON as Python. Raises ValueError; a key that comes twice is one."""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:  # Any: JSON
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError(f"an object has a key twice, of {', '.join(found)[:100]}")
    return found


def _read_stage(told: Any, number: int) -> BroughtStage:  # Any: JSON
    if not isinstance(told, dict):
        raise UnreadableFile(f"Stage {number} is no object with name and kind.")
    return read_stage(told.get("name"), told.get("kind"), told.get("depth"), {})


def _read_question(entry: Any, where: str, report: Report) -> Question:  # Any: JSON
    if not isinstance(entry, dict):
        raise Refused("It is no object.")
    key = entry.get("id")
    key = str(key) if isinstance(key, int) else key
    if not isinstance(key, str):
        raise Refused("It has no “id”.")
    if fault := fault_of_name(key, "id", KEY_LIMIT):
        raise Refused(fault)
    judged = entry.get("judgments", {})
    if not isinstance(judged, dict):
        raise Refused("Its “judgments” are no object of documents and grades.")
    return Question(
        key=key,
        text=_read_text(entry, "text", TEXT_LIMIT),
        topic=_read_text(entry, "topic", TOPIC_LIMIT),
        judged=_read_judged(judged, where, report),
        is_synthetic=entry.get("synthetic") is True,
    )


def _read_text(entry: dict[str, Any], name: str, limit: int) -> str:  # Any: JSON
    text = entry.get(name) or ""
    if not isinstance(text, str):
        raise Refused(f"Its “{name}” is no text.")
    if len(text) > limit:
        raise Refused(f"Its “{name}” has {len(text):,} characters of {limit:,}.")
    if fault := fault_of_text(text):
        raise Refused(f"Its “{name}”: {fault}")
    return text.strip()


def _read_judged(
    told: dict[str, Any],  # Any: JSON
    where: str,
    report: Report,
) -> dict[str, int]:
    judged: dict[str, int] = {}
    for name, told_grade in told.items():
        document = one_word(name.strip())
        grade = read_grade(str(told_grade))
        fault = fault_of_name(document, "document", DOCUMENT_LIMIT)
        if grade is None:
            fault = f"The grade of {document} is no whole number."
        elif document in judged:
            fault = f"{document} is judged already."
        if fault or grade is None:
            report.refuse(f"{where}, judgments", name, fault)
        else:
            judged[document] = grade
    return judged


def _read_lists(
    entry: dict[str, Any],  # Any: JSON
    where: str,
    stages: Lists,
    report: Report,
) -> dict[str, Ranked]:
    told = entry.get("lists", {})
    if not isinstance(told, dict):
        report.refuse(where, str(told), "Its “lists” are no object of stages.")
        return {}
    found = {}
    for name, rows in told.items():
        if name not in stages:
            report.refuse(where, name, f"There is no stage “{name[:40]}”.")
        elif not isinstance(rows, list):
            report.refuse(where, name, f"The list of {name} is no list.")
        else:
            found[name] = _read_list(rows, f"{where}, {name}", name, report)
    return found


def _read_list(
    rows: Sequence[Any],  # Any: JSON
    where: str,
    name: str,
    report: Report,
) -> Ranked:
    held: dict[str, float | None] = {}
    for number, row in enumerate(rows, start=1):
        count_line(report)
        told = row if isinstance(row, dict) else {"document": row}
        one, score = told.get("document"), read_score(told.get("score"))
        document = one_word(one.strip()) if isinstance(one, str) else ""
        fault = fault_of_name(document, "document", DOCUMENT_LIMIT)
        if not fault and document in held:
            fault = f"“{document}” is in this list already."
        if not fault and told.get("score") is not None and score is None:
            fault = "Its score is no number that a list is sorted by."
        if fault:
            report.refuse(f"{where}, entry {number:,}", str(row), fault)
        else:
            held[document] = score
    return _ordered(held, where, name, report)


def _ordered(
    held: dict[str, float | None], where: str, name: str, report: Report
) -> Ranked:
    """Return a list by its scores, if all have one."""
    documents = list(held)
    scores = [score for score in held.values() if score is not None]
    if len(scores) < len(documents):
        if scores:
            report.refuse(
                where, "", "Some entries have a score and some not; none was used."
            )
        return Ranked(documents, None)
    order = np.argsort(-np.array(scores, dtype=np.float32), kind="stable")
    if (np.diff(order) < 0).any():
        report.moved[name] += 1
    return Ranked([documents[n] for n in order], [scores[n] for n in order])
