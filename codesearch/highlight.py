"""Code as HTML lines: coloured, escaped, with the query's words marked.

Everything that comes from a repository passes `_piece`, the only place that
makes HTML of it. Lines count from 1.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape

from django.utils.safestring import SafeString
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.token import STANDARD_TYPES, _TokenType
from pygments.util import ClassNotFound

from indexer.pipeline.literals import Pattern, joined_spans
from indexer.pipeline.terms import tokenize

COLOUR_LIMIT = 1_000_000  # Characters shown. Above it a lexer takes seconds: plain.
LINE_LIMIT = 500  # Characters shown of one line; the rest is counted beside it.
EXCERPT_LIMIT = 5_000  # Characters of what is lexed once for all who see it.

Pieces = list[tuple[str, str]]  # Of a line: the class of each, and its text.
Spans = Sequence[tuple[int, int]]  # Of a text: characters, half-open, rising, apart.

_WORD = re.compile(r"[^\W\d]\w*|\d+")
# Characters that change how the text around them looks, or that cannot be seen:
# controls, soft hyphen, bidirectional marks and overrides, zero-width characters,
# line separators, tag characters ("Trojan Source", CVE-2021-42574).
_UNSEEN = re.compile(
    "([\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e007f])"
)
# Tokens that may be the name of a definition. Not those of keywords, `self` and labels.
NAME_CLASSES = frozenset(
    ("n", "na", "nb", "nc", "ne", "nf", "nn", "no", "nv", "nx", "fm", "vc", "vg", "vi")
)

FindUrl = Callable[[str], str]  # The address of what a name stands for, or "".


@dataclass(frozen=True, slots=True)
class Line:
    """One line of code. `cut` counts the characters that `html` leaves out."""

    number: int
    html: SafeString
    cut: int = 0


def highlight_lines(
    text: str,
    *,
    language: str = "",
    path: str = "",
    terms: Iterable[str] = (),
    literals: Sequence[Pattern] = (),
    first: int = 1,
    shown: Container[int] | None = None,
    find_url: FindUrl | None = None,
) -> list[Line]:
    """Return the lines of `text` as HTML; the first is number `first`.

    The lexer is that of `language`, else that of the file name of `path`, else
    plain text. Words that share a term with `terms` and what `literals` match stand in
    `<mark>`, and the names that `find_url` knows are links. A line is read and shown
    up to `LINE_LIMIT` characters: a file of one line takes a lexer 0.1 s a 100 kB. With
    `shown` only the lines of these numbers are returned.
    """
    if not text:
        return []
    wanted = frozenset(terms)
    lines = text.removesuffix("\n").split("\n")
    source = "\n".join(line[:LINE_LIMIT] for line in lines)
    name = path.rpartition("/")[2]
    pieces: Iterable[Pieces]
    if len(source) > COLOUR_LIMIT:
        pieces = _split_lines(TextLexer, source)
    elif len(source) > EXCERPT_LIMIT:
        pieces = _split_lines(find_lexer(language, name), source)
    else:
        pieces = _split_excerpt(language, name, source)
    numbered = enumerate(zip(pieces, lines, strict=False), first)
    return [
        Line(
            number,
            _line(tokens, wanted, find_url, joined_spans(literals, line)),
            max(0, len(line) - LINE_LIMIT),
        )
        for number, (tokens, line) in numbered
        if shown is None or number in shown
    ]


def highlight_numbered(
    lines: Mapping[int, str],
    *,
    language: str = "",
    path: str = "",
    terms: Iterable[str] = (),
    literals: Sequence[Pattern] = (),
    shown: Container[int] | None = None,
) -> dict[int, Line]:
    """Return some lines of a file as HTML, by number, lexed as if they adjoined.

    Only these lines are lexed: a whole file takes a lexer up to 0.2 s. With `shown`
    only the lines of these numbers are returned.
    """
    places = {
        place: number
        for place, number in enumerate(lines, 1)
        if shown is None or number in shown
    }
    html = highlight_lines(
        "\n".join(lines.values()) or "\n",
        language=language,
        path=path,
        terms=terms,
        literals=literals,
        shown=places,
    )
    by_place = {line.number: line for line in html}
    blank = Line(0, SafeString(""))
    return {
        number: replace(by_place.get(place, blank), number=number)
        for place, number in places.items()
    }


def mark_spans(number: int, text: str, spans: Sequence[Sequence[int]]) -> Line:
    """Return a line as plain HTML with some spans of characters in `<mark>`.

    Of a long one the characters about the first span, as many as are shown.
    """
    first = spans[0][0] if spans else 0
    start = max(0, first - LINE_LIMIT // 4) if len(text) > LINE_LIMIT else 0
    shown = text[start : start + LINE_LIMIT]
    html, end = ["… "] if start else [], 0
    for span in spans:
        left, right = (min(max(at - start, 0), len(shown)) for at in span)
        if left < right:
            html += [_show(shown[end:left]), f"<mark>{_show(shown[left:right])}</mark>"]
            end = right
    html.append(_show(shown[end:]))
    # Safe: `_show` has escaped every character of the repository's text.
    return Line(number, SafeString("".join(html)), len(text) - len(shown))


@lru_cache(maxsize=256)
def find_lexer(language: str, name: str) -> type[Lexer]:
    """Return the lexer for a language, else for a file name, else plain text."""
    try:
        named: type[Lexer] = type(get_lexer_by_name(language))
        return named
    except ClassNotFound:
        pass
    try:
        found: type[Lexer] = type(get_lexer_for_filename(name))
        return found
    except ClassNotFound:
        plain: type[Lexer] = TextLexer
        return plain


@lru_cache(maxsize=1024)  # Every key of a query brings many of the same excerpts.
def _split_excerpt(language: str, name: str, text: str) -> list[Pieces]:
    return list(_split_lines(find_lexer(language, name), text))


def _split_lines(lexer: type[Lexer], text: str) -> Iterator[Pieces]:
    """Yield the (class, text) pieces of each line; no piece holds a line end."""
    # Not `get_tokens`: it deletes leading blank lines unless told otherwise and
    # turns a lone CR into a line end, and either shifts every number.
    line: Pieces = []
    for _, kind, value in lexer(stripnl=False).get_tokens_unprocessed(text):
        css = css_class(kind)
        head, *rest = value.split("\n")
        if head:
            line.append((css, head))
        for piece in rest:
            yield line
            line = [(css, piece)] if piece else []
    yield line


@lru_cache(maxsize=512)
def css_class(kind: _TokenType) -> str:
    """Return the short class of a token type, or that of its nearest parent."""
    while kind not in STANDARD_TYPES and kind.parent is not None:
        kind = kind.parent
    name: str = STANDARD_TYPES.get(kind, "")
    return name


def _line(
    tokens: Pieces, wanted: frozenset[str], find_url: FindUrl | None, spans: Spans
) -> SafeString:
    """Return one line's HTML; `spans` of it are marked."""
    html = []
    start = 0
    for css, text in tokens:
        end = start + len(text)
        inside = [
            (max(first, start) - start, min(last, end) - start)
            for first, last in spans
            if first < end and last > start
        ]
        html.append(_piece(css, text, wanted, find_url, inside))
        start = end
    # Safe: `_piece` has escaped every character of the repository's text.
    return SafeString("".join(html))


