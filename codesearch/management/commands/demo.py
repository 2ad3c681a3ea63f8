"""`manage.py demo`: index the installed Django, and print links to try."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from urllib.parse import urlencode

import django
from django.conf import settings
from django.core.management import CommandError

from codesearch import stack
from codesearch.demo import FIRST_SEARCH, REPOSITORY, demo_traces
from indexer import services
from indexer.errors import IndexingError
from indexer.management.base import DatabaseCommand
from indexer.models import Build, Index

POLL_SECONDS = 1.0


class Command(DatabaseCommand):
    """Register and index the demo repository; safe to run again."""

    help = "Index the Django that is installed here, and print links to try."

    def handle(self, **options: object) -> None:
        """Index if there is nothing yet; print the links as each becomes true."""
        try:
            index = registered_index()
            build = wanted_build(index)
        except IndexingError as error:
            raise CommandError(str(error)) from error
        if build.is_active:
            self.say(f"Indexing the demo repository: {stack.site_url()}repositories/")
        self.wait_for_search(build)
        self.say(f"Search it: {link('', q=FIRST_SEARCH, repository=REPOSITORY)}")
        if build.is_active:
            self.say("Three traces to open follow once its vectors are complete.")
        self.wait_for_vectors(build)
        for trace in demo_traces():
            address = link(
                "trace/",
                q=trace["query"],
                target=trace["target"],
                repository=REPOSITORY,
            )
            self.say(f"{trace['title']}: {address}\n  {trace['sentence']}")

    def wait_for_search(self, build: Build) -> None:
        """Return once the lexical layer answers."""
        while build.lexical_at is None:
            self.wait(build)

    def wait_for_vectors(self, build: Build) -> None:
        """Return once the build is complete."""
        while build.is_active:
            self.wait(build)
        if build.status != Build.Status.READY:
            raise CommandError(f"The demo's build was {build.status}. {build.failure}")

    def wait(self, build: Build) -> None:
        """Read the build's row again after a moment; raise if it has ended."""
        if not build.is_active:
            raise CommandError(f"The demo's build was {build.status}. {build.failure}")
        time.sleep(POLL_SECONDS)
        build.refresh_from_db()

    def say(self, line: str) -> None:
        """Print a line now, also into a pipe."""
        self.stdout.write(line)
        self.stdout.flush()


def registered_index() -> Index:
    """Return the demo's index; register the installed Django if it is not."""
    index = Index.objects.filter(repository__name=REPOSITORY, is_default=True).first()
    if index is None:
        index = services.register(name=REPOSITORY, source=str(demo_source()))
    return index


def demo_source() -> Path:
    """Copy the installed Django into a folder of its own, as `django/`.

    So its paths begin as in Django's repository, and an upgrade of the
    environment does not change what the links of the demo show.
    """
    folder = Path(settings.DATA_DIR) / "demo"
    if not folder.exists():
        aside = folder.with_name(f".demo.{os.getpid()}")
        shutil.rmtree(aside, ignore_errors=True)
        shutil.copytree(
            Path(django.__file__).parent,
            aside / "django",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        aside.rename(folder)
    return folder


def wanted_build(index: Index) -> Build:
    """Return the build that answers, the one under way, or a new one."""
    return index.current_build or services.request_build(index=index)


def link(path: str, **query: str) -> str:
    """Return a link to a page of ours."""
    return f"{stack.site_url()}{path}?{urlencode(query)}"
