"""Damage: a build whose files are not as they were published is searched no more.

Searches read the newest sound build in its place, and a new one is asked for, once:
where the repair is damaged too, the disk is at fault and someone has to look at it.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import Exists, OuterRef, Q

from indexer.events import record_event
from indexer.models import Build, BuildEvent, Index, Layer
from indexer.pipeline.git import held_commit
from indexer.pipeline.store import DamagedError, verify_layer
from indexer.places import mirror_of, place_of
from indexer.progress import fail_build
from indexer.services import request_build

logger = logging.getLogger(__name__)


def searched_instead(build: Build, error: Exception) -> Build | None:
    """Return the build to read where `build` could not be opened; None without one.

    That is the one searched now, if it was replaced meanwhile; if it is damaged, the
    newest sound one.
    """
    current = _current_of(build.index)
    if current is None or current.pk != build.pk:
        return current
    if not isinstance(error, DamagedError):
        return None
    try:
        return report_damage(build, error.fault)
    except DatabaseError:
        logger.exception("it is not noted that build %d is damaged", build.pk)
        return None


def report_damage(build: Build, fault: str) -> Build | None:
    """Take a damaged build out of use; return the one that is searched now, if any.

    Nothing is done where the folder of all builds is missing: that is no damage.
    """
    if not Path(settings.BUILDS_DIR).is_dir():
        logger.error("%s is not there: is a disk missing?", settings.BUILDS_DIR)
        return None
    _mark(build, fault)
    _search_another(build)
    request_repair(build)
    return _current_of(build.index)


def damage_of(build: Build) -> str:
    """Return what is wrong with the files of a build, "" if nothing is.

    What is removed meanwhile is no damage: its row goes before its files.
    """
    for layer in build.layers.select_related("build"):
        place = place_of(layer)
        try:
            verify_layer(place.folder, place.checksums)
        except DamagedError as error:
            return error.fault if build.layers.filter(pk=layer.pk).exists() else ""
    return ""


def check_index(*, index: Index) -> int:
    """Hash every file of an index's builds, and repair; return how many are damaged.

    One that was called damaged and is whole again, as after a disk came back, may be
    searched again.
    """
    damaged = 0
    has_layers = Exists(Layer.objects.filter(build=OuterRef("pk")))
    for build in index.builds.filter(has_layers).order_by("pk"):
        if fault := damage_of(build):
            damaged += 1
            report_damage(build, fault)
        elif build.damage:
            _mark_sound(build)
    return damaged


def check_builds() -> int:
    """Hash every file of all builds that are kept; return how many are damaged."""
    return sum(check_index(index=index) for index in Index.objects.all())


def check_searched() -> int:
    """Hash the builds that are searched, and repair; return how many were damaged."""
    searched = Build.objects.filter(pk__in=Index.objects.values("current_build"))
    faults = [(build, damage_of(build)) for build in searched.select_related("index")]
    for build, fault in faults:
        if fault:
            report_damage(build, fault)
    return sum(bool(fault) for _, fault in faults)


def request_repair(build: Build) -> None:
    """Ask for a build of the same commit, unless there is or has been one."""
    newer = build.index.builds.filter(pk__gt=build.pk)
    if newer.filter(status__in=(*Build.ACTIVE, Build.Status.READY), damage="").exists():
        return
    repairs = build.index.builds.filter(
        cause=Build.Cause.DAMAGE, revision=build.revision
    )
    if any(one.recipe == build.recipe for one in repairs):
        return
    with transaction.atomic():
        repair = request_build(
            index=build.index, cause=Build.Cause.DAMAGE, revision=build.wanted
        )
        mirror = mirror_of(build.index.repository)
        if mirror.exists() and held_commit(mirror, build.revision):
            # As if it were resumed: of the same commit, without asking the source.
            unbegun = Build.objects.filter(pk=repair.pk, revision="")
            unbegun.update(revision=build.revision)


def damage_sentences(indexes: Collection[int]) -> dict[int, str]:
    """Return, by index, what to say of those whose newest build is damaged."""
    if not indexes:
        return {}
    found = Build.objects.filter(index__in=indexes).exclude(damage="").order_by("pk")
    newest = {
        build.index_id: build
        for build in found.select_related("index__repository", "index__current_build")
        if build.pk > (build.index.current_build_id or 0)
    }
    active = Build.objects.filter(index__in=newest, status__in=Build.ACTIVE)
    repaired = set(active.values_list("index_id", flat=True)) if newest else set()
    return {key: _sentence(build, key in repaired) for key, build in newest.items()}


def _sentence(build: Build, is_repaired: bool) -> str:
    current = build.index.current_build
    instead = "Nothing is searched of it"
    if current is not None:
        ended = current.finished_at or current.created_at
        instead = f"Build {current.pk} of {ended:%-d %b %Y} is searched instead"
    repair = "a new one is being made" if is_repaired else "index it again"
    name = build.index.repository.name
    return f"{name}: build {build.pk} is damaged: {build.damage}. {instead}; {repair}."


def _mark(build: Build, fault: str) -> None:
    """Note what is wrong with a build, once; one that is being made is given up."""
    if Build.objects.filter(pk=build.pk, damage="").update(damage=fault):
        logger.error("build %d is damaged: %s", build.pk, fault)
        record_event(build, f"Damaged: {fault}.", level=BuildEvent.Level.ERROR)
        if Build.objects.filter(pk=build.pk, status__in=Build.ACTIVE).exists():
            fail_build(build=build, reason=f"{fault}: it is made anew.")


def _mark_sound(build: Build) -> None:
    """Forget a damage that is none any more, and search the build if it is newer."""
    Build.objects.filter(pk=build.pk).update(damage="")
    if build.status == Build.Status.READY:
        older = Q(current_build=None) | Q(current_build__lt=build.pk)
        Index.objects.filter(older, pk=build.index_id).update(current_build=build)


def _search_another(build: Build) -> None:
    """Let searches read the newest sound build, if they read this one."""
    if (current := _current_of(build.index)) is None or current.pk != build.pk:
        return
    Index.objects.filter(pk=build.index_id, current_build=build).update(
        current_build=_sound_build(build.index)
    )


def _sound_build(index: Index) -> Build | None:
    """Return the newest complete build whose files are all as they were published."""
    complete = index.builds.filter(
        Exists(Layer.objects.filter(build=OuterRef("pk"))),
        status=Build.Status.READY,
        damage="",
    )
    for build in complete.order_by("-pk"):
        fault = damage_of(build)
        if not fault:
            return build
        _mark(build, fault)
    return None


def _current_of(index: Index) -> Build | None:
    rows = Build.objects.select_related("index__repository", "index__profile")
    current = Index.objects.filter(pk=index.pk).values("current_build")
    return rows.filter(pk__in=current).first()
