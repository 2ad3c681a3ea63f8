"""Run a search or a trace, and record one that is shared."""

from __future__ import annotations

import time
from collections.abc import Sequence

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from codesearch import sharing
from codesearch.catalogue import chunk_place
from codesearch.corpora import Searched, builds_beside
from codesearch.funnel.trace import best_of, trace_chunk
from codesearch.funnel.types import Config, Outcome
from codesearch.funnel.vocabulary import count_words
from codesearch.inquiry import inquire
from codesearch.knobs import AS_SHIPPED
from codesearch.models import SearchRecord, ShareLink
from codesearch.payloads import Payload
from codesearch.payloads.distributions import describe_scores
from codesearch.payloads.edges import describe_edges
from codesearch.payloads.evidence import describe_evidence
from codesearch.payloads.search import cut_leaders, search_payload
from codesearch.payloads.target import target_payload
from codesearch.payloads.terms import describe_terms
from codesearch.targets import Resolved, chunk_numbers, resolve_target
from indexer.access import Viewer


def search(
    *,
    viewer: Viewer,
    query: str,
    repositories: Sequence[str] = (),
    profile: str | None = None,
    config: Config = AS_SHIPPED,
    again: bool = False,
    by_words: bool = False,
) -> Payload:
    """Answer a query over the repositories that `viewer` may read.

    `again` and `by_words` as in `inquire`. Raises SearchError with a sentence when
    there is nothing to search.
    """
    started = time.perf_counter()
    inquiry = inquire(
        viewer, query, repositories, profile, again=again, by_words=by_words
    )
    outcome, searched = inquiry.answer(config), inquiry.searched
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
    config: Config = AS_SHIPPED,
    beside: bool = True,
) -> Payload:
    """Answer a query and follow each target through it.

    With `beside` a target that is in nothing searched is looked for in the other
    repositories that `viewer` may read, and the answer may name one. Raises
    AmbiguousTarget when a target names several symbols, SearchError when there is
    nothing to search.
    """
    started = time.perf_counter()
    inquiry = inquire(viewer, query, repositories, profile)
    outcome, searched = inquiry.answer(config), inquiry.searched
    others = builds_beside(viewer, searched, profile) if beside else []
    resolved = [resolve_target(one, searched.builds, others) for one in targets]
    payload = search_payload(outcome, searched)
    payload["targets"] = [follow(row, outcome, searched) for row in resolved]
    payload["cut_leaders"] = cut_leaders(outcome, searched)
    describe_scores(payload, outcome.legs)
    describe_terms(payload, outcome, searched)
    describe_edges(payload, outcome, searched)
    describe_evidence(payload, outcome, searched)
    payload["timings_ms"]["answer"] = 1000 * (time.perf_counter() - started)
    return payload


def share(
    *,
    viewer: Viewer,
    user: AbstractBaseUser | AnonymousUser,
    kind: str,
    query: str,
    targets: Sequence[str] = (),
    repositories: Sequence[str] = (),
    profile: str | None = None,
    config: Config = AS_SHIPPED,
    terms: sharing.Terms = sharing.FOR_EVER,
) -> ShareLink:
    """Run a search or trace, record the answer, and return a link to it.

    Raises SearchError.
    """
    if kind == SearchRecord.Kind.TRACE:
        payload = trace(
            viewer=viewer,
            query=query,
            targets=targets,
            repositories=repositories,
            profile=profile,
            config=config,
            beside=False,  # Whoever has the link may not know the others.
        )
    else:
        payload = search(
            viewer=viewer,
            query=query,
            repositories=repositories,
            profile=profile,
            config=config,
        )
    names = {one["repository_id"]: one["repository"] for one in payload["builds"]}
    what = sharing.Shareable(kind, query, payload, names)
    return sharing.share(user=user, what=what, terms=terms)


def best_chunk(resolved: Resolved, outcome: Outcome, searched: Searched) -> int | None:
    """Return the chunk a target stands for, of several the one that came furthest."""
    numbers = chunk_numbers(resolved, searched)
    if len(numbers) < 2:
        return numbers[0] if numbers else None
    return best_of(outcome, numbers)


def follow(resolved: Resolved, outcome: Outcome, searched: Searched) -> Payload:
    """Trace what a target stands for."""
    best = best_chunk(resolved, outcome, searched)
    if best is None:
        return target_payload(resolved, outcome, searched, None)
    words = count_words(outcome.query, searched.corpus, best)
    has_purpose = searched.corpus.has_purpose(best)
    traced = trace_chunk(
        outcome,
        best,
        words,
        has_purpose=has_purpose,
        spell=lambda number: str(chunk_place(searched, number)["chunk"]),
    )
    return target_payload(resolved, outcome, searched, traced, words)
