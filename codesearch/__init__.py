"""The project package and the read side: from a query to a page."""

from __future__ import annotations

from codesearch.celery import app as celery_app

__all__ = ["celery_app"]
__version__ = "0.1.0"
