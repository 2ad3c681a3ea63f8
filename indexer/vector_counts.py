"""Vector counts: how many texts of each surface of a build can be found by meaning."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import Max, Sum

from indexer.models import Build, Layer
from indexer.pipeline.surfaces import SURFACES, count_texts
from indexer.places import layer_folder


@dataclass(frozen=True, slots=True)
class VectorCount:
    """Of how many of a surface's texts a published layer has a vector."""

    surface: str
    done: int
    total: int


def vector_counts(builds: Collection[Build]) -> dict[int, list[VectorCount]]:
    """Map each build to its surfaces, the most useful first.

    One without files, or not read yet, has none.
    """
    layers = Layer.objects.filter(build__in=builds).order_by().values("build", "kind")
    found: dict[int, dict[str, tuple[int, int]]] = {build.pk: {} for build in builds}
    for row in layers.annotate(covered=Sum("covered"), last=Max("number")):
        found[row["build"]][row["kind"]] = row["covered"], row["last"]
    return {build.pk: _counts(build, found[build.pk]) for build in builds}


def _counts(build: Build, layers: Mapping[str, tuple[int, int]]) -> list[VectorCount]:
    """Return the counts of one build; of each kind what is covered, and the last."""
    nothing = (0, 0)
    _, number = layers.get(Layer.Kind.LEXICAL, nothing)
    lexical = layer_folder(build, Layer.Kind.LEXICAL, number)
    try:
        return [
            VectorCount(
                surface,
                layers.get(surface, nothing)[0],
                count_texts(lexical, surface),
            )
            for surface in SURFACES
        ]
    except (OSError, ValueError):
        return []
