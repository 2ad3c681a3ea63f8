"""Presenters: from a payload of the services to what a template prints.

Pure functions apart from `frame`. Every number that they give is in the payload.
"""

from __future__ import annotations

from codesearch.pages.site import frame
from codesearch.pages.trace import verdict

__all__ = ["frame", "verdict"]
