"""Experiments: a finding run on a repository, its rows so far, and its result."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from codesearch.models.records import new_token
from indexer.models import Leased, Repository


class Experiment(Leased):
    """One finding, run on the builds that `header` names.

    `cases` are chosen at its first step, and `rows` hold the answer of each so far: it
    is resumed after the last of them. `digest` is of what is run and of the builds:
    who asks for the same gets the same one. What was made of a build that holds
    secrets `holds_secrets`, and is out of reach once those are off.
    """

    class Status(models.TextChoices):
        """Queued, running, then exactly one of done, failed and cancelled."""

        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    ACTIVE = (Status.QUEUED, Status.RUNNING)

    kind = models.CharField(max_length=20)
    token = models.CharField(max_length=32, unique=True, default=new_token)
    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+")
    profile = models.CharField(max_length=100)
    target = models.CharField(max_length=400, blank=True)
    header = models.JSONField(help_text="The builds that are asked, as JSON.")
    holds_secrets = models.BooleanField(default=False)
    digest = models.CharField(max_length=64)
    cases = models.JSONField(null=True)
    rows = models.JSONField(default=list)
    result = models.JSONField(null=True)
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.QUEUED
    )
    failure = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                name="experiment_failure_iff_failed",
                condition=Q(status="failed") ^ Q(failure=""),
            ),
            models.CheckConstraint(
                name="experiment_result_iff_done",
                condition=Q(status="done") ^ Q(result__isnull=True),
            ),
            models.UniqueConstraint(
                fields=["digest"],
                condition=Q(status__in=["queued", "running", "done"]),
                name="experiment_once_for_the_same",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} on {self.repository}"

    @property
    def is_active(self) -> bool:
        """True while a worker has, or will have, something to do."""
        return self.status in self.ACTIVE
