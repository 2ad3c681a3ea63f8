"""The records of the write side: plain data that does no work.

Lines count from 1 and are inclusive. Bytes are half-open offsets into the
file's normalised text encoded as UTF-8 (decoded, no byte order mark, LF line
ends), never into the raw blob.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

NONE = -1  # In arrays of ordinals and sizes: there is none.


class SkipReason(StrEnum):
    """Why a tree entry, or some of its lines, is not searchable."""

    EMPTY = "empty"
    BINARY = "binary"
    LFS_POINTER = "lfs_pointer"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    TOO_LARGE = "too_large"
    MINIFIED = "minified"
    ENCODED = "encoded"
    UNDECODABLE = "undecodable"
    LONG_LINE = "long_line"
    SECRET = "secret"  # noqa: S105  a reason, not one
    PARSE_TIMEOUT = "parse_timeout"
    PARSE_CRASH = "parse_crash"


class FileMode(StrEnum):
    """How a file was read; as data means a summary only."""

    SYMBOL = "symbol"
    SECTION = "section"
    FILE = "file"
    WINDOW = "window"
    DATA = "data"


class ChunkKind(StrEnum):
    """What a chunk is; the symbol kinds are those of the language tables."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    INTERFACE = "interface"
    ENUM = "enum"
    TYPE = "type"
    NAMESPACE = "namespace"
    MACRO = "macro"
    PROPERTY = "property"  # one with code of its own; others belong to their class
    MODULE = "module"  # what is left of a file when its symbols are taken out
    SECTION = "section"  # a heading and what is directly below it
    FILE = "file"  # a file that is one thing
    WINDOW = "window"


class Mark(StrEnum):
    """What a file or a chunk is besides its language; it is searched all the same."""

    TEST = "test"
    GENERATED = "generated"
    VENDORED = "vendored"
    DOCUMENTATION = "documentation"
    EXAMPLE = "example"
    REEXPORT = "reexport"


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One entry of a commit's tree, as `git ls-tree -z -l` prints it.

    `path` is the raw bytes of the name. `size` is None for a submodule and a folder.
    """

    path: bytes
    mode: str
    oid: str
    size: int | None


@dataclass(frozen=True, slots=True)
class Source:
    """A blob as text: decoded, without byte order mark, with LF line ends."""

    text: str
    encoding: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """One definition found by the parser.

    `name` is qualified by the enclosing symbols (`QuerySet.get`), `parent` is
    the enclosing symbol's qualified name or None. `start_line` is the line of
    the first decorator or `export`; `end_line` that of the last token. `doc` is
    the whole docstring or leading comment with its markers stripped, None when
    there is none. `signature` is the definition's head without its body, on one
    line. `breaks` are the places where a long body may be cut: (byte, depth)
    pairs, the byte where a block inside the symbol begins, depth 0 outermost.
    `cell` is the notebook cell it stands in, from 0, and its lines then count in
    that cell; its bytes are those of the whole text all the same.
    """

    name: str
    kind: ChunkKind
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    signature: str
    doc: str | None
    decorators: tuple[str, ...]
    parent: str | None
    breaks: tuple[tuple[int, int], ...] = ()
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What the parser found in one file.

    `symbols` are in order of start byte, outer before inner. `unparsed` are the
    line ranges the parser could not read (ERROR nodes), inclusive. `doc` is the
    module's docstring or leading comment, or None. `imports` are module names
    in order of appearance, without repeats. `timed_out` is true where the parser
    was given up; then no line is read.
    """

    language: str
    symbols: tuple[Symbol, ...]
    doc: str | None
    imports: tuple[str, ...]
    unparsed: tuple[tuple[int, int], ...] = ()
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class Chunk:
    """The unit of retrieval: what can be a hit.

    A symbol, a module's remainder, a section, a file that is one thing, or a
    window. `symbol` is the qualified name or the path of headings, "" for what
    has none.
    `spans` are the byte ranges whose text is this chunk's own (a class without
    its methods, a module without its symbols); their lines lie within
    `start_line`..`end_line`. `members` are the signatures of the symbols taken
    out of a class. `signature` is the path of headings of a section, and the
    top-level keys of a file that is one thing.
    """

    symbol: str
    kind: ChunkKind
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    spans: tuple[tuple[int, int], ...]
    signature: str = ""
    doc: str | None = None
    decorators: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    breaks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkTexts:
    """What is encoded and indexed of one chunk, below its context line or with it.

    Below it, each of its lines begins with a LF. `purpose` is None for a window.
    `body_breaks` are offsets in `body`, in characters, with their depth: where an
    over-long body may be cut.
    """

    purpose: str | None
    body: str
    body_breaks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """What became of one tree entry. There is exactly one line for every entry.

    `mode` is None when the entry was skipped, and then `reason` says why.
    `partial` are line ranges that were left out of an indexed file, with
    `reason`. `lines` is 0 for what was not decoded.
    """

    language: str
    mode: FileMode | None
    reason: SkipReason | None = None
    partial: tuple[tuple[int, int], ...] = ()
    lines: int = 0
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class FileResult:
    """The content of one tree entry, read by the rule of its path.

    Nothing else of the path is in it. `chunks`, `texts`, `line_spans`, `digests` and
    `imports` have the same length and are in order of start byte; `texts` are those
    below the context line, `line_spans` each chunk's spans as line ranges, `digests`
    what its content is recognised by, None where it is too short, `imports` its
    statements if they are all it holds. `marks` are those that the text tells.
    `head` is the start of the text of a file without chunks. `modules` are what it
    imports, `defines` its top-level names. `is_place` is true of what has a summary:
    all but what was skipped, and what is only too large.
    """

    line: LedgerLine
    chunks: tuple[Chunk, ...] = ()
    texts: tuple[ChunkTexts, ...] = ()
    line_spans: tuple[tuple[tuple[int, int], ...], ...] = ()
    marks: tuple[Mark, ...] = ()
    digests: tuple[bytes | None, ...] = ()
    imports: tuple[tuple[str, ...], ...] = ()
    head: str = ""
    modules: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    doc: str | None = None
    is_place: bool = False
