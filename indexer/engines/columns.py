"""Columns: which chunks and files of a build a filter describes.

A column is made when it is first asked for and stays with its layer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from indexer.pipeline.catalogue import Catalogue
from indexer.pipeline.paths import display_path

Mask = npt.NDArray[np.bool_]


class Columns:
    """The columns of one build; `file_of` is the file of each chunk."""

    def __init__(self, catalogue: Catalogue, file_of: npt.NDArray[np.int32]) -> None:
        self._catalogue = catalogue
        self._file_of = file_of

    def files(self, name: str, value: str) -> Mask:
        """Return the files of a language, path part (in lower case) or mark."""
        if name == "path":
            return np.array([value in path for path in self._paths], np.bool_)
        column = self._languages if name == "lang" else self._file_marks
        return column.get(value, np.zeros(len(self._catalogue.files), np.bool_))

    def chunks(self, name: str, value: str) -> Mask:
        """Return the chunks of a kind or mark, or of the files of what else it is."""
        if name in ("lang", "path"):
            return self.files(name, value)[self._file_of]
        column = self._kinds if name == "kind" else self._marks
        return column.get(value, np.zeros(len(self._file_of), np.bool_))

    @cached_property
    def _paths(self) -> list[str]:
        return [display_path(file.path).lower() for file in self._catalogue.files]

    @cached_property
    def _languages(self) -> Mapping[str, Mask]:
        return _columns([(file.language,) for file in self._catalogue.files])

    @cached_property
    def _file_marks(self) -> Mapping[str, Mask]:
        return _columns([file.marks for file in self._catalogue.files])

    @cached_property
    def _kinds(self) -> Mapping[str, Mask]:
        return _columns([(kind,) for kind in self._catalogue.kinds])

    @cached_property
    def _marks(self) -> Mapping[str, Mask]:
        return _columns(self._catalogue.marks)


def _columns(rows: Sequence[Collection[str]]) -> dict[str, Mask]:
    """Map each value that occurs to the rows that hold it."""
    columns: dict[str, Mask] = {}
    for row, held in enumerate(rows):
        for value in held:
            if value not in columns:
                columns[value] = np.zeros(len(rows), np.bool_)
            columns[value][row] = True
    return columns
