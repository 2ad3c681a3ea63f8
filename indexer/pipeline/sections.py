"""Sections: Markdown and reStructuredText as their headings divide them.

One chunk a section: its heading and its own lines, down to the next heading of
any level. A plain scan over lines, because a file is user input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from indexer.pipeline.blobs import split_lines
from indexer.pipeline.texts import first_paragraph
from indexer.pipeline.types import Chunk, ChunkKind

MAX_SYMBOL = 200  # characters of a path of headings; a page shows no more
MAX_HEADING_LINES = 3  # of a setext heading; a longer paragraph is one
SEPARATOR = " > "

MARKUP_LANGUAGES = frozenset({"markdown", "rst"})
# What no other plain text has: directives, targets and roles.
_RST_MARKUP = re.compile(
    r"^\.\. (?:_[^:\n]+:|[\w:-]+::)|:[\w:-]{1,80}:`[^`\n]+`", re.MULTILINE
)
# What an API page documents: `.. method:: QuerySet.get(*args)`.
_DECLARED = re.compile(
    r"^[ \t]*\.\. (?:[a-z]+:)?(?:function|class|method|attribute|property|data"
    r"|exception|decorator|classmethod|staticmethod|setting|templatetag"
    r"|templatefilter|fieldlookup|django-admin)::[ \t]+([\w.-]+)",
    re.MULTILINE,
)

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*\Z")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
# Fenced code may begin on the line of its list's bullet.
_FENCE = re.compile(r" {0,3}(?:(?:[-*+]|\d{1,9}[.)]) {1,4})*+(`{3,}|~{3,})(.*)\Z")
# Whose text is no Markdown, blank lines or not; see CommonMark on HTML blocks.
_HTML = (
    (re.compile(r"\s*<!--"), re.compile("-->")),
    (
        re.compile(r" {0,3}<(?:pre|script|style|textarea)(?:[\s>]|\Z)", re.IGNORECASE),
        re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE),
    ),
)
# A paragraph that begins so is a list, a quotation, a table or HTML, not a heading.
_NO_HEADING = re.compile(r" {4}|\t| {0,3}(?:[-*+>|<]|\d+[.)])")
_TITLE = re.compile(r"""title[ \t]*[:=][ \t]*["']?(.*?)["']?[ \t]*\Z""")
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1+\Z")
_LEAST_ADORNMENT = 4  # Docutils takes a shorter one only below a title as short.


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading. Lines count from 1; `last_line` is that of its underline."""

    line: int
    last_line: int
    level: int
    title: str


@dataclass(slots=True)
class _Markdown:
    """What the scan must remember from line to line."""

    fence: str = ""
    html: re.Pattern[str] | None = None  # what ends the block of HTML
    paragraph: list[str] = field(default_factory=list)


def markup_language(language: str, text: str) -> str:
    """Return the markup of a text: plain text may be reStructuredText."""
    if language != "text" or not _RST_MARKUP.search(text):
        return language
    return "rst" if next(_rst_headings(split_lines(text)), None) else language


def declared_names(text: str) -> tuple[str, ...]:
    """Return the names that the directives of reStructuredText document, in order."""
    return tuple(dict.fromkeys(_DECLARED.findall(text)))


def section_chunks(text: str, language: str, stem: str) -> list[Chunk]:
    """Return one chunk a section, in order.

    Text before the first heading is a section named by the file's title in
    its front matter, else by `stem`. A section of blank lines is not made.
    """
    lines = split_lines(text)
    start = 1
    title = stem
    if language == "markdown":
        start, title = _front_matter(lines, stem)
    scan = _markdown_headings if language == "markdown" else _rst_headings
    headings = [one for one in scan(lines) if one.line >= start]
    marks = [Heading(1, start - 1, 0, title), *headings]
    ends = [*(one.line - 1 for one in headings), len(lines)]
    starts = [0, *accumulate(len(line.encode()) + 1 for line in lines)]
    size = len(text.encode())
    chunks = []
    for path, heading, end in zip(_paths(marks), marks, ends, strict=True):
        own = lines[heading.line - 1 : end]
        if any(line.strip() for line in own):
            chunks.append(_section(path, heading, end, lines, starts, size))
    return chunks


def _section(
    path: Sequence[str],
    heading: Heading,
    end: int,
    lines: Sequence[str],
    starts: Sequence[int],
    size: int,
) -> Chunk:
    while not lines[end - 1].strip():
        end -= 1
    first, last = starts[heading.line - 1], min(starts[end], size)
    name = SEPARATOR.join(path)
    below = "\n".join(lines[heading.last_line : end])
    breaks = [
        (starts[number], 1)
        for number in range(max(heading.last_line, 1), end)
        if lines[number].strip() and not lines[number - 1].strip()
    ]
    return Chunk(
        symbol=name if len(name) <= MAX_SYMBOL else f"{name[: MAX_SYMBOL - 1]}…",
        kind=ChunkKind.SECTION,
        start_byte=first,
        end_byte=last,
        start_line=heading.line,
        end_line=end,
        spans=((first, last),),
        signature=name,
        doc=first_paragraph(below) or None,
        breaks=tuple(breaks),
    )


def _paths(headings: Sequence[Heading]) -> Iterator[list[str]]:
    """Yield the titles from the outermost heading down to each heading."""
    open_: list[Heading] = []
    for heading in headings:
        while open_ and open_[-1].level >= heading.level:
            open_.pop()
        if open_ and open_[-1].level == 0:
            open_.pop()  # what stands before the first heading holds nothing
        open_.append(heading)
        yield [one.title for one in open_ if one.title]


# Markdown


def _front_matter(lines: Sequence[str], stem: str) -> tuple[int, str]:
    """Return the first line after the front matter, and the title it gives."""
    fence = lines[0].rstrip() if lines else ""
    if fence not in ("---", "+++"):
        return 1, stem
    if fence == "---" and not "".join(lines[1:2]).strip():
        return 1, stem  # above a blank line it is a ruler, as Pandoc has it
    title = stem
    for number, line in enumerate(lines[1:], 2):
        if line.rstrip() in (fence, "..."):
            return number + 1, title
        if found := _TITLE.match(line):
            title = found[1] or stem
    return 1, stem


def _markdown_headings(lines: Sequence[str]) -> Iterator[Heading]:
    seen = _Markdown()
    for number, line in enumerate(lines, 1):
        if _is_inside(seen, line):
            seen.paragraph.clear()
            continue
        if found := _ATX.match(line):
            seen.paragraph.clear()
            yield Heading(number, number, len(found[1]), _plain(found[2] or ""))
        elif (found := _SETEXT.match(line)) and _is_title(seen.paragraph):
            level = 1 if found[1][0] == "=" else 2
            title = " ".join(part.strip() for part in seen.paragraph)
            yield Heading(number - len(seen.paragraph), number, level, _plain(title))
            seen.paragraph.clear()
        elif line.strip():
            seen.paragraph.append(line)
        else:
            seen.paragraph.clear()


def _is_inside(seen: _Markdown, line: str) -> bool:
    """Tell whether a line belongs to fenced code or to HTML, or opens it."""
    if seen.fence:
        closing = line.strip()
        if closing.startswith(seen.fence) and not closing.strip(seen.fence[0]):
            seen.fence = ""
        return True
    if seen.html:
        seen.html = None if seen.html.search(line) else seen.html
        return True
    found = _FENCE.match(line)
    if found and not (found[1][0] == "`" and "`" in found[2]):
        seen.fence = found[1]
        return True
    for opens, closes in _HTML:
        if opens.match(line):
            seen.html = None if closes.search(line) else closes
            return True
    return False


def _is_title(paragraph: Sequence[str]) -> bool:
    return 0 < len(paragraph) <= MAX_HEADING_LINES and not any(
        map(_NO_HEADING.match, paragraph[:1])
    )


def _plain(title: str) -> str:
    return title.strip().strip("*_").replace("`", "")


# reStructuredText


def _rst_headings(lines: Sequence[str]) -> Iterator[Heading]:
    """Yield the headings; a style's level is its place in order of appearance."""
    levels: dict[str, int] = {}
    padded = ["", *lines, "", ""]
    number = 1
    while number <= len(lines):
        before, line, below, second = padded[number - 1 : number + 3]
        style = ""
        if not before.strip():
            style = _overlined(line, below, second) or _underlined(line, below)
        if not style:
            number += 1
            continue
        level = levels.setdefault(style, len(levels) + 1)
        title = below if len(style) == 2 else line
        last = number + len(style)
        yield Heading(number, last, level, _plain(title))
        number = last
        padded[last] = ""  # an underline ends what stands before the next heading
        number += 1


def _underlined(line: str, below: str) -> str:
    """Return the character that underlines `line`, "" where it is no heading."""
    if not line.strip() or line[0].isspace() or _ADORNMENT.match(line.rstrip()):
        return ""
    return _adorns(below, line.rstrip())


def _overlined(line: str, title: str, below: str) -> str:
    """Return the character of an over- and underline twice, "" where there is none."""
    style = _adorns(line, title.strip())
    if not style or not title.strip() or below.rstrip() != line.rstrip():
        return ""
    return style * 2


def _adorns(line: str, title: str) -> str:
    adornment = line.rstrip()
    found = _ADORNMENT.match(adornment)
    least = min(len(title), _LEAST_ADORNMENT)
    return found[1] if found and len(adornment) >= least else ""
