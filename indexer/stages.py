"""Stages: how far a build is, in bars and in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from indexer.models import Build

STATES = {
    Build.Status.QUEUED: "queued",
    Build.Status.RUNNING: "indexing",
    Build.Status.READY: "ready",
    Build.Status.FAILED: "failed",
    Build.Status.CANCELLED: "cancelled",
}
MIN_RATE_SECONDS = 3.0  # A rate over less time than this is noise.


@dataclass(frozen=True, slots=True)
class Stage:
    """One bar of a build's progress. `state` is done, busy, failed or todo."""

    name: str
    state: str
    done: int
    total: int
    text: str


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

    files = f"{build.files_done:,} of {build.file_count:,} files"
    return [
        Stage("Reading", state(0, 0), int(stage > 0), 1, _fetched(build)),
        Stage("Parsing", state(1, 1), build.files_done, build.file_count, files),
        Stage(
            "Lexical and symbols",
            state(reading + 1, reading + 1),
            int(build.lexical_at is not None),
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
    return f"{build.file_count:,} files at {build.revision[:12]}"


def _lexical(build: Build) -> str:
    if build.lexical_at is None:
        return "not yet"
    if build.is_active and build.index.current_build_id != build.pk:
        return f"{build.chunk_count:,} chunks, live when all vectors are made"
    return f"{build.chunk_count:,} chunks, live since {build.lexical_at:%H:%M} UTC"


def _embedded(build: Build) -> str:
    if build.note:
        return "lexical only"
    if not build.vector_count:
        return "not yet"
    done = f"{build.vectors_done:,} of {build.vector_count:,}"
    done += f", {_percent(build.vectors_done, build.vector_count)}"
    if not build.is_active or build.stage_started_at is None:
        return done
    elapsed = (timezone.now() - build.stage_started_at).total_seconds()
    made = build.vectors_done - build.stage_started_done
    if elapsed < MIN_RATE_SECONDS or made <= 0:
        return done
    rate = made / elapsed
    left = timedelta(seconds=(build.vector_count - build.vectors_done) / rate)
    return f"{done}, {rate:.0f} a second, {_duration(left)} left"


def _percent(done: int, total: int) -> str:
    """Round down: 100% means all."""
    return f"{100 * done // total if total else 0}%"


def _duration(span: timedelta) -> str:
    seconds = int(span.total_seconds())
    if seconds < 60:
        return f"{max(seconds, 1)} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"
