"""The heap: what the C library keeps of it after a build, given back to the system."""

from __future__ import annotations

import ctypes
import sys

# Only glibc has it. Others give their free pages back by themselves.
_trim = (
    getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
)


def give_back() -> None:
    """Give the pages that hold nothing any more back to the system.

    A build takes and frees arrays by the hundred megabytes; between them glibc keeps
    what lies below the last one that is in use, for ever, and more with each build.
    """
    if _trim is not None:
        _trim(0)
