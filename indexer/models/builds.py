"""How a repository is indexed: builds, their published layers and what happened."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from indexer.models.repositories import REVISION_LENGTH, Index
from indexer.pace import StepClock
from indexer.pipeline.encoder import Embedder


class Leased(models.Model):
    """What one worker at a time advances: `indexer/leases.py` keeps these fields.

    `lease_owner` and `lease_until` say which worker is at it. While its `status` is in
    `ACTIVE` and its lease has run out, another may take it over; `attempts` counts how
    many died.
    """

    RUNNING = "running"
    ACTIVE: tuple[str, ...] = ()

    status = models.CharField(max_length=10)
    lease_owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)

    class Meta:
        abstract = True


class Build(Leased):
    """Fixed chunks of one revision, and the layers published for them so far.

    One whose lease has run out is resumed from its last published layer.
    """

    class Status(models.TextChoices):
        """Queued, running, then exactly one of ready, failed and cancelled."""

        QUEUED = "queued"
        RUNNING = "running"
        READY = "ready"
        FAILED = "failed"
        CANCELLED = "cancelled"

    class Stage(models.TextChoices):
        """What a running build is doing, in this order."""

        FETCHING = "fetching"
        READING = "reading"
        LEXICAL = "lexical"
        PURPOSES = "purposes"
        BODIES = "bodies"
        CALIBRATING = "calibrating"
        DONE = "done"

    class Cause(models.TextChoices):
        """Why it was asked for."""

        ASKED = "asked"
        SCHEDULE = "schedule"
        PUSH = "push"
        PROFILE = "profile", "changed profile"
        DAMAGE = "damage", "damaged build"

    ACTIVE = (Status.QUEUED, Status.RUNNING)

    index = models.ForeignKey(Index, models.CASCADE, related_name="builds")
    recipe = models.JSONField(
        default=dict,
        editable=False,
        help_text="The profile as it was when the build was asked for.",
    )
    cause = models.CharField(
        max_length=10, choices=Cause.choices, default=Cause.ASKED, editable=False
    )
    wanted = models.CharField(
        max_length=200,
        blank=True,
        help_text="The branch, tag or commit asked for. Empty: the repository's.",
    )
    revision = models.CharField(
        max_length=REVISION_LENGTH, blank=True, help_text="Full commit hash."
    )
    committed_at = models.DateTimeField(null=True, blank=True)
    commits_behind = models.PositiveIntegerField(
        null=True,
        editable=False,
        help_text="Commits that the newest fetched one has and its own lacks; null "
        "where they cannot be counted.",
    )
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.QUEUED
    )
    stage = models.CharField(
        max_length=12, choices=Stage.choices, default=Stage.FETCHING
    )
    failure = models.TextField(blank=True)
    damage = models.TextField(
        blank=True,
        editable=False,
        help_text="What was found wrong with its files; it is not searched any more.",
    )
    note = models.TextField(
        blank=True,
        help_text="What a reader should know, such as: no model, no vectors.",
    )
    fingerprint = models.CharField(
        max_length=64, blank=True, help_text="Of the vectors; empty without a model."
    )

    file_count = models.PositiveIntegerField(default=0)
    files_done = models.PositiveIntegerField(default=0)
    chunk_count = models.PositiveIntegerField(default=0)
    files_reused = models.PositiveIntegerField(
        default=0, help_text="Files whose chunks were cached."
    )
    previewed = models.PositiveIntegerField(
        default=0, help_text="Files that can be searched before all are read."
    )
    vector_count = models.PositiveIntegerField(
        default=0, help_text="Texts to encode: purposes, bodies and summaries."
    )
    vectors_done = models.PositiveIntegerField(default=0)
    vectors_reused = models.PositiveIntegerField(default=0)
    over_length_count = models.PositiveIntegerField(
        default=0, help_text="Texts longer than the model reads, split into parts."
    )

    calibration = models.JSONField(
        null=True,
        blank=True,
        help_text="What present and absent queries score; null until it is made.",
    )

    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    lexical_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    seconds = models.JSONField(
        default=dict, editable=False, help_text="Seconds at work in each stage so far."
    )
    pace = models.JSONField(
        default=list,
        editable=False,
        help_text="What its stage made of late, as samples of `indexer/pace.py`.",
    )
    clock: StepClock | None = None  # Of the step that this process does: no field.

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                name="build_failure_iff_failed",
                condition=Q(status="failed") ^ Q(failure=""),
            ),
            models.UniqueConstraint(
                fields=["index"],
                condition=Q(status__in=["queued", "running"]),
                name="build_one_active_per_index",
            ),
        ]

    def __str__(self) -> str:
        return f"build {self.pk} of {self.index}"

    @property
    def embedder(self) -> Embedder:
        """The model that its texts and its queries are encoded by."""
        return Embedder(**self.recipe.get("embedder", {}))

    @property
    def is_active(self) -> bool:
        """True while a worker has, or will have, something to do."""
        return self.status in self.ACTIVE


class Layer(models.Model):
    """One immutable folder of a build. Its row is its publication."""

    class Kind(models.TextChoices):
        """Lexical comes first, one at a time; the others are vectors, in batches."""

        LEXICAL = "lexical"
        SUMMARY = "summary"
        PURPOSE = "purpose"
        BODY = "body"

    build = models.ForeignKey(Build, models.CASCADE, related_name="layers")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    number = models.PositiveIntegerField(default=0)
    covered = models.PositiveIntegerField(
        help_text="Chunks (or files, for summaries) that this layer covers."
    )
    files = models.JSONField(help_text="sha256 of each file of the layer, by name.")
    published_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["build", "kind", "number"], name="layer_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind}-{self.number} of {self.build}"


class BuildEvent(models.Model):
    """One line of a build's log. `path` is the file that it is about, or empty."""

    class Level(models.TextChoices):
        """How much it matters to someone who looks after builds."""

        INFO = "info"
        WARNING = "warning"
        ERROR = "error"

    build = models.ForeignKey(Build, models.CASCADE, related_name="events")
    at = models.DateTimeField(auto_now_add=True)
    level = models.CharField(max_length=10, choices=Level.choices, default=Level.INFO)
    stage = models.CharField(max_length=12, blank=True)
    text = models.TextField()
    path = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.text


class BadBlob(models.Model):
    """Content that the parser did not survive, and is not given again.

    `grammars` is the version of the grammars that failed: a newer one may try.
    """

    oid = models.CharField(max_length=REVISION_LENGTH)
    grammars = models.CharField(max_length=40)
    reason = models.CharField(max_length=40)
    seen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["oid", "grammars"], name="bad_blob_once")
        ]

    def __str__(self) -> str:
        return f"{self.oid[:12]}: {self.reason}"
