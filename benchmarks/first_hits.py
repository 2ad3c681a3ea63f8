"""How soon the first hits come, and how long a search takes, beside baselines.

`python -m benchmarks.first_hits [--source DIR] [--json OUT]` indexes a folder (the
installed Django) lexically into a data folder of its own, then asks 500 distinct
queries. Each figure stands beside the same work done plainly in the same run: the same
chunks split on white space into rank_bm25, and rank_bm25's scores of them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.records import publish

QUERIES = 500
WORDS = 5  # As many as a short question has.


def main() -> None:
    """Measure, print the table, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "CODESEARCH_DATA": folder,
            "CODESEARCH_MODEL": "none",
            "DJANGO_SETTINGS_MODULE": "codesearch.settings",
        }
        import django

        django.setup()
        found = measure(options.source or Path(django.__file__).parent)
    publish(options, {"lexical only": {key: {"value": v} for key, v in found.items()}})


def measure(source: Path) -> dict[str, float]:
    """Index `source`, ask the queries, and do the same plainly."""
    from django.core.management import call_command

    from codesearch.services import search
    from indexer import services
    from indexer.access import COMMAND_LINE
    from indexer.pipeline.postings import CodeBM25
    from indexer.pipeline.surfaces import load_texts
    from indexer.places import lexical_folder

    call_command("migrate", verbosity=0)
    index = services.register(name="measured", source=str(source))
    started = time.perf_counter()
    build = services.request_build(index=index, enqueue=False)
    services.advance_build(build_id=build.pk)
    search(viewer=COMMAND_LINE, query="get a single object from the database")
    first_hits = time.perf_counter() - started
    build.refresh_from_db()

    started = time.perf_counter()
    lexical = lexical_folder(build)
    texts = [t.split() for t in load_texts(lexical / "body", range(build.chunk_count))]
    plain = CodeBM25(texts)
    plain_build = time.perf_counter() - started

    words = sorted({word for text in texts for word in text if word.isalpha()})
    step = max(1, len(words) // (QUERIES * WORDS))
    chosen = words[::step]
    queries = [chosen[i :: len(chosen) // WORDS][:WORDS] for i in range(QUERIES)]
    ours = [
        timed(partial(search, viewer=COMMAND_LINE, query=" ".join(query)))
        for query in queries
    ]
    theirs = [timed(partial(plain.get_scores, query)) for query in queries]
    return {
        "files": build.file_count,
        "chunks": build.chunk_count,
        "first_hits_seconds": round(first_hits, 2),
        "first_hits_against_plain": round(first_hits / plain_build, 2),
        "search_ms_p50": round(1000 * statistics.median(ours), 1),
        "search_ms_p95": round(1000 * statistics.quantiles(ours, n=20)[-1], 1),
        "rank_bm25_ms_p50": round(1000 * statistics.median(theirs), 1),
        "search_against_rank_bm25_p50": round(
            statistics.median(ours) / statistics.median(theirs), 3
        ),
    }


def timed(call: Callable[[], object]) -> float:
    """Return the seconds that one call takes."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
