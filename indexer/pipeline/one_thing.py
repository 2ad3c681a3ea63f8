"""One-thing files: a migration, a configuration, a schema is one chunk.

Their pieces mean nothing alone. Which files they are, and what stands for the
names at their top, are data: a rule a kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import accumulate

from indexer.pipeline.blobs import split_lines
from indexer.pipeline.comments import Comment, is_licence, join_runs
from indexer.pipeline.types import Chunk, ChunkKind

MAX_ONE_THING = 64 * 1024  # bytes; where JSON, XML and YAML become data
MAX_KEYS = 60  # a purpose of more names says no more

# Before any grammar: split into symbols they are `Migration`, `up` and `down`.
_MIGRATION = re.compile(
    r"(?:^|/)migrations/\d{4}_\w+\.py\Z"  # Django
    r"|(?:^|/)versions/[0-9a-f]{8,}_\w+\.py\Z"  # Alembic
    r"|(?:^|/)db/migrate/\d+_\w+\.rb\Z"  # Rails
    r"|(?:^|/)migrations/\d{4}[\d_-]*_\w+\.php\Z"  # Laravel
    r"|(?:^|/)migrations?/[^/]*\d[^/]*\.(?:js|ts)\Z"  # Knex, TypeORM
    r"|(?:^|/)migrations?/(?:.*/)?[^/]+\.sql\Z"
    r"|(?:^|/)V\d[\w.]*__\w+\.sql\Z"  # Flyway
)
_SCHEMA = re.compile(r"(?:^|/)(?:db/schema\.rb|[^/]*schema\.sql|[^/]+\.prisma)\Z")
# Where there is no grammar for them.
_LANGUAGES = frozenset(
    {
        "json",
        "yaml",
        "toml",
        "ini",
        "dockerfile",
        "make",
        "cmake",
        "terraform",
        "go-module",
        "ignore",
        "starlark",
        "nix",
        "protobuf",
        "thrift",
        "graphql",
    }
)
# Of the languages that are text or XML otherwise.
_CONFIGURATION = re.compile(
    r"(?:^|/)(?:requirements[\w.-]*\.txt|constraints[\w.-]*\.txt|pom\.xml|build\.xml"
    r"|AndroidManifest\.xml|web\.config|Procfile|CODEOWNERS|\.[a-z]+rc"
    r"|\.env\.(?:example|sample|template|dist)"
    r"|[^/]+\.(?:csproj|vbproj|fsproj|props|targets|plist|service|desktop))\Z"
)

# What names the things at the top of a file; the groups that matched are joined.
# A key is short: one without end is looked through once for each of its characters.
_ASSIGNED = re.compile(
    r"^[\"']?([A-Za-z_][\w .-]{0,200}?)[\"']?[ \t]*[=:]", re.MULTILINE
)
_TABLES = re.compile(
    r"\b(CREATE|ALTER|DROP)\s+(?:OR\s+REPLACE\s+|UNIQUE\s+|TEMP(?:ORARY)?\s+)?"
    r"(TABLE|VIEW|INDEX|TYPE|FUNCTION|TRIGGER|SCHEMA|SEQUENCE)\s+"
    r"(?:IF\s+(?:NOT\s+)?EXISTS\s+)?[\"`\[]?([\w.]+)",
    re.IGNORECASE,
)
_KEYS: Mapping[str, re.Pattern[str]] = {
    "yaml": _ASSIGNED,
    "toml": re.compile(
        r"^(?:\[{1,2}([^\]\n]+)\]{1,2}|([A-Za-z_][\w.-]*)[ \t]*=)", re.MULTILINE
    ),
    "ini": re.compile(r"^(?:\[([^\]\n]+)\]|([A-Za-z_][\w.-]*)[ \t]*[=:])", re.M),
    "dockerfile": re.compile(
        r"^(FROM|EXPOSE|ENTRYPOINT|CMD|WORKDIR)[ \t]+([^\n\\]{1,80})", re.MULTILINE
    ),
    "make": re.compile(r"^([\w./%-][\w./% -]{0,200}?)[ \t]*::?(?!=)", re.MULTILINE),
    "cmake": re.compile(
        r"^[ \t]*(project|add_executable|add_library|function|macro|option)"
        r"[ \t]*\([ \t]*([\w:-]+)",
        re.MULTILINE,
    ),
    "terraform": re.compile(
        r"^([a-z_]+)(?:[ \t]+\"([^\"\n]*)\")?(?:[ \t]+\"([^\"\n]*)\")?[ \t]*[{=]", re.M
    ),
    "go-module": re.compile(r"^(module|go)[ \t]+(\S+)", re.MULTILINE),
    "starlark": re.compile(r"^[ \t]*(name)[ \t]*=[ \t]*\"([^\"\n]+)\"", re.MULTILINE),
    "protobuf": re.compile(r"^[ \t]*(message|service|enum|rpc)[ \t]+(\w+)", re.M),
    "graphql": re.compile(
        r"^(type|interface|enum|input|union|scalar|query|mutation|fragment)[ \t]+(\w+)",
        re.MULTILINE,
    ),
    "thrift": re.compile(r"^(struct|service|enum|exception)[ \t]+(\w+)", re.MULTILINE),
    "sql": _TABLES,
    "python": re.compile(
        r"\b(?:migrations|op)\.(\w+)\(\s*(?:(?:model_)?name\s*=\s*)?[\"'](\w+)"
    ),
    "ruby": re.compile(
        r"^[ \t]*(\w+_(?:table|column|index|key))[ \t(]+:?\"?(\w+)", re.M
    ),
    "php": re.compile(r"Schema::(\w+)\(\s*[\"'](\w+)"),
}
_JSON_TOKEN = re.compile(r'"((?:[^"\\\n]|\\.)*)"(\s*:)?|[\[\]{}]')
_LEADING = re.compile(r"\A(?:#!?|//|--|;)(.*)")
_BLOCK_COMMENT = re.compile(r"\A\s*(?:/\*.*?\*/|<!--.*?-->|\"\"\".*?\"\"\")", re.DOTALL)
_CLOSING = re.compile(r"[\s)\]}]")


class OneThing(StrEnum):
    """When a file is one thing, as far as its path and its size say."""

    ALWAYS = "always"
    WITHOUT_GRAMMAR = "without a grammar"
    BY_LANGUAGE = "by language"
    NEVER = "never"


def one_thing_rule(path: bytes, size: int) -> OneThing:
    """Return when a file is one thing: migrations are, in any language.

    Files over 64 kB are cut as their language is.
    """
    name = path.decode("latin-1")
    if size > MAX_ONE_THING:
        return OneThing.NEVER
    if _MIGRATION.search(name) or _SCHEMA.search(name):
        return OneThing.ALWAYS
    if _CONFIGURATION.search(name):
        return OneThing.WITHOUT_GRAMMAR
    return OneThing.BY_LANGUAGE


def is_one_thing(rule: OneThing, language: str, *, has_grammar: bool) -> bool:
    """Tell whether a file is one thing; most only where no grammar could say more."""
    if rule is OneThing.ALWAYS or rule is OneThing.NEVER or has_grammar:
        return rule is OneThing.ALWAYS
    return rule is OneThing.WITHOUT_GRAMMAR or language in _LANGUAGES


def file_chunk(text: str, language: str) -> Chunk:
    """Return the one chunk of a file: its leading comment is the doc.

    The names at its top stand for a signature. A long one may be split where a
    line starts at the margin.
    """
    data = text.encode()
    lines = split_lines(text)
    starts = [0, *accumulate(len(line.encode()) + 1 for line in lines)]
    used = [number for number, line in enumerate(lines, 1) if line.strip()]
    first, last = used[0], used[-1]
    span = (starts[first - 1], min(starts[last], len(data)))
    return Chunk(
        symbol="",
        kind=ChunkKind.FILE,
        start_byte=span[0],
        end_byte=span[1],
        start_line=first,
        end_line=last,
        spans=(span,),
        signature=", ".join(top_keys(text, language)),
        doc=leading_comment(text) or None,
        breaks=tuple(
            (starts[number - 1], 1)
            for number in used[1:]
            if not _CLOSING.match(lines[number - 1])
        ),
    )


def top_keys(text: str, language: str) -> tuple[str, ...]:
    """Return the names at the top of a file, in order, without repeats."""
    if language == "json":
        found: Iterator[str] = _json_keys(text)
    elif pattern := _KEYS.get(language):
        found = (
            " ".join(part for part in one.groups() if part)
            for one in pattern.finditer(text)
        )
    else:
        return ()
    keys: dict[str, None] = {}
    for key in found:
        keys[key.strip()] = None
        if len(keys) == MAX_KEYS:
            break
    return tuple(keys)


def leading_comment(text: str) -> str:
    """Return the comment that a file begins with; "" for none and for a licence."""
    lines = split_lines(text)
    start = 1 if lines and lines[0].startswith("#!") else 0
    while start < len(lines) and not lines[start].strip():
        start += 1
    rest = "\n".join(lines[start:])
    if block := _BLOCK_COMMENT.match(rest):
        inner = block[0].strip().strip('"').removeprefix("<!--").removesuffix("-->")
        found = join_runs([Comment(1, 1, inner.strip())])[0].text
    else:
        taken = []
        for line in lines[start:]:
            if not (mark := _LEADING.match(line)):
                break
            taken.append(mark[1].lstrip("#/-; "))
        found = "\n".join(taken).strip()
    return "" if is_licence(found) else found


def _json_keys(text: str) -> Iterator[str]:
    """Yield the keys of the outermost object."""
    depth = 0
    for token in _JSON_TOKEN.finditer(text):
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
        elif depth == 1 and token[2]:
            yield token[1]
