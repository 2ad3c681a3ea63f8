"""TREC files: topics (queries with their ids) and qrels (what is wanted for each).

Qrels are `qid iteration docid grade`, or `qid docid grade` with or without a header,
between blanks. Topics are `qid<TAB>query`, JSON lines with `_id` and `text`, or the
classic `<top>` blocks, of which number and title are read. Empty lines are nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

from codesearch.case_files.records import (
    Problem,
    Refused,
    fault_of_text,
    place_of,
    read_grade,
)

_BLANKS = re.compile(r"[ \t\f\v]+")
_HEADERS = {"qid", "id", "query-id", "query_id", "queryid"}
# Nothing that can match the same blanks twice: they may be a million.
_NUMBER = re.compile(r"<num>\s*(?:Number:\s*)?([^\s<]+)", re.IGNORECASE)
_TITLE = re.compile(r"<title>\s*(?:Topic:\s*)?([^<]+)", re.IGNORECASE)


class Qrel(NamedTuple):
    """One judgement; a grade above 0 is wanted. `line` counts from 1."""

    line: int
    qid: str
    document: str
    grade: int


class Topic(NamedTuple):
    """One query; `line` is the first of its lines, from 1."""

    line: int
    qid: str
    query: str


def read_qrels(lines: Iterable[str]) -> tuple[list[Qrel], list[Problem]]:
    """Return the judgements in their order, and the lines that are none.

    A document that is judged twice for one query counts as it was first.
    """
    found: list[Qrel] = []
    problems: list[Problem] = []
    known: dict[Hashable, int] = {}
    for number, line in _written(lines):
        try:
            qrel = _read_qrel(number, line)
            _check_once(known, (qrel.qid, qrel.document), number, "This judgement")
            found.append(qrel)
        except Refused as why:
            if not (number == 1 and _is_header(line)):
                problems.append(Problem(place_of(number), line, str(why)))
    return found, problems


def read_topics(lines: Iterable[str]) -> tuple[list[Topic], list[Problem]]:
    """Return the queries in their order, and the lines that are none.

    An id that comes twice counts as it was first.
    """
    found: list[Topic] = []
    problems: list[Problem] = []
    known: dict[Hashable, int] = {}
    for first, last, text in _blocks(lines):
        try:
            topic = _read_topic(first, text)
            _check_once(known, topic.qid, first, f"The id {topic.qid}")
            found.append(topic)
        except Refused as why:
            problems.append(Problem(place_of(first, last), text, str(why)))
    if found and found[0].line == 1 and found[0].qid.lower() in _HEADERS:
        found = found[1:]
    return found, problems


def _written(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that hold something, with their numbers."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, line.rstrip("\r\n")


def _read_qrel(number: int, line: str) -> Qrel:
    if fault := fault_of_text(line):
        raise Refused(fault)
    fields = _BLANKS.split(line.strip())
    if len(fields) not in (3, 4):
        raise Refused(
            f"It has {len(fields)} fields; a judgement is: qid 0 docid grade."
        )
    grade = read_grade(fields[-1])
    if grade is None:
        raise Refused(f"The grade “{fields[-1]}” is no whole number.")
    return Qrel(number, fields[0], fields[-2], grade)


def _is_header(line: str) -> bool:
    return _BLANKS.split(line.strip())[0].lower() in _HEADERS


def _blocks(lines: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Yield (first line, last line, text): a `<top>` block is one, else each line."""
    block: list[str] = []
    first = last = 0
    for number, line in _written(lines):
        mark = line.strip().lower()
        if mark.startswith("<top>"):
            if block:
                yield first, last, "\n".join(block)
            block, first = [], number
        elif not block:
            yield number, number, line
            continue
        block.append(line)
        last = number
        if mark.endswith("</top>"):
            yield first, last, "\n".join(block)
            block = []
    if block:
        yield first, last, "\n".join(block)


def _read_topic(number: int, text: str) -> Topic:
    if fault := fault_of_text(text):
        raise Refused(fault)
    head = text.lstrip()
    if head.lower().startswith("<top>"):
        qid, query = _read_classic(head)
    elif head.startswith("{"):
        qid, query = _read_json(head)
    else:
        qid, tab, query = text.partition("\t")
        if not tab:
            raise Refused("There is no tab between the id and the query.")
    qid, query = qid.strip(), query.strip()
    if not qid:
        raise Refused("It has no id.")
    if _BLANKS.search(qid):
        raise Refused(f"The id “{qid}” holds a blank.")
    if not query:
        raise Refused("It has no query.")
    return Topic(number, qid, query)


def _read_classic(block: str) -> tuple[str, str]:
    number, title = _NUMBER.search(block), _TITLE.search(block)
    if not block.rstrip().lower().endswith("</top>"):
        raise Refused("The block that <top> opens is not closed by </top>.")
    if not number or not title:
        raise Refused("The block has no <num> or no <title>.")
    return number[1], " ".join(title[1].split())


def _read_json(line: str) -> tuple[str, str]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Refused("It is no JSON.") from error
    qid = next((told[name] for name in ("_id", "qid", "id") if name in told), "")
    query = next((told[name] for name in ("text", "query") if name in told), "")
    if isinstance(qid, bool) or not isinstance(qid, str | int):
        raise Refused("Its id is neither text nor a number.")
    if not isinstance(query, str):
        raise Refused("Its query is no text.")
    if fault := fault_of_text(f"{qid}{query}"):
        raise Refused(fault)
    return str(qid), query


def _check_once(
    known: dict[Hashable, int], key: Hashable, number: int, what: str
) -> None:
    first = known.setdefault(key, number)
    if first != number:
        raise Refused(f"{what} stands on line {first:,} already.")
