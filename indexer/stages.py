"""Stages: how far a build is, in bars and in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from indexer.leases import HEARTBEAT_SECONDS, LEASE
from indexer.models import Build, Leased
from indexer.pace import rate_of

STATES = {
    Build.Status.QUEUED: "queued",
    Build.Status.RUNNING: "indexing",
    Build.Status.READY: "ready",
    Build.Status.FAILED: "failed",
    Build.Status.CANCELLED: "cancelled",
}
CAUSES = {
    Build.Cause.ASKED: "Asked for",
    Build.Cause.SCHEDULE: "A look at the source found something newer",
    Build.Cause.PUSH: "Its host told of a push",
    Build.Cause.PROFILE: "Its profile was changed",
    Build.Cause.DAMAGE: "The build before it is damaged",
}
# What a worker at a build tells at least: of one that was not heard of for longer, no
# rate is said.
HEARD_SECONDS = 3 * HEARTBEAT_SECONDS


@dataclass(frozen=True, slots=True)
class Stage:
    """One bar of a build's progress. `state` is done, busy, failed or todo."""

    name: str
    state: str
    done: int
    total: int
    text: str


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a build is: `unit` in a second, and about when `what` is done.

    The seconds are those of the stage alone: purposes say nothing of bodies.
    """

    rate: float
    unit: str
    what: str
    seconds_left: float

    @property
    def text(self) -> str:
        """Return it in words: "204 texts a second, about 30 s left for purposes"."""
        rate = f"{self.rate:,.0f}" if self.rate >= 10 else f"{self.rate:.1f}"
        left = f"about {duration(self.seconds_left)} left for {self.what}"
        return f"{rate} {self.unit} a second, {left}"


def count_of(number: int, noun: str) -> str:
    """Return a number of things in words: "1 file", "6,918 files"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def preview_sentence(build: Build) -> str:
    """Return how many files of a build are read so far, "" when all are."""
    if not build.previewed:
        return ""
    files = count_of(build.file_count, "file")
    read = f"{build.previewed:,} of {files}"
    if build.is_active:
        return f"{read} are read so far; the others cannot be searched yet."
    return f"{read} were read before its build ended; the others cannot be searched."


def cause_sentence(build: Build) -> str:
    """Return why a build was asked for, and what of: "Asked for: stable/5.2"."""
    wanted = f": {build.wanted}" if build.wanted else ""
    return f"{CAUSES[Build.Cause(build.cause)]}{wanted}"


def heard_at(job: Leased) -> datetime | None:
    """Return when the worker of a running job last said that it is alive."""
    if job.status != job.RUNNING or job.lease_until is None:
        return None
    heard = job.lease_until - LEASE
    # Later than now: it waits for a worker that was woken up again.
    return heard if heard <= timezone.now() else None


def pace_of(build: Build) -> Pace | None:
    """Return how fast a build is of late; None while that is not known, or at rest."""
    heard, rate = heard_at(build), rate_of(build.pace)
    if heard is None or rate is None:
        return None
    if (timezone.now() - heard).total_seconds() > HEARD_SECONDS:
        return None
    if build.stage == Build.Stage.READING:
        left = max(0, build.file_count - build.files_done)
        return Pace(rate, "files", "parsing", left / rate)
    # Each chunk has a body; these come last.
    later = build.chunk_count if build.stage == Build.Stage.PURPOSES else 0
    left = max(0, build.vector_count - later - build.vectors_done)
    return Pace(rate, "texts", build.stage, left / rate)


def state_label(build: Build | None) -> str:
    """Return a build's state in two or three words."""
    if build is None:
        return "not indexed yet"
    if build.status != Build.Status.RUNNING:
        return build.status
    if build.stage in (Build.Stage.PURPOSES, Build.Stage.BODIES):
        return f"embedding {_percent(build.vectors_done, build.vector_count)}"
    return {"fetching": "fetching", "reading": "parsing", "lexical": "indexing"}.get(
        build.stage, build.stage
    )


def stages_of(build: Build) -> list[Stage]:
    """Return the four bars of a build's progress."""
    stage = list(Build.Stage).index(Build.Stage(build.stage))
    reading, embedding = (
        list(Build.Stage).index(Build.Stage.READING),
        list(Build.Stage).index(Build.Stage.PURPOSES),
    )

    def state(first: int, last: int) -> str:
        if stage > last or build.status == Build.Status.READY:
            return "done"
        if stage < first or build.status == Build.Status.QUEUED:
            return "todo"
        return "busy" if build.is_active else "failed"

    # What is told about once a second ends short of all.
    parsed = build.file_count if stage > reading else build.files_done
    return [
        Stage("Reading", state(0, 0), int(stage > 0), 1, _fetched(build)),
        Stage("Parsing", state(1, 1), parsed, build.file_count, _parsed(build, parsed)),
        Stage(
            "Lexical and symbols",
            state(reading + 1, reading + 1),
            int(build.lexical_at is not None and not build.previewed),
            1,
            _lexical(build),
        ),
        Stage(
            "Embedding",
            state(embedding, embedding + 1),
            build.vectors_done,
            build.vector_count,
            _embedded(build),
        ),
    ]


def _fetched(build: Build) -> str:
    if not build.revision:
        return "fetching" if build.is_active else "not fetched"
    return f"{count_of(build.file_count, 'file')} at {build.revision[:12]}"


def _parsed(build: Build, files: int) -> str:
    if not build.file_count:
        return "not yet"
    done = f"{files:,} of {count_of(build.file_count, 'file')}"
    pace = pace_of(build) if build.stage == Build.Stage.READING else None
    return f"{done}, {pace.text}" if pace else done


def _lexical(build: Build) -> str:
    if build.lexical_at is None:
        return "not yet"
    if build.previewed:
        return f"{build.previewed:,} of {count_of(build.file_count, 'file')} so far"
    chunks = count_of(build.chunk_count, "chunk")
    if build.is_active and build.index.current_build_id != build.pk:
        return f"{chunks}, live when {awaited_vectors(build)} are made"
    return f"{chunks}, live since {build.lexical_at:%H:%M} UTC"


def awaited_vectors(build: Build) -> str:
    """Return in words which vectors a build waits for until it is searched."""
    current = build.index.current_build
    if current and current.recipe == build.recipe:
        return "nine tenths of its vectors"
    return "all vectors"


def _embedded(build: Build) -> str:
    if build.note:
        return "lexical only"
    if not build.vector_count:
        return "not yet"
    done = f"{build.vectors_done:,} of {build.vector_count:,}"
    done += f", {_percent(build.vectors_done, build.vector_count)}"
    pace = pace_of(build)
    return f"{done}, {pace.text}" if pace else done


def _percent(done: int, total: int) -> str:
    """Round down: 100% means all."""
    return f"{100 * done // total if total else 0}%"


def duration(seconds: float) -> str:
    """Return a span of time as people say it: "4 min 10 s"."""
    whole = max(1, int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
