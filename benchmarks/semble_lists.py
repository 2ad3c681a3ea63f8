"""Run by the Python that has semble, not by ours: its answers as JSON.

Reads `{folder, queries}` from standard input. No model: every text has the same
vector and the weight of that side is 0, so BM25 and the ranking rules decide.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from semble.index.create import create_index_from_path
from semble.search import search
from semble.types import ContentType
from semble.version import __version__

TOP = 10  # The list that its own benchmark scores.
DEEP = 100  # Enough chunks for ten files.


class NoModel:
    """Gives every text the same vector."""

    dim = 2  # Of any length.

    def encode(self, texts: Sequence[str], **_: object) -> Any:  # Any: an array
        """Return a row of ones for each text."""
        return np.ones((len(texts), self.dim), dtype=np.float32)


def main() -> None:
    """Index the folder, ask every query, print the answers."""
    asked = json.load(sys.stdin)
    model = NoModel()
    folder = Path(asked["folder"]).resolve()
    bm25, dense, chunks, _ = create_index_from_path(
        folder, model=model, content=(ContentType.CODE,), display_root=folder
    )

    def ask(query: str, top: int) -> list[tuple[str, int, int]]:
        found = search(query, model, dense, bm25, chunks, top, alpha=0.0)
        hits = [result.chunk for result in found]
        return [(hit.file_path, hit.start_line, hit.end_line) for hit in hits]

    rows = []
    for query in asked["queries"]:
        started = time.perf_counter()
        first = ask(query, TOP)
        seconds = time.perf_counter() - started
        row = {"query": query, "chunks": first, "files": ask(query, DEEP)}
        rows.append({**row, "seconds": seconds})
    note = f"semble {__version__}, BM25 and its ranking, no model"
    json.dump({"note": note, "rows": rows}, sys.stdout)


if __name__ == "__main__":
    main()
