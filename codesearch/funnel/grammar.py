"""Grammar: the tree of a query, and what is left of its text to be ranked by.

Side by side and AND are all, OR is any, NOT or `-` is not; OR binds least. A filter at
the very beginning or end of an OR holds for all of it, if no other stands within:
`lang:go open OR close` is `lang:go (open OR close)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from codesearch.funnel.expression import (
    All,
    Any,
    Filter,
    FilterError,
    Literal,
    Node,
    Not,
    Word,
    name_of,
)
from codesearch.funnel.filters import read_filter
from codesearch.funnel.tokens import QUOTE_IT, Token
from indexer.pipeline.literals import Pattern, PatternError, compile_pattern

MOST_DEPTH = 20  # Groups within groups; nobody reads more, and each costs a call.

Cut = tuple[int, int, str]  # From and to before, in characters, and what is there then.


class Parser:
    """Reads the tokens of one query; `cuts` is what is no text of it, in order."""

    def __init__(self, typed: str, tokens: Sequence[Token], has_case: bool) -> None:
        self._typed, self._tokens, self._has_case = typed, tokens, has_case
        self._next = 0
        self._depth = 0
        self.cuts: list[Cut] = []

    def parse(self) -> Node:
        """Return the tree. Raises FilterError."""
        return self._read_any()

    def _peek(self) -> Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _take(self, *kinds: str) -> Token | None:
        """Return the next token and go on, if it is of one of these kinds."""
        token = self._peek()
        if token is None or token.kind not in kinds:
            return None
        self._next += 1
        if token.kind in ("and", "or", "not"):
            self.cuts.append((token.start, token.start + len(token.text), ""))
        return token

    def _read_any(self) -> Node:
        """Read what stands between ORs."""
        rows = [self._read_all()]
        while sign := self._take("or"):
            _refuse_if(not rows[-1], sign, "nothing stands before it")
            rows.append(self._read_all())
            _refuse_if(not rows[-1], sign, "nothing stands behind it")
        if len(rows) == 1:
            return self._all(rows[0])
        first, last = _shared(rows)
        rows[0], rows[-1] = rows[0][len(first) :], rows[-1][: len(rows[-1]) - len(last)]
        parts = tuple(map(self._all, rows))
        within = Any(*self._span(parts), parts)
        return self._all([*first, within, *last])

    def _read_all(self) -> list[Node]:
        """Read what stands side by side."""
        parts: list[Node] = []
        while (token := self._peek()) and token.kind not in (")", "or"):
            if sign := self._take("and"):
                _refuse_if(not parts, sign, "nothing stands before it")
                behind = self._peek()
                is_last = behind is None or behind.kind in (")", "or", "and")
                _refuse_if(is_last, sign, "nothing stands behind it")
            parts.append(self._read_one())
        return parts

    def _read_one(self) -> Node:
        """Read one part, with what negates it."""
        sign = self._take("not")
        if sign is None:
            return self._read_atom()
        behind = self._peek()
        is_last = behind is None or behind.kind in (")", "or", "and")
        _refuse_if(is_last, sign, "nothing stands behind it")
        if again := self._take("not"):
            _refuse_if(True, again, "it stands behind another one")
        cuts = len(self.cuts)
        part = self._read_atom()
        self.cuts[cuts - 1 :] = [(sign.start, self._at, "")]
        return Not(self._typed[sign.start : self._at], sign.start, part)

    @property
    def _at(self) -> int:
        """Where the last token ends."""
        token = self._tokens[self._next - 1]
        return token.start + len(token.text)

    def _read_atom(self) -> Node:
        if opening := self._take("("):
            return self._read_group(opening)
        token = self._tokens[self._next]
        self._next += 1
        where = token.text, token.start
        if token.kind == "word":
            return Word(*where)
        self.cuts.append((token.start, self._at, _text_of(token)))
        if token.kind == "filter":
            return read_filter(token, has_case=self._has_case)
        is_regex = token.kind == "regex"
        pattern = Pattern(token.value, is_regex, self._has_case)
        try:
            compile_pattern(pattern)
        except PatternError as error:
            raise FilterError(*where, f"it cannot be read: {error}") from error
        return Literal(*where, pattern)

    def _read_group(self, opening: Token) -> Node:
        """Read a group; its parentheses are text where there are only words in it."""
        self._depth += 1
        if self._depth > MOST_DEPTH:
            why = f"more than {MOST_DEPTH} groups stand in each other; {QUOTE_IT}"
            raise FilterError("(", opening.start, why)
        cuts = len(self.cuts)
        node = self._read_any()
        self._take(")")
        self._depth -= 1
        if len(self.cuts) > cuts:
            self.cuts.insert(cuts, (opening.start, opening.start + 1, ""))
            self.cuts.append((self._at - 1, self._at, ""))
        return node

    def _all(self, parts: Sequence[Node]) -> Node:
        return parts[0] if len(parts) == 1 else All(*self._span(parts), tuple(parts))

    def _span(self, parts: Sequence[Node]) -> tuple[str, int]:
        """Return the text of some neighbours, and where it starts."""
        if not parts:
            return "", 0
        start = parts[0].start
        return self._typed[start : parts[-1].end], start


def _text_of(token: Token) -> str:
    """Return what a token adds to the text: only a phrase does, its words."""
    return token.value if token.kind == "phrase" else ""


def _refuse_if(is_wrong: bool, sign: Token, why: str) -> None:
    if is_wrong:
        raise FilterError(sign.text, sign.start, f"{why}; {QUOTE_IT}")


def _shared(rows: Sequence[list[Node]]) -> tuple[list[Node], list[Node]]:
    """Return the filters at the ends of an OR that hold for all of it."""
    first = list(takewhile(_is_filter, rows[0]))
    last = list(takewhile(_is_filter, reversed(rows[-1])))[::-1]
    count = sum(_is_filter(node) for row in rows for node in row)
    is_mixed = {*map(name_of, first)} & {*map(name_of, last)}
    if count > len(first) + len(last) or is_mixed:
        return [], []
    if len(first) == len(rows[0]) or len(last) == len(rows[-1]):
        return [], []  # `lang:go OR open`: it is one of the choices.
    return first, last


def _is_filter(node: Node) -> bool:
    return isinstance(node.part if isinstance(node, Not) else node, Filter)


def cut_text(typed: str, cuts: Iterable[Cut]) -> str:
    """Return a text without what is cut out of it; it is as typed without any."""
    pieces, at = [], 0
    for start, end, instead in cuts:
        pieces += [typed[at:start], instead]
        at = end
    if not pieces:
        return typed
    pieces.append(typed[at:])
    return " ".join(kept for piece in pieces if (kept := piece.strip()))
