"""Indexing: what each stage of a build costs, cold, warm and after a small commit.

`python -m benchmarks.indexing [--source DIR] [--sample N] [--json OUT]` indexes a Git
repository made of the files of DIR (the installed Django) three times: cold, with empty
caches; warm, as another repository of the same files, whose rows are all made anew; and
after a commit that changes ten files. Seconds are those at work that the build itself
counts, in a process whose model is loaded.

Beside it, in the same run and on all cores: sentence-transformers, fp32, as it comes,
over N purposes and N bodies, from which the rest is extrapolated (it cuts a text at 256
tokens, where the product encodes all of it); and rank_bm25 over the same bodies, split
on white space.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.commits import Source
from benchmarks.forks import Fields, begin, in_a_fork
from benchmarks.indexed import data_folder, share_models
from benchmarks.records import Table, Value, publish

if TYPE_CHECKING:
    from indexer.models import Build

SAMPLE = 300
CHANGED = 10  # Files of the small commit.
POLL_SECONDS = 0.01
STAGES = ("fetching", "reading", "lexical", "purposes", "bodies", "calibrating")


def main() -> None:
    """Index three times, measure the baselines, print the tables, write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--sample", type=int, default=SAMPLE)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    share_models()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CODESEARCH_DATA"] = f"{folder}/data"
        with data_folder():
            source = Source(options.source or django(), Path(folder) / "r", "django")
            prepared = in_a_fork(prepare_model)
            builds = {"cold": follow(source, "cold"), "warm": follow(source, "warm")}
            source.change(CHANGED)
            builds[f"{CHANGED} files changed"] = follow(source, "cold")
            plain = in_a_fork(lambda: baselines(options.sample))
    publish(options, figures(builds, plain, prepared), builds=builds, plain=plain)


def django() -> Path:
    """Return the folder of the installed Django."""
    import django

    return Path(django.__file__).parent


def prepare_model() -> Fields:
    """Find the fastest runtime out, if that was not done before; return the seconds."""
    started = time.perf_counter()
    load_model()
    return {"seconds": time.perf_counter() - started}


def load_model() -> None:
    """Load what encodes, so that a build finds it as a worker at work does."""
    from indexer import encoders
    from indexer.models import Profile

    encoder, missing = encoders.encoder_of(Profile.objects.get(name="symbol").embedder)
    if encoder is None:
        raise SystemExit(missing)
    encoder.encode(["warm"])


def follow(source: Source, name: str) -> Fields:
    """Index in a process of its own; return what the build counted, and the moments.

    Those are seconds after the request: when a search first finds anything of the
    commit (`hits`), when every file can be found (`live`), when the build is complete.
    """
    from indexer import services
    from indexer.models import Build

    index = services.register(name=name, source=str(source.folder))
    before = index.builds.count()
    forked = begin(lambda: finish(index.pk))
    moments: dict[str, float] = {}
    started = 0.0
    while not forked.ended:
        build = Build.objects.filter(index=index).order_by("-pk").first()
        if build is not None and index.builds.count() > before:
            started = started or time.perf_counter()
            note_moments(build, moments, time.perf_counter() - started)
        time.sleep(POLL_SECONDS)
    told = forked.answer()
    return {**told, "hits": moments["hits"], "live": moments["live"]}


def note_moments(build: Build, moments: dict[str, float], now: float) -> None:
    """Add what has come true of a build by `now`."""
    build.index.refresh_from_db(fields=["current_build"])
    if build.index.current_build_id != build.pk:
        return
    moments.setdefault("hits", now)
    if build.lexical_at is not None and not build.previewed:
        moments.setdefault("live", now)


def finish(index: int) -> Fields:
    """Request a build and make it; return its counts and seconds."""
    from indexer import services
    from indexer.models import Index

    load_model()
    started = time.perf_counter()
    build = services.request_build(index=Index.objects.get(pk=index), enqueue=False)
    build = services.finish_build(build=build)
    took = time.perf_counter() - started
    if build.status != "ready":
        raise RuntimeError(build.failure)
    return {
        "complete": took,
        "seconds": build.seconds,
        "chunks": build.chunk_count,
        "files": build.file_count,
        "parsed": files_looked_at(build) - build.files_reused,
        "texts": build.vector_count,
        "encoded": build.vector_count - build.vectors_reused,
    }


