"""Experiments from the command line: `manage.py experiment NAME REPOSITORY`."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from codesearch.errors import SearchError
from codesearch.experiments.findings import FINDINGS
from codesearch.experiments.results import experiment_payload
from codesearch.experiments.running import finish_experiment, request_experiment
from codesearch.forms import read_argument
from codesearch.models import Experiment
from codesearch.pages.experiments import cell_text
from codesearch.payloads import Payload
from indexer.access import COMMAND_LINE
from indexer.management.base import DatabaseCommand

ROWS = 20  # Of the table; all are in the JSON.


class Command(DatabaseCommand):
    """Run one finding on a repository and print what came of it."""

    help = "Run an experiment: one of the findings, on a repository that is indexed."
    requires_system_checks = []  # They import every page, for 0.2 s.

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("name", help=f"one of {', '.join(FINDINGS)}")
        parser.add_argument("repository")
        parser.add_argument("--profile", default="", help="default: the default one")
        parser.add_argument(
            "--target", default="", help="of whole-files: the function to ask for"
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own
        """Run in this process and print."""
        try:
            experiment = request_experiment(
                viewer=COMMAND_LINE,
                user=None,
                kind=options["name"],
                repository=options["repository"],
                profile=options["profile"],
                target=read_argument(options["target"]),
                enqueue=False,
            )
        except SearchError as error:
            raise CommandError(str(error)) from error
        experiment = finish_experiment(experiment=experiment)
        if experiment.status != Experiment.Status.DONE:
            reason = experiment.failure or "Another worker is at it; ask again later."
            raise CommandError(reason)
        payload = experiment_payload(experiment)
        if options["json"]:
            self.stdout.write(json.dumps(payload, ensure_ascii=False, indent=1))
        else:
            self.stdout.write("\n".join(told(payload)))


def told(payload: Payload) -> list[str]:
    """Return a result as lines: the sentence, our figures, the report's, the rows."""
    result = payload["result"]
    lines = [payload["claim"], "", result["sentence"], ""]
    width = max(len(figure["name"]) for figure in result["figures"])
    for figure in result["figures"]:
        report = f"  (reported: {figure['report']})" if figure["report"] else ""
        value = cell_text(figure["value"], figure["form"])
        lines.append(f"{figure['name']:{width}}  {value}{report}")
    lines += ["", *payload["reported"]["figures"], payload["reported"]["note"], ""]
    lines.append(" | ".join(column["title"] for column in result["columns"]))
    for row in result["rows"][:ROWS]:
        cells = [
            cell_text(row.get(column["key"]), column["form"])
            for column in result["columns"]
        ]
        lines.append(" | ".join(cells))
    if len(result["rows"]) > ROWS:
        lines.append(f"… {len(result['rows']) - ROWS} more rows; --json has them all.")
    return [*lines, "", *result["notes"]]
