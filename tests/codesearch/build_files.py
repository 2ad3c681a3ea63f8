"""The files of builds as plain rows, read by `docs/build-format.md` alone."""

from __future__ import annotations

import json
from functools import cache
from math import nan
from pathlib import Path
from typing import Any
from urllib.parse import quote

import faiss
import numpy as np

Row = dict[str, Any]


def read_builds(folder: Path, builds: list[Row], query: Any) -> list[Row]:
    """Return the chunks of the builds of a search in order, with their cosines.

    `purpose` and `body` are (cosine, part from 1), NaN where there is no vector.
    """
    chunks: list[Row] = []
    for one in builds:
        build, start = folder / str(one["id"]), len(chunks)
        chunks += read_chunks(build, f"{one['repository']}@{one['revision']}", start)
        for surface in ("purpose", "body"):
            for chunk in chunks[start:]:
                chunk[surface] = (nan, 0)
            for ordinal, score, part in read_cosines(build, surface, query):
                if not score <= chunks[start + ordinal][surface][0]:
                    chunks[start + ordinal][surface] = (score, part + 1)
    return chunks


@cache
def read_chunks(build: Path, prefix: str, start: int) -> list[Row]:
    """Return what each chunk is, and its terms; `start` is the number of the first."""
    folders = [build / "lexical-0" / name for name in (".", "catalogue", "postings")]
    paths = [path for folder in folders for path in folder.iterdir()]
    held = {p.name: np.load(p).tolist() for p in paths if p.suffix == ".npy"}
    held |= {p.name: json.loads(p.read_bytes()) for p in paths if p.suffix == ".json"}
    said = held["chunks.json"]
    rows: list[Row] = []
    for c, file in enumerate(held["file_of.npy"]):
        path, language, _ = held["files.json"][file]
        symbol, kind = said["symbols"][c], said["kinds"][c]
        at = f"{quote(path)}#{quote(symbol, safe='')}@{held['start_bytes.npy'][c]}"
        rows.append(
            {
                "id": f"{prefix}:{at}",
                "file": f"{prefix}:{path}",
                "name": "" if kind == "section" else symbol.lower().replace("::", "."),
                "path": path.lower(),
                "lang": [language],
                "kind": [kind],
                "is": said["marks"][c],
                "content": bytes(held["digests.npy"][c]).strip(b"\0")
                or f"{prefix}:{at}",
                "re_exports": [],
                "terms": [],
            }
        )
    for stub, definition in held["reexports.npy"]:
        rows[stub]["re_exports"].append(start + definition)
    for i, term in enumerate(held["vocabulary.json"]):
        for entry in range(*held["offsets.npy"][i : i + 2]):
            owner = rows[held["chunks.npy"][entry]]
            owner["terms"] += [term] * held["frequencies.npy"][entry]
    return rows


def read_cosines(build: Path, surface: str, query: Any) -> list[tuple[int, float, int]]:
    """Return (ordinal, cosine, part from 0) of each row, as it stands in the files."""
    rows: list[tuple[int, float, int]] = []
    for layer in build.glob(f"{surface}-*"):
        index = faiss.read_index(str(layer / "vectors.faiss"))
        found, order = index.search(query[None], index.ntotal)
        scores = found[0][np.argsort(order[0])].tolist()
        owners, parts = (np.load(layer / f"{n}.npy") for n in ("ordinals", "numbers"))
        rows += zip(owners.tolist(), scores, parts.tolist(), strict=True)
    return rows
