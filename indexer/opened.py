"""Opened builds: the layers of a build that are published now, as one engine."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from indexer.engines.layers import LexicalLayer, VectorLayer, open_layer
from indexer.engines.local import LocalBuild
from indexer.models import Build, Layer
from indexer.pipeline.store import LayerError
from indexer.places import place_of

OPEN_BUILDS = 64  # More repositories in one search are opened anew each time.
VECTOR_KINDS = (Layer.Kind.SUMMARY, Layer.Kind.PURPOSE, Layer.Kind.BODY)


def open_build(build: Build, fingerprint: str | None) -> LocalBuild:
    """Open a build; its vectors only if they are of this model. Raises LayerError."""
    return _open_layers(
        build,
        build.lexical_at,
        build.vectors_done,
        build.fingerprint,
        build.fingerprint == fingerprint,
    )


@lru_cache(maxsize=OPEN_BUILDS)
def _open_layers(
    build: Build,
    lexical_at: datetime | None,  # This and the next change with each layer that
    vectors_done: int,  # is published, so that none is missed.
    fingerprint: str,
    encodable: bool,
) -> LocalBuild:
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
    return LocalBuild(lexical, surfaces, covered, fingerprint)
