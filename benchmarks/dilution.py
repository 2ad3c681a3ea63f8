"""Dilution: one function among many in a file, against one vector for the file.

`python -m benchmarks.dilution [--source DIR] [--json OUT]` indexes two files of ours,
in `benchmarks/data/dilution/`: `format_currency` is a twentieth of the first, the
second talks of currencies and locales all through. Asked for the function, the index
of functions must find it; a vector of the whole file, and the file's summary, see
whose words prevail. Asked what a file is about, the summary is what should answer.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.indexed import data_folder, index_folder
from benchmarks.records import Value, publish

if TYPE_CHECKING:  # The settings are read when a data folder is known.
    from indexer.pipeline.encoder import Encoder

SOURCE = Path(__file__).parent / "data" / "dilution"
FILE, SYMBOL = "billing/invoice.py", "format_currency"
FUNCTION_QUERIES = (
    "format a money amount for a German customer",
    "display a monetary amount by the locale of the customer",
    "currency symbol and thousands separator for an amount",
)
FILE_QUERIES = (
    "where are invoices built and rendered",
    "invoice construction and tax",
)
STAGES = ("purpose", "body", "result")


def main() -> None:
    """Measure, print the tables, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=SOURCE)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with data_folder():
        name = index_folder(options.source, name="dilution")
        figures = {
            "rank of the function": {q: ranks(q, name) for q in FUNCTION_QUERIES},
            "rank of its file": {q: file_ranks(q, name) for q in FUNCTION_QUERIES},
            "rank of the file asked for": {
                q: file_ranks(q, name) for q in FILE_QUERIES
            },
        }
    publish(options, figures)


def ranks(query: str, name: str) -> dict[str, Value]:
    """Return the rank of the function in the results and, with cosines, the legs."""
    from codesearch.services import trace
    from indexer.access import COMMAND_LINE

    found = trace(
        viewer=COMMAND_LINE, query=query, targets=[SYMBOL], repositories=[name]
    )["targets"][0]
    line: dict[str, Value] = {"result": found["rank"] or "lost"}
    for leg in ("purpose", "body"):
        standing = found["legs"][leg]
        line[leg] = standing["ordinal"] if standing else "lost"
        line[f"{leg} cosine"] = standing["raw"] if standing else "none"
    return line


def file_ranks(query: str, name: str) -> dict[str, Value]:
    """Return the rank of the file by each kind of vector, and the cosines."""
    from benchmarks.stages import current_build, run_funnel
    from indexer.encoders import encoder_of

    build = current_build(name)
    encoder, missing = encoder_of(build.embedder, build.fingerprint)
    if encoder is None:
        return {"whole file": f"not run: {missing}"}
    vector = encoder.encode_query(query)
    corpus = run_funnel(query, name).searched.corpus
    cosines_of = corpus.place_cosine(vector, encoder.fingerprint)
    summaries = dict(zip(_paths(name), cosines_of, strict=True))
    line: dict[str, Value] = {}
    kinds = {
        "whole file": whole_file_cosines(name, encoder, vector),
        "summary": summaries,
    }
    for kind, cosines in kinds.items():
        own = float(cosines[FILE])
        others = [float(value) for path, value in cosines.items() if path != FILE]
        line[kind] = 1 + sum(value > own for value in others)
        line[f"{kind} cosine"] = own
        line[f"{kind}, best other"] = max(others)
    return line


def whole_file_cosines(
    name: str, encoder: Encoder, vector: np.ndarray[tuple[int], np.dtype[np.float32]]
) -> Mapping[str, float]:
    """Return each file's cosine by one vector: the mean of its parts, none cut off."""
    from benchmarks.stages import indexed_texts
    from indexer.pipeline.parts import split_text

    cosines = {}
    for path, text in indexed_texts(name).items():
        pieces = split_text(
            text,
            breaks=(),
            limit=encoder.max_tokens,
            count=encoder.count_tokens,
            head="",
        )
        mean = encoder.encode(pieces).mean(axis=0)
        cosines[path] = float(mean @ vector / np.linalg.norm(mean))
    return cosines


def _paths(name: str) -> list[str]:
    """Return the paths of the places of a build, in their order."""
    from benchmarks.stages import current_build
    from indexer.models import File

    files = File.objects.filter(build=current_build(name), place__isnull=False)
    return [*files.order_by("place").values_list("path", flat=True)]


if __name__ == "__main__":
    main()
