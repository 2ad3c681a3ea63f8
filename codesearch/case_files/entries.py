"""Entries: cases as JSON, one list or one a line.

An entry is `{"id", "query", "targets", "topic", "expected", "synthetic", "note"}`. A
target is text, or an object of `target`, or of `path` with `symbol` or with
`start_line` and `end_line`; an object may have a `grade`. `secondary` are targets too.
Also read are lists of `{"query", "ratings": [{"docId", "rating"}]}`, and CoSQA's of
`{"idx", "doc", "retrieval_idx"}`, whose function n is the file `0000n.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from codesearch.case_files.records import (
    MOST_LINES,
    NewCase,
    Problem,
    Reading,
    Refused,
    Row,
    UnreadableFile,
    fault_of_text,
    place_of,
    read_grade,
    split_lines,
    tell_unread,
)

SCHEMA = 1
_IDS = ("id", "qid", "_id")
_WORDS = ("query", "topic", "expected", "note")
_READ = {*_IDS, *_WORDS, "targets", "secondary", "ratings", "synthetic"}
_COSQA = "retrieval_idx"
_OF_COSQA = {"idx", "doc", "code", "code_tokens", "docstring_tokens", "label", _COSQA}

Entry = Mapping[str, Any]  # Any: JSON


def read_entries(text: str) -> Reading:
    """Return the rows of JSON or JSON lines. Raises UnreadableFile."""
    told, entries = _split(text)
    rows: list[Row] = []
    problems: list[Problem] = []
    unread: dict[str, None] = {}
    unit = ""
    for number, (place, line, entry) in enumerate(entries, start=1):
        if number > MOST_LINES:
            raise UnreadableFile(
                f"It has more than {MOST_LINES:,} entries; share them out over files."
            )
        try:
            rows.append(Row(place, line, _read_entry(entry)))
        except Refused as why:
            problems.append(Problem(place, line, str(why)))
            continue
        unread |= dict.fromkeys(entry.keys() - _READ - _OF_COSQA)
        if "secondary" in entry or _COSQA in entry:
            unit = "file"  # These sets count one place a file.
    return Reading(
        rows,
        problems,
        tell_unread(sorted(unread)),
        is_whole=True,
        name=_word(told, "name"),
        description=_word(told, "description"),
        unit=_word(told, "unit") or unit,
        profile=_word(told, "profile"),
    )


def write_entries(cases: Iterable[NewCase], about: Mapping[str, Any]) -> str:
    """Return cases as JSON, which `read_entries` reads as the same.

    `about` is what the file says of their set.
    """
    rows = [
        {
            "id": case.key,
            "query": case.query,
            "topic": case.topic,
            "targets": [
                {"target": target, "grade": grade} for target, grade in case.targets
            ],
            "expected": case.expected,
            "synthetic": case.is_synthetic,
            "note": case.note,
        }
        for case in cases
    ]
    told = {"schema": SCHEMA, "set": dict(about), "cases": rows}
    return json.dumps(told, ensure_ascii=False, indent=1) + "\n"


def _split(text: str) -> tuple[Entry, Iterator[tuple[str, str, Any]]]:
    """Return what is said of the set, and place, text and value of each entry."""
    try:
        whole = json.loads(text)
    except RecursionError as error:
        raise UnreadableFile("Its JSON is nested too deeply.") from error
    except ValueError:
        return {}, _read_lines(text)
    if isinstance(whole, dict) and isinstance(whole.get("cases"), list):
        about = whole.get("set")
        return about if isinstance(about, dict) else {}, _listed(whole["cases"])
    return {}, _listed(whole if isinstance(whole, list) else [whole])


def _listed(entries: list[Any]) -> Iterator[tuple[str, str, Any]]:
    for number, entry in enumerate(entries, start=1):
        text = json.dumps(entry, ensure_ascii=False)
        if fault_of_text(text):
            text = json.dumps(entry)
        yield f"entry {number:,}", text, entry


def _read_lines(text: str) -> Iterator[tuple[str, str, Any]]:
    for number, line in enumerate(split_lines(text), start=1):
        if not line.strip():
            continue
        try:
            yield place_of(number), line, json.loads(line)
        except (ValueError, RecursionError):
            yield place_of(number), line, None


def _read_entry(entry: Any) -> NewCase:
    if entry is None:
        raise Refused("It is no JSON.")
    if not isinstance(entry, dict):
        raise Refused("It is no object with a query and targets.")
    if fault := fault_of_text(json.dumps(entry, ensure_ascii=False)):
        raise Refused(fault)
    if _COSQA in entry:
        return _read_cosqa(entry)
    words = {name: entry.get(name) or "" for name in _WORDS}
    for name, word in words.items():
        if not isinstance(word, str):
            raise Refused(f"Its {name} is no text.")
    synthetic = entry.get("synthetic", False)
    if not isinstance(synthetic, bool):
        raise Refused("Its key “synthetic” is neither true nor false.")
    key = next((entry[name] for name in _IDS if name in entry), "")
    return NewCase(
        query=words["query"].strip(),
        targets=_targets(entry),
        key=_id(key),
        topic=words["topic"].strip(),
        expected=words["expected"],
        is_synthetic=synthetic,
        note=words["note"].strip(),
    )


def _read_cosqa(entry: Entry) -> NewCase:
    number, query = entry[_COSQA], entry.get("doc")
    if isinstance(number, bool) or not isinstance(number, int):
        raise Refused("Its retrieval_idx is no whole number.")
    if not isinstance(query, str):
        raise Refused("Its doc is no text.")
    return NewCase(query.strip(), ((f"{number:05d}.py", 1),), _id(entry.get("idx", "")))


def _targets(entry: Entry) -> tuple[tuple[str, int], ...]:
    found = []
    for name in ("targets", "secondary", "ratings"):
        told = entry.get(name, [])
        if not isinstance(told, list):
            raise Refused(f"Its {name} are no list.")
        found += [_target(one) for one in told]
    return tuple(found)


def _target(told: Any) -> tuple[str, int]:
    if isinstance(told, str):
        return told.strip(), 1
    if not isinstance(told, dict):
        raise Refused("A target is neither text nor an object.")
    grade = told.get("grade", told.get("rating", 1))
    number = read_grade(str(grade)) if isinstance(grade, str | int | float) else None
    if number is None or isinstance(grade, bool):
        raise Refused(f"The grade “{grade}” is no whole number.")
    return _spell(told).strip(), number


def _spell(told: Entry) -> str:
    """Return a target that an object describes as it is written in a trace."""
    target = told.get("target", told.get("docId", told.get("docid")))
    path, symbol = told.get("path"), told.get("symbol")
    if isinstance(target, str):
        return target
    if not isinstance(path, str) or not path:
        raise Refused("A target has neither “target” nor “path”.")
    if isinstance(symbol, str) and symbol:
        return f"{quote(path)}#{quote(symbol)}"
    first, last = told.get("start_line"), told.get("end_line")
    if first is None:
        return path
    last = first if last is None else last
    if not all(type(line) is int and line > 0 for line in (first, last)):
        raise Refused(f"The lines of {path} are no numbers from 1.")
    return f"{path}:{first}" if first == last else f"{path}:{first}-{last}"


def _id(key: Any) -> str:
    if isinstance(key, bool) or not isinstance(key, str | int):
        raise Refused("Its id is neither text nor a number.")
    return str(key).strip()


def _word(told: Entry, name: str) -> str:
    word = told.get(name, "")
    return word if isinstance(word, str) and not fault_of_text(word) else ""
