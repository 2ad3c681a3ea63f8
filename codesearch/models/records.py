"""Records: results that were shared, as they were answered."""

from __future__ import annotations

import secrets
from typing import cast

from django.conf import settings
from django.db import models
from django.utils.functional import cached_property

from codesearch.payloads import Payload
from codesearch.records import unpack
from indexer.models import Repository

TOKEN_BYTES = 12  # 96 bits: a link cannot be guessed.


def new_token() -> str:
    """Return a token for a share link."""
    return secrets.token_urlsafe(TOKEN_BYTES)


class SearchRecord(models.Model):
    """One search or trace, recorded as it was answered. It never changes.

    `answer` is the JSON of the contract (`search` or `trace`), whole: `packed`, or in
    records of the first version `payload`. `repositories` are all that it shows
    anything of: whoever may not read one of them may not read the record. Equal
    answers share one record.
    """

    class Kind(models.TextChoices):
        """Which page made it."""

        SEARCH = "search"
        TRACE = "trace"

    token = models.CharField(max_length=32, unique=True, default=new_token)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    query = models.TextField()
    payload = models.JSONField(null=True)
    packed = models.BinaryField(null=True)
    digest = models.CharField(
        max_length=64, unique=True, help_text="Of the payload without its timings."
    )
    repositories = models.ManyToManyField(Repository, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )

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
        return f"{self.kind} {self.token}"

    @cached_property
    def answer(self) -> Payload:
        """The payload as it was answered."""
        if self.packed is None:
            return cast(Payload, self.payload)
        return unpack(bytes(self.packed))
