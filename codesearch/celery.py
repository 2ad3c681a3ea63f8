"""The Celery application; its settings are Django's, prefixed CELERY_."""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import task_postrun

from indexer.heap import give_back

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "codesearch.settings")

app = Celery("codesearch")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@task_postrun.connect  # type: ignore[untyped-decorator]  # untyped
def give_memory_back(**_: object) -> None:
    """Leave the next task, and the other processes, what this one needs no more."""
    give_back()
