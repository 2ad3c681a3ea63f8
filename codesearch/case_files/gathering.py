"""Gathering: from the rows of a file to cases that can be asked, and what is none."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from codesearch.case_files.records import (
    KEY_LIMIT,
    TOPIC_LIMIT,
    NewCase,
    Problem,
    Reading,
    Refused,
    Row,
    fault_of_text,
)
from codesearch.errors import UnreadableQuery
from codesearch.inquiry import read_typed
from codesearch.targets import TARGET_LIMIT

KEY_DIGITS = 12  # Of the digest: the key of a case that has no other.
NOTE_LIMIT = 1000
MOST_TARGETS = 1000  # Of a case: judgements of a pool are hundreds a query.
HIGHEST_GRADE = 1000
EXPECTED = ("in_leg", "in_pool", "on_page")


def gather_cases(reading: Reading) -> tuple[list[Row], list[Problem]]:
    """Return the cases of a file in order, each with a key, and all its problems.

    Every row is in a case or among the problems. A case of several rows has the place
    of its first and the text of all.
    """
    problems = list(reading.problems)
    groups: dict[tuple[str, str], list[Row]] = {}
    for number, row in enumerate(reading.rows):
        try:
            check_case(row.case)
            case = row.case
            name = ("id", case.key) if case.key else ("query", case.query)
            if reading.is_whole and not case.key:
                name = ("entry", str(number))
            known = groups.setdefault(name, [])
            if known:
                _check_same(known, row, is_whole=reading.is_whole)
            known.append(row)
        except Refused as why:
            problems.append(Problem(row.place, row.text, str(why)))
    return _with_keys(list(groups.values()), problems)


def check_case(case: NewCase) -> None:
    """Raise Refused, with the first reason, for what cannot be a case."""
    for text in (case.query, case.key, case.topic, case.note):
        _refuse_if(fault := fault_of_text(text), fault)
    _refuse_if(not case.query, "It has no query.")
    try:
        read_typed(case.query)
    except UnreadableQuery as error:
        raise Refused(str(error)) from error
    _refuse_if(re.search(r"\s", case.key), f"The id “{case.key[:50]}” holds a blank.")
    _check_length("id", case.key, KEY_LIMIT)
    _check_length("topic", case.topic, TOPIC_LIMIT)
    _check_length("note", case.note, NOTE_LIMIT)
    _refuse_if(
        case.expected not in ("", *EXPECTED),
        f"“{case.expected[:50]}” is not expected: it is {', '.join(EXPECTED)}.",
    )
    check_targets(case.targets)


def case_digest(query: str, targets: Sequence[str]) -> str:
    """Return a hash of what is asked; the order of targets is no part of it."""
    return digest_of([query, sorted(set(targets))])


def digest_of(what: object) -> str:
    """Return the hash of something as JSON."""
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


def free_key(wanted: str, taken: Collection[str]) -> str:
    """Return a key, with a number behind it if it is taken already."""
    number, key = 1, wanted
    while key in taken:
        number += 1
        key = f"{wanted}-{number}"
    return key


def check_targets(targets: Sequence[tuple[str, int]]) -> None:
    """Raise Refused for what cannot be the targets, with their grades, of a case."""
    _refuse_if(not targets, "It has no target.")
    _refuse_if(
        len(targets) > MOST_TARGETS,
        f"It has {len(targets):,} targets; {MOST_TARGETS:,} are read.",
    )
    seen = set()
    for target, grade in targets:
        _refuse_if(not target, "A target is empty.")
        _refuse_if(fault := fault_of_text(target), fault)
        _check_length("target", target, TARGET_LIMIT)
        _refuse_if(
            not 0 <= grade <= HIGHEST_GRADE,
            f"The grade {grade} is not from 0 to {HIGHEST_GRADE:,}; "
            "0 was judged and is no answer.",
        )
        _refuse_if(target in seen, f"The target “{target[:50]}” comes twice.")
        seen.add(target)


def _check_length(name: str, text: str, most: int) -> None:
    _refuse_if(
        len(text) > most,
        f"Its {name} has {len(text):,} characters; {most:,} are read.",
    )


def _refuse_if(is_wrong: object, sentence: str) -> None:
    if is_wrong:
        raise Refused(sentence)


def _check_same(known: Sequence[Row], row: Row, *, is_whole: bool) -> None:
    """Refuse a row that is not of the case of the rows before it."""
    first, case = known[0], row.case
    if is_whole:
        raise Refused(f"The id {case.key} is that of {first.place} already.")
    for name in ("query", "topic", "expected", "note"):
        told, said = getattr(case, name), getattr(first.case, name)
        if told and told != said:
            raise Refused(f"Its {name} is another than on {first.place}.")
    targets = {target: one.place for one in known for target, _ in one.case.targets}
    for target, _ in case.targets:
        if target in targets:
            raise Refused(f"This target stands on {targets[target]} already.")
    if len(targets) + len(case.targets) > MOST_TARGETS:
        raise Refused(f"Its case has {MOST_TARGETS:,} targets already.")


def _with_keys(
    groups: Sequence[Sequence[Row]], problems: list[Problem]
) -> tuple[list[Row], list[Problem]]:
    """Return one case a group; those without an id are named by their digest."""
    taken = {group[0].case.key for group in groups}
    named: dict[str, str] = {}
    cases = []
    for group in groups:
        first = group[0]
        targets = tuple(pair for row in group for pair in row.case.targets)
        case = replace(first.case, targets=targets)
        if not case.key:
            digest = case_digest(case.query, [target for target, _ in targets])
            if digest in named:
                sentence = f"It is the case of {named[digest]} again."
                problems += [Problem(row.place, row.text, sentence) for row in group]
                continue
            named[digest] = first.place
            case = replace(case, key=free_key(digest[:KEY_DIGITS], taken))
            taken.add(case.key)
        text = "\n".join(row.text for row in group)
        cases.append(Row(first.place, text, case))
    return cases, problems
