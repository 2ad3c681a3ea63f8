"""`manage.py setup`: a database that is up to date, with someone to administer it."""

from __future__ import annotations

import secrets

from django.contrib.auth import get_user_model
from django.core.management import BaseCommand, CommandError, call_command

from codesearch import stack
from indexer.management.base import is_behind

NAME = "admin"


class Command(BaseCommand):
    """Prepare the database; safe to run again."""

    help = "Bring the database up to date and make an administrator if there is none."
    requires_migrations_checks = False

    def handle(self, **options: object) -> None:
        """Migrate, then make the first administrator and print the password once."""
        if is_behind():
            call_command("migrate", interactive=False, verbosity=0)
        users = get_user_model().objects
        if users.filter(is_superuser=True).exists():
            return
        if users.filter(username=NAME).exists():
            raise CommandError(
                f"There is no administrator, and the user name {NAME} is taken. "
                "Run: manage.py createsuperuser"
            )
        password = secrets.token_urlsafe(12)
        users.create_superuser(NAME, password=password)
        self.stdout.write(
            f"Made the administrator for {stack.site_url()}admin/\n"
            f"  user name  {NAME}\n"
            f"  password   {password}   (shown only now)\n"
        )
