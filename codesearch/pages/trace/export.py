"""Export: a trace as a command, as an address for scripts, and as runs of stages."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from codesearch.pages.links import Scope
from codesearch.payloads import Payload
from codesearch.runs import stages_of


@dataclass(frozen=True, slots=True)
class Export:
    """What can be copied, as text, and the stages with the addresses of their runs."""

    command: str
    curl: str
    runs: list[tuple[str, str]]


def export_of(
    payload: Payload, scope: Scope, json_url: str, run_urls: dict[str, str]
) -> Export:
    """Return the exports of a trace; `json_url` is whole, with the host."""
    return Export(
        command=trace_command(payload, scope),
        curl=shlex.join(["curl", json_url]),
        runs=[(stage, run_urls[stage]) for stage in stages_of(payload)],
    )


def trace_command(payload: Payload, scope: Scope) -> str:
    """Return the command that makes the same trace, quoted for a shell.

    It names every repository that was searched: the command may read more.
    """
    words = ["python", "manage.py", "trace"]
    words += [f"--target={target['target']}" for target in payload["targets"]]
    words += [f"--repository={build['repository']}" for build in payload["builds"]]
    words += [f"--profile={scope.profile}"] if scope.profile else []
    settings = payload["settings"] if scope.config else scope.settings
    words += [f"--set={name}={value}" for name, value in settings]
    return shlex.join([*words, "--json", "--", scope.query])
