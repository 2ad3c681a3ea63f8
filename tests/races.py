"""Run as a module: threads race for one index and one build; prints what they got.

Each thread has a connection of its own to the database that the settings name.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parent.parent
THREADS = 8

Result = TypeVar("Result")


def run_races(folder: Path, **variables: str) -> Any:  # Any: JSON
    """Run this module on a database of its own; return what it prints."""
    return json.loads(
        subprocess.run(
            [sys.executable, "-m", "tests.races"],
            cwd=ROOT,
            env=os.environ | {"CODESEARCH_DATA": str(folder)} | variables,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    )


def main() -> None:
    """Let all ask for a build of an index at once, then all claim its lease."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "codesearch.settings")
    import django

    django.setup()

    from django.core.management import call_command

    from indexer import leases, services
    from indexer.models import Build

    call_command("migrate", verbosity=0)
    index = services.register(name="shop", source="/nowhere")
    asked = race(lambda n: services.request_build(index=index, enqueue=False).pk)
    build = Build.objects.get()
    claimed = race(lambda n: leases.claim(build, f"worker {n}"))
    found = {"builds": len(set(asked)), "claims": sum(map(bool, claimed))}
    sys.stdout.write(json.dumps(found))


def race(run: Callable[[int], Result]) -> list[Result]:
    """Call `run` in every thread at the same moment; return what each got."""
    from django.db import connections

    barrier = Barrier(THREADS)

    def start(number: int) -> Result:
        barrier.wait()
        try:
            return run(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(start, range(THREADS)))


if __name__ == "__main__":
    main()