def _piece(
    css: str,
    text: str,
    wanted: frozenset[str],
    find_url: FindUrl | None,
    spans: Spans,
) -> str:
    inner = _mark_within(text, spans, wanted)
    if find_url and css in NAME_CLASSES and (url := find_url(text)):
        return f'<a class="{css}" href="{escape(url)}">{inner}</a>'
    return f'<span class="{css}">{inner}</span>' if css else inner


def _mark_within(text: str, spans: Spans, wanted: frozenset[str]) -> str:
    """Return a text with these spans marked, and between them the wanted words."""
    html: list[str] = []
    end = 0
    for first, last in spans:
        html.append(_mark(text[end:first], wanted))
        html.append(f"<mark>{_show(text[first:last])}</mark>")
        end = last
    html.append(_mark(text[end:], wanted))
    return "".join(html)


def _mark(text: str, wanted: frozenset[str]) -> str:
    if not wanted:
        return _show(text)
    html: list[str] = []
    end = 0
    for word in _WORD.finditer(text):
        if not wanted.isdisjoint(tokenize(word.group())):
            html.append(_show(text[end : word.start()]))
            html.append(f"<mark>{_show(word.group())}</mark>")
            end = word.end()
    html.append(_show(text[end:]))
    return "".join(html)


def _show(text: str) -> str:
    """Return `text` escaped, with characters that cannot be seen written out."""
    if not _UNSEEN.search(text):
        return escape(text)
    pieces = _UNSEEN.split(text)
    return "".join(
        _written_out(piece) if i % 2 else escape(piece)
        for i, piece in enumerate(pieces)
    )


def _written_out(character: str) -> str:
    """Return an unseen character as its number, which the style sheet prints.

    Copied is the character itself, which stands alone and so turns nothing around.
    Controls are copied as their numbers: HTML cannot hold them.
    """
    code = f"U+{ord(character):04X}"
    if unicodedata.category(character) == "Cc":
        return f'<span class="ctrl">{code}</span>'
    return f'<span class="ctrl" data-code="{code}"><bdi>{character}</bdi></span>'


def count_unseen(text: str) -> int:
    """Return how many characters of `text` cannot be seen or turn those around them.

    Without the controls that every terminal and printer knows.
    """
    return sum(c not in "\x0c\r" for c in _UNSEEN.findall(text))


def show_unseen(text: str) -> SafeString:
    """Return a path or a name as HTML, escaped, unseen characters written out."""
    return SafeString(_show(text))
