"""What the indexer knows: repositories, profiles, indexes, builds and their parts."""

from __future__ import annotations

from dataclasses import asdict

from django.conf import settings
from django.core.validators import MaxLengthValidator, RegexValidator
from django.db import models
from django.db.models import Q

from indexer.pipeline.encoder import LEAST_TOKENS, Embedder

REVISION_LENGTH = 64  # SHA-1 today, SHA-256 repositories tomorrow.


class Repository(models.Model):
    """A Git repository, or a folder, that an administrator registered for search."""

    class Visibility(models.TextChoices):
        """Who may search it; `indexer/access.py` alone reads this."""

        PUBLIC = "public", "everyone"
        STAFF = "staff", "staff only"

    name = models.CharField(
        max_length=100,
        unique=True,
        validators=[
            RegexValidator(
                r"^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?$",
                "Use letters, digits, dots, dashes and underscores only.",
            )
        ],
    )
    source = models.CharField(
        "URL or folder",
        max_length=500,
        help_text="A Git URL (https or ssh), or a folder below an allowed root.",
    )
    branch = models.CharField(
        max_length=200, blank=True, help_text="Empty: the default branch."
    )
    visibility = models.CharField(
        max_length=10, choices=Visibility.choices, default=Visibility.PUBLIC
    )
    index_secrets = models.BooleanField(
        default=False,
        help_text="Index environment files and private keys too, from the next build.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "repositories"

    def __str__(self) -> str:
        return self.name


DEFAULT_PROFILE = "symbol"


class Profile(models.Model):
    """How a repository is indexed: the chunker and the embedder.

    Each build keeps the recipe it was asked for with, so a change here makes
    new builds and leaves those that exist as they are.
    """

    class Chunker(models.TextChoices):
        """What a chunk is: one symbol, or a window of lines (the baseline)."""

        SYMBOL = "symbol", "one chunk a symbol"
        WINDOW = "window", "windows of 50 lines"

    class Pooling(models.TextChoices):
        """How the vectors of a text's tokens become one."""

        OWN = "", "the model's own"
        MEAN = "mean", "mean of all tokens"
        CLS = "cls", "the first token"

    name = models.SlugField(unique=True)
    chunker = models.CharField(
        max_length=10, choices=Chunker.choices, default=Chunker.SYMBOL
    )
    model = models.CharField(
        "embedding model",
        max_length=300,
        blank=True,
        help_text="A sentence-transformers model: a folder of this machine, or an id "
        "that it holds. Empty: what CODESEARCH_MODEL says. “none”: no vectors.",
    )
    revision = models.CharField(
        max_length=100,
        blank=True,
        help_text="Commit, tag or branch of a model id. Empty: the newest held.",
    )
    query_prefix = models.TextField(
        blank=True,
        validators=[MaxLengthValidator(1000)],
        help_text="Put before every query, as the model's card says, with its last "
        "space: “query: ”.",
    )
    passage_prefix = models.TextField(
        blank=True,
        validators=[MaxLengthValidator(1000)],
        help_text="Put before every text that is indexed; it counts towards the "
        "length.",
    )
    max_tokens = models.PositiveIntegerField(
        "length",
        null=True,
        blank=True,
        help_text=f"Tokens of the longest text read, {LEAST_TOKENS} or more; a longer "
        "text is split, never cut. Empty: all that the model reads.",
    )
    dimension = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Keep the first numbers of each vector, for models made so "
        "(Matryoshka). Empty: all.",
    )
    pooling = models.CharField(max_length=10, choices=Pooling.choices, blank=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def embedder(self) -> Embedder:
        """The model that encodes for this profile, and how."""
        return Embedder(
            model=self.model or settings.MODEL,
            revision=self.revision,
            query_prefix=self.query_prefix,
            passage_prefix=self.passage_prefix,
            max_tokens=self.max_tokens,
            dimension=self.dimension,
            pooling=self.pooling,
        )

    @property
    def recipe(self) -> dict[str, object]:
        """Everything that a build under this profile depends on, as JSON."""
        return {"chunker": self.chunker, "embedder": asdict(self.embedder)}


class Index(models.Model):
    """One repository under one profile; owns the build that searches read."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="indexes")
    profile = models.ForeignKey(Profile, models.PROTECT, related_name="indexes")
    is_default = models.BooleanField(
        default=False, help_text="Searched when no profile is chosen."
    )
    current_build = models.ForeignKey(
        "Build",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The build that searches read. Switched by one row update.",
    )

    class Meta:
        ordering = ["repository__name", "profile__name"]
        verbose_name_plural = "indexes"
        constraints = [
            models.UniqueConstraint(
                fields=["repository", "profile"], name="index_once_per_profile"
            ),
            models.UniqueConstraint(
                fields=["repository"],
                condition=Q(is_default=True),
                name="index_one_default_per_repository",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.repository} ({self.profile})"


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
        DONE = "done"

    ACTIVE = (Status.QUEUED, Status.RUNNING)

    index = models.ForeignKey(Index, models.CASCADE, related_name="builds")
    recipe = models.JSONField(
        default=dict,
        editable=False,
        help_text="The profile as it was when the build was asked for.",
    )
    revision = models.CharField(
        max_length=REVISION_LENGTH, blank=True, help_text="Full commit hash."
    )
    committed_at = models.DateTimeField(null=True, blank=True)
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.QUEUED
    )
    stage = models.CharField(
        max_length=10, choices=Stage.choices, default=Stage.FETCHING
    )
    failure = models.TextField(blank=True)
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
    stage_started_at = models.DateTimeField(null=True, blank=True)
    stage_started_done = models.PositiveIntegerField(
        default=0, help_text="Vectors done when this stage was entered or resumed."
    )
    finished_at = models.DateTimeField(null=True, blank=True)

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


class Layer(models.Model):
    """One immutable folder of a build. Its row is its publication."""

    class Kind(models.TextChoices):
        """Lexical comes first and once; the others are vectors, in batches."""

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


class File(models.Model):
    """One line of a build's ledger: what became of one tree entry.

    `path` is the display form of `path_bytes`. `mode` is empty when the entry
    was skipped, and then `reason` says why. An entry with both is partial: the
    lines in `partial` were left out for `reason`, or, without any, the file was
    cut by window because its parser failed.
    """

    build = models.ForeignKey(Build, models.CASCADE, related_name="files")
    ordinal = models.PositiveIntegerField()
    path = models.TextField()
    path_bytes = models.BinaryField()
    oid = models.CharField(max_length=REVISION_LENGTH)
    size = models.PositiveBigIntegerField(default=0)
    language = models.CharField(max_length=40, blank=True)
    mode = models.CharField(max_length=10, blank=True)
    reason = models.CharField(max_length=40, blank=True)
    partial = models.JSONField(default=list, help_text="Line ranges left out.")
    marks = models.JSONField(default=list)
    encoding = models.CharField(max_length=40, blank=True)
    lines = models.PositiveIntegerField(default=0)
    chunk_count = models.PositiveIntegerField(default=0)
    doc = models.TextField(blank=True)
    defines = models.JSONField(default=list)
    place = models.PositiveIntegerField(
        null=True, help_text="Row of its summary in the build; null when skipped."
    )

    class Meta:
        ordering = ["build", "ordinal"]
        constraints = [
            models.UniqueConstraint(
                fields=["build", "ordinal"], name="file_ordinal_once"
            )
        ]

    def __str__(self) -> str:
        return self.path


class Chunk(models.Model):
    """The unit of retrieval, as a row: what a page says about a hit.

    `ordinal` counts from 0 within its build, in order of path bytes and start
    byte. `symbol` is the path of headings of a section, and empty for a module's
    remainder, a file that is one thing, and a window.
    """

    build = models.ForeignKey(Build, models.CASCADE, related_name="chunks")
    file = models.ForeignKey(File, models.CASCADE, related_name="chunks")
    ordinal = models.PositiveIntegerField()
    symbol = models.TextField(blank=True)
    kind = models.CharField(max_length=12)
    start_byte = models.PositiveIntegerField()
    start_line = models.PositiveIntegerField()
    end_line = models.PositiveIntegerField()
    spans = models.JSONField(help_text="Line ranges that are the chunk's own.")
    marks = models.JSONField(default=list, help_text="Its file's marks and its own.")
    duplicate_of = models.PositiveIntegerField(
        null=True, help_text="Ordinal of the first chunk with the same content."
    )

    class Meta:
        ordering = ["build", "ordinal"]
        constraints = [
            models.UniqueConstraint(
                fields=["build", "ordinal"], name="chunk_ordinal_once"
            )
        ]
        indexes = [models.Index(fields=["build", "symbol"], name="chunk_by_symbol")]

    def __str__(self) -> str:
        return self.symbol or f"{self.kind} {self.start_line}-{self.end_line}"
