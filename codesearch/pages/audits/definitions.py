"""Definitions: what each number of an audit is, in a sentence and as a formula.

The only place where they are written out; pages and documents show these.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Definition:
    """One number: what it is called, what it says, how it is computed."""

    key: str
    name: str
    sentence: str
    formula: str


LISTS = (
    Definition(
        "place",
        "place",
        "Where a target stands in the list of a stage, from 1; in files where the set "
        "counts in files, each at its first chunk. One chunk serves one target. In the "
        "union a place is the best one of any leg: several may share it, so that "
        "precision and nDCG have no meaning there. The list of page one leaves out "
        "what is folded: a place there may be smaller than in the result.",
        "place(t, stage) = 1, 2, …, or none",
    ),
    Definition(
        "recall",
        "recall@k",
        "The share of the wanted targets of a query (grade above 0) that are among the "
        "first k of a stage; one that is not in the index is wanted too.",
        "recall@k = |{t wanted: place(t) ≤ k}| / |wanted|",
    ),
    Definition(
        "success",
        "success@k",
        "Whether any wanted target is among the first k.",
        "success@k = 1 if min place ≤ k, else 0",
    ),
    Definition(
        "precision",
        "precision@k",
        "The share of the first k that are wanted. It divides by k, also where a list "
        "is shorter or there are fewer wanted targets than k.",
        "precision@k = |{t wanted: place(t) ≤ k}| / k",
    ),
    Definition(
        "mrr",
        "MRR, MRR@k",
        "The reciprocal of the first place of any wanted target, 0 without one (at k: "
        "without one among the first k).",
        "RR = 1 / min place; MRR = its mean",
    ),
    Definition(
        "ndcg",
        "nDCG@k",
        "What the first k gain over what the best order of all wanted targets would. "
        "The gain is the grade itself, as in trec_eval, not 2^grade − 1.",
        "DCG@k = Σ grade(t) / log2(place(t) + 1) over place(t) ≤ k; nDCG@k = DCG@k / "
        "DCG@k of the best order",
    ),
    Definition(
        "judged",
        "judged@k",
        "The share of the first k that were judged, with any grade. What nobody judged "
        "counts as not wanted: where little is judged, the other numbers are too low.",
        "judged@k = |judged among the first k| / k",
    ),
    Definition(
        "mean",
        "mean and 95 % interval",
        "Every number of a stage is a mean over the queries that have a wanted target. "
        "Its interval is that of the bootstrap: the queries are drawn again 2,000 "
        "times, by a fixed seed. It says how much other queries of the kind would move "
        "the mean, not how good the judgements are.",
        "low, high = percentiles 2.5 and 97.5 of the means of the draws",
    ),
)

LOSSES = (
    Definition(
        "losses",
        "what was lost, and where",
        "Each wanted target is lost once, at the step after the last one that holds "
        "it; what is lost at all steps and what is left add up to all targets. Legs "
        "and union are one step; the pool tells what fusion lost. Before any leg are "
        "targets that are no chunk in scope.",
        "kept(step) = |{t: this step or a later one holds t}|; lost(step) = kept(step "
        "before) − kept(step)",
    ),
    Definition(
        "deaths",
        "deaths",
        "Stage and reason of every wanted target that the last stage does not hold. "
        "Of another system only the step is known that lost it.",
        "counted by stage and reason; reasons that name a chunk without its id",
    ),
    Definition(
        "control",
        "name lookup",
        "How many of the misses looking up their symbol’s name finds: they are in the "
        "index, and the words of the query did not lead there.",
        "|{t missed: lookup finds t}| / |{t missed}|",
    ),
)

OTHERS = (
    Definition(
        "topics",
        "topics",
        "Queries of one topic ask for the same in other words. Best, median and worst "
        "are the places of the best wanted target of each phrasing in the final order; "
        "phrasings without one are counted apart.",
        "found by all, some or none of the phrasings, on page one and in the pool",
    ),
    Definition(
        "overlap",
        "overlap of the first five",
        "How alike the results of the phrasings are: the mean Jaccard index of the "
        "first five documents of the result, over all pairs of phrasings.",
        "|A ∩ B| / |A ∪ B|, mean over pairs",
    ),
    Definition(
        "iou",
        "line overlap",
        "The share of wanted targets whose lines a result on page one meets: above 0, "
        "and by at least .1, .3, .5. Of targets whose lines are known.",
        "IoU = lines in both / lines in either, the best of the results of page one",
    ),
    Definition(
        "reading",
        "reading before the answer",
        "Lines and tokens of page one from its top down to the first wanted target. "
        "Only queries with an answer on page one have such a cost; the others are "
        "counted beside it.",
        "median, p90 = the least cost that half, nine of ten, do not exceed",
    ),
    Definition(
        "retrievability",
        "retrievability",
        "How the places in the pools of all queries are spread over the chunks: how "
        "many are in no pool, and which are in most (hubs). It says as much of the "
        "queries as of the index. Targets of several chunks are left out: a list does "
        "not tell which of them stands there.",
        "r(c) = |{queries whose pool holds c}|; Gini = mean |r(c) − r(d)| / (2 · mean "
        "r)",
    ),
)

COMPARISONS = (
    Definition(
        "difference",
        "difference",
        "The mean of a less that of b over the queries that both answered, with the 95 "
        "% bootstrap interval of the differences. A win is a query where a is above b.",
        "mean of a(q) − b(q)",
    ),
    Definition(
        "randomisation",
        "paired randomisation test",
        "How likely a difference at least this far from 0 is if it were chance which "
        "system gave which value. All ways are counted for up to 13 queries that "
        "differ, else 10,000 are drawn by a fixed seed.",
        "p = share of sign flips of a(q) − b(q) with |mean| ≥ |observed mean|",
    ),
    Definition(
        "sign",
        "sign test",
        "How likely wins and losses are this uneven if either is as likely; ties are "
        "left out. For few queries, and for changes of any size.",
        "p = min(1, 2 · P(X ≤ min(wins, losses))), X binomial of wins + losses and ½",
    ),
    Definition(
        "holm",
        "Holm’s correction",
        "Of several measures one differs by chance sooner than one alone: the smallest "
        "p is multiplied by their number, the next by one less, and so on.",
        "p(i) corrected = max over j ≤ i of min(1, (m − j + 1) · p(j)), p rising",
    ),
    Definition(
        "overlap_first",
        "overlap of the first ten",
        "The share of the first ten documents that both systems have, in any order.",
        "|A₁₀ ∩ B₁₀| / min(10, longer list)",
    ),
)

DEFINITIONS = (*LISTS, *LOSSES, *OTHERS, *COMPARISONS)
