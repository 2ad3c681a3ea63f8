"""Where mirrors, builds and layers lie on disk, and what they take there."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from indexer.engines.layers import LayerPlace
from indexer.models import Build, Layer, Repository


def mirror_of(repository: Repository) -> Path:
    """Return the repository's bare mirror. Named by id: a rename moves nothing."""
    return Path(settings.MIRRORS_DIR) / f"{repository.pk}.git"


def folder_of(build: Build) -> Path:
    """Return the folder that holds the build's layers."""
    return Path(settings.BUILDS_DIR) / str(build.pk)


def layer_folder(build: Build, kind: str, number: int) -> Path:
    """Return the folder of one layer, published or to be."""
    return folder_of(build) / f"{kind}-{number}"


def lexical_folder(build: Build) -> Path:
    """Return the folder of the build's lexical layer.

    There is one at a time; a preview was before it where the number is not 0.
    """
    published = Layer.objects.filter(build=build, kind=Layer.Kind.LEXICAL)
    number = published.values_list("number", flat=True).first()
    return layer_folder(build, Layer.Kind.LEXICAL, number or 0)


def place_of(layer: Layer) -> LayerPlace:
    """Return a published layer's folder and checksums."""
    folder = layer_folder(layer.build, layer.kind, layer.number)
    return LayerPlace(folder, layer.files)


def disk_usage(repository: Repository) -> int:
    """Return the bytes that a repository's mirror and builds take on disk."""
    builds = Build.objects.filter(index__repository=repository)
    folders = [mirror_of(repository), *map(folder_of, builds)]
    return sum(
        path.stat().st_size
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    )
