"""Parts: an over-long text becomes several that the model reads whole.

Nothing is cut off: the parts without their heads, put together, are the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

Span = tuple[int, int]
Count = Callable[[Sequence[str]], list[int]]

_LINE = re.compile(r"\n")
_PARAGRAPH = re.compile(r"\n\s*\n")
_SENTENCE = re.compile(r"[.!?][)\"'`]*\s+")
_NAME = re.compile(r"[,;]\s*")
_WORD = re.compile(r"\s+")

CODE_CUTS = (_LINE, _NAME, _WORD)
PROSE_CUTS = (_PARAGRAPH, _SENTENCE, _LINE, _NAME, _WORD)


def split_text(
    text: str,
    *,
    breaks: Sequence[tuple[int, int]],
    limit: int,
    count: Count,
    head: str = "",
) -> list[str]:
    """Return `text` as parts of at most `limit` tokens by `count`, in order.

    A text that fits is its own only part. Otherwise it is cut at the outermost
    of `breaks` (character offset, depth) that make every piece fit; a piece
    without breaks inside at line ends, then words, then characters. Without any
    breaks it is prose: paragraphs and sentences come before lines. Pieces are
    packed greedily. `head` and a line end stand before every part but the
    first, unless the head takes more than half of `limit`.

    Raises ValueError if not even one character fits.
    """
    prefix = f"{head}\n" if head else ""
    whole, opening, empty = count([text, prefix, ""])
    if whole <= limit:
        return [text]
    if opening > limit // 2:
        prefix, opening = "", empty

    pieces: dict[Span, int] = {}
    for spans in _divide(text, breaks, prefix, limit, count):
        pieces.update(spans)
    groups = _pack(pieces, opening, first=limit - empty, rest=limit - opening)
    return _checked(text, groups, prefix, limit, count)


def _divide(
    text: str, breaks: Sequence[tuple[int, int]], prefix: str, limit: int, count: Count
) -> Iterator[dict[Span, int]]:
    """Yield pieces that fit with their token counts, outermost cuts first.

    A count includes `prefix`.
    """
    levels = _levels(text, breaks)
    long: list[Span] = [(0, len(text))]
    while long:
        cuts = next(levels, None)
        whole: list[Span] = []
        pieces: list[Span] = []
        for span in long:
            found = _halves(span, limit) if cuts is None else _cut(span, cuts)
            (pieces if len(found) > 1 else whole).extend(found)
        counts = count([prefix + text[start:end] for start, end in pieces])
        sized = dict(zip(pieces, counts, strict=True))
        yield {span: size for span, size in sized.items() if size <= limit}
        long = whole + [span for span, size in sized.items() if size > limit]


def _levels(text: str, breaks: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """Yield the offsets where `text` may be cut, coarsest level first."""
    for depth in sorted({depth for _, depth in breaks}):
        yield sorted({offset for offset, d in breaks if d <= depth})
    for pattern in CODE_CUTS if breaks else PROSE_CUTS:
        yield [found.end() for found in pattern.finditer(text)]


def _cut(span: Span, cuts: list[int]) -> list[Span]:
    start, end = span
    inner = cuts[bisect_right(cuts, start) : bisect_left(cuts, end)]
    return list(zip([start, *inner], [*inner, end], strict=True))


def _halves(span: Span, limit: int) -> list[Span]:
    start, end = span
    if end - start < 2:
        raise ValueError(f"limit of {limit} tokens is too small for one character")
    middle = (start + end) // 2
    return [(start, middle), (middle, end)]


def _pack(
    pieces: dict[Span, int], opening: int, *, first: int, rest: int
) -> list[list[Span]]:
    """Return the pieces in order, as groups that are expected to fit."""
    groups: list[list[Span]] = [[]]
    room = first
    for span in sorted(pieces):
        size = max(pieces[span] - opening, 0)
        if size > room and groups[-1]:
            groups.append([])
            room = rest
        groups[-1].append(span)
        room -= size
    return groups


def _checked(
    text: str, groups: list[list[Span]], prefix: str, limit: int, count: Count
) -> list[str]:
    """Return the groups as parts; one that proves too long is halved.

    Tokens of neighbours need not add up, so the sum was only an estimate. A
    group of one piece fits, because it was counted with its prefix.
    """
    while True:
        parts = [text[group[0][0] : group[-1][1]] for group in groups]
        parts[1:] = [prefix + part for part in parts[1:]]
        long = [
            size > limit and len(group) > 1
            for size, group in zip(count(parts), groups, strict=True)
        ]
        if not any(long):
            return parts
        halved: list[list[Span]] = []
        for group, is_long in zip(groups, long, strict=True):
            middle = len(group) // 2 if is_long else 0
            halved += [group[:middle], group[middle:]] if middle else [group]
        groups = halved
