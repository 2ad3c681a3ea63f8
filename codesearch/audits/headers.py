"""Headers: what an audit is asked of, so that no two of its rows differ in it.

A header is `{builds, config, cross_encoder, unit}`: each build with the layers that it
has, the config as a search tells it, the name of the cross-encoder or null, and what
places are counted in, whatever the set counts in later. `named_by` is the build by
whose symbols those of a build of windows are found, or null.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from django.conf import settings

from codesearch.audits.aims import named_builds
from codesearch.funnel.audit.types import Stage, StageKind
from codesearch.funnel.legs import leg_names
from codesearch.funnel.pool import guaranteed
from codesearch.funnel.types import Config
from codesearch.payloads.search import config_payload
from indexer.models import Build

Header = dict[str, Any]  # Any: JSON


def header_of(builds: Sequence[Build], config: Config, unit: str) -> Header:
    """Return what cases are asked of when they are asked of these builds now."""
    named = named_builds(builds)
    legs = running_legs(builds, config)
    cross_encoder = PurePath(settings.CROSS_ENCODER).name
    return {
        "builds": [_build(build, named.get(build.pk)) for build in builds],
        "config": config_payload(config, legs, guaranteed(len(legs), config)),
        "cross_encoder": cross_encoder or None,
        "unit": unit,
    }


def pinned_builds(header: Header) -> list[Build]:
    """Return the builds of a header that are still there, in its order."""
    keys = [build["id"] for build in header["builds"]]
    rows = Build.objects.select_related("index__repository", "index__profile")
    found = rows.in_bulk(keys)
    return [found[key] for key in keys if key in found]


def differing(recorded: Header, now: Header) -> str:
    """Return a sentence on what changed since a header was made, "" if nothing did."""
    if recorded == now:
        return ""
    same = [build for build in now["builds"] if build in recorded["builds"]]
    kept = {build["id"] for build in same}
    changed = [b["repository"] for b in recorded["builds"] if b["id"] not in kept]
    if changed:
        names = ", ".join(changed)
        return f"The index of {names} changed while the audit ran; start it again."
    return "The settings of the server changed while the audit ran; start it again."


def running_legs(
    builds: Sequence[Build], config: Config, *, has_literals: bool = False
) -> list[str]:
    """Return the legs that run for these builds under a config, in order.

    `has_literals` is of a query, or of some queries, that hold phrases or regular
    expressions.
    """
    fingerprints = [build.fingerprint for build in builds]
    names = leg_names(fingerprints, has_literals=has_literals)
    return [name for name in names if not config.is_off(name)]


def stages_for(
    builds: Sequence[Build], config: Config, *, has_literals: bool
) -> list[Stage]:
    """Return the stages of an audit of these builds, in order.

    The leg of literals is one of them if some query holds one.
    """
    depth, pool = config.depth, config.pool_size
    legs = running_legs(builds, config, has_literals=has_literals)
    return [
        *(Stage(name, StageKind.LEG, depth) for name in legs),
        Stage("union", StageKind.UNION),
        Stage("fusion", StageKind.FUSION),
        Stage("pool", StageKind.POOL, pool),
        Stage("rerank", StageKind.RERANK, pool),
        Stage("result", StageKind.RESULT, pool),
        Stage("card", StageKind.CARD, pool),
        Stage("page", StageKind.PAGE, config.cards_per_page * config.chunks_per_card),
    ]


def _build(build: Build, named_by: Build | None) -> Header:
    committed, published = build.committed_at, build.lexical_at
    return {
        "id": build.pk,
        "repository": build.index.repository.name,
        "repository_id": build.index.repository_id,
        "revision": build.revision,
        "profile": build.index.profile.name,
        "chunker": build.recipe.get("chunker"),
        "committed_at": committed.isoformat() if committed else None,
        "lexical_at": published.isoformat() if published else None,
        "fingerprint": build.fingerprint,
        "chunks": build.chunk_count,
        "vectors_done": build.vectors_done,
        "named_by": named_by.pk if named_by else None,
    }
