"""Corpora: the builds that one search reads, opened with the layers published now."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from codesearch.errors import NothingIndexed, UnknownRepository
from indexer.access import Viewer, readable
from indexer.engines.local import LocalCorpus
from indexer.models import Build, Index, Profile
from indexer.opened import open_build
from indexer.pipeline.store import LayerError

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Searched:
    """The builds of one search, in order of repository name, and their corpus.

    `left_out` has a sentence for each repository in reach that is not searched.
    """

    builds: tuple[Build, ...]
    corpus: LocalCorpus
    left_out: tuple[str, ...]


def open_corpus(
    builds: Sequence[Build],
    *,
    viewer: Viewer,
    repositories: Sequence[str] = (),
    profile: str | None = None,
    fingerprint: str | None = None,
) -> Searched:
    """Open the builds that a search reads, as `current_builds` found them.

    `fingerprint` is that of the encoder; builds with other vectors take part
    without their dense legs, and those are not opened. Raises NothingIndexed,
    also when a repository that was asked for cannot be read.
    """
    opened = []
    left_out = []
    for build in builds:
        try:
            opened.append((build, open_build(build, fingerprint)))
        except LayerError as error:
            logger.error("build %d cannot be read: %s", build.pk, error)
            name = build.index.repository.name
            left_out.append(f"The index of {name} cannot be read: {error}.")
    if left_out and (repositories or not opened):
        raise NothingIndexed(" ".join(left_out))
    if not opened:
        raise NothingIndexed(_nothing(viewer, repositories, profile))
    left_out += _without_index(viewer, repositories, profile, builds)
    return Searched(
        tuple(build for build, _ in opened),
        LocalCorpus([local for _, local in opened]),
        tuple(left_out),
    )


def _without_index(
    viewer: Viewer,
    repositories: Sequence[str],
    profile: str | None,
    builds: Sequence[Build],
) -> list[str]:
    """Return a sentence for each repository in reach that has no build to search."""
    found = {build.index.repository_id for build in builds}
    if repositories and len(found) == len(set(repositories)):
        return []
    missing = readable(viewer).exclude(pk__in=found)
    if repositories:
        missing = missing.filter(name__in=repositories)
    kind = f"{profile} index" if profile else "index"
    return [
        f"{name} has no {kind} yet and is left out."
        for name in missing.values_list("name", flat=True)
    ]


def current_builds(
    viewer: Viewer, repositories: Sequence[str], profile: str | None
) -> list[Build]:
    """Return the build of each repository in reach, in order of its name.

    Raises UnknownRepository.
    """
    indexes = Index.objects.filter(
        repository__in=readable(viewer), current_build__isnull=False
    )
    if repositories:
        indexes = indexes.filter(repository__name__in=repositories)
    chosen = {"profile__name": profile} if profile else {"is_default": True}
    rows = indexes.filter(**chosen).select_related(
        "current_build__index__repository", "current_build__index__profile"
    )
    builds = [index.current_build for index in rows if index.current_build]
    _refuse_unknown(viewer, set(repositories).difference(map(_name, builds)))
    return sorted(builds, key=_name)


def _name(build: Build) -> str:
    return build.index.repository.name


def _refuse_unknown(viewer: Viewer, names: Collection[str]) -> None:
    """Raise UnknownRepository for a repository that is not in reach."""
    if names:
        known = set(readable(viewer).values_list("name", flat=True))
        for name in sorted(set(names) - known):
            raise UnknownRepository(f"There is no repository called {name}.")


def _nothing(viewer: Viewer, repositories: Sequence[str], profile: str | None) -> str:
    if profile and not Profile.objects.filter(name=profile).exists():
        names = ", ".join(Profile.objects.values_list("name", flat=True))
        return f"There is no profile {profile}; there are {names}."
    if repositories:
        return f"{', '.join(repositories)} has no index yet; see the repositories page."
    if readable(viewer).exists():
        return "No repository has finished its lexical index yet; try again shortly."
    return "No repository is registered yet. Add one in the administration."
