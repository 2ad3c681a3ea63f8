"""Completion: what the word at the caret of a query may become.

Only of what the viewer may read: names of repositories, and revisions, languages,
folders and symbols of what the rest of the query is asked of.
"""

from __future__ import annotations

import heapq
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from codesearch.choosing import (
    Chosen,
    choose_builds,
    kept_builds,
    revision_names,
)
from codesearch.corpora import open_corpus
from codesearch.errors import SearchError
from codesearch.funnel.expression import FilterError
from codesearch.funnel.filters import ALIASES, CLOSED, REPOSITORY, REVISION
from codesearch.funnel.query import read_query
from codesearch.funnel.tokens import quote, unescape
from indexer.access import Viewer
from indexer.addresses import HEAD
from indexer.engines.layers import LexicalLayer
from indexer.models import Build
from indexer.pipeline.globs import as_written
from indexer.selectors import repository_names

OFFERED = 8
LEAST_NAME = 2  # Letters of a word before symbols are offered for it.
# What is offered for a word: each filter, and what it takes.
FILTERS = {
    "repo": "a repository",
    "lang": "a language",
    "path": "a part of a path, or a glob",
    "file": "an expression over the path",
    "sym": "an expression over the name",
    "kind": "function, class, section, …",
    "is": "test, generated, vendored, …",
    "type": "code, doc or place",
    "rev": "an indexed revision",
    "case": "yes: tells a from A",
}

# The word at the caret: a sign, a filter's name and its value, or a word.
_WORD = re.compile(r'(?:^|(?<=[\s(]))-?(?:([A-Za-z]+):)?("[^"]*|[^\s"()]*)$')
_REST = re.compile(r"[^\s()]*")
_OPEN_PHRASE = re.compile(r'(?:^|[\s(-])"[^"]*$')
_PLAIN = re.compile(r"[\w./-]*")
_SIGN = re.compile(r"[\\+*?()|\[\]{}^$]")  # Of an expression; a dot finds itself too.


@dataclass(frozen=True, slots=True)
class Option:
    """One completion: `text` in place of the characters from `start` to `end`."""

    text: str
    note: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Typed:
    """The word at the caret: `value` is what is typed of it, from `start` to `end`.

    `name` is that of the filter whose value it is, "" for a word.
    """

    name: str
    value: str
    start: int
    end: int


def complete(
    viewer: Viewer,
    text: str,
    at: int,
    repositories: Sequence[str] = (),
    profile: str | None = None,
) -> list[Option]:
    """Return the completions of the word before character `at`, the likeliest first."""
    typed = typed_at(text, at)
    if typed is None:
        return []
    found = _offered(typed, viewer, text, repositories, profile)
    return [
        Option(_written(typed.name, word), note, typed.start, typed.end)
        for word, note in found
        if word != typed.value
    ][:OFFERED]


def typed_at(text: str, at: int) -> Typed | None:
    """Return the word before character `at`, None where there is none to complete."""
    before = text[:at]
    found = _WORD.search(before)
    if found is None:
        return None
    name = (found[1] or "").lower()
    if name not in ALIASES and (name or _OPEN_PHRASE.search(before)):
        return None
    rest = _REST.match(text, at)
    end = rest.end() if rest else at
    value = unescape(found[2][1:]) if found[2].startswith('"') else found[2]
    if not name and not value:
        return None
    return Typed(ALIASES.get(name, ""), value, found.start(2), end)


def _offered(
    typed: Typed,
    viewer: Viewer,
    text: str,
    repositories: Sequence[str],
    profile: str | None,
) -> Iterable[tuple[str, str]]:
    """Return the texts that may stand there, each with a note."""
    value = typed.value
    if typed.name in CLOSED:
        return _holding(value, CLOSED[typed.name][1])
    if typed.name == REPOSITORY:
        return _repositories(value, viewer, profile)
    if typed.name == REVISION:
        asked = _chosen(viewer, text, typed, repositories, profile).repositories
        reach = asked or repository_names(viewer)
        return _revisions(value, kept_builds(viewer, reach, profile))
    if typed.name not in ("", "lang", "path", "file", "sym"):
        return []
    names = _filter_names(value) if not typed.name else []
    if not typed.name and len(value) < LEAST_NAME:
        return names
    layers = _layers(viewer, text, typed, repositories, profile)
    if typed.name == "lang":
        return _holding(value, set().union(*(one.columns.languages for one in layers)))
    if typed.name in ("path", "file"):
        return _folders(value, layers) if _PLAIN.fullmatch(value) else []
    return [*names, *_symbols(value, layers)]


