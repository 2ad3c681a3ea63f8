"""Progress: what a build says of itself while it runs, and how it ends."""

from __future__ import annotations

import logging
import time

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from indexer.events import record_event
from indexer.leases import MAX_ATTEMPTS, Lease
from indexer.models import Build, BuildEvent, Index, Layer
from indexer.pace import StepClock, add_sample
from indexer.pipeline import store
from indexer.places import layer_folder
from indexer.stages import awaited_vectors, count_of

logger = logging.getLogger(__name__)

REPORT_SECONDS = 1.0
MOST_LACKING = 0.1  # Of the texts, when searches turn from one build to the next.


class Reporter:
    """Writes one progress field of a build about once a second, and checks in.

    What it is told first was there before it; say what was copied before anything is
    made, so that it does not count as made.
    """

    def __init__(self, build: Build, lease: Lease, field: str) -> None:
        self.build = build
        self.lease = lease
        self.field = field
        self._next = 0.0
        if build.clock:
            build.clock.begin()

    def __call__(self, done: int, **also: int) -> None:
        """Record that `done` are done, and other fields. Raises LeaseLost."""
        self.lease.check()
        if self.build.clock:
            self.build.clock.tell(done)
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + REPORT_SECONDS
        count_work(self.build)
        Build.objects.filter(pk=self.build.pk).update(**{self.field: done}, **also)


def begin_step(build: Build, lease: Lease) -> None:
    """Start the clock of a step, and tell if its last worker died at it."""
    build.clock = StepClock()
    if lease.after_death:
        record_event(
            build,
            f"Taken over from a worker that died while it was {build.stage}: "
            f"death {build.attempts} of {MAX_ATTEMPTS} at this step.",
            level=BuildEvent.Level.WARNING,
        )


def tell_accident(build: Build, error: Exception) -> None:
    """Log that a step was broken off by what no one foresaw; it is tried again."""
    record_event(
        build,
        f"Broken off by an error in the worker ({type(error).__name__}), whose log "
        "says more; it is tried again within minutes.",
        level=BuildEvent.Level.ERROR,
    )


def count_work(build: Build) -> None:
    """Add the time since the last count to the seconds of the build's stage."""
    if build.clock is None:
        return
    elapsed, made = build.clock.read()
    seconds = build.seconds.get(build.stage, 0.0) + elapsed
    build.seconds[build.stage] = round(seconds, 3)
    build.pace = add_sample(build.pace, seconds, made)
    Build.objects.filter(pk=build.pk).update(seconds=build.seconds, pace=build.pace)


def enter_stage(build: Build, stage: str) -> None:
    """Record that `build` is now doing `stage`, and close the one before it."""
    build.started_at = build.started_at or timezone.now()
    if build.stage != stage:
        count_work(build)
        _tell_end(build)
        build.stage = stage
        build.pace = []
    build.save(update_fields=["started_at", "stage", "pace"])


def _tell_end(build: Build) -> None:
    """Log what came of the stage that ends, where nothing else says it."""
    if build.stage == Build.Stage.FETCHING and build.revision:
        files = count_of(build.file_count, "file")
        record_event(build, f"Fetched {build.revision[:12]}: {files}.")
    elif (
        build.stage in (Build.Stage.PURPOSES, Build.Stage.BODIES) and build.vectors_done
    ):
        record_event(
            build,
            f"{build.stage.capitalize()} are complete after "
            f"{build.seconds.get(build.stage, 0):.0f} s at work: "
            f"{build.vectors_done:,} of {build.vector_count:,} vectors by now, "
            f"{build.vectors_reused:,} of them copied.",
        )


def publish_lexical(build: Build) -> None:
    """Let searches read a build that has no vectors yet, if that is no loss."""
    files = count_of(build.file_count, "file")
    found = f"{count_of(build.chunk_count, 'chunk')} of {files}"
    is_live = go_live(build) or Index.objects.filter(current_build=build).exists()
    if build.previewed:
        record_event(build, f"{build.previewed:,} of {files} are read and searched.")
    elif is_live:
        record_event(build, f"{found} can be searched by words and symbols.")
    else:
        waits = f"searched once {awaited_vectors(build)} are made"
        record_event(build, f"{found} read; {waits}.")


def publish_vectors(build: Build) -> None:
    """Let searches turn to a build that has a new layer of vectors, if it is time."""
    if go_live(build):
        texts = f"{build.vectors_done:,} of {build.vector_count:,} texts"
        record_event(build, f"Searched from here on: {texts} have a vector.")


def go_live(build: Build) -> bool:
    """Let searches read a build that is not complete; return whether they do now.

    The first one at once, as one that replaces no more than a preview. One of the same
    recipe when all but a tenth of its texts have a vector, or no larger share lacks one
    than in the build that it replaces. One of another recipe waits until it is
    complete. Until a build has a calibration of its own, that of the one before it
    serves, if its vectors are of the same model.
    """
    index = Index.objects.select_related("current_build").get(pk=build.index_id)
    current = index.current_build
    if current == build:
        return False
    if current and not current.previewed:
        most = max(MOST_LACKING, lacking(current))
        if current.recipe != build.recipe or lacking(build) > most:
            return False
        if build.fingerprint and build.fingerprint == current.fingerprint:
            build.calibration = current.calibration
            build.save(update_fields=["calibration"])
    Index.objects.filter(pk=index.pk).update(current_build=build)
    return True


def lacking(build: Build) -> float:
    """Return the share of a build's texts that no published layer has a vector of."""
    layers = build.layers.exclude(kind=Layer.Kind.LEXICAL)
    covered = layers.aggregate(Sum("covered"))["covered__sum"] or 0
    return 1 - covered / build.vector_count if build.vector_count else 0.0


def finish(build: Build, lease: Lease, *, note: str) -> None:
    """Mark a build complete, and let searches read it.

    Raises LayerError if one of its layers is damaged, LeaseLost when someone else has
    the build now: who has a model may yet make the vectors that we could not.
    """
    count_work(build)
    _tell_end(build)
    for layer in build.layers.all():
        store.verify_layer(layer_folder(build, layer.kind, layer.number), layer.files)
    with transaction.atomic():
        lease.confirm()
        Build.objects.filter(pk=build.pk).update(
            note=note,
            status=Build.Status.READY,
            stage=Build.Stage.DONE,
            finished_at=timezone.now(),
        )
        Index.objects.filter(pk=build.index_id).update(current_build=build)
        _tell_ready(build, note)
    logger.info("build %d is complete", build.pk)


def _tell_ready(build: Build, note: str) -> None:
    took = f"Ready after {sum(build.seconds.values()):.0f} s at work."
    level = BuildEvent.Level.WARNING if note else BuildEvent.Level.INFO
    record_event(build, f"{took} {note}".strip(), level=level)


def cancel_build(*, build: Build) -> None:
    """Stop a build. Layers it has published stay; its worker notices and stops."""
    if _end(build, status=Build.Status.CANCELLED):
        record_event(build, "Cancelled.", level=BuildEvent.Level.WARNING)


def fail_build(*, build: Build, reason: str) -> None:
    """Record why `build` could not be made. The previous build stays current."""
    reason = reason.replace("\x00", "")
    if _end(build, status=Build.Status.FAILED, failure=reason):
        record_event(build, reason, level=BuildEvent.Level.ERROR)
    logger.warning("build %d failed: %s", build.pk, reason)


def _end(build: Build, **fields: str) -> bool:
    """End an active build; return whether it was one."""
    active = Build.objects.filter(pk=build.pk, status__in=Build.ACTIVE)
    return bool(active.update(finished_at=timezone.now(), **fields))
