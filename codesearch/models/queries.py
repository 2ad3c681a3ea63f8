"""Queries that found nothing close, for staff to make cases of."""

from __future__ import annotations

from django.db import models


class WeakQuery(models.Model):
    """One query whose answer was weak, far off or empty; nothing says who asked.

    `repositories` are the names that it was narrowed to, with commas between.
    """

    class Band(models.TextChoices):
        """How near the best hit was."""

        WEAK = "weak", "weak"
        NOTHING = "nothing", "nothing close"
        EMPTY = "empty", "no hit"

    query = models.TextField()
    repositories = models.TextField(blank=True)
    profile = models.CharField(max_length=100, blank=True)
    band = models.CharField(max_length=10, choices=Band.choices)
    asked_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "weak queries"

    def __str__(self) -> str:
        return self.query
