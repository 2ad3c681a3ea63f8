"""Builds: which were searched, and how much of each there is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache

from django.db.models import Count, Q

from codesearch.corpora import Searched
from codesearch.payloads import Payload
from indexer.engines.builds import LocalBuild
from indexer.models import Build, File
from indexer.newest import Newest, newest_of
from indexer.stages import preview_sentence


def surface_coverage(local: LocalBuild) -> dict[str, float]:
    """Return the share of each surface's texts that has a vector, 0 to 1."""
    return {
        surface: _share(found["done"], found["total"])
        for surface, found in surface_counts(local).items()
    }


def surface_counts(local: LocalBuild) -> dict[str, dict[str, int]]:
    """Return of each surface how many texts have a vector (`done`), and the total."""
    totals = {
        "summary": local.place_count,
        "purpose": local.lexical.purpose_count,
        "body": local.chunk_count,
    }
    return {
        surface: {"done": local.covered[surface], "total": total}
        for surface, total in totals.items()
    }


def builds_payload(searched: Searched) -> list[Payload]:
    """Return the builds of a search, in their order."""
    pairs = zip(searched.builds, searched.corpus.builds, strict=True)
    newest = newest_of(searched.builds)
    return [build_payload(build, local, newest[build.pk]) for build, local in pairs]


def build_payload(build: Build, local: LocalBuild, newest: Newest) -> Payload:
    """Return a build, its coverage (0 to 1) and the counts of its ledger.

    `newest` says what was fetched since, see there; `preview` how many of the files
    are read so far, "" when all are.
    """
    files = _file_counts(build.pk, build.lexical_at)
    return {
        "id": build.pk,
        "repository": build.index.repository.name,
        "repository_id": build.index.repository_id,
        "revision": build.revision,
        "profile": build.index.profile.name,
        "committed_at": _moment(build.committed_at),
        "preview": preview_sentence(build),
        "coverage": {
            "files": _share(files["indexed"], build.file_count),
            "chunks": 1.0,
            **surface_coverage(local),
        },
        "counts": {
            "files": build.file_count,
            "read": files["all"],
            "indexed": files["indexed"],
            "partial": files["partial"],
            "data": files["data"],
            "skipped": files["all"] - files["indexed"],
            "chunks": build.chunk_count,
            "vectors": build.vector_count,
            "vectors_done": build.vectors_done,
        },
        "surfaces": surface_counts(local),
        "status": build.status,
        "note": build.note,
        "fingerprint": build.fingerprint,
        "newest": newest_payload(newest),
    }


def newest_payload(newest: Newest) -> Payload:
    """Return what is known of a newer commit as JSON."""
    return {**asdict(newest), "fetched_at": _moment(newest.fetched_at)}


def stamp_of(payload: Payload) -> str:
    """Return 16 hex digits that tell the searched layers of an answer from others."""
    layers = [layers_of(one) for one in payload["builds"]]
    return hashlib.sha256(repr(layers).encode()).hexdigest()[:16]


def layers_of(build: Payload) -> tuple[int, int, int]:
    """Return what tells the layers of a searched build from those of any other time.

    Before there were previews, all files were read.
    """
    counts = build["counts"]
    read = counts.get("read", counts["files"])
    return build["id"], read, counts["vectors_done"]


@lru_cache(maxsize=1024)
def _file_counts(build: int, lexical_at: datetime | None) -> Mapping[str, int]:
    """Count the ledger of a build, as it was written at `lexical_at`."""
    counts: dict[str, int] = File.objects.filter(build=build).aggregate(
        all=Count("pk"),
        indexed=Count("pk", filter=~Q(mode="")),
        partial=Count("pk", filter=~Q(mode="") & ~Q(reason="")),
        data=Count("pk", filter=Q(mode="data")),
    )
    return counts


def _moment(when: datetime | None) -> str | None:
    return when.isoformat() if when else None


def _share(done: int, total: int) -> float:
    return done / total if total else 1.0
