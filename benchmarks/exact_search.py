"""Exact search: whether it finds the lines that ripgrep finds, and how soon.

`python -m benchmarks.exact_search [--source DIR] [--json OUT]` indexes a folder (the
installed Django) without vectors, writes the texts that are searched into a folder, and
looks for some patterns in both: in the index so that nothing found before helps, and
with ripgrep, a process each time. Each pattern is looked for `RUNS` times, in turn; the
median counts. It ends with an error if the lines differ.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.indexed import (
    data_folder,
    django_source,
    index_folder,
    lexical_profile,
)
from benchmarks.records import Value, publish
from indexer.engines.exact import BuildTexts
from indexer.pipeline.literals import Pattern

RUNS = 5
REPOSITORY = "exact-search"
# As both read them: no class of Unicode, which RE2 has none of.
PATTERNS = {
    "a name": Pattern("get_or_create"),
    "a common word": Pattern("return", has_case=True),
    "two words": Pattern("def save("),
    "in no file": Pattern("zzqqxx_nowhere"),
    "a class of names": Pattern("class [A-Za-z]+Field[(]", is_regex=True),
    "a choice": Pattern("select_related|prefetch_related", is_regex=True),
    "two parts": Pattern("def get_.*[(]self, using", is_regex=True),
    "no trigram": Pattern("[a-z]+_[a-z]+$", is_regex=True),
    "not in ASCII": Pattern("größe|日本", is_regex=True),
    "every line that is not empty": Pattern(".", is_regex=True),
}

Lines = set[tuple[str, int]]


def main() -> None:
    """Measure, compare, print the table, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    program = shutil.which("rg")
    if program is None:
        raise SystemExit("There is no rg on the path to compare with.")
    with data_folder(), tempfile.TemporaryDirectory() as folder:
        source = options.source or django_source()
        index_folder(source, name=REPOSITORY, profile=lexical_profile())
        ours = Ours()
        ours.write(Path(folder))
        table = {
            name: compare(pattern, ours, Path(folder), program)
            for name, pattern in PATTERNS.items()
        }
    title = f"{ours.texts.file_count:,} files, {ours.size / 1e6:.1f} MB"
    publish(options, {title: table})
    if wrong := [name for name, row in table.items() if row["equal"] != "yes"]:
        raise SystemExit(f"Other lines than ripgrep: {', '.join(wrong)}")


class Ours:
    """Exact search over the indexed folder."""

    def __init__(self) -> None:
        from indexer.exact import build_texts
        from indexer.models import Index
        from indexer.opened import open_build

        index = Index.objects.get(
            repository__name=REPOSITORY, profile__name=lexical_profile()
        )
        build = index.current_build
        if build is None:
            raise SystemExit("The folder has no build.")
        files = open_build(build, None).lexical.catalogue.files
        self.paths = [file.path for file in files]
        self._open: Callable[[], BuildTexts] = lambda: build_texts(build, self.paths)
        self.texts = self._open()
        self.size = 0

    def write(self, folder: Path) -> None:
        """Write what is searched into a folder, a file each."""
        kept = [n for n, key in enumerate(self.texts.keys) if key]
        for number, text in self.texts.read(kept).items():
            place = folder / self.paths[number].decode()
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
            self.size += len(text.encode())

    def __call__(self, pattern: Pattern) -> Lines:
        """Look for a pattern, as if it were the first time."""
        from indexer.engines import exact

        exact.forget()
        found = self._open().find(pattern, seconds=600)
        pairs = zip(found.files.tolist(), found.lines.tolist(), strict=True)
        return {(self.paths[file].decode(), line) for file, line in pairs}


def compare(
    pattern: Pattern, ours: Ours, folder: Path, program: str
) -> dict[str, Value]:
    """Look for one pattern in turn, and return the row of the table."""
    seconds: dict[str, list[float]] = {"ours": [], "ripgrep": []}
    found: dict[str, Lines] = {}
    asked: dict[str, Callable[[], Lines]] = {
        "ours": partial(ours, pattern),
        "ripgrep": partial(ripgrep, pattern, folder, program),
    }
    for _ in range(RUNS):
        for name, ask in asked.items():
            started = time.perf_counter()
            found[name] = ask()
            seconds[name].append(time.perf_counter() - started)
    took = {name: statistics.median(row) for name, row in seconds.items()}
    return {
        "pattern": pattern.text,
        "lines": len(found["ours"]),
        "ms": 1000 * took["ours"],
        "ripgrep ms": 1000 * took["ripgrep"],
        "ratio": took["ours"] / took["ripgrep"],
        "equal": "yes" if found["ours"] == found["ripgrep"] else "NO",
    }


def ripgrep(pattern: Pattern, folder: Path, program: str) -> Lines:
    """Return the lines that ripgrep finds below a folder."""
    command = [program, "--no-config", "--hidden", "--no-ignore", "--no-heading"]
    command += ["--with-filename", "--line-number", "--null", "--text"]
    command += [] if pattern.has_case else ["--ignore-case"]
    command += [] if pattern.is_regex else ["--fixed-strings"]
    run = subprocess.run(  # noqa: S603 - a list, no shell
        [*command, "-e", pattern.text, "./"],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    lines = set()
    for line in run.stdout.split(b"\n")[:-1]:
        path, _, rest = line.partition(b"\0")
        lines.add((path.decode().removeprefix("./"), int(rest.partition(b":")[0])))
    return lines


if __name__ == "__main__":
    main()
