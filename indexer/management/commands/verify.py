"""Check the files of the indexes: `manage.py verify [NAME ...]`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db.models import Q

from indexer.damage import damage_sentences
from indexer.management.base import DatabaseCommand
from indexer.models import Build, Index
from indexer.verification import verify_build


class Command(DatabaseCommand):
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
        known = Q(builds__in=Build.objects.exclude(damage=""))
        told = Index.objects.filter(Q(current_build__isnull=False) | known).distinct()
        indexes = told.select_related("repository", "profile", "current_build")
        if names:
            indexes = indexes.filter(repository__name__in=names)
        unknown = names.difference(index.repository.name for index in indexes)
        if unknown:
            raise CommandError(f"There is no index of {', '.join(sorted(unknown))}.")
        broken = 0
        damaged = damage_sentences([index.pk for index in indexes])
        for index in indexes.order_by("repository__name", "profile__name"):
            faults = self.verify(index)
            if index.pk in damaged:  # It is searched no more, and known to be so.
                faults += 1
                self.stdout.write(f"  {damaged[index.pk]}")
            broken += bool(faults)
        if broken:
            raise CommandError(f"{broken} of {len(indexes)} are damaged: index again.")

    def verify(self, index: Index) -> int:
        """Print what is wrong with the build that is searched; return how much."""
        build = index.current_build
        if build is None:
            self.stdout.write(f"{index}: nothing is searched")
            return 0
        faults = verify_build(build)
        state = "damaged" if faults else "sound"
        self.stdout.write(f"{index} at {build.revision[:12]}: {state}")
        for fault in faults:
            self.stdout.write(f"  {fault}")
        return len(faults)
