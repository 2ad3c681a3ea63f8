"""The Celery application; its settings are Django's, prefixed CELERY_."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "codesearch.settings")

app = Celery("codesearch")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