def files_looked_at(build: Build) -> int:
    """Return how many files are not skipped by their name or kind alone."""
    from indexer.pipeline import git
    from indexer.pipeline.reading import unread_reason
    from indexer.places import mirror_of

    repository = build.index.repository
    entries = git.list_tree(mirror_of(repository), build.revision)
    reasons = [
        unread_reason(e, index_secrets=repository.index_secrets) for e in entries
    ]
    return reasons.count(None)


def baselines(sample: int) -> Fields:
    """Return the seconds that plain tools take, for all texts of the first build."""
    from benchmarks.stages import current_build, indexed_bodies, indexed_purposes

    bodies = indexed_bodies("cold")
    purposes = [text for text in indexed_purposes("cold") if text]
    short = current_build("cold").vector_count - len(bodies)  # With the summaries.
    return {
        "purposes": short * encode_plainly(purposes, sample),
        "bodies": len(bodies) * encode_plainly(bodies, sample),
        "rank_bm25": index_plainly(bodies),
    }


def encode_plainly(texts: Sequence[str], sample: int) -> float:
    """Return the seconds a text that sentence-transformers takes, of a sample."""
    import torch
    from sentence_transformers import SentenceTransformer

    from indexer.pipeline.loading import packaged_folder

    torch.set_num_threads(os.cpu_count() or 1)
    model = SentenceTransformer(str(packaged_folder()), device="cpu")
    chosen = random.Random(0).sample(texts, min(sample, len(texts)))  # noqa: S311
    model.encode(chosen[:8], show_progress_bar=False)
    started = time.perf_counter()
    model.encode(chosen, show_progress_bar=False)
    return (time.perf_counter() - started) / len(chosen)


def index_plainly(bodies: Sequence[str]) -> float:
    """Return the seconds in which rank_bm25 takes the words of all bodies."""
    from rank_bm25 import BM25Okapi

    started = time.perf_counter()
    BM25Okapi([body.split() for body in bodies])
    return time.perf_counter() - started


def figures(
    builds: Mapping[str, Fields], plain: Fields, prepared: Fields
) -> dict[str, Table]:
    """Return the tables: stages per 1,000 chunks, moments, and beside plain tools."""
    cold = builds["cold"]
    title = f"seconds a 1,000 chunks; {cold['files']} files, {cold['chunks']} chunks"
    return {
        title: {name: per_thousand(told) for name, told in builds.items()},
        "seconds after the request": {name: moments(b) for name, b in builds.items()},
        "seconds for all of it, cold": beside(cold, plain),
        "once": {"find the fastest runtime of the model": prepared},
    }


def per_thousand(told: Fields) -> dict[str, Value]:
    """Return the seconds of each stage for 1,000 chunks of the build."""
    return {
        stage: 1000 * told["seconds"].get(stage, 0.0) / told["chunks"]
        for stage in STAGES
    }


def moments(told: Fields) -> dict[str, Value]:
    """Return when what was there, and what was done for it."""
    return {
        "first hits": told["hits"],
        "all files": told["live"],
        "complete": told["complete"],
        "files parsed": told["parsed"],
        "texts encoded": told["encoded"],
    }


def beside(cold: Fields, plain: Fields) -> dict[str, dict[str, Value]]:
    """Return the product's seconds beside those of plain tools of the same run."""
    ours = cold["seconds"]
    pairs = {
        "purposes and summaries / sentence-transformers fp32": (
            ours["purposes"],
            plain["purposes"],
        ),
        "bodies / sentence-transformers fp32": (ours["bodies"], plain["bodies"]),
        "reading and lexical / rank_bm25": (
            ours["reading"] + ours["lexical"],
            plain["rank_bm25"],
        ),
    }
    return {
        name: {"product": a, "plain": b, "plain / product": b / a}
        for name, (a, b) in pairs.items()
    }


if __name__ == "__main__":
    main()
