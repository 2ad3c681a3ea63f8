"""Corpora: the builds that one search reads, opened with the layers published now."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from django.db.models import QuerySet

from codesearch.errors import NothingIndexed, UnknownRepository
from codesearch.funnel.types import QueryEncoder
from indexer import encoders
from indexer.access import Viewer, readable
from indexer.damage import damage_sentences, searched_instead
from indexer.engines.builds import LocalBuild
from indexer.engines.exact import BuildTexts
from indexer.engines.local import LocalCorpus
from indexer.exact import build_texts
from indexer.models import Build, Index, Profile
from indexer.opened import open_build
from indexer.pipeline.store import LayerError
from indexer.places import folder_of
from indexer.readers import Reading

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Searched:
    """The builds of one search, in order of repository name, and their corpus.

    `left_out` has a sentence for each repository in reach that is not searched, or not
    as it was asked for; `encoders` one for each embedder of the builds, in their order.
    The builds are not removed while `readings` lives.
    """

    builds: tuple[Build, ...]
    corpus: LocalCorpus
    left_out: tuple[str, ...]
    encoders: tuple[QueryEncoder, ...]
    readings: tuple[Reading, ...] = field(default=(), repr=False, compare=False)

    def let_go(self) -> Searched:
        """Return the same for keeping: what it reads may be removed meanwhile."""
        return replace(self, readings=())

    def without_models(self, reason: str) -> Searched:
        """Return the same where no query is encoded; the dense legs give `reason`."""
        return replace(
            self,
            encoders=tuple(
                replace(encoder, encode=None, missing=reason)
                for encoder in self.encoders
            ),
        )


def open_corpus(
    builds: Sequence[Build],
    *,
    viewer: Viewer,
    repositories: Sequence[str] = (),
    profile: str | None = None,
    is_pinned: bool = False,
    may_miss: bool = False,
) -> Searched:
    """Open the builds that a search reads, as `current_builds` found them.

    In place of one that was removed or damaged since, the one that is searched now is
    opened, unless they are pinned. Vectors that no encoder can be compared with are
    not opened. Raises NothingIndexed, also when one of `repositories` cannot be read,
    unless some of them `may_miss`.
    """
    opened: list[_Opened] = []
    unread = []
    for build in builds:
        try:
            opened.append(_open(build, is_pinned=is_pinned))
        except LayerError as error:
            logger.error("build %d cannot be read: %s", build.pk, error)
            unread.append((build, error))
    told = damage_sentences([build.index_id for build in builds])
    left_out = [told.get(build.index_id) or _unread(build, e) for build, e in unread]
    if left_out and not (opened and (may_miss or not repositories)):
        raise NothingIndexed(" ".join(left_out))
    if not opened:
        raise NothingIndexed(_nothing(viewer, repositories, profile))
    replaced = [told[key] for one in opened if (key := one.build.index_id) in told]
    left_out += [] if is_pinned else replaced
    left_out += _without_index(viewer, repositories, profile, builds)
    return Searched(
        tuple(one.build for one in opened),
        LocalCorpus(
            [one.local for one in opened],
            partial(_texts_of, [(one.build, one.local) for one in opened]),
            [_name(one.build) for one in opened],
        ),
        tuple(left_out),
        _distinct([one.encoder for one in opened]),
        tuple(one.reading for one in opened),
    )


@dataclass(frozen=True, slots=True)
class _Opened:
    """A build that is open, and held."""

    build: Build
    local: LocalBuild
    encoder: QueryEncoder
    reading: Reading


def _open(build: Build, *, is_pinned: bool) -> _Opened:
    """Open a build or, unless it is pinned, the one that is searched in its place.

    Once: what is searched then was found whole a moment ago. Raises LayerError.
    """
    try:
        return _hold(build)
    except LayerError as error:
        other = searched_instead(build, error)
        if other is None or is_pinned:
            raise
        return _hold(other)


def _texts_of(opened: Sequence[tuple[Build, LocalBuild]], number: int) -> BuildTexts:
    """Return what the files of one of the builds say. It holds none of them."""
    build, local = opened[number]
    return build_texts(build, [file.path for file in local.lexical.catalogue.files])


def _hold(build: Build) -> _Opened:
    reading = Reading(folder_of(build))
    encoder = query_encoder(build)
    comparable = build.fingerprint if encoder.encode else None
    return _Opened(build, open_build(build, comparable), encoder, reading)


def _unread(build: Build, error: LayerError) -> str:
    return f"The index of {build.index.repository.name} cannot be read: {error}."


def query_encoder(build: Build) -> QueryEncoder:
    """Return what encodes a query for the vectors of `build`, or says why nothing can.

    A model takes seconds to load, so none is where there are no vectors.
    """
    if not build.fingerprint:
        missing = "no vectors are made yet"
        if build.embedder.model == encoders.NO_MODEL:
            missing = "no embedding model is configured"
        return QueryEncoder("", None, missing)
    encoder, missing = encoders.encoder_of(build.embedder, build.fingerprint)
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
    names = dict(missing.values_list("pk", "name"))
    damaged = _damaged(list(names), profile)
    return [
        damaged.get(key, f"{name} has no {kind} yet and is left out.")
        for key, name in names.items()
    ]


def _damaged(repositories: Collection[int], profile: str | None) -> dict[int, str]:
    """Return, by repository, a sentence on each whose index is damaged and unread."""
    if not repositories:
        return {}
    indexes = chosen_indexes(profile).filter(
        repository__in=repositories, current_build=None
    )
    owners = dict(indexes.values_list("pk", "repository_id"))
    told = damage_sentences(owners)
    return {owners[index]: sentence for index, sentence in told.items()}


def chosen_indexes(profile: str | None) -> QuerySet[Index]:
    """Return one index a repository: of the profile, or the default one."""
    chosen = {"profile__name": profile} if profile else {"is_default": True}
    return Index.objects.filter(**chosen)


def current_builds(
    viewer: Viewer, repositories: Sequence[str], profile: str | None
) -> list[Build]:
    """Return the build of each repository in reach, in order of its name.

    Raises UnknownRepository.
    """
    indexes = chosen_indexes(profile).filter(
        repository__in=readable(viewer), current_build__isnull=False
    )
    if repositories:
        indexes = indexes.filter(repository__name__in=repositories)
    rows = indexes.select_related(
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
    reached = readable(viewer)
    if repositories:
        reached = reached.filter(name__in=repositories)
    if damaged := _damaged(list(reached.values_list("pk", flat=True)), profile):
        return " ".join(damaged[key] for key in sorted(damaged))
    if repositories:
        return f"{', '.join(repositories)} has no index yet; see the repositories page."
    if readable(viewer).exists():
        return "No repository has finished its lexical index yet; try again shortly."
    return "No repository is registered yet. Add one on the page Repositories."
