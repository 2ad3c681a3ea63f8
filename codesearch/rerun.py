"""Rerun: a recorded result beside what the same query finds now, and why, if known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from codesearch import services
from codesearch.config_forms import read_settings
from codesearch.payloads import Payload
from indexer.access import Viewer

OF_LEGS = ("guarantee", "weights")  # They follow from which legs ran, and settings.

Key = tuple[str, str, str, str, int]


@dataclass(frozen=True, slots=True)
class Row:
    """One chunk: its ranks then and now, None where it had none. `hit` is the newer."""

    hit: Payload
    then: int | None
    now: int | None

    @property
    def change(self) -> str:
        """What became of it: same, up, down, gone or new."""
        if self.then is None or self.now is None:
            return "new" if self.then is None else "gone"
        if self.then == self.now:
            return "same"
        return "up" if self.now < self.then else "down"


@dataclass(frozen=True, slots=True)
class Rerun:
    """The rows by rank then, new ones behind by rank now; `reasons` are sentences."""

    rows: list[Row]
    reasons: list[str]
    counts: Counter[str]


def run_again(
    viewer: Viewer,
    then: Payload,
    *,
    query: str,
    repositories: Sequence[str],
    profile: str | None,
) -> Rerun:
    """Ask a recorded query under its settings, and compare. Raises SearchError.

    `then` has the names of now, `repositories` are those that it searched.
    """
    config = read_settings([f"{k}={v}" for k, v in then.get("settings", ())])
    now = services.search(
        viewer=viewer,
        query=query,
        repositories=repositories,
        profile=profile,
        config=config,
    )
    rows = compare_hits(then["hits"], now["hits"])
    return Rerun(rows, list(_reasons(then, now)), Counter(row.change for row in rows))


def compare_hits(then: Sequence[Payload], now: Sequence[Payload]) -> list[Row]:
    """Return the hits of both, each once.

    A chunk is the same by repository, path, kind and symbol, whatever its lines; of
    several it is the first, the second and so on of its file.
    """
    before, after = _by_key(then), _by_key(now)
    rows = [
        Row(
            after.get(key, hit),
            hit["rank"],
            after[key]["rank"] if key in after else None,
        )
        for key, hit in before.items()
    ]
    new = [hit for key, hit in after.items() if key not in before]
    rows.sort(key=lambda row: row.then or 0)
    return rows + [
        Row(hit, None, hit["rank"]) for hit in sorted(new, key=lambda hit: hit["rank"])
    ]


def _by_key(hits: Sequence[Payload]) -> dict[Key, Payload]:
    seen: Counter[tuple[str, str, str, str]] = Counter()
    found: dict[Key, Payload] = {}
    for hit in sorted(hits, key=lambda hit: (hit["start_line"], hit["rank"])):
        called = (
            hit["repository"],
            hit["path_url"],
            hit["kind"],
            hit["symbol"] or "",
        )
        found[(*called, seen[called])] = hit
        seen[called] += 1
    return found


def _reasons(then: Payload, now: Payload) -> Iterator[str]:
    """Yield what is known to differ between two answers."""
    yield from _of_builds(then, now)
    before = then["config"]
    names = [
        name
        for name, value in now["config"].items()
        if name not in OF_LEGS and before.get(name, value) != value
    ]
    if names:
        yield f"The config is another one: {', '.join(names)}."
    for name, leg in now["legs"].items():
        if name in then["legs"] and then["legs"][name]["ran"] != leg["ran"]:
            ran = "ran only now" if leg["ran"] else f"ran only then: {leg['note']}"
            yield f"The {name} leg {ran}."
    if then["rerank"]["kind"] != now["rerank"]["kind"]:
        kinds = then["rerank"]["kind"], now["rerank"]["kind"]
        yield "Ranked by {} then, by {} now.".format(*kinds)


def _of_builds(then: Payload, now: Payload) -> Iterator[str]:
    known = {build["repository"]: build for build in then["builds"]}
    for build in now["builds"]:
        before = known.pop(build["repository"], build)
        if before["id"] != build["id"]:
            yield f"{build['repository']} was indexed again."
        elif before["coverage"] != build["coverage"]:
            yield f"More of {build['repository']} is indexed now."
    for name in known:
        yield f"{name} is not searched any more."
