"""What a build holds: the ledger of its files, and its chunks."""

from __future__ import annotations

from django.db import models

from indexer.models.builds import Build
from indexer.models.repositories import REVISION_LENGTH


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
