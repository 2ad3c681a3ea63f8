"""Evidence: what the numbers of a trace stand on, beyond what a search says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath

from codesearch.corpora import Searched
from codesearch.funnel.types import Outcome, surface_of
from codesearch.payloads import Payload
from indexer import encoders
from indexer.engines.builds import LocalBuild
from indexer.models import Build, File
from indexer.pipeline import git
from indexer.pipeline.git_command import GitError
from indexer.places import mirror_of

SURFACES = ("purpose", "body", "summary")
# Every leg scores all that it knows; nothing is approximated.
INDEX_TYPES = {
    "purpose": "exact inner product over all vectors, float32; no ANN",
    "body": "exact inner product over all vectors, float32; no ANN",
    "bm25": "exact sum over all postings, float64",
    "symbol": "exact lookup of all names, float64",
    "literal": "RE2 over the lines of the files that hold the trigrams, float64",
}
CAPTURED = ("legs", "union", "pool", "rerank", "hits", "places", "edge")
RECOMPUTED = ("bm25_compared", "targets.terms", "targets.length", "targets.parts")


def describe_evidence(payload: Payload, outcome: Outcome, searched: Searched) -> None:
    """Add to a trace its `evidence`, and the `parts` and `state` of each target.

    `state` is `fresh`, `stale` where the newest fetched commit has another content at
    the target's path, `missing` where it has none; None where nothing can tell.
    `recomputed` names what the run did not keep and its formula gives again.
    """
    corpus = searched.corpus
    df = {term["term"]: term["df"] for term in payload["terms"]}
    newer = _newer_builds(searched.builds)
    builds = [
        _build_evidence(build, local, newer.get(build.pk))
        for build, local in zip(searched.builds, corpus.builds, strict=True)
    ]
    payload["evidence"] = {
        "tokens": list(outcome.query.terms),
        "oov_tokens": [term for term, count in df.items() if not count],
        "n_chunks": corpus.chunk_count,
        "n_symbols": sum(build["symbols"] for build in builds),
        "n_after_filter": payload["in_scope"],
        "avgdl": corpus.average_length,
        "overlength_count": sum(build["overlength"] for build in builds),
        "parse_error_count": sum(b["counts"]["partial"] for b in payload["builds"]),
        "index_type": {
            leg.name: INDEX_TYPES[surface_of(leg.name)] for leg in outcome.legs
        },
        "provenance": {"captured": list(CAPTURED), "recomputed": list(RECOMPUTED)},
        "builds": builds,
    }
    for target in payload["targets"]:
        _describe_target(target, searched, newer)


def _build_evidence(build: Build, local: LocalBuild, newer: Build | None) -> Payload:
    """Return what a build's numbers stand on.

    `overlength` counts the texts that were split; `parts` those of each surface, None
    where its vectors are not read.
    """
    return {
        "id": build.pk,
        "repository": build.index.repository.name,
        "chunker": build.recipe.get("chunker"),
        "embedder": _embedder(build, local),
        "symbols": sum(map(bool, local.lexical.catalogue.symbols)),
        "vocabulary": len(local.lexical.postings.vocabulary),
        "overlength": build.over_length_count,
        "parts": {name: local.split_texts(name) for name in SURFACES},
        "newer": newer
        and {
            "id": newer.pk,
            "revision": newer.revision,
            "status": newer.status,
            "profile": newer.index.profile.name,
        },
    }


def _embedder(build: Build, local: LocalBuild) -> Payload | None:
    """Return the model of a build's vectors, None where it has none.

    Of a folder of this machine only its name is said.
    """
    if not build.fingerprint:
        return None
    described = build.embedder
    loaded, _ = encoders.encoder_of(described, build.fingerprint)
    folder = PurePath(described.model)
    return {
        "model": folder.name if folder.is_absolute() else described.model,
        "revision": described.revision,
        "fingerprint": build.fingerprint,
        "dimension": local.dimension,
        "pooling": described.pooling or "the model’s own",
        "max_tokens": described.max_tokens or (loaded.max_tokens if loaded else None),
    }


def _newer_builds(builds: Sequence[Build]) -> Mapping[int, Build]:
    """Map a build to the newest of its repository, if that has another revision."""
    repositories = {build.index.repository_id for build in builds}
    rows = Build.objects.filter(index__repository__in=repositories).exclude(revision="")
    rows = rows.select_related("index__profile", "index__repository")
    newest = {build.index.repository_id: build for build in rows.order_by("pk")}
    return {
        build.pk: last
        for build in builds
        if (last := newest[build.index.repository_id]).pk > build.pk
        and last.revision != build.revision
    }


def _describe_target(
    target: Payload, searched: Searched, newer: Mapping[int, Build]
) -> None:
    """Add to a target into how many parts its texts were split, and its state."""
    target |= {"parts": None, "state": None}
    if not target["chunk"]:
        return
    numbers = [build.pk for build in searched.builds]
    local = searched.corpus.builds[numbers.index(target["build"])]
    target["parts"] = {
        name: local.parts(name, target["ordinal"]) for name in ("purpose", "body")
    }
    target["state"] = _state(target, local, newer.get(target["build"]))


def _state(target: Payload, local: LocalBuild, newer: Build | None) -> str | None:
    """Compare a target's file with the one at the newest fetched commit."""
    if newer is None:
        return "fresh"
    number = int(local.lexical.file_of[target["ordinal"]])
    file = File.objects.filter(build=target["build"], ordinal=number).first()
    if file is None:
        return None
    mirror = mirror_of(newer.index.repository)
    try:
        entry = git.find_entry(mirror, newer.revision, bytes(file.path_bytes))
    except GitError:  # The mirror is gone: the build can still be searched.
        return None
    if entry is None:
        return "missing"
    return "fresh" if entry.oid == file.oid else "stale"
