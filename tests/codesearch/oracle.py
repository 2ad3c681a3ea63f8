"""Oracle: the numbers of a trace again, by the contract, from the files of its builds.

Of the project it uses the tokeniser. A chunk is known by its place in `chunks`, which
`build_files` reads; the score that a leg does not have is NaN.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce  # `sum` rounds as its Python version.
from math import isnan, log, log1p, nan
from operator import add
from typing import Any

import numpy as np
from rank_bm25 import BM25Okapi

from indexer.pipeline.terms import names, tokenize, words
from tests.codesearch.build_files import Row


def best(scores: dict[int, float]) -> list[int]:
    return [c for s, c in sorted((-s, c) for c, s in scores.items() if not isnan(s))]


def lost_to(filters: list[Row], chunk: Row) -> str | None:
    for one in filters:
        group = [f for f in filters if f["name"] == one["name"] and not f["negated"]]
        group = [one] if one["negated"] else group
        if any(f["value"] in chunk[f["name"]] for f in group) == one["negated"]:
            return f"filter:{one['name']}"
    return None


class Oracle:
    """One search again. `order` must come before what the pool's order decides."""

    def __init__(self, chunks: list[Row], text: str, filters: list[Row]) -> None:
        self.chunks, self.total, self.terms = chunks, len(chunks), tokenize(text)
        self.okapi = BM25Okapi([chunk["terms"] for chunk in chunks], k1=1.2, b=0.75)
        self.df = Counter(term for held in self.okapi.doc_freqs for term in held)
        self.okapi.idf = {term: self.idf(term) for term in self.df}
        self.words = {word: tokenize(word)[0] for word in words(text) if tokenize(word)}
        held = [not {*self.terms}.isdisjoint(chunk["terms"]) for chunk in chunks]
        self.raw = {s: np.array([c[s][0] for c in chunks]) for s in ("purpose", "body")}
        self.raw["bm25"] = np.where(held, self.okapi.get_scores(self.terms), nan)
        self.raw["symbol"] = self.rarity({n for n in names(text) if tokenize(n)})
        self.lost = [lost_to(filters, chunk) for chunk in chunks]
        within = np.array([reason is None for reason in self.lost])
        self.in_scope = int(within.sum())
        self.legs = {leg: np.where(within, raw, nan) for leg, raw in self.raw.items()}
        self.lists = {n: best(dict(enumerate(s)))[:200] for n, s in self.legs.items()}
        self.shares: dict[int, dict[str, float]] = {}
        for leg, own in self.lists.items():
            for n, c in enumerate(own, 1):
                self.shares.setdefault(c, {})[leg] = 1 / (60 + n)
        self.sums = {c: reduce(add, own.values()) for c, own in self.shares.items()}
        self.fused = best(self.sums)
        firsts = [
            (own[n : n + 1], leg) for n in range(25) for leg, own in self.lists.items()
        ]
        self.via = {c: f"guarantee:{leg}" for own, leg in firsts[::-1] for c in own}
        rest = [c for c in self.fused if c not in self.via]
        self.via |= dict.fromkeys(rest[: 200 - len(self.via)], "fusion")

    def idf(self, term: str) -> float:
        return log(1 + (self.total - self.df[term] + 0.5) / (self.df[term] + 0.5))

    def points(self, term: str, c: int) -> float:
        tf, length = self.okapi.doc_freqs[c].get(term, 0), self.okapi.doc_len[c]
        share = tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / self.okapi.avgdl))
        return float(self.terms.count(term) * self.idf(term) * share)

    def rarity(self, asked: set[str]) -> Any:
        scores = np.full(self.total, nan)
        for name in asked:
            suffix = f".{name.lower().replace('::', '.')}"
            called = [f".{chunk['name']}".endswith(suffix) for chunk in self.chunks]
            rarity = log1p(self.total / (sum(called) or nan)) / log1p(self.total)
            scores = np.fmax(scores, np.where(called, rarity, nan))
        return scores

    def order(self, sums: dict[int, float]) -> None:
        """Put the pool in order by its structural sums, fold it and deal it."""
        pool, first = best(sums), dict[Any, int]()
        kept = {c: first.setdefault(self.chunks[c]["content"], c) for c in pool}
        self.folded = {c: ("duplicate_of", of) for c, of in kept.items() if c != of}
        passed = {c: set(self.chunks[c]["re_exports"]) & {*pool} for c in pool}
        for stub in pool:
            found = {d for d in passed[stub] if not self.chunks[kept[d]]["re_exports"]}
            if found and kept[stub] == stub:
                of = min(found, key=lambda d: (pool.index(kept[d]), d))
                self.folded[stub] = ("re_export_of", of)
        self.shown = [c for c in pool if c not in self.folded]
        files = [*dict.fromkeys(self.chunks[c]["file"] for c in self.shown)]
        self.card = {c: 1 + files.index(self.chunks[c]["file"]) for c in self.shown}

    def death(self, c: int) -> str | None:
        mass = {term: self.idf(term) for term in self.words.values()}
        held = sum(mass[t] for t in self.words.values() if t in self.chunks[c]["terms"])
        if self.lost[c] or c not in self.shares:
            gap = 3 * held < sum(mass[term] for term in self.words.values())
            return self.lost[c] or ("vocabulary_gap" if gap else "below_floor")
        if c not in self.via:
            return "outvoted"
        if c in self.folded:
            why, of = self.folded[c]
            return f"{why}:{self.chunks[of]['id']}"
        same = [other for other in self.shown if self.card[other] == self.card[c]]
        folded = "folded" if c in same[3:] else None
        return "beyond_page" if self.card[c] > 10 else folded

    def standing(self, leg: str, c: int) -> Row | None:
        scores, raw, own = self.legs[leg], self.legs[leg][c], self.lists[leg]
        if isnan(raw):
            return None
        higher, tied = int((scores > raw).sum()), scores == raw
        above, spread = raw - scores[own[-1]], scores[own[0]] - scores[own[-1]]
        return {
            "rank": 1 + higher,
            "ordinal": 1 + higher + int(tied[:c].sum()),
            "tie_size": int(tied.sum()),
            "raw": float(raw),
            "margin": float(above) if len(own) == 200 else None,
            "normalised": float(above / spread) if c in own and spread else None,
            "percentile": 100 * (1 - int((scores >= raw).sum()) / self.in_scope),
            "part": self.chunks[c].get(leg, (nan, None))[1],
            "in_leg": c in own,
        }
