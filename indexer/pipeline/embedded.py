"""Embedded code: the scripts of a component, and the cells of a notebook.

A notebook is read as text with a line above each cell (`# %% [1] python`), cells
counted from 0, without outputs. That text is what is searched, shown and counted
in lines; no other place knows the JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

NOTEBOOK = "ipynb"

MAX_TAG = 1000  # characters of a script's attributes; looked at for each opening
MAX_BLOCKS = 1000  # per file; a notebook of more cells is generated

_OPENING = re.compile(r"<!--|<script(?=[\s>])", re.IGNORECASE)
_REST_OF_TAG = re.compile(r"((?:\"[^\"]*\"|'[^']*'|[^>\"'])*+)>")
_CLOSING = re.compile(r"</script\s*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"\b(lang|type)\s*=\s*[\"']?([\w/.+-]+)")
# What `lang` and `type` say of a script's language; any other is no script of ours.
_SCRIPT_LANGUAGES = {
    "": "javascript",
    "js": "javascript",
    "jsx": "javascript",
    "javascript": "javascript",
    "babel": "javascript",
    "module": "javascript",
    "ts": "typescript",
    "typescript": "typescript",
    "tsx": "tsx",
}

_HEADER = re.compile(r"^# %% \[(\d+)\] ([\w+#-]+)$", re.MULTILINE)
# Lines for IPython, not for Python: magics, shell commands, help.
_MAGIC = re.compile(
    r"^[ \t]*(?:%{1,2}[A-Za-z]\w*(?:[ \t].*)?|![^=\n].*|\?[\w.]+|[\w.]+\?{1,2}[ \t]*)$",
    re.MULTILINE,
)
_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character; no text in UTF-8
_TIMING = re.compile(r"\A\s*%%(?:time|timeit|capture|prun)\b")
_KERNELS = {"ir": "r", "r": "r", "c++": "cpp", "ipython": "python", "c#": "csharp"}


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of code in a file: `text` begins at character `start`.

    `cell` is the cell of a notebook, from 0; lines of its symbols count in it.
    """

    language: str
    start: int
    text: str
    cell: int | None = None


def readable_text(text: str, language: str) -> str:
    """Return a file as it is searched and shown: a notebook without its JSON."""
    return render_notebook(text) if language == NOTEBOOK else text


def render_notebook(text: str) -> str:
    """Return the cells of a notebook as text, prose as comments, no outputs.

    What is no notebook is returned as it is.
    """
    try:
        cells, language = _cells(json.loads(text))
        return "\n".join(
            _rendered(number, cell, language) for number, cell in enumerate(cells)
        )
    except (ValueError, RecursionError, AttributeError, TypeError, LookupError):
        return text


def find_blocks(text: str, language: str) -> list[Block]:
    """Return the code in a file of mixed languages, in order."""
    found = _FINDERS[language](text)
    return [block for block, _ in zip(found, range(MAX_BLOCKS), strict=False)]


def leading_prose(text: str) -> str | None:
    """Return a notebook's first cell, where it is prose."""
    header = _HEADER.match(text)
    if header is None or header[2] != "markdown":
        return None
    following = _HEADER.search(text, header.end())
    prose = text[header.end() : following.start() if following else len(text)]
    lines = (line.removeprefix("#").strip("# ") for line in prose.split("\n"))
    return "\n".join(lines).strip() or None


def _rendered(number: int, cell: Any, language: str) -> str:  # JSON has no type
    source = cell.get("source", cell.get("input", ""))
    body = source if isinstance(source, str) else "".join(source)
    body = body.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    body = _SURROGATE.sub("\ufffd", body)
    kind = language if cell.get("cell_type") == "code" else "markdown"
    if kind == "markdown":
        body = "\n".join(f"# {line}".rstrip() for line in body.split("\n"))
    return f"# %% [{number}] {kind}\n{body}\n"


def _cells(notebook: Any) -> tuple[list[Any], str]:  # JSON has no static type
    """Return the cells, and the language of the code in them."""
    cells = notebook.get("cells")
    if cells is None:  # Version 3 of the format
        cells = notebook["worksheets"][0]["cells"]
    about = notebook.get("metadata", {})
    names = (
        about.get("language_info", {}).get("name"),
        about.get("kernelspec", {}).get("language"),
    )
    name = str(next((name for name in names if name), "python")).lower()
    name = _KERNELS.get(name, name).replace(" ", "-")
    return cells, name if _HEADER.match(f"# %% [0] {name}") else "python"


def _scripts(text: str) -> Iterator[Block]:
    position = 0
    while opening := _OPENING.search(text, position):
        position = opening.end()
        if opening[0] == "<!--":
            position = text.find("-->", position)
            if position < 0:
                return
            continue
        tag = _REST_OF_TAG.match(text, position, position + MAX_TAG)
        if tag is None:
            continue
        closing = _CLOSING.search(text, tag.end())
        if closing is None:
            return
        if language := _script_language(tag[1]):
            yield Block(language, tag.end(), text[tag.end() : closing.start()])
        position = closing.end()


def _script_language(attributes: str) -> str | None:
    """Return the language of a script; `lang` counts before `type`."""
    said = {name.lower(): value for name, value in _ATTRIBUTE.findall(attributes)}
    name = said.get("lang") or said.get("type", "")
    return _SCRIPT_LANGUAGES.get(name.lower().rpartition("/")[2])


def _notebook_cells(text: str) -> Iterator[Block]:
    headers = list(_HEADER.finditer(text))
    ends = [*(header.start() for header in headers[1:]), len(text)]
    for header, end in zip(headers, ends, strict=False):
        start = header.end() + 1
        code = text[start:end]
        foreign = code.lstrip().startswith("%%") and not _TIMING.match(code)
        if header[2] != "markdown" and not foreign:
            code = _MAGIC.sub(lambda line: " " * len(line[0].encode()), code)
            yield Block(header[2], start, code, cell=int(header[1]))


_FINDERS: Mapping[str, Callable[[str], Iterator[Block]]] = {
    "vue": _scripts,
    "svelte": _scripts,
    NOTEBOOK: _notebook_cells,
}
MIXED = frozenset(_FINDERS)

# What the parser's self-test reads: a language, its text, and the names in it.
SAMPLES = (
    ("vue", '<script setup lang="ts">\nfunction a(b: number) {}\n</script>\n', ("a",)),
    ("svelte", "<script>\nfunction a() {}\n</script>\n<p>b</p>\n", ("a",)),
    (NOTEBOOK, "# %% [0] python\n%magic\ndef a(): pass\n", ("a",)),
)
