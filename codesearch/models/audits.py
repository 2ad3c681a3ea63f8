"""Audits: a set of cases asked once, and what became of every target."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from codesearch.models.cases import CaseSet
from indexer.models import Leased, Repository


class Audit(Leased):
    """All cases of a set, asked of the same layers under one config.

    `repositories` are those that were searched; who may not read one of them may not
    see the audit. `repository_count` is how many they were. An audit of the runs of
    another system has none, and `system` names it.
    """

    class Status(models.TextChoices):
        """Queued, running, then exactly one of done, failed and cancelled."""

        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    ACTIVE = (Status.QUEUED, Status.RUNNING)

    case_set = models.ForeignKey(CaseSet, models.CASCADE, related_name="audits")
    system = models.CharField(max_length=100, blank=True)
    note = models.CharField(max_length=200, blank=True, help_text="What was tried.")
    repositories = models.ManyToManyField(Repository, related_name="+")
    repository_count = models.PositiveIntegerField(default=0)
    profile = models.CharField(max_length=100, blank=True)
    knobs = models.JSONField(
        default=list, help_text="Pairs of name and value that are not as shipped."
    )
    stages = models.JSONField(
        default=list,
        help_text="In order: name, kind and depth (null: no limit) of each list.",
    )
    header = models.JSONField(
        default=dict, help_text="What it was asked of: builds, layers, config, scope."
    )
    summary = models.JSONField(
        null=True, help_text="What takes the lists of all rows; null until it is done."
    )
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.QUEUED
    )
    failure = models.TextField(blank=True)
    row_count = models.PositiveIntegerField(default=0)
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
                name="audit_failure_iff_failed",
                condition=Q(status="failed") ^ Q(failure=""),
            )
        ]

    def __str__(self) -> str:
        return f"audit {self.pk} of {self.case_set}"

    @property
    def unit(self) -> str:
        """What its places are counted in: as its set was when it was asked for."""
        return str(self.header.get("unit") or self.case_set.unit)

    @property
    def is_active(self) -> bool:
        """True while a worker has, or will have, something to do."""
        return self.status in self.ACTIVE


class AuditRow(models.Model):
    """One case as it was when the audit was asked for, and its result once it has one.

    `targets` is a list of {target, grade}. The forms of `result` and of the packed
    `lists` are those of `codesearch.audits.rows`.
    """

    audit = models.ForeignKey(Audit, models.CASCADE, related_name="rows")
    number = models.PositiveIntegerField(help_text="From 0, in order of the set.")
    key = models.CharField(max_length=100)
    topic = models.CharField(max_length=200, blank=True)
    query = models.TextField()
    targets = models.JSONField()
    is_synthetic = models.BooleanField(default=False)
    result = models.JSONField(null=True)
    lists = models.BinaryField(null=True)

    class Meta:
        ordering = ["audit", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["audit", "number"], name="audit_row_number_once"
            ),
            models.UniqueConstraint(fields=["audit", "key"], name="audit_row_key_once"),
        ]

    def __str__(self) -> str:
        return f"{self.key} of audit {self.audit_id}"
