"""Glossary: what each number and term of a trace means, in plain words.

The only place where they are written out: the trace shows one beside each heading,
the help page all of them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One term: `key` is what templates and addresses call it."""

    key: str
    name: str
    sentence: str


STAGES = (
    Entry(
        "funnel",
        "funnel",
        "The stages that a query passes: corpus, scope, legs, fusion, pool, rerank, "
        "page. Each keeps fewer chunks. A target is lost at the first stage after "
        "which no list holds it.",
    ),
    Entry(
        "chunk",
        "chunk",
        "What can be a hit: a function, a class, a section of a document, the rest of "
        "a module, or a window of lines where there is nothing else to go by.",
    ),
    Entry(
        "scope",
        "scope",
        "The chunks that the filters of the query leave. Ranks, percentiles and floors "
        "count these only.",
    ),
    Entry(
        "leg",
        "leg",
        "One way to look for chunks: purpose and body by meaning, bm25 by words, "
        "symbol by names, literal by phrases and regular expressions. Each gives a raw "
        "score of its own and hands its best chunks on, 200 as shipped.",
    ),
    Entry(
        "fused",
        "fused",
        "The lists of all legs as one: the sum of their contributions, and the place "
        "by it. It orders what one query found, and says nothing of how good it is.",
    ),
    Entry(
        "pool",
        "pool",
        "The chunks that the rerank may order, 200 as shipped. What is not among them "
        "cannot be a result, whatever the rerank would have said of it.",
    ),
    Entry(
        "via",
        "seats in the pool",
        "Half of the pool is guaranteed: the first of each leg have a seat whatever "
        "the others say (“guarantee”). The other seats go by fused order (“fusion”).",
    ),
    Entry(
        "cut",
        "cut",
        "The line behind the last that was taken. Who stands on either side of it, and "
        "how far apart, says what was missing. “=2” is a tie of two; of equals the "
        "first by repository, path and line is in.",
    ),
    Entry(
        "rerank",
        "rerank",
        "The final order of the pool: by a sum of points, or by the logit of a "
        "cross-encoder for the pairs that it had time to score.",
    ),
    Entry(
        "place",
        "place in the pool",
        "Before and behind the arrow: the place by fused order and the place after the "
        "rerank, copies that are folded counted.",
    ),
    Entry(
        "final",
        "final rank",
        "The position in the result, counted in chunks. Copies are folded under the "
        "first and have none.",
    ),
    Entry(
        "card",
        "card",
        "The position of the file in the result. A card shows up to three chunks of "
        "one file, and stands where its best chunk does. A page is ten cards.",
    ),
    Entry(
        "ended",
        "where it ended",
        "The page that shows it, or the stage that lost it and why: the first stage "
        "after which no list holds it.",
    ),
    Entry(
        "config",
        "config",
        "The settings of legs, fusion, pool, rerank and page. They need no new index, "
        "so that other values can be tried on the same raw scores.",
    ),
)
SCORES = (
    Entry(
        "raw",
        "raw score",
        "The score in the unit of its leg: a cosine for purpose and body, BM25 points "
        "for bm25 and literal, how rare the name is for symbol. Those of different "
        "legs cannot be compared.",
    ),
    Entry(
        "cosine",
        "cosine",
        "How alike the meanings of query and text are, by their vectors: at most 1. "
        "What is near and what is far depends on the model and on the repository. Of a "
        "text in parts the best part counts.",
    ),
    Entry(
        "rank",
        "rank",
        "1 + how many chunks in scope score higher. Equals share a rank: (=3) says "
        "that three do. It is exact, also far below the list of a leg.",
    ),
    Entry(
        "ordinal",
        "ordinal",
        "The position in a list where equals stand one behind the other, by "
        "repository, path and line. Lists are cut by it, and fusion counts with it.",
    ),
    Entry(
        "floor",
        "floor",
        "The raw score of the last chunk that a leg hands on. There is none where it "
        "found fewer than it may hand on.",
    ),
    Entry(
        "margin",
        "margin",
        "Raw score minus floor: by how much a chunk is in the list of a leg (+), or "
        "missed it (−).",
    ),
    Entry(
        "percentile",
        "percentile",
        "The share of the chunks in scope that the leg ranks lower, or has no score "
        "for. Rounded down, so that only 100% is all of them.",
    ),
    Entry(
        "z",
        "z",
        "How many standard deviations a raw score lies above the mean of all that the "
        "leg scored. At 0 it is like most; the more, the more it stands out.",
    ),
    Entry(
        "within",
        "within this query",
        "The raw score between the lowest (0) and the highest (1) of the leg’s list. "
        "The first is always 1, however poor it is: read it beside the raw score only.",
    ),
    Entry(
        "contribution",
        "contribution",
        "What a leg adds to the fused score: its weight / (k + ordinal), k being 60 as "
        "shipped. Nothing where the chunk is not in the list of the leg.",
    ),
    Entry(
        "logit",
        "logit",
        "What the cross-encoder says of query and chunk, read together; higher is "
        "better, and 0 has no meaning of its own.",
    ),
    Entry(
        "sigmoid",
        "sigmoid",
        "The logit on a scale from 0 to 1, to be read more easily. It is no "
        "probability.",
    ),
    Entry(
        "points",
        "points",
        "Value × weight of a feature. Their sum is the structural score. They are "
        "absolute: the same whatever else was found.",
    ),
    Entry(
        "closeness",
        "closeness",
        "Whether the best that was found is an answer at all, by its cosine and its "
        "words, beside what this repository gives for questions with and without one.",
    ),
)
WORDS = (
    Entry(
        "term",
        "term",
        "A word of the query as bm25 counts it: small letters, without its ending; the "
        "parts of a compound name are terms too.",
    ),
    Entry(
        "df",
        "df",
        "Document frequency: how many chunks hold the term.",
    ),
    Entry(
        "idf",
        "idf",
        "How much a term tells: log(1 + (N − df + 0.5) / (df + 0.5)), where N counts "
        "all chunks. Rare terms tell much, one that stands everywhere almost nothing.",
    ),
    Entry(
        "tf",
        "tf",
        "Term frequency: how often a chunk holds the term. More of it counts less and "
        "less (tf → saturation); what stands in a path, a name or a doc counts more "
        "than once.",
    ),
    Entry(
        "bm25",
        "bm25",
        "The sum of idf × saturated tf over the terms of the query: the raw score of "
        "the bm25 leg, here term by term.",
    ),
    Entry(
        "most",
        "most in a chunk",
        "The most that this term gives any chunk: what there was to be had.",
    ),
    Entry(
        "dl",
        "length norm",
        "1 − b + b × dl / avgdl, where dl counts the terms of the chunk and avgdl is "
        "their mean over all. Above 1 the chunk is longer than most, and the same tf "
        "counts less.",
    ),
    Entry(
        "mass",
        "idf mass",
        "The idf of all words of the query, added up. A share of it says how much of "
        "what the query asks for a chunk holds, or lacks.",
    ),
    Entry(
        "word",
        "word",
        "A word of the query as it was written, and the parts that a compound name is "
        "made of. A name that the index does not know is missing though its parts "
        "occur.",
    ),
)
GROUPS = (
    ("Stages", STAGES),
    ("Scores and ranks", SCORES),
    ("Words", WORDS),
)
GLOSSARY = {entry.key: entry for _, entries in GROUPS for entry in entries}
