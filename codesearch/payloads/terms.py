"""Terms: what BM25 added up for a chunk, and for those it competes with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from codesearch.catalogue import chunk_place
from codesearch.corpora import Searched
from codesearch.funnel.types import Hit, Outcome
from codesearch.payloads import Payload
from indexer.engines.local import LocalCorpus
from indexer.pipeline.postings import K1, B
from indexer.pipeline.terms import tokenize

# The share of the chunks from which a term tells little. Above it the classic idf,
# log((N - df + 0.5) / (df + 0.5)), is negative; ours stays above 0, below log 2.
COMMON = 0.5


def describe_terms(payload: Payload, outcome: Outcome, searched: Searched) -> None:
    """Add to a trace `bm25_compared`: its terms, the leg's first and its floor.

    `max_points` is the most that a term gives any chunk, None where none holds it;
    `floor` is the last of the leg's list, also of one that is not full.
    """
    leg = next(leg for leg in outcome.legs if leg.name == "bm25")
    hits, corpus = leg.run.hits, searched.corpus
    payload["bm25_compared"] = {
        "avgdl": corpus.average_length,
        "stop_words": [word for word in outcome.query.words if not tokenize(word)],
        "terms": _query_terms(outcome.query.terms, corpus),
        "first": _listed(outcome, searched, hits[0]) if hits else None,
        "floor": _listed(outcome, searched, hits[-1]) if hits else None,
    }


def chunk_terms(terms: Sequence[str], corpus: LocalCorpus, chunk: int) -> list[Payload]:
    """Return the BM25 terms of one chunk; their points sum to its raw score.

    That is, idf * tf_sat, added for every term of the query in its order, gives it
    to the last bit; points are that times `qtf`.
    """
    norm = length_norm(corpus, chunk)
    rows = []
    for term, idf in corpus.idf(terms).items():
        tf, qtf = corpus.term_frequency(term, chunk), terms.count(term)
        saturation = tf * (K1 + 1) / (tf + K1 * norm)
        rows.append(
            {
                "term": term,
                "qtf": qtf,
                "tf": tf,
                "df": corpus.document_frequency(term),
                "idf": idf,
                "tf_sat": saturation,
                "points": qtf * (idf * saturation),
            }
        )
    return rows


def length_norm(corpus: LocalCorpus, chunk: int) -> float:
    """Return by how much a chunk's length holds its terms down, 1 for the average."""
    return 1 - B + B * corpus.length(chunk) / corpus.average_length


def chunk_length(terms: Sequence[Payload], corpus: LocalCorpus, chunk: int) -> Payload:
    """Return a chunk's length in terms, and what the terms that it lacks weigh.

    `missed_share` is their part of the query's idf mass, 0 to 1, repeats counted.
    """
    mass = sum(row["qtf"] * row["idf"] for row in terms)
    missed = sum(row["qtf"] * row["idf"] for row in terms if not row["tf"])
    return {
        "dl": corpus.length(chunk),
        "len_norm": length_norm(corpus, chunk),
        "missed_idf": missed,
        "missed_share": missed / mass if mass else 0.0,
    }


def _listed(outcome: Outcome, searched: Searched, hit: Hit) -> Payload:
    corpus = searched.corpus
    rows = chunk_terms(outcome.query.terms, corpus, hit.chunk)
    return {
        **chunk_place(searched, hit.chunk),
        "leg_ordinal": hit.ordinal,
        "raw": hit.score,
        "length": chunk_length(rows, corpus, hit.chunk),
        "terms": rows,
    }


def _query_terms(terms: Sequence[str], corpus: LocalCorpus) -> list[Payload]:
    rows = []
    for term, idf in corpus.idf(terms).items():
        df, qtf = corpus.document_frequency(term), terms.count(term)
        share = df / corpus.chunk_count
        most = qtf * float(np.nanmax(corpus.bm25([term]))) if df else None
        rows.append(
            {
                "term": term,
                "qtf": qtf,
                "df": df,
                "df_share": share,
                "is_common": share > COMMON,
                "idf": idf,
                "max_points": most,
            }
        )
    return rows
