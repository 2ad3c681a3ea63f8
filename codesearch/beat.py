"""Lets the schedule's process die with its worker; the worker includes this module.

Celery does so for its pool processes only. After a `kill -9` an orphaned
schedule would go on for ever, beside that of the next worker.
"""

from __future__ import annotations

from celery import platforms
from celery.signals import beat_embedded_init


def die_with_worker(**_: object) -> None:
    """Ask the kernel, where it can, to end this process with its parent."""
    platforms.set_pdeathsig("SIGKILL")


beat_embedded_init.connect(die_with_worker)
