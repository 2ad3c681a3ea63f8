"""Search from the command line: `manage.py search QUERY [--json]`."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from codesearch import services
from codesearch.config_forms import read_settings
from codesearch.errors import SearchError
from codesearch.forms import read_argument
from codesearch.funnel.legs import DENSE
from codesearch.funnel.types import surface_of
from codesearch.pages.closeness import BANDS
from codesearch.pages.filters import chunks_in, without_filters
from codesearch.pages.newest import newest_lines
from codesearch.pages.scores import raw_score, rerank_depth
from codesearch.pages.search import previews
from codesearch.payloads import Payload
from indexer.access import COMMAND_LINE
from indexer.files import read_texts
from indexer.management.base import DatabaseCommand


class Command(DatabaseCommand):
    """Print the hits of a query, best first."""

    help = "Search the indexed repositories."
    requires_system_checks = []  # They import every page, for 0.2 s.

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("query")
        parser.add_argument("--repository", action="append", default=[], metavar="NAME")
        parser.add_argument("--profile")
        parser.add_argument(
            "--set",
            dest="knobs",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="of the config, as in the address of a trace: pool=214",
        )
        parser.add_argument("--limit", type=int, default=10)
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own
        """Search and print."""
        try:
            found = services.search(
                viewer=COMMAND_LINE,
                query=read_argument(options["query"]),
                repositories=options["repository"],
                profile=options["profile"],
                config=read_settings(options["knobs"]),
            )
        except SearchError as error:
            raise CommandError(str(error)) from error
        hits = found["hits"]
        found["hits"] = hits[: options["limit"]]
        if options["json"]:
            add_texts(found)
            self.stdout.write(json.dumps(found, ensure_ascii=False, indent=1))
            return
        self.print_hits(found, more=len(hits) - len(found["hits"]))

    def print_hits(self, found: Payload, more: int) -> None:
        """Print one line a hit, with the raw score of each leg that has it.

        Then how many `more` there are, and what a reader should know.
        """
        for hit in found["hits"]:
            name = hit["symbol"] or hit["kind"]
            lines = f"{hit['start_line']}-{hit['end_line']}"
            self.stdout.write(
                f"{hit['rank']:>3}  {hit['repository']}  {hit['path']}:{lines}  {name}"
            )
            self.stdout.write(f"     {describe_legs(hit['legs'])}")
        if more:
            self.stdout.write(f"{more:,} more, with a larger --limit.")
        for sentence in notes(found):
            self.stdout.write(sentence)


def describe_legs(legs: Payload) -> str:
    """Return each leg's rank and raw score in words; a missing leg is left out."""
    return "   ".join(
        f"{name} {place['rank']:,} ({raw_score(name, place['raw'])})"
        for name, place in legs.items()
        if place
    )


def notes(found: Payload) -> list[str]:
    """Return what a reader of the hits should know: what did not run, gaps."""
    rows = [f"{line.text}." for line in newest_lines(found["builds"])]
    rows += [*found["left_out"], *found["unsearched"], *previews(found)]
    rows += [
        f"The {name} leg did not run: {leg['note']}."
        for name, leg in found["legs"].items()
        if not leg["ran"]
    ]
    ran = {surface_of(name) for name, leg in found["legs"].items() if leg["ran"]}
    for build in found["builds"]:
        for surface in DENSE:
            share = build["coverage"][surface]
            if share < 1 and surface in ran:
                made = f"{share:.0%} of its {surface} vectors are made"
                rows.append(f"{build['repository']}: {made}.")
    if failure := found["rerank"]["failure"]:
        rows.append(f"The cross-encoder did not run: {failure}.")
    if depth := rerank_depth(found):
        rows.append(f"Rerank: {depth}.")
    rows.append(f"{BANDS[found['closeness']['band']][2]}.")
    rows += [row["sentence"] for row in found["closeness"]["evidence"]]
    rows += [
        f"Indexed names like “{word['word']}”: {', '.join(word['near'])}."
        for word in found["words"]
        if word["near"]
    ]
    if found["filters"]:
        rows.append(f"{found['in_scope']:,} of {chunks_in(found):,} chunks in scope.")
    if not found["hits"]:
        rows.append("Nothing was found.")
    rows += [
        f"Without {one.text} there {'is' if one.hits == 1 else 'are'} {one.hits:,}."
        for one in without_filters(found)
    ]
    return rows


def add_texts(found: Payload) -> None:
    """Add the lines of each hit as `text`; one that cannot be read has none."""
    keys = {
        hit["chunk"]: (hit["repository"], hit["revision"], hit["path_url"])
        for hit in found["hits"]
    }
    texts = read_texts(COMMAND_LINE, keys.values())
    for hit in found["hits"]:
        text = texts.get(keys[hit["chunk"]])
        if text is not None:
            lines = text.split("\n")[hit["start_line"] - 1 : hit["end_line"]]
            hit["text"] = "\n".join(lines)
