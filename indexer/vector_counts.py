"""Vector counts: how many texts of each surface of a build can be found by meaning."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Sum

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
    done = {
        (row["build"], row["kind"]): row["covered__sum"]
        for row in layers.annotate(Sum("covered"))
    }
    return {
        build.pk: _counts(build, {s: done.get((build.pk, s), 0) for s in SURFACES})
        for build in builds
    }


def _counts(build: Build, done: dict[str, int]) -> list[VectorCount]:
    lexical = layer_folder(build, Layer.Kind.LEXICAL, 0)
    try:
        return [
            VectorCount(surface, done[surface], count_texts(lexical, surface))
            for surface in SURFACES
        ]
    except (OSError, ValueError):
        return []
