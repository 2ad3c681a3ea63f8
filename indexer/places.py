"""Where mirrors, builds and layers lie on disk."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from indexer.engines.local import LayerPlace
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


def place_of(layer: Layer) -> LayerPlace:
    """Return a published layer's folder and checksums."""
    folder = layer_folder(layer.build, layer.kind, layer.number)
    return LayerPlace(folder, layer.files)
