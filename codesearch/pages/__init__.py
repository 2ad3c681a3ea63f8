"""Presenters: from a payload of the services to what a template prints.

Pure functions apart from `site`. Every number that they give is in the payload.
"""

from __future__ import annotations

from codesearch.pages.site import site
from codesearch.pages.trace import verdict

__all__ = ["site", "verdict"]
