"""Columns: which chunks and files of a build a filter describes.

A column is made when it is first asked for and stays with its layer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from indexer.pipeline.catalogue import Catalogue
from indexer.pipeline.languages import DIALECTS
from indexer.pipeline.literals import Pattern, compile_pattern
from indexer.pipeline.paths import display_path

OF_FILES = ("lang", "path", "file")  # A chunk's are those of its file.
KEPT = 32  # Patterns of a build: each key that is typed behind a filter asks again.

Mask = npt.NDArray[np.bool_]


class Columns:
    """The columns of one build; `file_of` is the file of each chunk."""

    def __init__(self, catalogue: Catalogue, file_of: npt.NDArray[np.int32]) -> None:
        self._catalogue = catalogue
        self._file_of = file_of
        self._matches: dict[tuple[str, Pattern], Mask] = {}

    def files(self, name: str, value: str | Pattern) -> Mask:
        """Return the files of a language or mark, or whose path holds a match.

        `path` is the path with a slash in front, `file` the path as it is.
        """
        if isinstance(value, Pattern):
            return self._matching(name, value)
        found = np.zeros(len(self._catalogue.files), np.bool_)
        if name != "lang":
            return self._file_marks.get(value, found)
        for language in (value, *DIALECTS.get(value, ())):
            found |= self._languages.get(language, False)
        return found

    def chunks(self, name: str, value: str | Pattern) -> Mask:
        """Return the chunks of a kind or mark, or of the files of what else it is.

        `sym` are those whose qualified name holds a match.
        """
        if name in OF_FILES:
            return self.files(name, value)[self._file_of]
        if isinstance(value, Pattern):
            return self._matching(name, value)
        column = self._kinds if name == "kind" else self._marks
        return column.get(value, np.zeros(len(self._file_of), np.bool_))

    def _matching(self, name: str, pattern: Pattern) -> Mask:
        """Tell which texts hold a match; one without a character holds none."""
        found = self._matches.get((name, pattern))
        if found is None:
            find = compile_pattern(pattern).search
            texts = self._texts(name)
            found = np.array([bool(text and find(text)) for text in texts], np.bool_)
            if len(self._matches) >= KEPT:
                self._matches.clear()
            self._matches[name, pattern] = found
        return found

    def _texts(self, name: str) -> Sequence[bytes]:
        """Return what the pattern of a filter is looked for in."""
        if name == "sym":
            return self._symbols
        return self._rooted if name == "path" else self._paths

    @cached_property
    def _paths(self) -> list[bytes]:
        return [display_path(file.path).encode() for file in self._catalogue.files]

    @cached_property
    def _rooted(self) -> list[bytes]:
        return [b"/" + path for path in self._paths]

    @cached_property
    def _symbols(self) -> list[bytes]:
        return [name.encode() for name in self._catalogue.symbols]

    @property
    def languages(self) -> Collection[str]:
        """The languages of its files."""
        return self._languages.keys()

    @cached_property
    def folders(self) -> Sequence[str]:
        """The folders of its files, each with a slash at its end, sorted."""
        found: set[str] = set()
        for path in self._paths:
            parts = path.decode().split("/")
            found.update("/".join(parts[:n]) + "/" for n in range(1, len(parts)))
        return sorted(found)

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