def _chosen(
    viewer: Viewer,
    text: str,
    typed: Typed,
    repositories: Sequence[str],
    profile: str | None,
) -> Chosen:
    """Return what the query without the word is asked of, or could be."""
    try:
        rest = read_query(f"{text[: typed.start]} {text[typed.end :]}")
        return choose_builds(viewer, rest, repositories, profile)
    except (FilterError, SearchError):
        return choose_builds(viewer, read_query(""), repositories, profile)


def _layers(
    viewer: Viewer,
    text: str,
    typed: Typed,
    repositories: Sequence[str],
    profile: str | None,
) -> list[LexicalLayer]:
    """Return the layers of what the query without the word is asked of."""
    found = _chosen(viewer, text, typed, repositories, profile)
    try:
        corpus = open_corpus(
            found.builds,
            viewer=viewer,
            repositories=found.repositories,
            profile=profile,
            may_miss=True,
        ).corpus
    except SearchError:  # Nothing is indexed.
        return []
    return [build.lexical for build in corpus.builds]


def _repositories(
    value: str, viewer: Viewer, profile: str | None
) -> list[tuple[str, str]]:
    """Return repositories or, behind the `@` of one, it with each of its revisions."""
    name, sign, begun = value.partition("@")
    if not sign:
        return _holding(value, repository_names(viewer))
    kept = kept_builds(viewer, [name], profile)
    found = _revisions(begun, kept) if kept else []
    return [(f"{name}@{revision}", note) for revision, note in found]


def _revisions(value: str, builds: Sequence[Build]) -> list[tuple[str, str]]:
    """Return the names of revisions that begin with a value: branches, then commits.

    Each with the repositories that have it; the newest first.
    """
    found: dict[str, list[str]] = {HEAD: []}
    newest = sorted(builds, key=lambda build: -build.pk)
    named = [(build, revision_names(build)) for build in newest]
    for is_commit in (False, True):
        for build, names in named:
            for name in names[-1:] if is_commit else names[:-1]:
                found.setdefault(name, []).append(build.index.repository.name)
    begun = value.lower()
    return [
        (name, ", ".join(dict.fromkeys(owners)) or "what is searched now")
        for name, owners in found.items()
        if name.lower().startswith(begun)
    ]


def _filter_names(value: str) -> list[tuple[str, str]]:
    begun = value.lower()
    found = [name for name in FILTERS if name.startswith(begun)]
    return [(f"{name}:", FILTERS[name]) for name in found]


def _holding(value: str, words: Iterable[str]) -> list[tuple[str, str]]:
    """Return the words that hold a value, those that begin with it first."""
    wanted = value.lower()
    held = [word for word in words if wanted in word.lower()]
    held.sort(key=lambda word: (not word.lower().startswith(wanted), word))
    return [(word, "") for word in held]


def _folders(value: str, layers: Iterable[LexicalLayer]) -> list[tuple[str, str]]:
    """Return the folders that go on as a value does, the topmost first."""
    wanted = value.lower()
    held = {
        folder
        for layer in layers
        for folder in layer.columns.folders
        if f"/{wanted.removeprefix('/')}" in f"/{folder}".lower()
    }

    def order(folder: str) -> tuple[bool, int, str]:
        return not folder.lower().startswith(wanted), folder.count("/"), folder

    return [(folder, "folder") for folder in heapq.nsmallest(OFFERED + 1, held, order)]


def _symbols(value: str, layers: Iterable[LexicalLayer]) -> list[tuple[str, str]]:
    """Return the names that begin with a value: short ones first, each once."""
    wanted = value.replace("::", ".").lower()
    found = dict.fromkeys(
        name for layer in layers for name in _names_from(wanted, layer)
    )
    order = sorted(found, key=lambda name: (len(name), name))
    return [(name, "symbol") for name in order[:OFFERED]]


def _names_from(wanted: str, layer: LexicalLayer) -> Iterator[str]:
    """Yield the shortest names of a build that begin with a text, as written."""
    names, symbols = layer.names, layer.catalogue.symbols
    first, end = (bisect_left(names.keys, key) for key in (wanted, wanted + "\uffff"))
    shortest = heapq.nsmallest(
        OFFERED, range(first, end), key=lambda i: (len(names.keys[i]), names.keys[i])
    )
    for i in shortest:
        chunk = int(names.chunks[int(names.offsets[i])])
        written = symbols[chunk].replace("::", ".")
        yield written[len(written) - len(names.keys[i]) :]


def _written(name: str, word: str) -> str:
    """Return a word as it is written behind a filter, which may look for a pattern."""
    if name == "path":
        word = as_written(word)
    elif name in ("file", "sym"):
        word = _SIGN.sub(r"\\\g<0>", word)
    return quote(word) if name else word
