"""Configs with a name: settings of a search that people choose and share."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q


class NamedConfig(models.Model):
    """A config that staff made: `pairs` are those of `codesearch/knobs.py`.

    They say how it differs from the shipped one. The default is what pages use where an
    address says nothing of settings; without one that is the shipped config.
    """

    name = models.SlugField(unique=True)
    pairs = models.JSONField(default=list)
    is_default = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["name"]
        verbose_name = "config"
        constraints = [
            models.UniqueConstraint(
                fields=["is_default"],
                condition=Q(is_default=True),
                name="config_one_default",
            ),
            models.CheckConstraint(
                condition=~Q(name="shipped"), name="config_shipped_is_ours"
            ),
        ]

    def __str__(self) -> str:
        return self.name
