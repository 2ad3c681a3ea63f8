"""Run a search or a trace, and record one that is shared."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import replace

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction

from codesearch.catalogue import chunk_place
from codesearch.corpora import Searched, current_builds, open_corpus
from codesearch.errors import UnreadableQuery
from codesearch.funnel.filters import REPOSITORY, FilterError
from codesearch.funnel.query import read_query
from codesearch.funnel.search import run_search
from codesearch.funnel.trace import (
    WordCount,
    follow_chunk,
    stage_reached,
    trace_chunk,
)
from codesearch.funnel.types import Config, Models, Outcome, Query
from codesearch.models import SearchRecord
from codesearch.payloads import Payload
from codesearch.payloads.search import search_payload
from codesearch.payloads.target import target_payload
from codesearch.targets import Resolved, resolve_target
from indexer.access import Viewer, readable
from indexer.encoders import current_cross_encoder
from indexer.pipeline.build import load_texts
from indexer.pipeline.cross_encoder import CrossEncoderScorer
from indexer.pipeline.terms import tokenize

MAX_QUERY = 2000  # Characters; the model reads about 1,000 of them.


def search(
    *,
    viewer: Viewer,
    query: str,
    repositories: Sequence[str] = (),
    profile: str | None = None,
) -> Payload:
    """Answer a query over the repositories that `viewer` may read.

    Raises SearchError with a sentence when there is nothing to search.
    """
    started = time.perf_counter()
    outcome, searched = _run(viewer, query, repositories, profile)
    payload = search_payload(outcome, searched)
    payload["timings_ms"]["answer"] = 1000 * (time.perf_counter() - started)
    return payload


def trace(
    *,
    viewer: Viewer,
    query: str,
    targets: Sequence[str],
    repositories: Sequence[str] = (),
    profile: str | None = None,
) -> Payload:
    """Answer a query and follow each target through it.

    Raises AmbiguousTarget when a target names several symbols, SearchError when
    there is nothing to search.
    """
    started = time.perf_counter()
    outcome, searched = _run(viewer, query, repositories, profile)
    resolved = [resolve_target(target, searched.builds) for target in targets]
    payload = search_payload(outcome, searched)
    payload["targets"] = [_follow(row, outcome, searched) for row in resolved]
    payload["timings_ms"]["answer"] = 1000 * (time.perf_counter() - started)
    return payload


@transaction.atomic
def share(
    *,
    viewer: Viewer,
    user: AbstractBaseUser | AnonymousUser,
    kind: str,
    query: str,
    targets: Sequence[str] = (),
    repositories: Sequence[str] = (),
    profile: str | None = None,
) -> SearchRecord:
    """Run a search or trace and record the answer for ever.

    An answer that was shared before keeps its token: clicking twice, by whomever,
    makes no second record.
    """
    if kind == SearchRecord.Kind.TRACE:
        payload = trace(
            viewer=viewer,
            query=query,
            targets=targets,
            repositories=repositories,
            profile=profile,
        )
    else:
        payload = search(
            viewer=viewer, query=query, repositories=repositories, profile=profile
        )
    record, _ = SearchRecord.objects.get_or_create(
        digest=_digest(payload),
        defaults={
            "kind": kind,
            "query": query,
            "payload": payload,
            "created_by_id": user.pk if user.is_authenticated else None,
        },
    )
    names = {build["repository"] for build in payload["builds"]}
    record.repositories.set(readable(viewer).filter(name__in=names))
    return record


def _digest(payload: Payload) -> str:
    """Return a hash of an answer; how long it took is no part of it."""
    timeless = {key: value for key, value in payload.items() if key != "timings_ms"}
    return hashlib.sha256(json.dumps(timeless, sort_keys=True).encode()).hexdigest()


def _run(
    viewer: Viewer, text: str, repositories: Sequence[str], profile: str | None
) -> tuple[Outcome, Searched]:
    query = _read(text)
    named = [one.value for one in query.filters if one.name == REPOSITORY]
    repositories = list(dict.fromkeys([*repositories, *named]))
    builds = current_builds(viewer, repositories, profile)
    searched = open_corpus(
        builds, viewer=viewer, repositories=repositories, profile=profile
    )
    cross_encoder, missing = current_cross_encoder()
    scorer = PairScorer(cross_encoder, searched) if cross_encoder else None
    models = Models(searched.encoders, scorer)
    config = Config(rerank_seconds=settings.RERANK_SECONDS)
    outcome = run_search(query, searched.corpus, models, config)
    reranked = outcome.reranked
    if missing:
        reranked = replace(reranked, failure=missing)
    elif scorer and not reranked.failure:
        reranked = replace(reranked, unread=scorer.unread)
    return replace(outcome, reranked=reranked), searched


def _read(text: str) -> Query:
    """Return the query that was typed. Raises UnreadableQuery."""
    if not text.strip():
        raise UnreadableQuery("The query is empty; say what to look for.")
    if len(text) > MAX_QUERY:
        raise UnreadableQuery(
            f"The query has {len(text):,} characters; {MAX_QUERY:,} are read."
        )
    try:
        query = read_query(text)
    except FilterError as error:
        raise UnreadableQuery(str(error)) from error
    if not query.text:
        raise UnreadableQuery(
            f"“{text.strip()}” says where to look; say what to look for as well."
        )
    return query


class PairScorer:
    """Scores chunks by their body texts, and counts what of them went unread."""

    def __init__(self, model: CrossEncoderScorer, searched: Searched) -> None:
        self._model = model
        self._searched = searched
        self.unread: dict[int, int] = {}

    def __call__(self, query: str, chunks: Sequence[int]) -> Sequence[float]:
        """Return the raw logit of the query with each chunk."""
        texts = [body_text(self._searched, chunk) for chunk in chunks]
        unread = zip(chunks, self._model.count_unread(query, texts), strict=True)
        self.unread |= {chunk: tokens for chunk, tokens in unread if tokens}
        return self._model.score(query, texts)


def body_text(searched: Searched, number: int) -> str:
    """Return the body text of a chunk of the corpus, as it was encoded."""
    build, ordinal = searched.corpus.locate(number)
    folder = searched.corpus.builds[build].lexical.folder
    return load_texts(folder / "body", [ordinal])[0]


def count_words(query: Query, searched: Searched, chunk: int) -> list[WordCount]:
    """Count each word as it was written, whole and not by its parts; no stop words."""
    corpus = searched.corpus
    counts = []
    for word in query.words:
        if terms := tokenize(word):
            whole = terms[0]
            known = corpus.document_frequency(whole) > 0
            held = corpus.term_frequency(whole, chunk) > 0
            counts.append(WordCount(word, corpus.idf([whole])[whole], known, held))
    return counts


def _follow(resolved: Resolved, outcome: Outcome, searched: Searched) -> Payload:
    """Trace what a target stands for; of several chunks the one that came furthest."""
    if not resolved.chunks:
        return target_payload(resolved, outcome, searched, None)
    builds = [build.pk for build in searched.builds]
    numbers = [
        searched.corpus.starts[builds.index(chunk.build_id)] + chunk.ordinal
        for chunk in resolved.chunks
    ]
    # Only the best one's death is looked for: it may mean filling many pools.
    best = min(numbers, key=lambda n: (*stage_reached(follow_chunk(outcome, n)), n))
    words = count_words(outcome.query, searched, best)
    has_purpose = searched.corpus.has_purpose(best)
    traced = trace_chunk(
        outcome,
        best,
        words,
        has_purpose=has_purpose,
        spell=lambda number: str(chunk_place(searched, number)["chunk"]),
    )
    return target_payload(resolved, outcome, searched, traced)
