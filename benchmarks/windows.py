"""Windows: one chunk a function against windows of 50 lines, losses included.

`python -m benchmarks.windows [--source DIR] [--functions N] [--json OUT]` indexes a
folder (the installed Django) by symbol and by window. The queries are made from the
index itself, the same at every run, so they are synthetic: each holds words of its
target, from its name, from what its body calls, or from the first sentence of its
docstring. A window counts as the target when it overlaps it, which any of several
does; so it is also counted how far up the one with the function's first line comes.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.indexed import data_folder, django_source, index_folder
from benchmarks.metrics import Found, Wanted, mean, overlaps, reciprocal
from benchmarks.records import Figures, Table, Value, publish
from indexer.pipeline.terms import tokenize, words

FUNCTIONS = 60
MIN_LINES = 8  # Shorter ones are whole in a window almost always.
DOC_WORDS = (4, 12)  # At least and at most, of a docstring's first sentence.
API_WORDS = 3
KINDS = ("name", "api words", "docstring words")
PROFILES = ("symbol", "window")
COUNTED = (*PROFILES, "window with its first line")
_CALLED = re.compile(r"[A-Za-z_]\w{2,}(?=\s*\()")
LOST = 1 << 30  # Sorts below every rank.


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the folder, with what queries are made of."""

    path: str
    symbol: str
    start_line: int
    end_line: int
    doc: str
    head: str
    body: str

    @property
    def span(self) -> Wanted:
        """Return where it stands, as a target."""
        lines = {"start_line": self.start_line, "end_line": self.end_line}
        return {"path": self.path, **lines}


def main() -> None:
    """Measure, print the tables, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--functions", type=int, default=FUNCTIONS)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with data_folder():
        source = options.source or django_source()
        name = index_folder(source, name="windows")
        index_folder(source, name=name, profile="window")
        functions = [*read_functions(name)]
        chosen = choose(functions, options.functions)
        rows = [row for function in chosen for row in ask(function, name)]
        whole = share_whole(functions, name)
    publish(options, {**summarise(rows), "functions": whole}, rows=rows)


def read_functions(name: str) -> Iterator[Function]:
    """Yield the functions and methods of the folder that are not tests, in order."""
    from benchmarks.stages import indexed_texts
    from indexer.pipeline.reading import read_source
    from indexer.pipeline.types import ChunkKind, Mark, Source, TreeEntry

    for path, text in indexed_texts(name).items():
        entry = TreeEntry(path.encode(), "100644", "", len(text))
        read = read_source(entry, Source(text, "utf-8"), "symbol")
        for chunk, texts in zip(read.chunks, read.texts, strict=True):
            if chunk.kind not in (ChunkKind.FUNCTION, ChunkKind.METHOD):
                continue
            if Mark.TEST not in read.marks:
                yield Function(
                    path,
                    chunk.symbol,
                    chunk.start_line,
                    chunk.end_line,
                    chunk.doc or "",
                    texts.purpose or "",
                    texts.body,
                )


def choose(functions: Sequence[Function], count: int) -> list[Function]:
    """Return up to `count` functions that all kinds of query can be made of, spread."""
    fit = [
        function
        for function in functions
        if function.end_line - function.start_line + 1 >= MIN_LINES
        and len(doc_query(function).split()) >= DOC_WORDS[0]
        and len(own_names(function)) >= API_WORDS
    ]
    step = max(1, len(fit) // count)
    return fit[::step][:count]


def own_names(function: Function) -> list[str]:
    """Return what a body calls, without what its name, signature and doc hold."""
    known = set(tokenize(function.head))
    found = {word: tokenize(word) for word in _CALLED.findall(function.body)}
    return [word for word, terms in found.items() if terms and not known & {*terms}]


def doc_query(function: Function) -> str:
    """Return the first words of the first sentence of a docstring."""
    sentence = " ".join(function.doc.split()).partition(". ")[0]
    return " ".join(words(sentence)[: DOC_WORDS[1]])


def queries_of(function: Function, rarity: Mapping[str, float]) -> dict[str, str]:
    """Return a query of each kind; `rarity` is the idf of the body's own names."""
    rare = sorted(own_names(function), key=lambda word: (-rarity[word], word))
    return {
        "name": function.symbol.rpartition(".")[2],
        "api words": " ".join(rare[:API_WORDS]),
        "docstring words": doc_query(function),
    }


def ask(function: Function, name: str) -> Iterator[dict[str, Any]]:  # Any: JSON
    """Yield where the function comes under both profiles, by kind of query."""
    from benchmarks.stages import result_ranked, run_funnel
    from codesearch.services import search
    from indexer.access import COMMAND_LINE

    corpus = run_funnel(function.symbol, name, "symbol").searched.corpus
    terms = {word: tokenize(word)[0] for word in own_names(function)}
    idf = corpus.idf([*terms.values()])
    rarity = {word: idf[term] for word, term in terms.items()}
    for kind, query in queries_of(function, rarity).items():
        ranks = {}
        for profile in PROFILES:
            found = search(
                viewer=COMMAND_LINE, query=query, repositories=[name], profile=profile
            )
            ranks[profile] = result_ranked(found)
        own = Found(function.path, function.start_line, function.end_line)
        head = {**function.span, "end_line": function.start_line}
        yield {
            "symbol": function.symbol,
            "kind": kind,
            "query": query,
            COUNTED[0]: first(hit == own for hit in ranks["symbol"]),
            COUNTED[1]: first(overlaps(h, function.span) for h in ranks["window"]),
            COUNTED[2]: first(overlaps(hit, head) for hit in ranks["window"]),
        }


def first(good: Iterable[bool]) -> int | None:
    """Return the rank of the first that is good, None if none is."""
    return next((rank for rank, one in enumerate(good, start=1) if one), None)


def summarise(rows: Sequence[Mapping[str, Any]]) -> Figures:
    """Return MRR by profile, and how many queries each wins, by kind of query."""
    table: dict[str, dict[str, Value]] = {}
    for kind in KINDS:
        chosen = [row for row in rows if row["kind"] == kind]
        line: dict[str, Value] = {}
        for column in COUNTED:
            line[f"{column} MRR"] = mean([reciprocal(row[column]) for row in chosen])
        for column in PROFILES:
            line[f"{column} hit@1"] = mean([float(r[column] == 1) for r in chosen])
        pairs = [tuple(row[column] or LOST for column in PROFILES) for row in chosen]
        line["better by symbol"] = sum(symbol < window for symbol, window in pairs)
        line["worse by symbol"] = sum(symbol > window for symbol, window in pairs)
        line["queries"] = len(pairs)
        table[kind] = line
    return {"query by": table}


def share_whole(functions: Sequence[Function], name: str) -> Table:
    """Return how many functions no window holds whole."""
    from benchmarks.stages import current_build
    from indexer.models import Chunk

    windows: dict[str, list[tuple[int, int]]] = {}
    chunks = Chunk.objects.filter(build=current_build(name, "window"))
    for path, *lines in chunks.values_list("file__path", "start_line", "end_line"):
        windows.setdefault(path, []).append((lines[0], lines[1]))
    split = [
        float(
            not any(
                start <= function.start_line and function.end_line <= end
                for start, end in windows.get(function.path, ())
            )
        )
        for function in functions
    ]
    return {"whole in no window": {"share": mean(split), "functions": len(functions)}}


if __name__ == "__main__":
    main()
