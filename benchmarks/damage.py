"""Damage: each file of a build is spoiled, and no search may show a wrong line.

`python -m benchmarks.damage [--source DIR] [--seed N] [--each N] [--json OUT]` indexes
two commits of a repository made of the files of DIR (the installed `django/utils`).
Then every file of the newer build and of the caches is spoiled: one bit is flipped, it
is cut in half, its last byte is cut off, it is deleted. With `--each` these are N files
of each kind of layer, each in one of the ways. A fresh process opens the build and
searches: a checker compares the hits with `git show`. Then it does what the start of
`serve` does: that must end in a build that is ready, of the newest commit, and in which
`verify` finds nothing.

A fresh process is a fork of one that has loaded the model and opened no build.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import cycle
from pathlib import Path

from benchmarks.commits import Source
from benchmarks.faults import say, utils
from benchmarks.forks import Fields, in_a_fork
from benchmarks.indexed import data_folder, share_models
from benchmarks.killing import NAME
from benchmarks.records import Table, Value, publish

QUERIES = 2  # Of each damaged build; one more of what is searched in the end.


def flip_a_bit(data: bytes, chance: random.Random) -> bytes:
    """Return the bytes with one bit turned; of none a byte."""
    if not data:
        return b"\x01"
    at, bit = chance.randrange(len(data)), chance.randrange(8)
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


def cut_in_half(data: bytes, chance: random.Random) -> bytes:
    """Return the first half."""
    return data[: len(data) // 2]


def cut_a_byte(data: bytes, chance: random.Random) -> bytes:
    """Return all but the last byte."""
    return data[:-1]


def delete(data: bytes, chance: random.Random) -> None:
    """Return nothing: the file goes."""


Spoil = Callable[[bytes, random.Random], bytes | None]
DAMAGES: dict[str, Spoil] = {
    "one bit": flip_a_bit,
    "half": cut_in_half,
    "one byte": cut_a_byte,
    "deleted": delete,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one damaged file.

    `answered` is the commit that the hits were of, "" where there were none; `said`
    what the answer said besides; `status` and `faults` are of the build that is
    searched in the end, `cause` why that one was made.
    """

    file: str
    damage: str
    answered: str
    said: str
    wrong: list[str]
    status: str
    cause: str
    faults: list[str]
    is_newest: bool

    @property
    def ends_well(self) -> bool:
        """Whether nothing wrong was shown, and a whole build is searched in the end."""
        whole = self.status == "ready" and not self.faults and self.is_newest
        return whole and not self.wrong


