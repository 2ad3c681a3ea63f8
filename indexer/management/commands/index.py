"""Index a repository: `manage.py index SOURCE [--name] [--revision] [--wait]`."""

from __future__ import annotations

import re
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from celery import current_app
from django.core.management.base import CommandError
from django.db import DatabaseError
from kombu.exceptions import OperationalError

from indexer import services
from indexer.errors import IndexingError
from indexer.limits import is_disk_full
from indexer.management.base import DatabaseCommand
from indexer.models import DEFAULT_PROFILE, Build, Index
from indexer.pipeline.sources import check_source
from indexer.stages import state_label

POLL_SECONDS = 1.0
REPORT_SECONDS = 5.0
FULL = "The disk of the data is full: make room, then index again."


class Command(DatabaseCommand):
    """Register a repository and index it, in a worker or in this process."""

    help = "Register and index a Git URL or any local folder."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("source", help="a Git URL (https or ssh) or a folder")
        parser.add_argument("--name", help="default: the last part of the source")
        parser.add_argument(
            "--profile", default=DEFAULT_PROFILE, help="how; default: %(default)s"
        )
        parser.add_argument(
            "--branch",
            default="",
            help="the branch, tag or commit that the repository tracks; "
            "default: the default branch",
        )
        parser.add_argument(
            "--revision",
            default="",
            help="the branch, tag or commit to index now; default: what it tracks",
        )
        parser.add_argument(
            "--wait",
            action="store_true",
            help="index in this process, without a worker",
        )

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own
        """Register, build, and say how it ended."""
        if not options["wait"] and not broker_answers():
            raise CommandError(
                "No broker answers. Start `python manage.py serve`, or add --wait to "
                "index in this process."
            )
        try:
            index = services.register(
                name=options["name"] or name_of(options["source"]),
                source=absolute(options["source"]),
                branch=options["branch"],
                profile=options["profile"],
            )
            build = services.request_build(
                index=index,
                enqueue=not options["wait"],
                revision=options["revision"],
            )
        except (IndexingError, ValueError) as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            if not is_disk_full(error):
                raise
            raise CommandError(FULL) from error
        if not options["wait"]:
            self.stdout.write(f"Build {build.pk} of {index} is queued.")
            return
        self.finish(index, build)

    def finish(self, index: Index, build: Build) -> None:
        """Build in this process, or wait for the worker that is at it already."""
        told = 0.0
        while build.is_active:
            advanced = services.advance_build(build_id=build.pk)
            build.refresh_from_db()
            if not advanced and build.is_active:  # Another worker is at it.
                time.sleep(POLL_SECONDS)
            if time.monotonic() - told > REPORT_SECONDS:
                told = time.monotonic()
                self.stderr.write(f"{index}: {state_label(build)}")
        if build.status != Build.Status.READY:
            raise CommandError(build.failure or f"The build was {build.status}.")
        self.stdout.write(
            f"{index} is ready: {build.chunk_count:,} chunks of "
            f"{build.file_count:,} files at {build.revision[:12]}, "
            f"{build.vectors_done:,} vectors. {build.note}".strip()
        )


def broker_answers() -> bool:
    """Return whether there is a broker to put a task into."""
    try:
        with current_app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=2)
    except (OperationalError, OSError):
        return False
    return True


def absolute(source: str) -> str:
    """Return a folder as an absolute path, and a URL as it is.

    Raises ValueError for what is neither.
    """
    folder = Path(source).expanduser()
    if folder.is_dir():
        return str(folder.resolve())
    if ":" not in source:
        raise ValueError(f"There is no folder {source}.")
    check_source(source, roots=None)
    return source


def name_of(source: str) -> str:
    """Return a repository name made of the last part of a path or URL."""
    last = re.split(r"[/:]", str(source).rstrip("/"))[-1].removesuffix(".git")
    if last in (".", "..", ""):
        last = Path(source).resolve().name
    return re.sub(r"[^A-Za-z0-9._-]+", "-", last).strip("-._") or "repository"
