"""Cases: what queries should find, in sets."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from indexer.models import Repository


class CaseSet(models.Model):
    """Queries with their answers, asked together.

    `repositories` are those that its targets are of; only who may read all of them may
    see it. `repository_count` is how many they were: where one was removed since, the
    set cannot be asked any more. A foreign set has none: its targets are documents of
    another system, and until it is `is_open` only its owner and staff see it.
    """

    class Unit(models.TextChoices):
        """What a place in a list is counted in."""

        CHUNK = "chunk", "chunks"
        FILE = "file", "files, each at its first chunk"

    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    unit = models.CharField(max_length=10, choices=Unit.choices, default=Unit.CHUNK)
    is_foreign = models.BooleanField(default=False)
    is_open = models.BooleanField(default=False)
    repositories = models.ManyToManyField(Repository, related_name="+")
    repository_count = models.PositiveIntegerField(default=0)
    profile = models.CharField(max_length=100, blank=True)
    saved_digest = models.CharField(
        max_length=64,
        blank=True,
        help_text="Of repositories and profile: the set that single cases go to.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                name="case_set_unit", condition=models.Q(unit__in=["chunk", "file"])
            ),
            models.UniqueConstraint(
                fields=["saved_digest"],
                condition=~models.Q(saved_digest=""),
                name="case_set_saved_once",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class RefusedLines(models.Model):
    """The lines of one file that an import did not take, until someone forgets them.

    `packed` is made by `case_files.refused`: a line may hold what no
    text of a database can.
    """

    case_set = models.ForeignKey(CaseSet, models.CASCADE, related_name="refused")
    file_name = models.CharField(max_length=200)
    count = models.PositiveIntegerField()
    packed = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.count} lines of {self.file_name}"


class Case(models.Model):
    """What a query should find: its targets, and how far each of them should come.

    `grades` holds the grade of a target that has another than 1; with 0 it was judged
    and is no answer. Cases of one `topic` ask the same in other words. `key` is its
    name in the set and in TREC files, without blanks.
    """

    class Expected(models.TextChoices):
        """The stage that every target has to reach."""

        IN_LEG = "in_leg", "in a leg’s list"
        IN_POOL = "in_pool", "in the pool"
        ON_PAGE = "on_page", "on page one"

    case_set = models.ForeignKey(CaseSet, models.CASCADE, related_name="cases")
    key = models.CharField(max_length=100)
    topic = models.CharField(max_length=200, blank=True)
    query = models.TextField()
    targets = models.JSONField(help_text="As they were asked for, sorted.")
    grades = models.JSONField(default=dict, help_text="By target; 1 if it has none.")
    expected = models.CharField(
        max_length=10, choices=Expected.choices, default=Expected.ON_PAGE
    )
    is_synthetic = models.BooleanField(
        default=False, help_text="Made from its target, whose words it holds."
    )
    note = models.TextField(blank=True)
    digest = models.CharField(
        max_length=64, db_index=True, help_text="Of query and targets."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["case_set", "key"], name="case_key_once_in_its_set"
            ),
            models.CheckConstraint(
                name="case_expected_is_a_stage",
                condition=models.Q(expected__in=["in_leg", "in_pool", "on_page"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.query}: {', '.join(self.targets)}"

    @property
    def judged(self) -> dict[str, int]:
        """The grade of each target, in their order."""
        return {target: self.grades.get(target, 1) for target in self.targets}
