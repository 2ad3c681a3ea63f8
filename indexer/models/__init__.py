"""What the indexer knows: repositories, profiles, indexes, builds and their parts."""

from __future__ import annotations

from indexer.models.builds import BadBlob, Build, BuildEvent, Layer, Leased
from indexer.models.repositories import (
    DEFAULT_PROFILE,
    REVISION_LENGTH,
    FormerName,
    Index,
    Profile,
    RemovedRepository,
    Repository,
)
from indexer.models.rows import Chunk, File

__all__ = [
    "DEFAULT_PROFILE",
    "REVISION_LENGTH",
    "BadBlob",
    "Build",
    "BuildEvent",
    "Chunk",
    "File",
    "FormerName",
    "Index",
    "Layer",
    "Leased",
    "Profile",
    "RemovedRepository",
    "Repository",
]
