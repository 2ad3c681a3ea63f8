"""Audit from the command line: `manage.py audit SET [--against LAST]`."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from codesearch.audits.gates import (
    Gate,
    check_gate,
    compare_at,
    newly_failed,
    read_gate,
)
from codesearch.audits.pairs import pair_audits
from codesearch.audits.running import cancel_audit, finish_audit, request_audit
from codesearch.config_forms import read_settings
from codesearch.errors import SearchError, UnaskableSet
from codesearch.forms import read_argument
from codesearch.funnel.audit.significance import Comparison
from codesearch.management.commands.cases import find_set
from codesearch.models import Audit
from codesearch.pages.audits.history import past_audits
from codesearch.payloads import Payload
from codesearch.payloads.audit import audit_payload
from codesearch.reach import audits_in_reach
from indexer.access import COMMAND_LINE
from indexer.management.base import DatabaseCommand

LAST = "LAST"
NOT_COMPARED = 2  # Exit code: there is nothing to compare with.
RECALLS = {f"recall@{k}": k for k in ("1", "10", "60", "200")}
LOOKED_AT = ("recall@pool:0", "mrr@result:0", "success@10@card:0")

Compared = tuple[Gate, Comparison]


class Command(DatabaseCommand):
    """Ask all cases of a set, print what was found, and compare it with before."""

    help = "Ask a set of cases and say at which stage their targets are lost."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("set", metavar="SET", help="name or number of a set")
        parser.add_argument("--repository", action="append", default=[], metavar="NAME")
        parser.add_argument("--profile", default="")
        parser.add_argument(
            "--set",
            dest="knobs",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="of the config, as in the address of a trace: pool=214",
        )
        parser.add_argument("--note", default="", metavar="TEXT")
        parser.add_argument(
            "--against",
            metavar="LAST|AUDIT",
            help="compare with the audit of this number, or the newest before",
        )
        parser.add_argument(
            "--fail-on",
            dest="gates",
            action="append",
            default=[],
            metavar="METRIC[@K]@STAGE:CHANGE",
            help="exit with 1 where the mean falls by more: recall@pool:-0.01",
        )
        parser.add_argument(
            "--allow-first",
            action="store_true",
            help="exit with 0 where there is no audit to compare with",
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own
        """Run the audit here, print it, and check the gates."""
        against = options["against"]
        if options["gates"] and not against:
            raise CommandError("--fail-on compares: say --against LAST, or a number.")
        try:
            gates = [read_gate(text) for text in options["gates"]]
            with transaction.atomic():  # No audit is left where a gate has no stage.
                audit = request(options)
                before = find_before(against, audit) if against else None
                for gate in gates:
                    for one in filter(None, (audit, before)):
                        check_gate(gate, one)
        except SearchError as error:
            raise CommandError(str(error)) from error
        audit = finish_here(audit)
        if audit.status != Audit.Status.DONE:
            raise CommandError(audit.failure or f"It was {audit.status}.")
        compared = compare(audit, before, gates) if before else []
        self.print_audit(audit, before, compared, as_json=options["json"])
        if against and not before:
            is_allowed = options["allow_first"] or not gates
            self.tell_first(is_allowed=is_allowed, as_json=options["json"])
        if gates and before and (count := newly_failed(audit, before)):
            told = f"{count} that audit {before.pk} answered could not be asked."
            raise CommandError(told, returncode=1)
        check(gates, compared)

    def print_audit(
        self,
        audit: Audit,
        before: Audit | None,
        compared: Sequence[Compared],
        *,
        as_json: bool,
    ) -> None:
        """Print the figures, and the differences from the audit before."""
        told = audit_payload(audit)
        if not as_json:
            self.stdout.write("\n".join([*table(told), *differences(before, compared)]))
            return
        rows = [
            {"gate": gate.text, "passes": gate.passes(found), **asdict(found)}
            for gate, found in compared
        ]
        told["against"] = {"audit": before.pk, "compared": rows} if before else None
        self.stdout.write(json.dumps(told, ensure_ascii=False, indent=1))

    def tell_first(self, *, is_allowed: bool, as_json: bool) -> None:
        """Say that there is nothing to compare with; exit with 2 if that is a failure.

        Raises CommandError.
        """
        sentence = "There is no finished audit of the same before it to compare with."
        if not is_allowed:
            told = f"{sentence} With --allow-first the first one passes."
            raise CommandError(told, returncode=NOT_COMPARED)
        if not as_json:
            self.stdout.write(sentence)


def request(options: Mapping[str, Any]) -> Audit:  # Any: Django's own
    """Return the audit that is asked for. Raises SearchError."""
    return request_audit(
        viewer=COMMAND_LINE,
        user=None,
        case_set=find_set(read_argument(options["set"])),
        repositories=options["repository"],
        profile=options["profile"],
        config=read_settings(options["knobs"]),
        note=read_argument(options["note"]),
        enqueue=False,
    )


def finish_here(audit: Audit) -> Audit:
    """Ask all cases; one that is interrupted is cancelled, for no worker goes on."""
    try:
        return finish_audit(audit=audit)
    except KeyboardInterrupt:
        cancel_audit(viewer=COMMAND_LINE, audit=audit)
        raise


def find_before(against: str, audit: Audit) -> Audit | None:
    """Return the audit to compare with, None where LAST has none."""
    if against == LAST:
        past = past_audits(COMMAND_LINE, audit)
        return next((one for one in past if one.pk < audit.pk), None)
    found = audits_in_reach(COMMAND_LINE).filter(status=Audit.Status.DONE)
    before = found.filter(pk=int(against)).first() if against.isdecimal() else None
    if before is None:
        raise UnaskableSet(f"There is no finished audit {against}; or say {LAST}.")
    return before


def compare(audit: Audit, before: Audit, gates: Sequence[Gate]) -> list[Compared]:
    """Compare at the gates; without any at what one looks at first."""
    paired = pair_audits(audit, before)
    chosen = gates or [read_gate(text) for text in LOOKED_AT]
    return [(gate, compare_at(gate, paired, audit, before)) for gate in chosen]


def check(gates: Sequence[Gate], compared: Sequence[Compared]) -> None:
    """Raise CommandError: exit code 1 where a gate does not hold, 2 without a query."""
    failed = [g.text for g, found in compared if g in gates and not g.passes(found)]
    if failed:
        raise CommandError(f"worse than allowed: {', '.join(failed)}", returncode=1)
    if any(found.difference is None for gate, found in compared if gate in gates):
        sentence = "No query was answered in both with the same targets."
        raise CommandError(sentence, returncode=NOT_COMPARED)


def table(told: Payload) -> list[str]:
    """Return the figures of an audit as lines, a stage a line."""
    asked = told["queries"]
    lines = [
        f"audit {told['audit']} of {told['set']['name']}: {asked['answered']} of "
        f"{asked['asked']} queries, {told['wanted']} wanted targets, "
        f"{told['seconds']:.1f} s",
        f"{'stage':18}" + "".join(f"{head:>12}" for head in (*RECALLS, "mrr")),
    ]
    for stage in told["stages"]:
        name = stage["name"]
        measured = told["measures"][name]
        means = [measured["recall"].get(k) for k in RECALLS.values()]
        cells = [_mean(mean) for mean in (*means, measured["mrr"])]
        lines.append(f"{name:18}" + "".join(f"{cell:>12}" for cell in cells))
    steps = told["losses"]["steps"]
    lost = ", ".join(f"{step['name']} {step['lost']}" for step in steps if step["lost"])
    lines.append(f"lost at: {lost or 'no stage'}")
    for death in told["deaths"]:
        reasons = ", ".join(f"{r['reason']} {r['count']}" for r in death["reasons"])
        lines.append(f"died at the {death['stage']}: {death['count']} ({reasons})")
    if asked["failed"]:
        lines.append(f"{asked['failed']} queries could not be asked.")
    return lines


def _mean(found: Payload | None) -> str:
    return "" if found is None else f"{found['mean']:.3f}"


def differences(before: Audit | None, compared: Sequence[Compared]) -> list[str]:
    """Return a line for each number that was compared."""
    lines = [f"against audit {before.pk}"] if before else []
    for gate, found in compared:
        name = gate.text.rpartition(":")[0]
        if found.difference is None:
            lines.append(f"{name}: no query is in both")
            continue
        lines.append(
            f"{name}: {found.mean_b:.3f} to {found.mean_a:.3f} "
            f"({found.difference:+.3f}, 95% {found.low:+.3f} to {found.high:+.3f}; "
            f"{found.wins} better, {found.losses} worse of {found.n}; "
            f"p {found.p_randomisation:.3f})"
        )
    return lines
