"""Records of what was shared, as it was answered, and the links that lead to them."""

from __future__ import annotations

import secrets
from typing import cast

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.functional import cached_property

from codesearch.payloads import Payload
from codesearch.records import unpack
from indexer.models import Repository

TOKEN_BYTES = 12  # 96 bits: a link cannot be guessed.


def new_token() -> str:
    """Return a token for a share link."""
    return secrets.token_urlsafe(TOKEN_BYTES)


class SearchRecord(models.Model):
    """What one page showed, recorded as it was answered. It never changes.

    `answer` is the JSON of the page, whole: `packed`, or in records of the first
    version `payload`. `names` are the repositories that it shows anything of, {key:
    name then}: whoever may not read one of them may not read the record. `case_sets`
    are the keys of the sets without a repository that it is of; the same holds for
    them. Equal answers share one record.
    """

    class Kind(models.TextChoices):
        """Which page made it."""

        SEARCH = "search"
        TRACE = "trace"
        COMPARISON = "comparison"
        PROFILES = "profiles"
        FILE = "file"

    kind = models.CharField(max_length=10, choices=Kind.choices)
    query = models.TextField(help_text="What was asked, or what is shown of where.")
    payload = models.JSONField(null=True)
    packed = models.BinaryField(null=True)
    digest = models.CharField(
        max_length=64, unique=True, help_text="Of the payload without its timings."
    )
    names = models.JSONField(default=dict)
    case_sets = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                name="record_packed_or_payload",
                condition=models.Q(packed__isnull=True)
                ^ models.Q(payload__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @cached_property
    def answer(self) -> Payload:
        """The payload as it was answered."""
        if self.packed is None:
            return cast(Payload, self.payload)
        return unpack(bytes(self.packed))

    @property
    def keys(self) -> set[int]:
        """The repositories that it shows anything of."""
        return {int(key) for key in self.names}


class RecordedText(models.Model):
    """The lines of a file that a record shows, kept until the repository is removed."""

    record = models.OneToOneField(SearchRecord, models.CASCADE, related_name="text")
    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+")
    text = models.TextField()

    def __str__(self) -> str:
        return f"text of {self.record}"


class ShareLink(models.Model):
    """One way to a record. Each sharing makes one, so that each is revoked alone.

    `opened` counts the visits of others than its maker.
    """

    token = models.CharField(max_length=32, unique=True, default=new_token)
    record = models.ForeignKey(SearchRecord, models.CASCADE, related_name="links")
    label = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    opened = models.PositiveIntegerField(default=0)
    opened_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.record.kind} {self.token}"

    @property
    def has_expired(self) -> bool:
        """True from the moment on at which it expires."""
        return self.expires_at is not None and self.expires_at <= timezone.now()

    @property
    def is_open(self) -> bool:
        """True while it leads to its record."""
        return self.revoked_at is None and not self.has_expired
