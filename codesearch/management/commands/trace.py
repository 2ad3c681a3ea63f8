"""Trace from the command line: `manage.py trace QUERY --target TARGET`."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from codesearch import services
from codesearch.config_forms import read_settings
from codesearch.errors import AmbiguousTarget, SearchError
from codesearch.forms import read_argument
from codesearch.models import Case
from codesearch.pages.newest import newest_lines
from codesearch.pages.scores import score_kind
from codesearch.pages.trace.legs import NO_VECTOR
from codesearch.pages.trace.verdict import verdict
from codesearch.payloads import SCHEMA, Payload
from indexer.access import COMMAND_LINE
from indexer.management.base import DatabaseCommand

AMBIGUOUS = 2  # Exit code: the target names several symbols.


class Command(DatabaseCommand):
    """Follow targets through one search and print where each one ended."""

    help = "Say at which stage an expected result was lost, and by how much."
    requires_system_checks = []  # They import every page, for 0.2 s.

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("query")
        parser.add_argument(
            "--target",
            action="append",
            required=True,
            metavar="SYMBOL_OR_PATH[:LINES]",
        )
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
        parser.add_argument("--json", action="store_true")
        parser.add_argument(
            "--assert",
            dest="claim",
            choices=Case.Expected.values,
            help="else exit with 1",
        )

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own
        """Trace, print, and check what was asserted."""
        try:
            found = services.trace(
                viewer=COMMAND_LINE,
                query=read_argument(options["query"]),
                targets=[read_argument(target) for target in options["target"]],
                repositories=options["repository"],
                profile=options["profile"],
                config=read_settings(options["knobs"]),
            )
        except AmbiguousTarget as error:
            self.stdout.write(candidates_text(error, as_json=options["json"]))
            raise CommandError(str(error), returncode=AMBIGUOUS) from error
        except SearchError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(found, ensure_ascii=False, indent=1))
        else:
            for target in found["targets"]:
                self.print_target(found, target)
            for line in newest_lines(found["builds"]):
                self.stdout.write(f"{line.text}.")
        self.check_claim(found, options["claim"])

    def print_target(self, found: Payload, target: Payload) -> None:
        """Print a target's standing in each leg and its end."""
        told = verdict(target, found)
        words = [f"{told.label}.", target["target"], told.sentence, *told.more]
        self.stdout.write(" ".join(words))
        width = max(8, *map(len, target["legs"]))
        for name, place in target["legs"].items():
            outside = (target["unfiltered_ranks"] or {}).get(name)
            row = describe(name, place, found["legs"][name], outside)
            if name in target["unembedded"]:
                row = NO_VECTOR
            self.stdout.write(f"  {name:{width}} {row}")
        if target["fused"]:
            via = target["pool"]["via"] or "not in the pool"
            place = f"{target['fused']['ordinal']:,} ({via})"
            self.stdout.write(f"  {'fused':{width}} {place}")

    def check_claim(self, found: Payload, claim: str | None) -> None:
        """Raise CommandError, exit code 1, if a target does not meet the claim."""
        failed = [ending(row) for row in found["targets"] if not meets(row, claim)]
        if failed:
            raise CommandError(f"not {claim}: {', '.join(failed)}", returncode=1)


def candidates_text(error: AmbiguousTarget, *, as_json: bool) -> str:
    """Return every chunk that a target may mean, one a line or as JSON."""
    if as_json:
        answer = {
            "schema": SCHEMA,
            "error": str(error),
            "target": error.target,
            "candidates": error.candidates,
        }
        return json.dumps(answer, ensure_ascii=False, indent=1)
    return "\n".join(
        f"{row['target']}  {row['path']}:{row['start_line']}-{row['end_line']}  "
        f"{row['symbol'] or row['kind']}"
        for row in error.candidates
    )


def describe(
    name: str, place: Payload | None, leg: Payload, unfiltered: int | None
) -> str:
    """Return a leg's line for a target. `unfiltered` is its rank without filters."""
    if not leg["ran"]:
        return f"did not run: {leg['note']}"
    if place is None:
        out = f"out of scope; unfiltered rank {unfiltered:,}" if unfiltered else ""
        return out or "no evidence"
    ties = f" (={place['tie_size']} tied)" if place["tie_size"] > 1 else ""
    margin = "" if place["margin"] is None else f", margin {place['margin']:+.4g}"
    raw = f"{score_kind(name)} {place['raw']:.6g}"
    return f"rank {place['rank']:,}{ties}, {raw}{margin}"


def ending(target: Payload) -> str:
    """Return a target with the stage and the reason of its death."""
    death = target["death"]
    end = f" (died at the {death['stage']}: {death['reason']})" if death else ""
    return f"{target['target']}{end}"


def meets(target: Payload, claim: str | None) -> bool:
    """Return whether a target got as far as claimed."""
    if claim == "in_leg":
        return any(place and place["in_leg"] for place in target["legs"].values())
    if claim == "in_pool":
        return bool(target["pool"]["in"])
    return claim is None or target["death"] is None
