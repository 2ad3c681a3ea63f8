"""The page of profiles: what each indexes with, and which repositories have it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Prefetch

from codesearch.pages.repositories import STATES
from indexer.access import Viewer, readable
from indexer.models import Build, Index, Profile
from indexer.profile_words import changed_words, model_words
from indexer.selectors import newest_builds
from indexer.stages import STATES as BUILD_STATES


@dataclass(frozen=True, slots=True)
class IndexLine:
    """One repository under a profile: how its newest build is, with the glyph."""

    repository: str
    is_default: bool
    state: str
    style: str
    build_id: int | None


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """One profile, its model, what of the model was changed, and its repositories.

    `others` are those in reach that are not indexed with it.
    """

    name: str
    chunker: str
    model: str
    changed: list[str]
    indexes: list[IndexLine]
    others: list[str]


def profile_rows(viewer: Viewer) -> list[ProfileRow]:
    """Return a row a profile, by name, with the repositories in reach of `viewer`."""
    names = list(readable(viewer).values_list("name", flat=True))
    indexes = Index.objects.filter(repository__in=readable(viewer))
    newest = Prefetch("builds", newest_builds(indexes))
    indexes = indexes.select_related("repository").prefetch_related(newest)
    profiles = Profile.objects.prefetch_related(Prefetch("indexes", indexes))
    return [_row(one, names) for one in profiles]


def _row(profile: Profile, names: list[str]) -> ProfileRow:
    lines = [_line(index) for index in profile.indexes.all()]
    held = {line.repository for line in lines}
    return ProfileRow(
        name=profile.name,
        chunker=profile.get_chunker_display(),
        model=model_words(profile),
        changed=changed_words(profile),
        indexes=lines,
        others=[name for name in names if name not in held],
    )


def _line(index: Index) -> IndexLine:
    newest = next(iter(index.builds.all()), None)
    state = BUILD_STATES[Build.Status(newest.status)] if newest else "new"
    style = STATES[state][0]
    key = newest.pk if newest else None
    return IndexLine(index.repository.name, index.is_default, state, style, key)
