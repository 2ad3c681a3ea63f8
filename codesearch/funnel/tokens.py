"""Tokens: a query cut into words, phrases, regular expressions, filters and signs.

Code is pasted into queries, so a sign means something only where it begins a word, and
closes what it opened: `print("x")` and `a->b` are words. A parenthesis without a
partner is a word too. In time linear in the length of the query.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from codesearch.funnel.expression import FilterError

Kind = Literal["(", ")", "not", "and", "or", "word", "phrase", "regex", "filter"]
_OPERATORS: dict[str, Kind] = {"AND": "and", "OR": "or", "NOT": "not"}

CONTENT = ("content", "c")
QUOTE_IT = "in quotation marks it would be text"
_BLANK = re.compile(r"\s*")
_OPERATOR = re.compile(r"(AND|OR|NOT)(?=[\s)]|$)")
# Not `->`, `--flag`, `-1`, nor `-` alone.
_MINUS = re.compile(r'-(?=[^\W\d]|["(]|/\S|[.@#$][^\W\d])')
# With nothing behind the colon (`path: str`), or with two (`path::Path`), it is code.
_NAME = re.compile(r"([A-Za-z]+):(?![:\s)]|$)")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
# Not `x / y / z`, `/usr/bin` nor `/* */`.
_SLASHED = re.compile(r"/((?![\s*])(?:[^/\\]|\\.)++)/(?=[\s)]|$)", re.DOTALL)
_ESCAPED = re.compile(r'\\(["\\])')
_TO_QUOTE, _TO_ESCAPE = re.compile(r'[\s"()]'), re.compile(r'["\\]')
_APART = re.compile(r"(?=[\s)]|$)")
_BIT = re.compile(r"\\\S|[()]|[^\s()\\]+|\\")  # Of a word; `\(` is no parenthesis.


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a query: `text` as typed at `start`, in characters from 0.

    `value` is what is within the marks of a phrase or regular expression, or behind
    the colon of the filter called `name`.
    """

    kind: Kind
    text: str
    start: int
    value: str = ""
    name: str = ""


@dataclass(slots=True)
class _Open:
    """A group that is not closed yet, by the number of its token.

    `inner` counts the parentheses of words in it that nothing has closed so far.
    """

    token: int
    inner: int = 0
    has_or: bool = False


def read_tokens(text: str, names: Mapping[str, re.Pattern[str]]) -> list[Token]:
    """Return the tokens of a query in order.

    `names` are those of filters, each with how a value of it begins.

    Raises FilterError for a quotation mark or group that nothing closes.
    """
    return _Reader(text, names).read()


