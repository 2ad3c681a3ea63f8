"""Inquiry: one query over the builds that a viewer may read, open to any config.

What a query finds depends on no setting, so it is found once and decided on as often
as someone asks "what if". The findings of the last few inquiries are kept in the
process for that: without them the answer is the same, a little later.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from django.conf import settings

from codesearch.choosing import choose_builds
from codesearch.chunk_texts import body_text
from codesearch.corpora import Searched, open_corpus
from codesearch.errors import UnreadableQuery
from codesearch.funnel.expression import FilterError, Node
from codesearch.funnel.filters import REVISION, chosen
from codesearch.funnel.legs import score_legs
from codesearch.funnel.query import read_query, rephrase
from codesearch.funnel.scope import patterns_of
from codesearch.funnel.search import decide
from codesearch.funnel.types import Config, Findings, Models, Outcome, Query
from indexer.access import Viewer
from indexer.encoders import current_cross_encoder
from indexer.models import Build
from indexer.opened import is_past
from indexer.pipeline.cross_encoder import CrossEncoderScorer

MAX_QUERY = 2000  # Characters; the model reads about 1,000 of them.
BY_WORDS = "only words and names were asked for"
KEPT = 8  # Inquiries; 2 MB each on 40,000 chunks.


class PairScorer:
    """Scores chunks by their body texts, each once, and counts what went unread."""

    def __init__(self, model: CrossEncoderScorer, searched: Searched) -> None:
        self._model = model
        self._searched = searched
        self._logits: dict[int, float] = {}
        self.unread: dict[int, int] = {}

    def __call__(self, query: str, chunks: Sequence[int]) -> Sequence[float]:
        """Return the raw logit of the query with each chunk."""
        new = [chunk for chunk in chunks if chunk not in self._logits]
        if new:
            texts = [body_text(self._searched, chunk) for chunk in new]
            unread = zip(new, self._model.count_unread(query, texts), strict=True)
            self.unread |= {chunk: tokens for chunk, tokens in unread if tokens}
            self._logits |= zip(new, self._model.score(query, texts), strict=True)
        return [self._logits[chunk] for chunk in chunks]


@dataclass(frozen=True, slots=True, eq=False)
class Inquiry:
    """One query and what it found; `answer` decides under a config.

    `failure` says why a cross-encoder that is configured cannot run.
    """

    searched: Searched
    findings: Findings
    scorer: PairScorer | None
    failure: str = ""

    @property
    def query(self) -> Query:
        """The query as it was read."""
        return self.findings.query

    def answer(self, config: Config, filters: Sequence[Node] | None = None) -> Outcome:
        """Return what the funnel does under `config`; `filters` in place of its own."""
        config = replace(config, rerank_seconds=settings.RERANK_SECONDS)
        models = Models(self.searched.encoders, self.scorer)
        corpus = self.searched.corpus
        outcome = decide(self.findings, corpus, models, config, filters)
        reranked = outcome.reranked
        if self.failure and reranked.kind == "structural":
            reranked = replace(reranked, failure=self.failure)
        elif self.scorer and not reranked.failure:
            known = self.scorer.unread  # Other threads may add to it meanwhile.
            unread = {n: known[n] for n in reranked.logits if n in known}
            reranked = replace(reranked, unread=unread)
        return replace(outcome, reranked=reranked)

    def rephrase(self, text: str) -> Inquiry:
        """Return what other words find under the same conditions in the same layers."""
        _refuse_long(text)
        return _find(rephrase(self.query, text), self.searched)


@dataclass(slots=True)
class _Kept:
    """The inquiries used last, by what they read."""

    inquiries: OrderedDict[Hashable, Inquiry] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, key: Hashable) -> Inquiry | None:
        with self.lock:
            if key in self.inquiries:
                self.inquiries.move_to_end(key)
            return self.inquiries.get(key)

    def put(self, key: Hashable, inquiry: Inquiry) -> None:
        with self.lock:
            # They would keep the files of their builds in memory.
            for known in [k for k, one in self.inquiries.items() if _was(one, inquiry)]:
                del self.inquiries[known]
            self.inquiries[key] = inquiry
            while len(self.inquiries) > KEPT:
                self.inquiries.popitem(last=False)


def _was(known: Inquiry, inquiry: Inquiry) -> bool:
    """Tell whether a kept inquiry is of a build that was, now that there is another."""
    builds = product(known.searched.builds, inquiry.searched.builds)
    return any(is_past(*pair) for pair in builds)


_kept = _Kept()


def inquire(
    viewer: Viewer,
    text: str,
    repositories: Sequence[str] = (),
    profile: str | None = None,
    *,
    again: bool = False,
    by_words: bool = False,
) -> Inquiry:
    """Read a query, open the builds it is asked of, and find its raw scores.

    With `again` the findings of the same query on the same layers are used again, if
    they are still kept. With `by_words` no model is asked: what words and names find
    is there in a third of the time. Raises SearchError when there is nothing to search.
    """
    query, searched = open_for(viewer, text, repositories, profile)
    if by_words:
        return _find_by_words(query, searched.without_models(BY_WORDS))
    key = _key(query, searched)
    if again and (known := _kept.get(key)):
        return replace(known, searched=searched)
    inquiry = _find(query, searched)
    if not _failed(inquiry):
        _kept.put(key, replace(inquiry, searched=searched.let_go()))
    return inquiry


def open_for(
    viewer: Viewer,
    text: str,
    repositories: Sequence[str],
    profile: str | None,
    *,
    has_words: bool = True,
) -> tuple[Query, Searched]:
    """Read a query and open the builds it is asked of. Raises SearchError.

    Without `has_words` it need not say what to look for, but only where.
    """
    query = read_typed(text, has_words=has_words)
    asked = choose_builds(viewer, query, repositories, profile)
    searched = open_corpus(
        asked.builds,
        viewer=viewer,
        repositories=asked.repositories,
        profile=profile,
        is_pinned=bool(chosen(asked.query.filters, REVISION)),
        may_miss=asked.may_miss,
    )
    told = (*asked.renamed, *searched.left_out)
    return asked.query, replace(searched, left_out=told)


def inquire_of(searched: Searched, text: str) -> Inquiry:
    """Read a query and find its raw scores in builds that are open; it is not kept.

    Its filters decide on no repository. Raises UnreadableQuery.
    """
    return _find(read_typed(text), searched)


def holds_literals(text: str) -> bool:
    """Tell whether a query asks for a phrase or a regular expression."""
    try:
        return bool(read_query(text).literals)
    except FilterError:
        return False


def is_of_conditions(text: str) -> bool:
    """Tell whether a query says where to look only, and not what to look for."""
    try:
        query = read_query(text)
    except FilterError:
        return False
    return bool(query.filters) and not (query.text or query.literals)


def builds_of(
    viewer: Viewer, text: str, repositories: Sequence[str], profile: str | None
) -> list[Build]:
    """Return the builds that a query is asked of. Raises SearchError as `inquire`."""
    return choose_builds(viewer, read_typed(text), repositories, profile).builds


def _find(query: Query, searched: Searched) -> Inquiry:
    cross_encoder, failure = current_cross_encoder()
    scorer = PairScorer(cross_encoder, searched.let_go()) if cross_encoder else None
    findings = score_legs(query, searched.corpus, Models(searched.encoders))
    return Inquiry(searched, findings, scorer, failure)


def _find_by_words(query: Query, searched: Searched) -> Inquiry:
    findings = score_legs(query, searched.corpus, Models(searched.encoders))
    return Inquiry(searched, findings, None)


def _failed(inquiry: Inquiry) -> bool:
    """Tell whether a model could not run: the next time it may.

    A leg of builds without vectors, or without words to encode, does not run either,
    and that is no failure. Nor may lines that were not looked at be kept as not there.
    """
    patterns = patterns_of(inquiry.query.filters)
    if patterns and not inquiry.searched.corpus.unsearched(patterns).is_nothing:
        return True
    if not inquiry.query.text:
        return bool(inquiry.failure)
    embedded = any(encoder.fingerprint for encoder in inquiry.searched.encoders)
    idle = any(not leg.ran for leg in inquiry.findings.legs)
    return bool(inquiry.failure) or (embedded and idle)


def _key(query: Query, searched: Searched) -> Hashable:
    """Return what the findings depend on: the query and the layers that are read."""
    layers = tuple(
        (
            build.pk,
            build.index.repository.name,
            build.lexical_at,
            build.vectors_done,
            build.fingerprint,
            build.index.repository.index_secrets,
        )
        for build in searched.builds
    )
    return query.typed, settings.CROSS_ENCODER, layers


def read_typed(text: str, *, has_words: bool = True) -> Query:
    """Return the query that was typed, if it can be asked. Raises UnreadableQuery.

    With `has_words` it must say what to look for, and not only where.
    """
    if not text.strip():
        raise UnreadableQuery("The query is empty; say what to look for.")
    _refuse_long(text)
    try:
        query = read_query(text)
    except FilterError as error:
        raise UnreadableQuery(str(error), (error.start, error.end)) from error
    if has_words and not query.text and not query.literals:
        raise UnreadableQuery(
            f"“{text.strip()}” says where to look; say what to look for as well.",
            (0, len(text.rstrip())),
        )
    return query


def _refuse_long(text: str) -> None:
    if len(text) > MAX_QUERY:
        raise UnreadableQuery(
            f"The query has {len(text):,} characters; {MAX_QUERY:,} are read."
        )
