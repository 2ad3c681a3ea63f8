"""Marks: what a file or a chunk is besides its language, by rules that are data.

A mark takes nothing out of the index. Ranking and filters read it, and a person
sees why a hit stands where it does.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from indexer.pipeline.types import Chunk, ChunkKind, Mark

HEAD_LINES = 10  # a generator says so at the top
LEAST_DUPLICATE_LINES = 3  # not blank; shorter texts are alike by chance
MOST_REEXPORT_LINES = 12  # 291 such stubs in Django; longer ones say more
MOST_REEXPORT_BYTES = 8192  # with comments; a line without end takes minutes

LATER = frozenset(Mark) - {Mark.REEXPORT}  # Seldom what a query is for.

# Of the path. `contest.py`, `latest/` and Django's own `django/test/` are no tests.
_PATHS: Mapping[Mark, re.Pattern[str]] = {
    Mark.TEST: re.compile(
        r"(?:^|/)(?:tests|__tests__|specs?|e2e|testdata|__snapshots__|__mocks__)/"
        r"|(?:^|/)test/(?!.*\.pyi?\Z)"
        r"|(?:^|/)(?:test_[^/]*|[^/]*_test|tests|conftest)\.\w+\Z"
        r"|(?:^|/)[^/]+[._-](?:test|tests|spec)\.\w+\Z"
        r"|(?:^|/)\w*(?:[a-z0-9]Tests?|[a-z0-9]TestCase|[a-z0-9]Spec)\.[a-z]+\Z"
    ),
    Mark.GENERATED: re.compile(
        r"_pb2(?:_grpc)?\.pyi?\Z|\.pb(?:\.gw)?\.(?:go|cc|h|swift)\Z"
        r"|\.(?:g|freezed|designer|generated|gen)\.\w+\Z|_generated\.\w+\Z"
        r"|(?:^|/)zz_generated[^/]*\Z|(?:^|/)(?:__generated__|generated)/"
        r"|\.min\.(?:js|css)\Z",
        re.IGNORECASE,
    ),
    Mark.VENDORED: re.compile(
        r"(?:^|/)(?:node_modules|bower_components|vendor|vendored|_vendor|_vendored"
        r"|third[_-]?party|3rdparty|Pods|Carthage|site-packages)/"
    ),
    Mark.DOCUMENTATION: re.compile(
        r"(?:^|/)(?:docs?|documentation)/|\.(?:md|mdx|markdown|rst|adoc|asciidoc)\Z"
        r"|(?:^|/)(?:readme|changelog|changes|contributing|licen[cs]e|copying|authors"
        r"|history|news)(?:\.\w+)?\Z",
        re.IGNORECASE,
    ),
    Mark.EXAMPLE: re.compile(
        r"(?:^|/)(?:examples?|samples?|demos?|tutorials?|quickstarts?|playground)/"
        r"|(?:^|/)[^/]*[._-](?:example|sample)(?:\.\w+)?\Z",
        re.IGNORECASE,
    ),
}
# Of the first lines.
_HEADS: Mapping[Mark, re.Pattern[str]] = {
    Mark.GENERATED: re.compile(
        r"@generated\b"
        r"|\bgenerated\b.{0,200}\bdo not (?:edit|modify|change)\b"
        r"|\bdo not (?:edit|modify|change)\b.{0,200}\bgenerated\b"
        r"|^[ \t]*(?:#|//|/?\*+|--|;|<!--|\"\"\")\W*(?:this (?:file|code) (?:was|is) )?"
        r"(?:auto[ -]?(?:matically )?)?generated (?:by|from|with)\b",
        re.IGNORECASE | re.DOTALL | re.MULTILINE,
    ),
}

_JS_IMPORTS = re.compile(
    r"import\s[^;'\"]*(?:from\s*)?['\"][^'\"\n]+['\"]"
    r"|import\s*['\"][^'\"\n]+['\"]"
    r"|export\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s*"
    r"(?:from\s*['\"][^'\"\n]+['\"])?"
    r"|(?:module\.exports\s*=|(?:const|var|let)\s[^=\n]+=)\s*"
    r"require\(['\"][^'\"\n]+['\"]\)"
)
# What only brings names in or passes them on.
_IMPORTS: Mapping[str, re.Pattern[str]] = {
    "python": re.compile(
        r"from\s+[\w.]+\s+import\s+(?:\([^()]*\)|[^\n(;\\]+)"
        r"|import\s+[\w., \t]+"
        r"|__all__\s*\+?=\s*(?:\[[^\]]*\]|\([^()]*\)|[\w.]+)"
        r"(?:\s*\+\s*(?:\[[^\]]*\]|\([^()]*\)|[\w.]+))*"
    ),
    "javascript": _JS_IMPORTS,
    "typescript": _JS_IMPORTS,
    "tsx": _JS_IMPORTS,
    "rust": re.compile(
        r"(?:#\[[^\]\n]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?"
        r"(?:use\s+[^;]+|mod\s+\w+|extern\s+crate\s+\w+)(?=;)"
    ),
    "c": re.compile(r"#\s*(?:include\b[^\n]*|pragma\s+once)"),
    "cpp": re.compile(r"#\s*(?:include\b[^\n]*|pragma\s+once)"),
}
_HASH_COMMENT = re.compile(r"(?<![^\s;])#(?!\s*(?:include|pragma)\b|\[)[^\n]*")
# Directives of JavaScript say as little of a file as its comments.
_SLASH_COMMENT = re.compile(
    r"/\*.*?\*/|(?<!:)//[^\n]*|^\s*(?:'use \w+'|\"use \w+\");?",
    re.DOTALL | re.MULTILINE,
)
_DOCSTRING = re.compile(r"\A\s*[rR]?(?:\"\"\".*?\"\"\"|'''.*?''')", re.DOTALL)


def text_marks(text: str) -> tuple[Mark, ...]:
    """Return the marks that the first lines of a file tell."""
    head = "\n".join(text[:8192].split("\n", HEAD_LINES)[:HEAD_LINES])
    return tuple(mark for mark, rule in _HEADS.items() if rule.search(head))


def file_marks(path: bytes, told: Collection[Mark] = ()) -> tuple[Mark, ...]:
    """Return the marks of a file: those of its path, and those its text `told`."""
    name = path.decode("utf-8", "replace")
    found = {mark for mark, rule in _PATHS.items() if rule.search(name)}.union(told)
    return tuple(mark for mark in Mark if mark in found)


def comes_first(marks: Iterable[str]) -> bool:
    """Tell whether a file or a chunk is product code: read and encoded before others.

    A stub that re-exports is part of it.
    """
    return LATER.isdisjoint(marks)


def import_statements(chunk: Chunk, data: bytes, language: str) -> tuple[str, ...]:
    """Return the statements of a chunk that only brings names in or passes them on.

    None where it holds anything else; comments and a docstring do not count.
    `data` is the file's text in UTF-8.
    """
    imports = _IMPORTS.get(language)
    if imports is None or chunk.kind not in (ChunkKind.MODULE, ChunkKind.WINDOW):
        return ()
    if sum(end - start for start, end in chunk.spans) > MOST_REEXPORT_BYTES:
        return ()
    text = own_text(chunk, data)
    rest = _DOCSTRING.sub("", text) if language == "python" else text
    rest = (_HASH_COMMENT if language == "python" else _SLASH_COMMENT).sub("", rest)
    if imports.sub("", rest).strip("; \t\n\f"):
        return ()
    return tuple(imports.findall(rest))


def is_reexport(statements: Sequence[str]) -> bool:
    """Tell whether a chunk of nothing but these imports has 12 lines or fewer."""
    lines = (line for text in statements for line in text.split("\n"))
    return 0 < sum(1 for line in lines if line.strip()) <= MOST_REEXPORT_LINES


def digest(chunk: Chunk, data: bytes) -> bytes | None:
    """Return what equal content is recognised by, None for fewer than three lines.

    The sha256 of the chunk's own text with each run of white space as one space.
    """
    text = own_text(chunk, data)
    if sum(1 for line in text.split("\n") if line.strip()) < LEAST_DUPLICATE_LINES:
        return None
    return hashlib.sha256(" ".join(text.split()).encode()).digest()


def own_text(chunk: Chunk, data: bytes) -> str:
    """Return the text of the chunk's spans, one below the other."""
    pieces = (data[start:end] for start, end in chunk.spans)
    return b"\n".join(pieces).decode("utf-8", "replace")
