"""Tables: models of one vector a token, added up by numpy."""

from __future__ import annotations

import numpy as np

from indexer.pipeline.encoder import Floats, Reading


class TableRuntime:
    """The mean of the vectors of a text's tokens, looked up in `table`.

    A text without any token, of control characters only, is read as the first one.
    """

    def __init__(self, table: Floats) -> None:
        self._table = table

    def rows(self, reading: Reading) -> Floats:
        """Return one row a text, as `Runtime` says."""
        found = [self._table[ids or [0]].mean(axis=0) for ids in reading.ids]
        return np.stack(found)

    def token_rows(self, reading: Reading) -> Floats | None:
        """Return the rows of one text's tokens, as `Runtime` says."""
        rows: Floats = self._table[list(reading.ids[0])]
        return rows if len(rows) else None
