"""Trigrams: three characters in a row that every text with a match must hold.

An index of trigrams proposes with them where a pattern may match; RE2 decides. So what
is required may be too little and never too much: a part of a pattern that this parser
does not know requires nothing. After Cox, Regular Expression Matching with a Trigram
Index (2012).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from indexer.pipeline.literals import Pattern

MOST_STRINGS = 16  # That a part of a pattern may stand for, before only ends are kept.
MOST_TRIGRAMS = 24  # Of one string: more of them leave out next to no other file.
MOST_REQUIRED = 200  # In all; more take longer to look up than texts to read.
DEEPEST = 40  # Groups within groups.
SAME_TWICE = 3  # `a{9}` is read as `a{3}` and something.
ENDS = 2  # Characters at the end of a string that a trigram over it can take.


@dataclass(frozen=True, slots=True)
class All:
    """All of these are required; none at all requires nothing."""

    parts: tuple[Need, ...] = ()


@dataclass(frozen=True, slots=True)
class Either:
    """One of these, at least, is required."""

    parts: tuple[Need, ...]


Need = All | Either | str  # A string is one trigram.
NOTHING = All()


def required_trigrams(pattern: Pattern) -> Need:
    """Return the trigrams that any text with a match of `pattern` holds.

    In whatever case, if the pattern does not tell cases apart: the index is folded.
    """
    if pattern.is_regex:
        try:
            need = _Parser(pattern.text, has_case=pattern.has_case).need()
        except _UnknownSyntaxError:
            return NOTHING
    else:
        need = _closed(_literal(pattern.text, has_case=pattern.has_case)).need
    return need if _size(need) <= MOST_REQUIRED else NOTHING


def match_expression(need: Need) -> str:
    """Return what FTS5 is asked for `need`, "" where nothing is required."""
    if isinstance(need, str):
        return '"{}"'.format(need.replace('"', '""'))
    word = " AND " if isinstance(need, All) else " OR "
    parts = [match_expression(part) for part in need.parts]
    return f"({word.join(parts)})" if parts else ""


class _UnknownSyntaxError(Exception):
    """Syntax that is read here in no way: then nothing is required."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What is known of a part of a pattern.

    `exact` are all strings that it can match, or None. Then each match begins with one
    of `prefixes`, ends with one of `suffixes`, and needs `need`.
    """

    exact: frozenset[str] | None = None
    prefixes: frozenset[str] = frozenset({""})
    suffixes: frozenset[str] = frozenset({""})
    need: Need = NOTHING


_UNKNOWN = _Part()
_EMPTY = _Part(exact=frozenset({""}))


def _literal(text: str, *, has_case: bool) -> _Part:
    return _joined([_char(char, has_case=has_case) for char in text])


def _char(char: str, *, has_case: bool) -> _Part:
    """Return one character, unknown where the index may fold it unlike RE2."""
    if char in "\x00\n":
        return _UNKNOWN
    if has_case or char.isascii() or unicodedata.category(char) == "Lo":
        return _Part(exact=frozenset({char.lower() if char.isascii() else char}))
    return _UNKNOWN


def _joined(parts: Iterable[_Part]) -> _Part:
    whole = _EMPTY
    for part in parts:
        whole = _pair(whole, part)
    return whole


def _pair(left: _Part, right: _Part) -> _Part:
    """Return what is known of one part with another behind it."""
    if left.exact is not None and right.exact is not None:
        if len(left.exact) * len(right.exact) <= MOST_STRINGS:
            return _Part(exact=_crossed(left.exact, right.exact))
        left, right = _closed(left), _closed(right)
    first, last = _closed(left), _closed(right)
    seam = _few(_crossed(first.suffixes, last.prefixes))
    return _Part(
        prefixes=left.prefixes
        if left.exact is None
        else _heads(_crossed(left.exact, last.prefixes)),
        suffixes=right.suffixes
        if right.exact is None
        else _tails(_crossed(first.suffixes, right.exact)),
        need=_all([first.need, last.need, _any(map(_trigrams, sorted(seam)))]),
    )


def _either(parts: Sequence[_Part]) -> _Part:
    """Return what is known of a choice between parts."""
    exact = [part.exact for part in parts if part.exact is not None]
    union = frozenset[str]().union(*exact)
    if len(exact) == len(parts) and len(union) <= MOST_STRINGS:
        return _Part(exact=union)
    closed = [_closed(part) for part in parts]
    return _Part(
        prefixes=_heads(frozenset[str]().union(*(one.prefixes for one in closed))),
        suffixes=_tails(frozenset[str]().union(*(one.suffixes for one in closed))),
        need=_any(one.need for one in closed),
    )


def _closed(part: _Part) -> _Part:
    """Return a part without its exact strings: their trigrams and their ends."""
    if part.exact is None:
        return part
    return _Part(
        prefixes=_heads(part.exact),
        suffixes=_tails(part.exact),
        need=_any(map(_trigrams, sorted(part.exact))),
    )


def _crossed(left: frozenset[str], right: frozenset[str]) -> frozenset[str]:
    return frozenset(a + b for a, b in product(left, right))


def _heads(strings: frozenset[str]) -> frozenset[str]:
    return _few(frozenset(one[:ENDS] for one in strings))


def _tails(strings: frozenset[str]) -> frozenset[str]:
    return _few(frozenset(one[-ENDS:] for one in strings))


def _few(strings: frozenset[str]) -> frozenset[str]:
    """Return `strings`; of too many of them nothing is said."""
    return strings if len(strings) <= MOST_STRINGS else frozenset({""})


def _trigrams(text: str) -> Need:
    grams = dict.fromkeys(text[at : at + 3] for at in range(len(text) - 2))
    return _all(list(grams)[:MOST_TRIGRAMS])


def _all(parts: Iterable[Need]) -> Need:
    kept: dict[Need, None] = {}
    for part in parts:
        kept |= dict.fromkeys(part.parts if isinstance(part, All) else (part,))
    return next(iter(kept)) if len(kept) == 1 else All(tuple(kept))


def _any(parts: Iterable[Need]) -> Need:
    kept = dict.fromkeys(parts)
    if not kept or NOTHING in kept:
        return NOTHING
    return next(iter(kept)) if len(kept) == 1 else Either(tuple(kept))


def _size(need: Need) -> int:
    return 1 if isinstance(need, str) else sum(map(_size, need.parts))


_REPEAT = re.compile(r"\{(\d+)(?:(,)(\d*))?\}", re.ASCII)
_GROUP = re.compile(
    r"\((?:\?(?:P?<\w+>|(?P<flags>[a-zA-Z-]*)(?P<end>[:)])))?", re.ASCII
)
_CLASS_TYPE = re.compile(r"\[:\^?\w+:\]|\\[pP](?:\{[^}]*\}|.)|\\[dDsSwW]", re.ASCII)
_NUMBERED = re.compile(r"\\(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2}))", re.ASCII)
_CONTROLS = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_FLAGS = frozenset("imsU-")
_FEW_CHARS = 4  # Of a class whose characters are tried one by one.


class _Parser:
    """Reads RE2's syntax from left to right; whether case counts changes on the way."""

    def __init__(self, text: str, *, has_case: bool) -> None:
        self.text = text
        self.at = 0
        self.has_case = has_case
        self.depth = 0

    def need(self) -> Need:
        """Return the trigrams of the whole pattern. Raises _UnknownSyntaxError."""
        part = self._alternatives()
        if self.at < len(self.text):
            raise _UnknownSyntaxError
        return _closed(part).need

    def _alternatives(self) -> _Part:
        before = self.has_case  # `(?i)` holds to the end of its group.
        choices = [self._sequence()]
        while self._peek() == "|":
            self.at += 1
            choices.append(self._sequence())
        self.has_case = before
        return choices[0] if len(choices) == 1 else _either(choices)

    def _sequence(self) -> _Part:
        parts = []
        while self._peek() not in ("", "|", ")"):
            parts.append(self._repeated(self._atom()))
        return _joined(parts)

    def _repeated(self, part: _Part) -> _Part:
        while True:
            found = _REPEAT.match(self.text, self.at)
            char = self._peek()
            if found:
                part = _copies(part, int(found[1]), is_more=found[2] is not None)
                self.at = found.end()
            elif char and char in "*+?":
                self.at += 1
                part = {
                    "*": _UNKNOWN,
                    "+": _joined([part, _UNKNOWN]),
                    "?": _either([part, _EMPTY]),
                }[char]
            else:
                return part
            if self._peek() == "?":  # As few as possible are as many as there are.
                self.at += 1

    def _atom(self) -> _Part:
        char = self.text[self.at]
        if char == "(":
            return self._group()
        if char == "[":
            return self._class()
        if char == "\\":
            return self._escape()
        self.at += 1
        if char == ".":
            return _UNKNOWN
        if char in "^$":
            return _EMPTY
        if char in "*+?":
            raise _UnknownSyntaxError
        return _char(char, has_case=self.has_case)

    def _group(self) -> _Part:
        found = _GROUP.match(self.text, self.at)
        flags = (found["flags"] or "") if found else ""
        if not found or not _FLAGS.issuperset(flags) or self.depth == DEEPEST:
            raise _UnknownSyntaxError
        self.at = found.end()
        before = self.has_case
        off = flags.partition("-")[2]
        if "i" in flags:
            self.has_case = "i" in off
        if found["end"] == ")":
            return _EMPTY
        self.depth += 1
        part = self._alternatives()
        self.depth -= 1
        self.has_case = before
        if self._peek() != ")":
            raise _UnknownSyntaxError
        self.at += 1
        return part

    def _escape(self) -> _Part:
        self.at += 1
        char = self._peek()
        if numbered := _NUMBERED.match(self.text, self.at - 1):
            self.at = numbered.end()
            code = int(numbered[1] or numbered[2], 16)
            if code > 0x10FFFF or 0xD800 <= code < 0xE000:
                raise _UnknownSyntaxError
            return _char(chr(code), has_case=self.has_case)
        if kind := _CLASS_TYPE.match(self.text, self.at - 1):
            self.at = kind.end()
            return _UNKNOWN
        self.at += 1
        if char and char in "bBAz":
            return _EMPTY
        if char in _CONTROLS:
            return _char(_CONTROLS[char], has_case=self.has_case)
        if not char or char.isalnum() or not char.isascii():
            raise _UnknownSyntaxError
        return _char(char, has_case=self.has_case)

    def _class(self) -> _Part:
        """Return a class in brackets; unknown unless it is a few plain characters."""
        self.at += 1
        chars: list[str] | None = []
        if self._peek() == "^":
            self.at += 1
            chars = None
        is_first = True
        while is_first or self._peek() != "]":
            is_first = False
            if kind := _CLASS_TYPE.match(self.text, self.at):
                self.at = kind.end()
                chars = None
                continue
            char = self._peek()
            if not char:
                raise _UnknownSyntaxError
            if char == "\\":
                self._escape()
                chars = None
                continue
            self.at += 1
            if chars is not None:
                chars.append(char)
        self.at += 1
        if chars is None or "-" in chars or len(chars) > _FEW_CHARS:
            return _UNKNOWN
        return _either([_char(char, has_case=self.has_case) for char in chars])

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]


def _copies(part: _Part, least: int, *, is_more: bool) -> _Part:
    """Return `part` at least so many times."""
    if not least:
        return _UNKNOWN
    parts = [part] * min(least, SAME_TWICE)
    if is_more or least > SAME_TWICE:
        parts.append(_UNKNOWN)
    return _joined(parts)
