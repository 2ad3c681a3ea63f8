"""Newest: in words, which commit a result is from and whether it is the newest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.utils import timezone
from django.utils.timesince import timesince

from codesearch.payloads import Payload, repository_then

SHOWN = 7  # Digits of a commit in a sentence; its links hold all of them.
MOST_NAMED = 3  # Builds that are told one by one; of more, those that are behind.


@dataclass(frozen=True, slots=True)
class NewestLine:
    """One sentence of a result's builds. `state` is a glyph's: ok, busy or warn."""

    state: str
    text: str


def newest_lines(
    builds: Sequence[Payload], *, frozen: bool = False
) -> list[NewestLine]:
    """Return what a result says of its commits; of many builds a sentence for all.

    Of a `frozen` one, which was recorded, times are told as moments.
    """
    if len(builds) <= MOST_NAMED:
        return [newest_line(build, frozen=frozen) for build in builds]
    stale = [build for build in builds if _is_stale(build)]
    fresh = [build for build in builds if _newest(build).get("is_newest")]
    head = f"{len(fresh):,} of {len(builds):,} repositories are at their newest commit"
    lines = [newest_line(build, frozen=frozen) for build in stale]
    return [NewestLine("ok", head), *lines]


def newest_line(build: Payload, *, frozen: bool = False) -> NewestLine:
    """Return what is said of one build; records of before know no newest commit."""
    head = f"{repository_then(build)} at {build['revision'][:SHOWN]}"
    found = _newest(build)
    if found.get("revision") is None:
        return NewestLine("ok", head)
    when = _when(found["fetched_at"], frozen=frozen)
    failed = "; fetching has failed since" if found["failed"] else ""
    warned = "warn" if failed else "ok"
    if found["is_newest"]:
        return NewestLine(warned, f"{head}, the newest, fetched {when}{failed}")
    newer = found["revision"][:SHOWN]
    if found["wanted"]:
        tracked = found["tracked"] or "the default branch"
        chosen = f"{head}, which was chosen ({found['wanted']})"
        return NewestLine(
            warned, f"{chosen}; {tracked} is at {newer}, fetched {when}{failed}"
        )
    behind = found["behind"]
    plural = "" if behind == 1 else "s"
    words = f"{behind:,} commit{plural} behind" if behind else "not the newest:"
    state, end = ("busy", ", being indexed") if found["indexing"] else ("warn", "")
    return NewestLine(state, f"{head}, {words} {newer} fetched {when}{end}{failed}")


def _is_stale(build: Payload) -> bool:
    found = _newest(build)
    return found.get("is_newest") is False or found.get("failed", False)


def _newest(build: Payload) -> Payload:
    return build.get("newest") or {}


def _when(moment: str, *, frozen: bool) -> str:
    """Return an ISO moment as a time, or as a span up to now."""
    at = datetime.fromisoformat(moment)
    if frozen:
        return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return ago(at)


def ago(at: datetime) -> str:
    """Return how long ago a moment is, in the largest unit that holds it."""
    if timezone.now() - at < timedelta(minutes=1):
        return "just now"
    return f"{timesince(at, depth=1)} ago".replace("\xa0", " ")
