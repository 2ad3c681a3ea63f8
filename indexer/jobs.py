"""Jobs: builds as pages tell of them, as far as the viewer may read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Q, QuerySet

from indexer.access import Viewer, readable
from indexer.leases import MAX_ATTEMPTS
from indexer.ledger import OUTCOMES, LedgerGroup, ledger_counts, ledger_groups
from indexer.models import Build, BuildEvent, Layer
from indexer.pipeline.paths import path_url
from indexer.pipeline.types import SkipReason
from indexer.places import layer_folder
from indexer.stages import (
    Pace,
    Stage,
    cause_sentence,
    heard_at,
    pace_of,
    stages_of,
    state_label,
)

LOADED = ("index__repository", "index__profile", "index__current_build")
DAMAGED = "damaged"
ENDED = (Build.Status.READY, Build.Status.FAILED, Build.Status.CANCELLED)
RETRIED = (Build.Status.FAILED, Build.Status.CANCELLED)
# Reasons of the ledger that are no choice: something is wrong with the file, or us.
ERRORS = (SkipReason.PARSE_CRASH, SkipReason.PARSE_TIMEOUT, SkipReason.UNDECODABLE)
SHOWN_EVENTS = 100  # The newest lines of a log.
SHOWN_FILES = 50  # Of those that caused errors; all are counted.


@dataclass(frozen=True, slots=True)
class Job:
    """One build in a list. `state` is its status, or that it is damaged.

    `sentence` says why it failed, what is damaged, or what a reader should know.
    `seconds` are those at work, `heard_at` is of its worker while it runs. `is_held`
    says that a worker has its lease, dead or alive.
    """

    build: int
    repository: str
    profile: str
    status: str
    state: str
    label: str
    cause: str
    wanted: str
    revision: str
    is_active: bool
    is_held: bool
    is_current: bool
    sentence: str
    attempts: int
    most_attempts: int
    stages: Sequence[Stage]
    pace: Pace | None
    heard_at: datetime | None
    seconds: float
    files: int
    chunks: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class StageTime:
    """Seconds at work in one stage, and per thousand chunks once these are known."""

    stage: str
    seconds: float
    per_thousand: float | None


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the log. `path_url` is "" where it is about no file."""

    at: datetime
    level: str
    stage: str
    text: str
    path: str
    path_url: str


@dataclass(frozen=True, slots=True)
class BadFile:
    """A file that caused an error. `has_text` is false where it was left out."""

    path: str
    path_url: str
    reason: str
    has_text: bool


@dataclass(frozen=True, slots=True)
class Surface:
    """The published layers of one kind: how many, what they cover, and their bytes."""

    kind: str
    layers: int
    covered: int
    bytes: int
    published_at: datetime


@dataclass(frozen=True, slots=True)
class JobDetail:
    """Everything that is told of one build.

    `errors` count files by reason; `in_coverage` says that the coverage page of its
    repository is of this build. `next_build` is the active one of the same index.
    `is_freed`: what it made was removed for newer builds.
    """

    job: Job
    times: Sequence[StageTime]
    counts: Mapping[str, int]
    events: Sequence[Event]
    earlier_events: int
    errors: Mapping[str, int]
    bad_files: Sequence[BadFile]
    surfaces: Sequence[Surface]
    recipe: Mapping[str, object]
    fingerprint: str
    in_coverage: bool
    is_freed: bool
    next_build: int | None
    groups: Sequence[LedgerGroup] = field(default_factory=tuple)


def builds_in_reach(viewer: Viewer) -> QuerySet[Build]:
    """Return the builds of the repositories that `viewer` may read, newest first."""
    builds = Build.objects.filter(index__repository__in=readable(viewer))
    return builds.select_related(*LOADED).order_by("-pk")


def active_jobs(viewer: Viewer, repository: str = "") -> list[Job]:
    """Return the builds that run, then those that wait, each oldest first."""
    builds = _of(builds_in_reach(viewer), repository).filter(status__in=Build.ACTIVE)
    running = [build for build in builds if build.status == Build.Status.RUNNING]
    waiting = [build for build in builds if build.status == Build.Status.QUEUED]
    return [job_of(build) for build in (*reversed(running), *reversed(waiting))]


def ended_builds(
    viewer: Viewer, repository: str = "", state: str = ""
) -> QuerySet[Build]:
    """Return the builds that have ended in a state, the newest first."""
    builds = _of(builds_in_reach(viewer), repository).filter(status__in=ENDED)
    if state == DAMAGED:
        return builds.exclude(damage="")
    return builds.filter(status=state, damage="") if state else builds


def _of(builds: QuerySet[Build], repository: str) -> QuerySet[Build]:
    return builds.filter(index__repository__name=repository) if repository else builds


def last_warnings(builds: Sequence[int]) -> dict[int, str]:
    """Return the last warning in the log of each build that has one."""
    wanted = Q(build__in=builds, level=BuildEvent.Level.WARNING)
    rows = BuildEvent.objects.filter(wanted).order_by("pk")
    return dict(rows.values_list("build", "text"))


