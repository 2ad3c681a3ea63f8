"""Generated queries: made of the functions of a build, the same at every run.

They are synthetic: each holds words of its target, from its name, from what its body
calls, or from the first sentence of its documentation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from indexer.engines.layers import LexicalLayer
from indexer.pipeline.paths import display_path
from indexer.pipeline.surfaces import load_texts
from indexer.pipeline.terms import tokenize, words
from indexer.pipeline.texts import doc_of
from indexer.pipeline.types import NONE, ChunkKind, Mark

NAME, API, DOC = KINDS = ("name", "api words", "docstring words")
FUNCTIONS = (ChunkKind.FUNCTION, ChunkKind.METHOD)
# What nobody would look for by its own words.
LEFT_OUT = {str(mark) for mark in (Mark.TEST, Mark.GENERATED, Mark.VENDORED)}
MIN_LINES = 8  # Shorter ones are whole in a window almost always.
DOC_WORDS = (4, 12)  # At least and at most, of a docstring's first sentence.
API_WORDS = 3
T = TypeVar("T")
NOTHING_TO_ASK = (
    "On this repository no function has a body of some length, documentation and calls "
    "to make queries of."
)
_CALLED = re.compile(r"[A-Za-z_]\w{2,}(?=\s*\()")


@dataclass(frozen=True, slots=True)
class Function:
    """One function or method of a build, with what queries are made of.

    `number` is its ordinal in the build, `head` its purpose text.
    """

    number: int
    path: str
    symbol: str
    start_line: int
    end_line: int
    doc: str
    head: str
    body: str

    @property
    def lines(self) -> int:
        """Return how many lines it has."""
        return self.end_line - self.start_line + 1

    @property
    def name(self) -> str:
        """Return its name without what it is in."""
        return self.symbol.rpartition(".")[2]


def read_functions(lexical: LexicalLayer) -> list[Function]:
    """Return the functions of a build in order, without tests and copies."""
    chunks = lexical.catalogue
    numbers = [
        number
        for number, kind in enumerate(chunks.kinds)
        if kind in FUNCTIONS
        and int(chunks.duplicate_of[number]) == NONE
        and not LEFT_OUT.intersection(chunks.marks[number])
    ]
    heads = load_texts(lexical.folder / "purpose", numbers)
    bodies = load_texts(lexical.folder / "body", numbers)
    return [
        Function(
            number=number,
            path=display_path(chunks.files[int(lexical.file_of[number])].path),
            symbol=chunks.symbols[number],
            start_line=int(chunks.lines[number, 0]),
            end_line=int(chunks.lines[number, 1]),
            doc=doc_of(head, chunks.kinds[number]),
            head=head,
            body=body,
        )
        for number, head, body in zip(numbers, heads, bodies, strict=True)
    ]


def choose_functions(functions: Sequence[Function], count: int) -> list[Function]:
    """Return up to `count` functions that all kinds of query can be made of, spread."""
    return spread_over([one for one in functions if is_askable(one)], count)


def is_askable(function: Function) -> bool:
    """Tell whether a query of each kind can be made of a function."""
    return (
        function.lines >= MIN_LINES
        and len(doc_query(function).split()) >= DOC_WORDS[0]
        and len(own_names(function)) >= API_WORDS
    )


def spread_over(fit: Sequence[T], count: int) -> list[T]:
    """Return up to `count` of some things in order, at even distances."""
    step = max(1, len(fit) // count)
    return list(fit[::step][:count])


def own_names(function: Function) -> list[str]:
    """Return what a body calls, without what its name, signature and doc hold."""
    known = set(tokenize(function.head))
    found = {word: tokenize(word) for word in _CALLED.findall(function.body)}
    return [word for word, terms in found.items() if terms and not known & {*terms}]


def doc_query(function: Function) -> str:
    """Return the first words of the first sentence of a docstring."""
    sentence = " ".join(function.doc.split()).partition(". ")[0]
    return " ".join(words(sentence)[: DOC_WORDS[1]])


def rarest(names: Sequence[str], idf: Mapping[str, float]) -> str:
    """Return the three rarest of some names as a query; `idf` is by their terms."""
    order = sorted(names, key=lambda name: (-idf[tokenize(name)[0]], name))
    return " ".join(order[:API_WORDS])


def queries_of(function: Function, idf: Mapping[str, float]) -> dict[str, str]:
    """Return a query of each kind; `idf` holds the whole terms of its own names."""
    return {
        NAME: function.name,
        API: rarest(own_names(function), idf),
        DOC: doc_query(function),
    }
