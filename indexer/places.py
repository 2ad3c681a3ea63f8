"""Where mirrors, builds and layers lie on disk, and what they take there."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from django.conf import settings

from indexer.engines.layers import LayerPlace
from indexer.models import Build, Layer, Repository
from indexer.pipeline.full_texts import FullTexts

TEXTS_SUFFIX = ".texts.sqlite"  # In place of that of the mirror.


def mirror_of(repository: Repository) -> Path:
    """Return the repository's bare mirror. Named by id: a rename moves nothing."""
    return Path(settings.MIRRORS_DIR) / f"{repository.pk}.git"


def full_texts_of(repository: Repository) -> Path:
    """Return the file that holds what the files of its builds say."""
    return mirror_of(repository).with_suffix(TEXTS_SUFFIX)


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
    """Return the bytes that a repository's mirror, texts and builds take on disk."""
    builds = Build.objects.filter(index__repository=repository)
    folders = [mirror_of(repository), *map(folder_of, builds)]
    return FullTexts(full_texts_of(repository)).size() + sum(map(bytes_in, folders))


def bytes_in(folder: Path) -> int:
    """Return the bytes of the files below a folder; what goes meanwhile is 0."""
    total = 0
    for place, _, names in os.walk(folder):  # Unlike `rglob` it bears that.
        for name in names:
            with suppress(FileNotFoundError):
                total += os.lstat(os.path.join(place, name)).st_size
    return total
