"""Read repositories and what is said of them, as far as the viewer may."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.db.models import Max, QuerySet

from indexer.access import Viewer, readable
from indexer.damage import damage_sentences
from indexer.ledger import LedgerGroup, groups_of, ledger_counts
from indexer.models import Build, Index, Repository
from indexer.newest import Newest, newest_of
from indexer.pipeline.calibration import Calibration, from_json
from indexer.pipeline.sources import plain_address
from indexer.places import disk_usage
from indexer.stages import STATES, Stage, preview_sentence, stages_of, state_label
from indexer.vector_counts import VectorCount, vector_counts


@dataclass(frozen=True, slots=True)
class RepositoryCard:
    """What a page says of one repository. `state` is that of its newest build.

    `disk_bytes` is 0 where it was not measured.
    """

    pk: int
    name: str
    source: str
    visibility: str
    state: str
    state_label: str
    sentence: str
    revision: str
    committed_at: datetime | None
    build_id: int | None
    finished_at: datetime | None
    is_active: bool
    searchable: bool
    preview: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    ledger: Sequence[LedgerGroup] = ()
    stages: Sequence[Stage] = ()
    calibration: Calibration | None = None
    newest: Newest | None = None
    disk_bytes: int = 0
    vectors: Sequence[VectorCount] = ()


def repository_names(viewer: Viewer) -> list[str]:
    """Return the names of the repositories that `viewer` may read."""
    return list(readable(viewer).values_list("name", flat=True))


def is_searchable(viewer: Viewer) -> bool:
    """Tell whether anything that `viewer` may read has an index to search."""
    indexes = Index.objects.filter(repository__in=readable(viewer))
    return indexes.filter(is_default=True, current_build__isnull=False).exists()


def repository_cards(viewer: Viewer) -> list[RepositoryCard]:
    """Return a card for each repository in reach, by name."""
    return _cards(viewer, readable(viewer))


def repository_card(
    viewer: Viewer, name: str, *, measured: bool = False
) -> RepositoryCard | None:
    """Return the card of one repository, or None if it is not in reach.

    `measured` for staff adds its disk space, for which every file of it is looked
    at: not for what is asked for again and again.
    """
    repository = readable(viewer).filter(name=name).first()
    if repository is None:
        return None
    (card,) = _cards(viewer, [repository])
    if not measured or not viewer.sees_all:
        return card
    return replace(card, disk_bytes=disk_usage(repository))


def _cards(viewer: Viewer, repositories: Iterable[Repository]) -> list[RepositoryCard]:
    """Return a card for each repository, in as many queries for many as for one."""
    wanted = list(repositories)
    indexes = Index.objects.filter(repository__in=wanted, is_default=True)
    current = {
        index.repository_id: index.current_build
        for index in indexes.select_related("current_build__index__repository")
        if index.current_build
    }
    loaded = ("index__repository", "index__current_build")
    newest = {
        build.index.repository_id: build
        for build in newest_builds(indexes).select_related(*loaded)
    }
    shown = list((newest | current).values())
    told = _Told(
        groups_of(shown),
        damage_sentences([build.index_id for build in newest.values()]),
        newest_of(shown),
        vector_counts(shown),
    )
    return [
        _card(viewer, one, current.get(one.pk), newest.get(one.pk), told)
        for one in wanted
    ]


def newest_builds(indexes: QuerySet[Index]) -> QuerySet[Build]:
    """Return the newest build of each index that has one."""
    rows = Build.objects.filter(index__in=indexes).order_by().values("index")
    return Build.objects.filter(pk__in=rows.annotate(newest=Max("pk")).values("newest"))


@dataclass(frozen=True, slots=True)
class _Told:
    """What was read of all builds at once.

    Ledgers, newest commits and vectors by the key of the build, damage by that of the
    index.
    """

    ledgers: Mapping[int, Sequence[LedgerGroup]]
    damaged: Mapping[int, str]
    fetched: Mapping[int, Newest]
    vectors: Mapping[int, Sequence[VectorCount]]


def _card(
    viewer: Viewer,
    repository: Repository,
    current: Build | None,
    newest: Build | None,
    told: _Told,
) -> RepositoryCard:
    shown = current or newest
    ledger = told.ledgers[shown.pk] if shown else []
    return RepositoryCard(
        pk=repository.pk,
        name=repository.name,
        source=plain_address(repository.source) if viewer.sees_all else "",
        visibility=repository.visibility,
        state=STATES[Build.Status(newest.status)] if newest else "new",
        state_label=state_label(newest),
        sentence=_sentence(newest, told.damaged) if newest else "",
        revision=shown.revision if shown else "",
        committed_at=shown.committed_at if shown else None,
        build_id=shown.pk if shown else None,
        finished_at=shown.finished_at if shown else None,
        is_active=bool(newest and newest.is_active),
        searchable=current is not None,
        preview=preview_sentence(shown) if shown else "",
        counts=_counts(shown, ledger) if shown else {},
        ledger=ledger,
        stages=stages_of(newest) if newest else (),
        calibration=from_json(shown.calibration) if shown else None,
        newest=told.fetched[shown.pk] if shown and shown.revision else None,
        vectors=told.vectors[shown.pk] if shown else (),
    )


def _sentence(newest: Build, damaged: Mapping[int, str]) -> str:
    """Return what there is to say of a repository's newest build, if anything."""
    return damaged.get(newest.index_id) or newest.failure or newest.note


def _counts(build: Build, ledger: Sequence[LedgerGroup]) -> dict[str, int]:
    counts = ledger_counts(ledger)
    return {
        "files": counts["files"],
        "tree": build.file_count,
        "indexed": counts["indexed"] + counts["partial"],
        "partial": counts["partial"],
        "skipped": counts["skipped"],
        "chunks": build.chunk_count,
        "over_length": build.over_length_count,
        "vectors": build.vector_count,
        "vectors_done": build.vectors_done,
        "vectors_reused": build.vectors_reused,
    }