def job_of(build: Build) -> Job:
    """Return a build as a list tells of it; its index is loaded."""
    is_damaged = bool(build.damage)
    return Job(
        build=build.pk,
        repository=build.index.repository.name,
        profile=build.index.profile.name,
        status=build.status,
        state=DAMAGED if is_damaged else build.status,
        label=DAMAGED if is_damaged else state_label(build),
        cause=cause_sentence(build),
        wanted=build.wanted,
        revision=build.revision,
        is_active=build.is_active,
        is_held=bool(build.lease_owner),
        is_current=build.index.current_build_id == build.pk,
        sentence=build.damage or build.failure or build.note,
        attempts=build.attempts,
        most_attempts=MAX_ATTEMPTS,
        stages=stages_of(build),
        pace=pace_of(build),
        heard_at=heard_at(build),
        seconds=sum(build.seconds.values()),
        files=build.file_count,
        chunks=build.chunk_count,
        created_at=build.created_at,
        started_at=build.started_at,
        finished_at=build.finished_at,
    )


def read_job(build: Build) -> JobDetail:
    """Return everything that is told of a build that is in reach."""
    groups = ledger_groups(build)
    events, earlier = _events(build)
    surfaces = _surfaces(build)
    others = build.index.builds.filter(status__in=Build.ACTIVE).exclude(pk=build.pk)
    return JobDetail(
        job=job_of(build),
        times=_times(build),
        counts=_counts(build, groups),
        events=events,
        earlier_events=earlier,
        errors=_errors(groups),
        bad_files=_bad_files(build),
        surfaces=surfaces,
        recipe=build.recipe,
        fingerprint=build.fingerprint,
        in_coverage=_is_in_coverage(build),
        is_freed=build.lexical_at is not None and not surfaces,
        next_build=others.values_list("pk", flat=True).first(),
        groups=groups,
    )


def _times(build: Build) -> list[StageTime]:
    """Return the seconds of each stage that was entered, in their order."""
    thousands = build.chunk_count / 1000
    return [
        StageTime(stage, seconds, seconds / thousands if thousands else None)
        for stage in Build.Stage
        if (seconds := build.seconds.get(stage)) is not None
    ]


def _counts(build: Build, groups: Sequence[LedgerGroup]) -> dict[str, int]:
    # Of a build whose files were removed, the numbers of its row are what is left.
    outcomes = ledger_counts(groups) if groups else {}
    return {
        "files": build.file_count,
        **{name: outcomes[name] for name in OUTCOMES if groups},
        "files_reused": build.files_reused,
        "chunks": build.chunk_count,
        "vectors": build.vector_count,
        "vectors_done": build.vectors_done,
        "vectors_made": max(0, build.vectors_done - build.vectors_reused),
        "vectors_reused": build.vectors_reused,
        "over_length": build.over_length_count,
    }


def _events(build: Build) -> tuple[list[Event], int]:
    """Return the newest lines of the log, oldest first, and how many came before."""
    rows = list(build.events.order_by("-pk")[:SHOWN_EVENTS])[::-1]
    paths = {row.path for row in rows} - {""}
    known = dict(
        build.files.filter(path__in=paths).values_list("path", "path_bytes")
        if paths
        else ()
    )
    events = [
        Event(
            at=row.at,
            level=row.level,
            stage=row.stage,
            text=row.text,
            path=row.path,
            # Before the ledger is published, what it looks like is what there is.
            path_url=path_url(known.get(row.path, row.path.encode())),
        )
        for row in rows
    ]
    count = build.events.count() if len(rows) == SHOWN_EVENTS else len(rows)
    return events, count - len(rows)


def _errors(groups: Sequence[LedgerGroup]) -> dict[str, int]:
    errors: dict[str, int] = {}
    for group in groups:
        if group.reason in ERRORS:
            errors[group.reason] = errors.get(group.reason, 0) + group.files
    return errors


def _bad_files(build: Build) -> list[BadFile]:
    rows = build.files.filter(reason__in=ERRORS).order_by("ordinal")[:SHOWN_FILES]
    return [
        BadFile(row.path, path_url(row.path_bytes), row.reason, bool(row.mode))
        for row in rows
    ]


def _surfaces(build: Build) -> list[Surface]:
    by_kind: dict[str, list[Layer]] = {}
    for layer in build.layers.all():
        by_kind.setdefault(layer.kind, []).append(layer)
    return [
        Surface(
            kind=kind,
            layers=len(layers),
            covered=sum(layer.covered for layer in layers),
            bytes=sum(_bytes(build, layer) for layer in layers),
            published_at=layers[-1].published_at,
        )
        for kind, layers in by_kind.items()
    ]


def _bytes(build: Build, layer: Layer) -> int:
    """Return what the files of a layer take; those that are gone take nothing."""
    folder = layer_folder(build, layer.kind, layer.number)
    places = (folder / name for name in layer.files)
    return sum(place.stat().st_size for place in places if place.is_file())


def _is_in_coverage(build: Build) -> bool:
    """Return whether the coverage page of its repository tells of this build."""
    index = build.index
    if not index.is_default:
        return False
    if index.current_build_id is not None:
        return index.current_build_id == build.pk
    return not index.builds.filter(pk__gt=build.pk).exists()
