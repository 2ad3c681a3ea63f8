"""Generated repositories: few words, so that scores tie, with copies and stubs.

They are cut, indexed and opened like any other; only the encoder is a stand-in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt

from codesearch.funnel.legs import LEGS
from codesearch.funnel.types import Config, Models, QueryEncoder
from indexer.engines.builds import LocalBuild
from indexer.engines.layers import LexicalLayer, VectorLayer
from indexer.engines.local import LocalCorpus
from indexer.pipeline.build import Assembly
from indexer.pipeline.embedding import VectorBatch, write_vector_layer
from indexer.pipeline.packing import PlacedFile, pack
from indexer.pipeline.path_rule import rule_of
from indexer.pipeline.reading import read_source
from indexer.pipeline.surfaces import load_surface, texts_of
from indexer.pipeline.terms import tokenize
from indexer.pipeline.types import Source, TreeEntry

BUILDS = 2
FILES = 24  # Of a build, with three functions each on average.
WORDS = [
    "cart",
    "order",
    "price",
    "total",
    "tax",
    "item",
    "user",
    "mail",
    "send",
    "save",
    "load",
    "find",
]
NAMES = [f"{verb}_{noun}" for verb in WORDS[8:] for noun in WORDS[:6]]
FILTERS = [
    "lang:python",
    "-lang:go",
    "path:p1/",
    "path:M2",
    "-path:m3",
    "-path:__init__",
    "kind:function",
    "kind:module",
    "-kind:module",
    "is:reexport",
    "-is:reexport",
    "is:test",
]
DIMENSION = 8  # Few, and whole numbers before they are scaled: cosines tie.

Floats = npt.NDArray[np.float32]


def make_corpus(folder: Path, chance: Random) -> LocalCorpus:
    """Return the corpus of two repositories, their layers written into `folder`."""
    texts = [_function(chance) for _ in range(40)]  # Of which many are used twice.
    builds = (make_build(folder / str(n), texts, chance) for n in range(BUILDS))
    return LocalCorpus(list(builds))


def make_build(folder: Path, texts: Sequence[str], chance: Random) -> LocalBuild:
    """Return a build of files of `texts` and of stubs, one in six of the files."""
    files = []
    for number in range(FILES):
        path = f"p{number % 4}/m{number}.py"
        text = "\n\n".join(chance.choices(texts, k=chance.randint(1, 5)))
        if number % 6 == 0:
            path = f"p{number % 4}/__init__{number}.py"
            named = ", ".join(chance.choices(NAMES, k=2))
            text = f"from .m{number + 4} import {named}\n"
        files.append(_place(path, text))
    lexical = folder / "lexical-0"
    lexical.mkdir(parents=True)
    Assembly(files).write(lexical, {})
    surfaces = {
        surface: [_vectors(lexical, folder / surface, surface)]
        for surface in ("purpose", "body", "summary")
    }
    covered = {name: len(layers[0].ordinals) for name, layers in surfaces.items()}
    return LocalBuild(LexicalLayer(lexical), surfaces, covered)


def make_config(chance: Random) -> Config:
    """Return a configuration that is as unfair as a person can make it."""
    return Config(
        depth=chance.randint(1, 60),
        rrf_k=chance.randint(0, 100),
        pool_size=chance.randint(2 * len(LEGS), 60),
        cards_per_page=chance.randint(1, 10),
        chunks_per_card=chance.randint(1, 3),
        weights={leg: chance.choice((0.0, 0.3, 1.0, 3.0)) for leg in LEGS},
    )


def make_query(chance: Random) -> str:
    """Return three words, every other time with filters, which may leave nothing."""
    parts = chance.choices([*WORDS, *NAMES, "nowhere"], k=3)
    if chance.random() < 0.5:
        parts += chance.choices(FILTERS, k=chance.randint(1, 3))
    chance.shuffle(parts)
    return " ".join(parts)


def make_models(chance: Random) -> Models:
    """Return models of which each may be missing; the reranker scores by chance."""

    def score_pairs(query: str, chunks: Sequence[int]) -> list[float]:
        return [float(chance.randint(0, 4)) for _ in chunks]

    encoder = QueryEncoder("", encode if chance.random() < 0.9 else None, "left out")
    return Models([encoder], score_pairs if chance.random() < 0.5 else None)


def encode(text: str) -> Floats:
    """Return a unit vector; texts of the same terms have the same."""
    total = np.ones(DIMENSION)
    for term in set(tokenize(text)):
        total[hashlib.sha256(term.encode()).digest()[0] % DIMENSION] += 1
    unit: Floats = (total / np.linalg.norm(total)).astype(np.float32)
    return unit


def _function(chance: Random) -> str:
    words = chance.choices(WORDS, k=4)
    head = f"def {chance.choice(NAMES)}({words[0]}):\n"
    return f'{head}    """{words[1]} the {words[2]}."""\n    return {words[3]}\n'


def _place(path: str, text: str) -> PlacedFile:
    entry = TreeEntry(path.encode(), "100644", "", len(text))
    result = read_source(rule_of(entry), Source(text, "utf-8"), "symbol")
    return PlacedFile(entry, pack(result))


def _vectors(lexical: Path, folder: Path, surface: str) -> VectorLayer:
    texts = load_surface(lexical, surface, texts_of(lexical, surface))
    rows = np.array([encode(text) for text in texts.texts], np.float32)
    count = len(rows)
    batch = VectorBatch(
        rows=rows.reshape(-1, DIMENSION),
        ordinals=np.array(texts.ordinals, np.int32),
        numbers=np.zeros(count, np.int16),
        digests=np.zeros((count, 32), np.uint8),
    )
    folder.mkdir()
    write_vector_layer(folder, batch, {"kind": surface})
    return VectorLayer(folder)