class _Reader:
    """Reads one query from left to right."""

    def __init__(self, text: str, names: Mapping[str, re.Pattern[str]]) -> None:
        self._text, self._names = text, names
        self._at = 0
        self._tokens: list[Token] = []
        self._groups = [_Open(-1)]  # The first is the query itself.

    def read(self) -> list[Token]:
        """Return all tokens."""
        while (blank := _BLANK.match(self._text, self._at)) and (
            blank.end() < len(self._text)
        ):
            self._at = blank.end()
            self._read_one()
        for group in self._groups[1:]:
            self._let_go(group)
        return self._tokens

    def _read_one(self) -> None:
        sign, group = self._text[self._at], self._groups[-1]
        if sign == ")" and not group.inner and len(self._groups) > 1:
            self._groups.pop()
            self._add(")", 1)
        elif sign == "(" and not self._text.startswith("()", self._at):
            self._groups.append(_Open(len(self._tokens)))
            self._add("(", 1)
        elif _MINUS.match(self._text, self._at):
            self._add("not", 1)
        elif (found := _OPERATOR.match(self._text, self._at)) and (
            self._tokens or found[1] == "NOT"  # With nothing before it, a word.
        ):
            kind = _OPERATORS[found[1]]
            group.has_or |= kind == "or"
            self._add(kind, len(found[1]))
        else:
            self._read_atom()

    def _read_atom(self) -> None:
        start = self._at
        found = _NAME.match(self._text, start)
        begins = self._names.get(found[1].lower()) if found else None
        if not found or not begins or not begins.match(self._text, found.end()):
            if not self._read_marked(start):
                self._read_word(start)
        elif found[1].lower() not in CONTENT:
            self._read_filter(found[1].lower(), found.end())
        elif not self._read_marked(found.end()):
            value = self._text[found.end() : self._end_of_word(found.end(), True)]
            self._add("phrase", found.end() - start + len(value), value)

    def _read_filter(self, name: str, value_at: int) -> None:
        """Read a filter whose value begins at `value_at`."""
        if self._text[value_at] == '"':
            found = self._find_quoted(value_at)
            value, end = unescape(found[1]), found.end()
        else:
            end = self._end_of_word(value_at, True)
            value = self._text[value_at:end]
        self._add("filter", end - self._at, value, name)

    def _read_marked(self, at: int) -> bool:
        """Read a phrase or regular expression, or a word, if its mark stands there."""
        if self._text[at] == '"':
            found = self._find_quoted(at)
            if _is_phrase(found):
                self._add("phrase", found.end() - self._at, unescape(found[1]))
            else:
                self._read_word(found.end())
            return True
        if slashed := _SLASHED.match(self._text, at):
            value = slashed[1].replace("\\/", "/")
            self._add("regex", slashed.end() - self._at, value)
        return slashed is not None

    def _read_word(self, at: int) -> None:
        """Read a word that goes on at `at`."""
        is_negated = bool(self._tokens) and self._tokens[-1].kind == "not"
        is_alone = is_negated and self._text[self._at] != ")"
        self._add("word", self._end_of_word(at, is_alone) - self._at)

    def _end_of_word(self, at: int, is_alone: bool) -> int:
        """Return where a word ends that goes on at `at`.

        One that `is_alone` closes no parenthesis of another word, nor another its own:
        it can be dropped, and the rest is read as before.
        """
        own, group = 0, self._groups[-1]
        while found := _BIT.match(self._text, at):
            if found[0] == "(":
                own += 1
            elif found[0] == ")":
                if own:
                    own -= 1
                elif group.inner and not is_alone:
                    group.inner -= 1
                elif group.inner or len(self._groups) > 1:
                    break
            at = found.end()
        group.inner += 0 if is_alone else own
        return at

    def _find_quoted(self, at: int) -> re.Match[str]:
        if found := _QUOTED.match(self._text, at):
            return found
        rest = self._text[self._at :].rstrip()
        raise FilterError(rest, self._at, "nothing closes its quotation mark")

    def _let_go(self, group: _Open) -> None:
        """Make a word of the parenthesis of a group without an end.

        Raises FilterError where it matters how far the group goes.
        """
        token = self._tokens[group.token]
        before = self._tokens[group.token - 1].kind if group.token else "word"
        if group.has_or or before in ("or", "not"):
            rest = self._text[token.start :].rstrip()
            why = f"nothing closes its parenthesis; {QUOTE_IT}"
            raise FilterError(rest, token.start, why)
        self._tokens[group.token] = replace(token, kind="word")

    def _add(self, kind: Kind, length: int, value: str = "", name: str = "") -> None:
        text = self._text[self._at : self._at + length]
        self._tokens.append(Token(kind, text, self._at, value, name))
        self._at += length


def quote(value: str) -> str:
    """Return the value of a filter as it is written: in marks where it needs them."""
    if not _TO_QUOTE.search(value):
        return value
    return '"{}"'.format(_TO_ESCAPE.sub(r"\\\g<0>", value))


def unescape(quoted: str) -> str:
    r"""Return what stands between quotation marks: `\"` is one, `\\` a backslash."""
    return _ESCAPED.sub(r"\1", quoted)


def _is_phrase(quoted: re.Match[str]) -> bool:
    """Tell whether quotation marks are those of a phrase, not of code: `"key":`."""
    within = quoted[1]
    is_apart = _APART.match(quoted.string, quoted.end()) is not None
    return bool(within.strip()) and (is_apart or any(map(str.isspace, within)))
