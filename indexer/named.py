"""Named: the definitions that a name in the text of a file may mean.

By name only: nothing is resolved, so that all definitions of the same name in the build
are candidates, those in the language of the text before others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

from indexer.access import Viewer
from indexer.engines.layers import LexicalLayer, open_layer
from indexer.files import build_at
from indexer.inspection import hides_texts
from indexer.models import Build, Layer
from indexer.pipeline.names import lookup
from indexer.pipeline.paths import display_path, path_url
from indexer.pipeline.store import LayerError
from indexer.pipeline.surfaces import load_texts
from indexer.pipeline.texts import doc_of
from indexer.pipeline.types import ChunkKind
from indexer.places import place_of


@dataclass(frozen=True, slots=True)
class Definition:
    """One symbol of a build. `signature` is on one line, `doc` its first line."""

    symbol: str
    kind: str
    language: str
    path: str
    path_url: str
    start_line: int
    end_line: int
    signature: str
    doc: str


class BuildNames:
    """The symbols of one build by the last part of their names."""

    def __init__(self, build: Build, layer: LexicalLayer) -> None:
        self.build = build
        self.layer = layer

    def find(self, name: str, *, language: str = "") -> list[int]:
        """Return the ordinals of the symbols called `name`, rising.

        Case counts. Those in `language` only, where there is one.
        """
        catalogue = self.layer.catalogue
        found = [
            ordinal
            for ordinal in lookup(self.layer.names, name).tolist()
            if catalogue.kinds[ordinal] != ChunkKind.SECTION
            and last_name(catalogue.symbols[ordinal]) == name
        ]
        spoken = [one for one in found if self._language(one) == language]
        return spoken or found

    def where(self, ordinal: int) -> tuple[str, int, int]:
        """Return the path of a symbol as part of an address, and its lines."""
        start, end = self.layer.catalogue.lines[ordinal].tolist()
        return path_url(self._path(ordinal)), start, end

    def describe(self, ordinals: Sequence[int]) -> list[Definition]:
        """Return what a page says of symbols."""
        folder = self.layer.folder
        hidden = hides_texts(self.build, folder)
        texts = repeat("") if hidden else load_texts(folder / "purpose", ordinals)
        return [self._define(*pair) for pair in zip(ordinals, texts, strict=False)]

    def _define(self, ordinal: int, purpose: str) -> Definition:
        kind = self.layer.catalogue.kinds[ordinal]
        start, end = self.layer.catalogue.lines[ordinal].tolist()
        signature = [*purpose.split("\n")[1:2], ""][0]
        doc = doc_of(purpose, kind).strip().partition("\n")[0] if purpose else ""
        path = self._path(ordinal)
        return Definition(
            symbol=self.layer.catalogue.symbols[ordinal],
            kind=kind,
            language=self._language(ordinal),
            path=display_path(path),
            path_url=path_url(path),
            start_line=start,
            end_line=end,
            signature=signature,
            doc=doc,
        )

    def _path(self, ordinal: int) -> bytes:
        return self.layer.catalogue.files[int(self.layer.file_of[ordinal])].path

    def _language(self, ordinal: int) -> str:
        return self.layer.catalogue.files[int(self.layer.file_of[ordinal])].language


def last_name(symbol: str) -> str:
    """Return what a qualified name ends with: `get` of `QuerySet.get`."""
    return symbol.replace("::", ".").rpartition(".")[2]


def names_of(build: Build) -> BuildNames | None:
    """Return the names of a build, None if its files cannot be read."""
    lexical = build.layers.filter(kind=Layer.Kind.LEXICAL).first()
    if lexical is None:
        return None
    try:
        layer = open_layer(place_of(lexical))
    except LayerError:
        return None
    return BuildNames(build, layer) if isinstance(layer, LexicalLayer) else None


def names_at(viewer: Viewer, name: str, revision: str) -> BuildNames | None:
    """Return the names of the build of a revision, None if it is not in reach."""
    build = build_at(viewer, name, revision)
    return names_of(build) if build else None
