"""Run every benchmark whose data is at hand, each as a process of its own.

`python -m benchmarks [--checkouts DIR] [--file_queries DIR] [--symbols FILE]
[--concepts FILE] [--cosqa FILE] [--cosqa_codes FILE] [--semble PYTHON]
[--database URL] [--kills N] [--out DIR]`.
What lacks an input is left out and named. Records go to `data/bench`, and so do the
vectors unless CODESEARCH_DATA says where.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from string import Formatter

from benchmarks.records import ROOT

INPUTS = (
    "checkouts",
    "file_queries",
    "symbols",
    "concepts",
    "cosqa",
    "cosqa_codes",
    "semble",
    "database",
    "kills",  # Without a number nothing is killed: five of each take hours.
)
OURS = "benchmarks/data"
# The name of the record, and the command with its inputs in braces.
RUNS = {
    "first_hits": "first_hits",
    "parsing": "parsing",
    "runtimes": "runtimes",
    "dilution": "dilution",
    "exact": f"symbol_queries --queries {OURS}/django_exact.jsonl",
    "details": f"symbol_queries --queries {OURS}/django_details.jsonl",
    "champions": "champions",
    "windows": "windows",
    "indexing": "indexing",
    "memory": "memory",
    "damage": "damage",
    "full": "full",
    "latency": "latency",
    "keystrokes": "keystrokes",
    "audit": "audit",
    "exact_search": "exact_search",
    "trigram_stores": "trigram_stores --database {database}",
    "symbols": "symbol_queries --queries {symbols}",
    "absent_django": "absent --concepts {concepts}",
    "absent_flask": f"absent --concepts {OURS}/absent_flask.json "
    "--source {checkouts}/flask",
    "absent_libuv": f"absent --concepts {OURS}/absent_libuv.json "
    "--source {checkouts}/libuv",
    "file_queries": "file_queries --queries {file_queries} --checkouts {checkouts}",
    "fit_weights": "fit_weights --queries {file_queries} --checkouts {checkouts}",
    "faults": "faults --kills {kills}",
    "cosqa": "cosqa --queries {cosqa} --codes {cosqa_codes}",
}
BESIDE_SEMBLE = ("latency", "file_queries")


def main() -> None:
    """Run them one after the other; exit with 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in INPUTS:
        parser.add_argument(f"--{name}", metavar="PATH")
    parser.add_argument("--out", type=Path, default=ROOT / "data" / "bench")
    options = vars(parser.parse_args())
    out: Path = options.pop("out").resolve()
    given = {name: value for name, value in options.items() if value}
    out.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("CODESEARCH_DATA", str(out))
    failed = [name for name in RUNS if not run(name, given, out)]
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


def run(name: str, given: Mapping[str, str], out: Path) -> bool:
    """Run one benchmark, or say what it lacks; return False if it failed."""
    lacking = missing(name, given)
    if lacking:
        say(f"== {name} is left out: it needs {' and '.join(lacking)}")
        return True
    say(f"== {name}")
    command = [sys.executable, "-m", *arguments(name, given)]
    record = str(out / f"{name}.json")
    done = subprocess.run(  # noqa: S603 - a list, no shell
        [*command, "--json", record], cwd=ROOT, check=False
    )
    return done.returncode == 0


def missing(name: str, given: Mapping[str, str]) -> list[str]:
    """Return the inputs that a benchmark needs and that were not given."""
    wanted = [field for _, field, _, _ in Formatter().parse(RUNS[name]) if field]
    return [field for field in wanted if field not in given]


def arguments(name: str, given: Mapping[str, str]) -> list[str]:
    """Return the module of a benchmark and its arguments."""
    module, *rest = [word.format_map(given) for word in RUNS[name].split()]
    if name in BESIDE_SEMBLE and "semble" in given:
        rest += ["--semble", given["semble"]]
    return [f"benchmarks.{module}", *rest]


def say(line: str) -> None:
    """Print a line before what the benchmark prints."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
