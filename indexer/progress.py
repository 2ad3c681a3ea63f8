"""Progress: what a build says of itself while it runs, and when it is complete."""

from __future__ import annotations

import logging
import time

from django.utils import timezone

from indexer.leases import Lease
from indexer.models import Build
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


def finish(build: Build, *, note: str) -> None:
    """Mark a build complete. Raises LayerError if one of its layers is damaged."""
    for layer in build.layers.all():
        store.verify_layer(layer_folder(build, layer.kind, layer.number), layer.files)
    running = Build.objects.filter(pk=build.pk, status=Build.Status.RUNNING)
    running.update(
        note=note,
        status=Build.Status.READY,
        stage=Build.Stage.DONE,
        finished_at=timezone.now(),
    )
    logger.info("build %d is complete", build.pk)
