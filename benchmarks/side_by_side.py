"""Side by side: a real file by symbol and by window, and its map against arithmetic.

`python -m benchmarks.side_by_side --source DIR [--json OUT]`. The folder is the `src`
of parse-server (github.com/parse-community/parse-server) at the commit below, of which
one file of 1,047 lines is asked about. The queries are of six kinds: a name, natural
words, names of what its body calls, an incident with a word that is nowhere in the
source, and natural words for another function that every window cuts, and for one that
is whole in a window.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from benchmarks.indexed import data_folder, index_folder
from benchmarks.records import Table, publish

COMMIT = "7ea2a2953e9202d43ddb53ded309fbd26245d45c"
FILE = "src/LiveQuery/ParseLiveQueryServer.js"
CLASS = "ParseLiveQueryServer"
HELPER = f"{CLASS}._clearCachedRoles"
QUERIES = (
    ("name", "_clearCachedRoles", HELPER),
    ("natural words", "drop the cached roles of all sessions of a user", HELPER),
    (
        "API names",
        "authCache clearRoleCache createWithoutData useMasterKey",
        HELPER,
    ),
    ("incident", "StaleRoleError after a role was revoked", HELPER),
    (
        "another that is cut",
        "may a subscriber read an object, by its access list and the roles of its user",
        f"{CLASS}._verifyACL",
    ),
    (
        "one that is padded",
        "session token of a subscription, or else that of its client",
        f"{CLASS}.getAuthFromClient",
    ),
)
PROFILES = ("symbol", "window")
STAGES = ("body", "bm25", "fused", "result")
SIZE, EVERY = 50, 40  # Lines of a window, and from one to the next.


def main() -> None:
    """Index the folder twice, ask, map the file, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with data_folder():
        for profile in PROFILES:
            index_folder(options.source, name="side-by-side", profile=profile)
        figures = {stage: ask(stage) for stage in STAGES}
        figures["chunk map"] = map_file()
    publish(options, figures)


def ask(stage: str) -> Table:
    """Return rank, raw score and margin of each query's target under both profiles."""
    from codesearch.side_by_side import Wish, compare_profiles
    from indexer.access import COMMAND_LINE

    found = compare_profiles(
        viewer=COMMAND_LINE,
        repository="side-by-side",
        profiles=PROFILES,
        wishes=[Wish(query, (target,)) for _, query, target in QUERIES],
        stage=stage,
    )
    return {
        f"{kind}: “{query}”": {
            f"{profile} {column}": _value(row[side], column)
            for side, profile in zip("ab", PROFILES, strict=True)
            for column in ("rank", "raw", "margin")
        }
        for (kind, query, _), row in zip(QUERIES, found["rows"], strict=True)
    }


def _value(cell: dict[str, Any] | None, column: str) -> str:  # Any: JSON
    if cell is None or cell[column] is None:
        return "-"
    return str(cell[column]) if column == "rank" else f"{cell[column]:.4f}"


def map_file() -> Table:
    """Return the counts of the file's map. Raises SystemExit where it is wrong."""
    from codesearch.payloads.chunk_map import map_payload
    from indexer.access import COMMAND_LINE
    from indexer.mapping import read_mapped
    from indexer.models import Index

    index = Index.objects.get(repository__name="side-by-side", profile__name="symbol")
    if index.current_build is None:
        raise SystemExit("side-by-side has no build")
    file = read_mapped(
        COMMAND_LINE, "side-by-side", index.current_build.revision, FILE.encode()
    )
    if file is None:
        raise SystemExit(f"There is no {FILE} in this folder.")
    checked = 0
    for shift in range(EVERY):
        found = map_payload(file, shift)
        for one in found["functions"]:
            if (one["fate"] == "fragmented") is is_whole(one):
                raise SystemExit(f"{one['symbol']} at {shift}: {one['fate']} is wrong")
            checked += 1
    found = map_payload(file)
    return {
        "functions": {"count": len(found["functions"])},
        "windows": {"count": len(found["windows"])},
        **{fate: {"count": count} for fate, count in found["fates"].items()},
        "boundaries": {"count": found["cuts"]["all"]},
        "boundaries inside a function": {"count": found["cuts"]["inside"]},
        "fates checked over 40 shifts": {"count": checked},
        **{row["shape"]: {"count": row["symbols"]} for row in found["symbols"]["rows"]},
        "found by a line regex": {"count": found["symbols"]["found"]},
    }


def is_whole(one: dict[str, Any]) -> bool:  # Any: JSON
    """Tell, line by line, whether some window of the description holds a function."""
    own = set(range(one["start_line"], one["end_line"] + 1))
    starts = range(1, one["end_line"] + 1, EVERY)
    return any(own <= set(range(start, start + SIZE)) for start in starts)


if __name__ == "__main__":
    main()
