"""Cores: how many of them this process may use."""

from __future__ import annotations

import os


def own_cores() -> int:
    """Return how many cores this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):  # Not on macOS.
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
