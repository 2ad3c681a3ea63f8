"""Opened builds: the layers of a build that are published now, as one engine."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable

from indexer.engines.builds import LocalBuild
from indexer.engines.layers import (
    LexicalLayer,
    VectorLayer,
    close_layers,
    open_layer,
)
from indexer.heap import give_back
from indexer.models import Build, Layer
from indexer.pipeline.store import LayerError
from indexer.places import folder_of, place_of

OPEN_BUILDS = 64  # More repositories in one search are opened anew each time.
VECTOR_KINDS = (Layer.Kind.SUMMARY, Layer.Kind.PURPOSE, Layer.Kind.BODY)

# By build, beside what tells its layers of now from those of before.
_opened: OrderedDict[Build, tuple[Hashable, LocalBuild]] = OrderedDict()
_lock = threading.Lock()


def open_build(build: Build, fingerprint: str | None) -> LocalBuild:
    """Open a build; its vectors only if they are of this model. Raises LayerError."""
    encodable = build.fingerprint == fingerprint
    # The first two change with each layer that is published, so that none is missed.
    now = (build.lexical_at, build.vectors_done, build.fingerprint, encodable)
    with _lock:
        if build in _opened and _opened[build][0] == now:
            _opened.move_to_end(build)
            return _opened[build][1]
    local = _open_layers(build, encodable=encodable)
    with _lock:
        for known in [one for one in _opened if is_past(one, build)]:
            del _opened[known]
            close_layers(folder_of(known))
        _opened[build] = now, local
        _opened.move_to_end(build)
        while len(_opened) > OPEN_BUILDS:
            _opened.popitem(last=False)
    give_back()  # What the build before it held.
    return local


def is_past(known: Build, build: Build) -> bool:
    """Tell whether an opened build is to be let go when `build` is opened.

    So is one that was removed, which would keep its place on the disk, and one that a
    newer build of its index replaces: it is opened again for who asks for it by `rev:`.
    """
    is_older = known.index_id == build.index_id and known.pk < build.pk
    return is_older or not folder_of(known).exists()


def _open_layers(build: Build, *, encodable: bool) -> LocalBuild:
    """Open the layers that a build has now; of its vectors only comparable ones."""
    lexical: LexicalLayer | None = None
    surfaces: dict[str, list[VectorLayer]] = {kind: [] for kind in VECTOR_KINDS}
    covered: dict[str, int] = dict.fromkeys(VECTOR_KINDS, 0)
    for layer in Layer.objects.filter(build=build):
        if layer.kind in covered:
            covered[layer.kind] += layer.covered
        if layer.kind == Layer.Kind.LEXICAL or encodable:
            layer.build = build
            opened = open_layer(place_of(layer))
            if isinstance(opened, LexicalLayer):
                lexical = opened
            else:
                surfaces[layer.kind].append(opened)
    if lexical is None:
        raise LayerError(f"build {build.pk} has no lexical layer")
    return LocalBuild(lexical, surfaces, covered, build.fingerprint)
