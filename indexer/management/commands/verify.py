"""Check the files of the indexes: `manage.py verify [NAME ...]`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from indexer.models import Index
from indexer.verification import verify_build


class Command(BaseCommand):
    """Hash every file of the current builds, and compare their layers."""

    help = "Check the files of the indexes that are searched; exits 1 on a fault."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "names", nargs="*", metavar="NAME", help="of a repository; default: all"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own
        """Print one line an index, and one a fault."""
        names = set(options["names"])
        indexes = Index.objects.filter(current_build__isnull=False).select_related(
            "repository", "profile", "current_build"
        )
        if names:
            indexes = indexes.filter(repository__name__in=names)
        unknown = names.difference(index.repository.name for index in indexes)
        if unknown:
            raise CommandError(f"There is no index of {', '.join(sorted(unknown))}.")
        broken = 0
        for index in indexes.order_by("repository__name", "profile__name"):
            if build := index.current_build:
                faults = verify_build(build)
                broken += bool(faults)
                state = "damaged" if faults else "sound"
                self.stdout.write(f"{index} at {build.revision[:12]}: {state}")
                for fault in faults:
                    self.stdout.write(f"  {fault}")
        if broken:
            raise CommandError(f"{broken} of {len(indexes)} are damaged: index again.")
