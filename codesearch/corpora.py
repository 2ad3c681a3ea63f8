"""Corpora: the builds that one search reads, opened with the layers published now."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from codesearch.errors import NothingIndexed, UnknownRepository
from codesearch.funnel.types import QueryEncoder
from indexer import encoders
from indexer.access import Viewer, readable
from indexer.engines.local import LocalCorpus
from indexer.models import Build, Index, Profile
from indexer.opened import open_build
from indexer.pipeline.store import LayerError

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Searched:
    """The builds of one search, in order of repository name, and their corpus.

    `left_out` has a sentence for each repository in reach that is not searched,
    `encoders` one for each embedder of the builds, in their order.
    """

    builds: tuple[Build, ...]
    corpus: LocalCorpus
    left_out: tuple[str, ...]
    encoders: tuple[QueryEncoder, ...]


def open_corpus(
    builds: Sequence[Build],
    *,
    viewer: Viewer,
    repositories: Sequence[str] = (),
    profile: str | None = None,
) -> Searched:
    """Open the builds that a search reads, as `current_builds` found them.

    Vectors that no encoder can be compared with are not opened. Raises
    NothingIndexed, also when a repository that was asked for cannot be read.
    """
    opened = []
    left_out = []
    found: list[QueryEncoder] = []
    for build in builds:
        encoder = query_encoder(build)
        try:
            comparable = build.fingerprint if encoder.encode else None
            opened.append((build, open_build(build, comparable)))
            found.append(encoder)
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
        _distinct(found),
    )


def query_encoder(build: Build) -> QueryEncoder:
    """Return what encodes a query for the vectors of `build`, or says why nothing can.

    A model takes seconds to load, so none is where there are no vectors.
    """
    if not build.fingerprint:
        missing = "no vectors are made yet"
        if build.embedder.model == encoders.NO_MODEL:
            missing = "no embedding model is configured"
        return QueryEncoder("", None, missing)
    encoder, missing = encoders.encoder_of(build.embedder)
    if encoder is None:
        return QueryEncoder(build.fingerprint, None, missing)
    if build.fingerprint != encoder.fingerprint:
        name = build.index.repository.name
        changed = f"its model has changed since {name} was indexed; index it again"
        return QueryEncoder(build.fingerprint, None, changed)
    return QueryEncoder(build.fingerprint, encoder.encode_query)


def _distinct(found: Sequence[QueryEncoder]) -> tuple[QueryEncoder, ...]:
    """Return one encoder a fingerprint: of several one that works.

    Builds without vectors have no fingerprint. What is said of them says so; beside
    the legs of others there is none of theirs.
    """
    chosen: dict[str, QueryEncoder] = {}
    for encoder in found:
        known = chosen.setdefault(encoder.fingerprint, encoder)
        if known.encode is None and encoder.encode:
            chosen[encoder.fingerprint] = encoder
    if len(chosen) > 1:
        chosen.pop("", None)
    return tuple(chosen.values())


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


def builds_beside(
    viewer: Viewer, searched: Searched, profile: str | None
) -> list[Build]:
    """Return the builds of the other repositories in reach, in order of name."""
    known = {build.index.repository_id for build in searched.builds}
    builds = current_builds(viewer, (), profile)
    return [build for build in builds if build.index.repository_id not in known]


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
