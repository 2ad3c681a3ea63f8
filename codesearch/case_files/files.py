"""Files: from the bytes of one, or of qrels with their topics, to its rows."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote, unquote

from codesearch.case_files.entries import read_entries
from codesearch.case_files.gathering import check_targets
from codesearch.case_files.records import (
    MOST_BYTES,
    MOST_LINES,
    NewCase,
    Problem,
    Reading,
    Refused,
    Row,
    UnreadableFile,
    place_of,
    split_lines,
)
from codesearch.case_files.tables import read_table
from codesearch.case_files.trec import Qrel, read_qrels, read_topics

_BLANK_IN_QUERY = " "


def read_file(data: bytes, topics: bytes | None = None) -> Reading:
    """Return what a file holds: a table, JSON, JSON lines, or qrels with `topics`.

    Raises UnreadableFile.
    """
    text = decode(data)
    if topics is not None:
        return read_judged(split_lines(text), split_lines(decode(topics)))
    if not text.strip():
        raise UnreadableFile("It is empty.")
    if text.lstrip()[0] in "[{":
        return read_entries(text)
    return read_table(text)


def decode(data: bytes) -> str:
    """Return the text of a file, without its mark. Raises UnreadableFile."""
    if len(data) > MOST_BYTES:
        raise UnreadableFile(f"It is larger than {MOST_BYTES // 1_000_000} MB.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableFile(
            f"Line {line:,} holds a byte that is no UTF-8; save it as UTF-8."
        ) from error


def read_judged(qrels: list[str], topics: list[str]) -> Reading:
    """Return qrels and their topics as rows, one a topic. Raises UnreadableFile.

    A document is a target; a blank in it, and `%`, are percent-encoded. The text of a
    row is its topic, as `qid<TAB>query`, and the lines of its judgements.
    """
    if max(len(qrels), len(topics)) > MOST_LINES:
        raise UnreadableFile(
            f"It has more than {MOST_LINES:,} lines; share them out over files."
        )
    judged, problems = read_qrels(qrels)
    asked, more = read_topics(topics)
    problems = [*_in_file("qrels", problems), *_in_file("topics", more)]
    by_id: dict[str, list[Qrel]] = {topic.qid: [] for topic in asked}
    for qrel in judged:
        try:
            if qrel.qid not in by_id:
                raise Refused(f"The topics have no query {qrel.qid}.")
            check_targets([(unquote(qrel.document), qrel.grade)])
            by_id[qrel.qid].append(qrel)
        except Refused as why:
            place = f"qrels, {place_of(qrel.line)}"
            problems.append(Problem(place, qrels[qrel.line - 1], str(why)))
    rows = []
    for topic in asked:
        targets = [(unquote(one.document), one.grade) for one in by_id[topic.qid]]
        case = NewCase(topic.query, tuple(targets), topic.qid)
        place = f"topics, {place_of(topic.line)}"
        lines = [qrels[one.line - 1] for one in by_id[topic.qid]]
        text = "\n".join([f"{topic.qid}\t{topic.query}", *lines])
        rows.append(Row(place, text, case))
    return Reading(rows, problems, is_whole=True)


def write_topics(cases: Iterable[NewCase]) -> str:
    """Return the queries of cases as topics; their blanks become one space each."""
    return "".join(
        f"{case.key}\t{_BLANK_IN_QUERY.join(case.query.split())}\n" for case in cases
    )


def write_qrels(cases: Iterable[NewCase]) -> str:
    """Return what is judged as qrels; a document is a target without blanks."""
    return "".join(
        f"{case.key} 0 {spell_document(target)} {grade}\n"
        for case in cases
        for target, grade in case.targets
    )


def spell_document(target: str) -> str:
    """Return a target without blanks: they and `%` are percent-encoded."""
    return "".join(quote(c, safe="") if c.isspace() or c == "%" else c for c in target)


def _in_file(name: str, problems: Iterable[Problem]) -> list[Problem]:
    return [Problem(f"{name}, {one.place}", one.text, one.sentence) for one in problems]
