"""Progress: what a build says of itself while it runs, and how it ends."""

from __future__ import annotations

import logging
import time

from django.db import transaction
from django.utils import timezone

from indexer.leases import Lease
from indexer.models import Build, Index
from indexer.pipeline import store
from indexer.places import layer_folder

logger = logging.getLogger(__name__)

REPORT_SECONDS = 1.0


class Reporter:
    """Writes one progress field of a build about once a second, and checks in."""

    def __init__(self, build: Build, lease: Lease, field: str) -> None:
        self.build = build
        self.lease = lease
        self.field = field
        self._next = 0.0

    def __call__(self, done: int) -> None:
        """Record that `done` are done. Raises LeaseLost."""
        self.lease.check()
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + REPORT_SECONDS
        Build.objects.filter(pk=self.build.pk).update(**{self.field: done})


def enter_stage(build: Build, stage: str) -> None:
    """Record that `build` is now doing `stage`."""
    now = timezone.now()
    build.started_at = build.started_at or now
    if build.stage != stage or build.stage_started_at is None:
        build.stage = stage
        build.stage_started_at = now
        build.stage_started_done = build.vectors_done
    build.save(
        update_fields=["started_at", "stage", "stage_started_at", "stage_started_done"]
    )


def publish_lexical(build: Build) -> None:
    """Let searches read a build that has no vectors yet, if that is no loss.

    A build of a changed profile waits until it is complete: its vectors are all to
    be made, and the build before it has its own.
    """
    index = Index.objects.select_related("current_build").get(pk=build.index_id)
    current = index.current_build
    if current is None or current.recipe == build.recipe:
        Index.objects.filter(pk=index.pk).update(current_build=build)


def finish(build: Build, *, note: str) -> None:
    """Mark a build complete, and let searches read it.

    Raises LayerError if one of its layers is damaged.
    """
    for layer in build.layers.all():
        store.verify_layer(layer_folder(build, layer.kind, layer.number), layer.files)
    running = Build.objects.filter(pk=build.pk, status=Build.Status.RUNNING)
    with transaction.atomic():
        finished = running.update(
            note=note,
            status=Build.Status.READY,
            stage=Build.Stage.DONE,
            finished_at=timezone.now(),
        )
        if finished:
            Index.objects.filter(pk=build.index_id).update(current_build=build)
    logger.info("build %d is complete", build.pk)


def cancel_build(*, build: Build) -> None:
    """Stop a build. Layers it has published stay; its worker notices and stops."""
    Build.objects.filter(pk=build.pk, status__in=Build.ACTIVE).update(
        status=Build.Status.CANCELLED, finished_at=timezone.now()
    )


def fail_build(*, build: Build, reason: str) -> None:
    """Record why `build` could not be made. The previous build stays current."""
    Build.objects.filter(pk=build.pk, status__in=Build.ACTIVE).update(
        status=Build.Status.FAILED,
        failure=reason.replace("\x00", ""),
        finished_at=timezone.now(),
    )
    logger.warning("build %d failed: %s", build.pk, reason)
