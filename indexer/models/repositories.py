"""What is searched: repositories, profiles, and one index of each pair."""

from __future__ import annotations

from dataclasses import asdict

from django.conf import settings
from django.core.validators import (
    MaxLengthValidator,
    MaxValueValidator,
    MinValueValidator,
    RegexValidator,
)
from django.db import models
from django.db.models import Q

from indexer.pipeline.encoder import LEAST_TOKENS, Embedder

REVISION_LENGTH = 64  # SHA-1 today, SHA-256 repositories tomorrow.

MOST_MINUTES = 365 * 24 * 60  # Between two looks at a source.


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
        "branch, tag or commit",
        max_length=200,
        blank=True,
        help_text="What is indexed. Empty: the default branch.",
    )
    visibility = models.CharField(
        max_length=10, choices=Visibility.choices, default=Visibility.PUBLIC
    )
    index_secrets = models.BooleanField(
        default=False,
        help_text="Index environment files and private keys too, from the next build.",
    )
    fetch_minutes = models.PositiveIntegerField(
        "fetch every",
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_MINUTES)],
        help_text="Minutes between two looks at the source. Empty: only when asked, "
        "or when its host tells of a push.",
    )
    hook_secret = models.CharField(
        "webhook secret",
        max_length=200,
        blank=True,
        help_text="Shared with the host that tells of pushes. Empty: none is heard.",
    )
    kept_builds = models.PositiveSmallIntegerField(
        "builds kept",
        default=2,
        validators=[MinValueValidator(1)],
        help_text="Complete builds of each profile, the searched one among them.",
    )
    host_url = models.CharField(
        "file on its host",
        max_length=500,
        blank=True,
        help_text="Address of a file at the host, with {path}, {revision} and {line}. "
        "Empty: that of GitHub, GitLab, Gitea, Forgejo, Bitbucket or sourcehut, where "
        "the source is there. “none”: no link.",
    )
    local_root = models.CharField(
        "folder on desks",
        max_length=500,
        blank=True,
        help_text="Where people have it checked out, for the link into an editor "
        "(CODESEARCH_EDITOR_URL). Empty: no link, or the folder that is indexed, to "
        "staff.",
    )
    fetched_at = models.DateTimeField(null=True, blank=True, editable=False)
    fetched_revision = models.CharField(
        max_length=REVISION_LENGTH,
        blank=True,
        editable=False,
        help_text="The newest commit of its branch when it was last fetched.",
    )
    fetch_due_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When its source is looked at next, if that is known.",
    )
    fetch_failure = models.TextField(
        blank=True, editable=False, help_text="Why the last fetch failed, or empty."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "repositories"

    def __str__(self) -> str:
        return self.name


class RemovedRepository(models.Model):
    """What is known of a repository that was removed; `key` was that of its row.

    `visibility` is what it was at the end: `indexer/access.py` decides by it who may
    be told that there was such a repository.
    """

    key = models.BigIntegerField(unique=True)
    name = models.CharField(max_length=100)
    visibility = models.CharField(max_length=10, choices=Repository.Visibility.choices)
    removed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name


class FormerName(models.Model):
    """A name that a repository had: it leads to it until another one takes the name."""

    name = models.CharField(max_length=100, unique=True)
    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="former_names"
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return f"{self.name}, now {self.repository}"


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