def main() -> None:
    """Spoil every file, print the table, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, metavar="N")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    share_models()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CODESEARCH_DATA"] = f"{folder}/data"
        with data_folder():
            source = Source(options.source or utils(), Path(folder) / "repository")
            room = Room(source, Path(folder))
            cases = [(name, way) for name in room.files() for way in room.ways(name)]
            if options.each:
                cases = some_of_each(room.files(), options.each, options.seed)
            outcomes = [spoil_one(room, *case, options.seed) for case in cases]
    publish(
        options,
        {f"{len(outcomes)} damaged files": table(outcomes)},
        outcomes=[asdict(outcome) for outcome in outcomes],
    )
    if not all(outcome.ends_well for outcome in outcomes):
        raise SystemExit(1)


class Room:
    """A data folder with two complete builds, that can be had again as it was."""

    def __init__(self, source: Source, folder: Path) -> None:
        from django.conf import settings

        self.source = source
        self.data = Path(settings.DATA_DIR)
        self.kept = folder / "kept"
        in_a_fork(self._index)  # This process has no build open.
        shutil.copytree(self.data, self.kept, symlinks=True)
        load_model()

    def _index(self) -> Fields:
        """Make a build, and of a change another."""
        from benchmarks.indexed import index_folder

        index_folder(self.source.folder, name=NAME)
        self.source.change(files=2)
        index_folder(self.source.folder, name=NAME)
        return {"indexed": 2}

    def restore(self) -> None:
        """Put the database and every file of builds and caches back."""
        for left in self.data.glob("db.sqlite3*"):
            left.unlink()
        for kept in self.kept.iterdir():
            there = self.data / kept.name
            if kept.is_dir():
                shutil.rmtree(there, ignore_errors=True)
                shutil.copytree(kept, there, symlinks=True)
            else:
                shutil.copy2(kept, there)

    def files(self) -> list[str]:
        """Return the files of the newer build and of the caches, as names in here."""
        builds = self.kept / "builds"
        newest = max(builds.iterdir(), key=lambda path: int(path.name))
        found = [path for path in newest.rglob("*") if path.is_file()]
        cache = self.kept / "cache"
        found += [path for path in cache.rglob("*") if path.suffix == ".sqlite"]
        return sorted(str(path.relative_to(self.kept)) for path in found)

    def ways(self, name: str) -> list[str]:
        """Return the ways in which a file can be damaged: an empty one is not cut."""
        empty = not (self.kept / name).stat().st_size
        return ["one bit", "deleted"] if empty else [*DAMAGES]

    def spoil(self, name: str, damage: str, chance: random.Random) -> None:
        """Damage one file."""
        path = self.data / name
        spoiled = DAMAGES[damage](path.read_bytes(), chance)
        if spoiled is None:
            path.unlink()
        else:
            path.write_bytes(spoiled)


def some_of_each(files: Sequence[str], count: int, seed: int) -> list[tuple[str, str]]:
    """Return so many files of each kind of layer, and of the caches, and the ways."""
    chance = random.Random(seed)  # noqa: S311
    kinds: dict[str, list[str]] = {}
    for name in files:
        kinds.setdefault(layer_of(name), []).append(name)
    chosen = [
        name for of in kinds.values() for name in chance.sample(of, min(count, len(of)))
    ]
    return list(zip(chosen, cycle(DAMAGES), strict=False))


def spoil_one(room: Room, name: str, damage: str, seed: int) -> Outcome:
    """Spoil one file in one way; return what became of it."""
    chance = random.Random(f"{seed}:{name}:{damage}")  # noqa: S311
    room.restore()
    room.spoil(name, damage, chance)
    found = in_a_fork(partial(look, room, name, damage, chance.randrange(99)))
    outcome = Outcome(**found)
    if not outcome.ends_well:
        say(f"NOT well: {outcome}")
    return outcome


def look(room: Room, name: str, damage: str, seed: int) -> Fields:
    """Search, do what a start does, and search again; for a process of its own."""
    from benchmarks.checker import Checker, in_process
    from benchmarks.truth import Truth, make_queries
    from indexer import services
    from indexer.damage import check_builds
    from indexer.models import Build, Index
    from indexer.verification import verify_build

    truth = Truth(room.source.folder)
    checker = Checker(in_process(), truth, NAME)
    queries = make_queries(truth, QUERIES + 1, seed)
    wrong = [one for query in queries[:QUERIES] for one in checker.check(query)]
    answered, said = checker.revisions, [*checker.refusals, *checker.notes]
    checker.refusals.clear()
    checker.revisions = set()
    check_builds()  # Which the worker does when `serve` starts.
    for build in Build.objects.filter(status__in=Build.ACTIVE):
        services.finish_build(build=build)
    wrong += [one for query in queries[QUERIES:] for one in checker.check(query)]
    current = Index.objects.get(repository__name=NAME).current_build
    return {
        "file": name,
        "damage": damage,
        "answered": " ".join(sorted(answered)),
        "said": " ".join(dict.fromkeys(said)),
        "wrong": [*map(str, wrong), *checker.refusals],
        "status": current.status if current else "none",
        "cause": current.cause if current else "",
        "faults": verify_build(current) if current else ["no build is searched"],
        "is_newest": checker.revisions == {truth.head()},
    }


def load_model() -> None:
    """Load what encodes queries, so that every copy of this process has it."""
    from indexer import encoders
    from indexer.models import Profile

    encoder, missing = encoders.encoder_of(Profile.objects.get(name="symbol").embedder)
    if encoder is None:
        raise SystemExit(missing)
    encoder.encode_query("warm")


def table(outcomes: Sequence[Outcome]) -> Table:
    """Return of each layer how many files there were and how they ended."""
    rows: dict[str, dict[str, Value]] = {}
    for layer in dict.fromkeys(layer_of(outcome.file) for outcome in outcomes):
        of = [outcome for outcome in outcomes if layer_of(outcome.file) == layer]
        rows[layer] = {
            "damaged": len(of),
            "the older build answered, and said so": sum(
                bool(one.answered and one.said) for one in of
            ),
            "wrong lines": sum(len(one.wrong) for one in of),
            "made anew": sum(one.cause == "damage" for one in of),
            "searched and verified in the end": sum(one.ends_well for one in of),
        }
    return rows


def layer_of(name: str) -> str:
    """Return the kind of the layer that a file is of, or `cache`."""
    parts = Path(name).parts
    return parts[0] if parts[0] == "cache" else parts[2].partition("-")[0]


if __name__ == "__main__":
    main()
