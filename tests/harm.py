"""What a parser child may come to grief on, done when it unpacks a request."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")


def crash_once(mark: Path, value: Value) -> Value:
    """Crash, and the next time return `value`."""
    if mark.exists():
        return value
    mark.touch()
    os.abort()
