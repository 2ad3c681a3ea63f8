"""Kept texts: those of files that were shown last, so that Git is not asked again.

A blob never changes, so what is kept is true for good; whether someone may read it is
asked before, each time.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable

KEPT_CHARACTERS = 16_000_000  # Some 1,000 files, as they are typed and searched.


class KeptTexts:
    """Texts by key, those used last, of at most `limit` characters together."""

    def __init__(self, limit: int = KEPT_CHARACTERS) -> None:
        self._limit = limit
        self._size = 0
        self._texts: OrderedDict[Hashable, str] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> str | None:
        """Return a text, None if it is not kept."""
        with self._lock:
            if key in self._texts:
                self._texts.move_to_end(key)
            return self._texts.get(key)

    def put(self, key: Hashable, text: str) -> None:
        """Keep a text, and let those go that were not used for longest."""
        with self._lock:
            self._size += len(text) - len(self._texts.pop(key, ""))
            self._texts[key] = text
            while self._size > self._limit:
                _, gone = self._texts.popitem(last=False)
                self._size -= len(gone)
