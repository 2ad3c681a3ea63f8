"""Trigram stores: the texts of exact search in SQLite and in PostgreSQL with pg_trgm.

`python -m benchmarks.trigram_stores --database URL [--source DIR] [--json OUT]` indexes
a folder (the installed Django) without vectors, fills both stores with its texts, and
looks for the patterns of `exact_search`. A store proposes texts; what decides is RE2 in
the one, PostgreSQL's own expressions in the other. URL is of a PostgreSQL whose user
may make a table and the extension; the table is dropped again.
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.exact_search import PATTERNS, REPOSITORY, Ours
from benchmarks.indexed import (
    data_folder,
    django_source,
    index_folder,
    lexical_profile,
)
from benchmarks.records import Value, publish
from indexer.pipeline.full_texts import FullTexts, Known
from indexer.pipeline.literals import Pattern, matching_lines
from indexer.pipeline.trigrams import match_expression, required_trigrams

RUNS = 3
TOGETHER = 200  # Texts that are written together, as a build does.
TABLE = "codesearch_trigram_stores"


def main() -> None:
    """Fill, measure, print the tables, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", required=True, metavar="URL")
    parser.add_argument("--source", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with data_folder(), tempfile.TemporaryDirectory() as folder:
        source = options.source or django_source()
        index_folder(source, name=REPOSITORY, profile=lexical_profile())
        ours = Ours()
        kept = [number for number, key in enumerate(ours.texts.keys) if key]
        texts = ours.texts.read(kept)
        sqlite = Sqlite(Path(folder) / "texts.sqlite")
        with Postgres.opened(options.database) as postgres:
            fills = {
                "FTS5": filled(sqlite, texts),
                "pg_trgm": filled(postgres, texts),
            }
            rows = {
                name: compare(pattern, sqlite, postgres, texts)
                for name, pattern in PATTERNS.items()
            }
    del options.database  # It may hold a password.
    size = sum(len(text.encode()) for text in texts.values())
    title = f"{len(texts):,} texts, {size / 1e6:.1f} MB"
    publish(options, {title: fills, "looked for": rows})


def filled(store: Sqlite | Postgres, texts: Mapping[int, str]) -> dict[str, Value]:
    """Fill a store, and return what that takes."""
    started = time.perf_counter()
    rows = list(texts.items())
    for start in range(0, len(rows), TOGETHER):
        store.add(dict(rows[start : start + TOGETHER]))
    took = time.perf_counter() - started
    table, index = store.sizes()
    return {"seconds": took, "MB of texts": table / 1e6, "MB of index": index / 1e6}


class Sqlite:
    """The store of the product, in a file of its own."""

    def __init__(self, path: Path) -> None:
        self.texts = FullTexts(path)

    def add(self, texts: Mapping[int, str]) -> None:
        """Keep texts by number."""
        self.texts.add({str(number): text for number, text in texts.items()})

    def sizes(self) -> tuple[int, int]:
        """Return the bytes of the texts, and of all else."""
        import sqlite3

        connection = sqlite3.connect(self.texts.path)
        query = "SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'trigrams%'"
        try:
            (index,) = connection.execute(query).fetchone()
        except sqlite3.OperationalError:  # Built without dbstat.
            query = "SELECT sum(length(block)) FROM trigrams_data"
            (index,) = connection.execute(query).fetchone()
        connection.close()
        return self.texts.size() - index, index

    @cached_property
    def _known(self) -> Known:
        return self.texts.known()

    def propose(self, pattern: Pattern) -> list[int] | None:
        """Return the ids that may match, None for all."""
        expression = match_expression(required_trigrams(pattern))
        if not expression:
            return None
        found = self.texts.candidates(self._known, expression)
        return None if found is None else found.tolist()

    def decide(self, pattern: Pattern) -> int:
        """Return how many texts hold a line that matches."""
        ids = self.propose(pattern)
        ids = list(self._known.ids.values()) if ids is None else ids
        found = self.texts.read(self._known, ids)
        return sum(len(matching_lines(pattern, data)) > 0 for _, data in found)


@dataclass(frozen=True, slots=True)
class Asked:
    """What PostgreSQL did for a pattern; `proposed` is None if no index was asked."""

    proposed: int | None
    index_ms: float
    found: int
    ms: float


class Postgres:
    """The same texts in a table with a GIN index of pg_trgm."""

    def __init__(self, connection: Any) -> None:  # Any: psycopg is optional
        self._connection = connection

    @classmethod
    @contextmanager
    def opened(cls, url: str) -> Iterator[Postgres]:
        """Make the table and its index, and drop them in the end."""
        import psycopg

        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
            connection.execute(f"DROP TABLE IF EXISTS {TABLE}")
            connection.execute(f"CREATE TABLE {TABLE} (id int PRIMARY KEY, text text)")
            connection.execute(f"CREATE INDEX ON {TABLE} USING gin (text gin_trgm_ops)")
            try:
                yield cls(connection)
            finally:
                connection.execute(f"DROP TABLE {TABLE}")

    def add(self, texts: Mapping[int, str]) -> None:
        """Keep texts by number, in one transaction."""
        with self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {TABLE} VALUES (%s, %s)",  # noqa: S608 - a constant
                list(texts.items()),
            )

    def sizes(self) -> tuple[int, int]:
        """Return the bytes of the texts, compressed as they are, and of the index.

        What waits to be put into the index is put there first.
        """
        self._connection.execute(f"VACUUM ANALYZE {TABLE}")
        (index, whole) = self._connection.execute(
            "SELECT pg_relation_size(%s), pg_total_relation_size(%s)",
            (f"{TABLE}_text_idx", TABLE),
        ).fetchone()
        return whole - index, index

    def ask(self, pattern: Pattern) -> Asked:
        """Look for a pattern once."""
        query = f"EXPLAIN (ANALYZE, FORMAT JSON) {self._query(pattern)}"
        (plans,) = self._connection.execute(query, (self._value(pattern),)).fetchone()
        plan = plans[0]["Plan"]
        scans = [one for one in nodes(plan) if one["Node Type"] == "Bitmap Index Scan"]
        return Asked(
            proposed=int(scans[0]["Actual Rows"]) if scans else None,
            index_ms=scans[0]["Actual Total Time"] if scans else 0.0,
            found=int(plan["Actual Rows"]),
            ms=plans[0]["Execution Time"],
        )

    def _query(self, pattern: Pattern) -> str:
        sign = "~" if pattern.is_regex else "LIKE"
        if not pattern.has_case:
            sign = "~*" if pattern.is_regex else "ILIKE"
        return f"SELECT id FROM {TABLE} WHERE text {sign} %s"  # noqa: S608

    def _value(self, pattern: Pattern) -> str:
        if pattern.is_regex:
            return f"(?n){pattern.text}"  # By line, as RE2 is asked.
        return "%{}%".format(re.sub(r"([\\%_])", r"\\\1", pattern.text))


def nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the nodes of a plan of PostgreSQL."""
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)


def compare(
    pattern: Pattern, sqlite: Sqlite, postgres: Postgres, texts: Mapping[int, str]
) -> dict[str, Value]:
    """Return what each store proposes of a pattern, and how long all of it takes."""
    ids = sqlite.propose(pattern)
    asked = [postgres.ask(pattern) for _ in range(RUNS)]
    proposed = asked[0].proposed
    return {
        "pattern": pattern.text.replace("|", r"\|"),  # In a table it is a sign.
        "FTS5 proposes": len(texts) if ids is None else len(ids),
        "pg_trgm proposes": len(texts) if proposed is None else proposed,
        "FTS5 ms": timed(lambda: sqlite.propose(pattern)),
        "pg_trgm ms": statistics.median(one.index_ms for one in asked),
        "texts, RE2": sqlite.decide(pattern),
        "texts, PostgreSQL": asked[0].found,
        "FTS5 and RE2 ms": timed(lambda: sqlite.decide(pattern)),
        "PostgreSQL ms": statistics.median(one.ms for one in asked),
    }


def timed(work: Callable[[], object]) -> float:
    """Return the median milliseconds of some runs."""
    took = []
    for _ in range(RUNS):
        started = time.perf_counter()
        work()
        took.append(time.perf_counter() - started)
    return 1000 * statistics.median(took)


if __name__ == "__main__":
    main()
