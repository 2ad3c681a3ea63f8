"""`manage.py serve`: the whole of codesearch in one terminal."""

from __future__ import annotations

import logging
import os
from argparse import ArgumentParser
from typing import NoReturn

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command
from django.db import DatabaseError, connections
from kombu.exceptions import OperationalError

from codesearch import stack
from codesearch.audits import running
from codesearch.broker import broker_service
from codesearch.experiments.running import release_experiments, resume_experiments
from codesearch.supervisor import (
    Interrupted,
    Supervisor,
    SupervisorError,
    only_one,
)
from indexer import garbage, services, tasks
from indexer.management.base import is_behind

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    """Run web server, worker and, without REDIS_URL, an embedded broker."""

    help = (
        "Run web server, worker and (without REDIS_URL) an embedded broker in one "
        "terminal. Ctrl-C drains and stops them; a second Ctrl-C kills them."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add `--demo` and `--only`."""
        parser.add_argument(
            "--demo",
            action="store_true",
            help="also index the installed Django and print links to try",
        )
        parser.add_argument(
            "--only",
            choices=("web", "worker"),
            help="become this one process, for containers: needs REDIS_URL",
        )

    def handle(self, *, demo: bool, only: str | None, **options: object) -> None:
        """Run until someone asks us to stop."""
        try:
            if only:
                self.become(only)
            with only_one(settings.RUN_DIR / "serve.lock"):
                self.serve(demo=demo)
        except SupervisorError as error:
            raise CommandError(str(error)) from error

    def serve(self, *, demo: bool) -> None:
        """Start everything, say where it is, and keep it running."""
        with Supervisor(folder=settings.BASE_DIR, say=self.say) as supervisor:
            supervisor.obey_signals()
            stack.check_port()
            self.migrate()
            try:
                if not settings.REDIS_URL:
                    supervisor.start(
                        broker_service(
                            folder=settings.RUN_DIR,
                            socket=settings.BROKER_SOCKET,
                            # The worker drops its task with the connection.
                            after_death=self.resume,
                        )
                    )
                self.resume()
                self.collect()
                worker = stack.worker_service(
                    after_death=self.resume, before_stop=self.let_go
                )
                supervisor.start(worker)
                supervisor.start(stack.web_service())
                self.check_builds()
                self.say(f"codesearch is at {stack.site_url()} (Ctrl-C stops it)")
                if demo:
                    supervisor.start(stack.demo_service())
                supervisor.watch()
            except Interrupted:
                pass
        self.say("Stopped.")

    def become(self, name: str) -> NoReturn:
        """Replace this process by the web server or the worker."""
        if not settings.REDIS_URL:
            raise SupervisorError("--only needs a broker of its own: set REDIS_URL.")
        settings.RUN_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
        command = stack.worker_command()
        if name == "web":
            self.migrate()
            command = stack.web_command()
        connections.close_all()
        os.chdir(settings.BASE_DIR)
        os.execv(command[0], command)  # noqa: S606 - ours, without a shell

    def migrate(self) -> None:
        """Bring the database up to date, if it is not."""
        if is_behind():
            self.say("Updating the database.")
            call_command("migrate", interactive=False, verbosity=0)

    def resume(self) -> None:
        """Queue again what an earlier run, or a dead worker, left unfinished.

        With a broker of our own there is no other worker: nobody is at anything.
        """
        try:
            everything = not settings.REDIS_URL
            builds = services.resume_builds(everything=everything)
            audits = running.resume_audits(everything=everything)
            experiments = resume_experiments(everything=everything)
        except DatabaseError:
            # The schedule finds them later. A stack that runs is worth more.
            logger.exception("unfinished jobs could not be queued now")
            return
        finally:
            connections.close_all()
        resumed = {"build": builds, "audit": audits, "experiment": experiments}
        for job, count in resumed.items():
            if count:
                self.say(f"Resuming {count} unfinished {job}{'s' * (count > 1)}.")

    def collect(self) -> None:
        """Remove what an earlier run left behind."""
        try:
            garbage.collect_garbage()
        except (DatabaseError, OSError):
            logger.exception("garbage is collected later")
        finally:
            connections.close_all()

    def check_builds(self) -> None:
        """Let the worker hash all builds; damaged ones are made anew."""
        try:
            tasks.check_builds.apply_async(retry=False)
        except OperationalError:
            logger.warning("the broker does not answer; builds are checked later")

    def let_go(self) -> None:
        """Tell our workers to leave their batch: it is done again at the next start.

        Workers of other machines, which a broker that is not ours may have, go on.
        """
        if settings.REDIS_URL:
            return
        try:
            services.release_leases()
            running.release_audits()
            release_experiments()
        except DatabaseError:
            logger.exception("the workers could not be told; they end their batch")
        finally:
            connections.close_all()

    def say(self, line: str) -> None:
        """Print a line now, also into a pipe."""
        self.stdout.write(line)
        self.stdout.flush()
