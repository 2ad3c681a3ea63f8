"""Honesty: what the numbers of a trace do not say by themselves, a sentence each."""

from __future__ import annotations

from codesearch.funnel.types import surface_of
from codesearch.pages.filters import chunks_in_scope
from codesearch.pages.scores import joined
from codesearch.pages.trace.edge import tie_sentences
from codesearch.pages.trace.verdict import target_name
from codesearch.payloads import Payload

HASH = 12  # Digits of a commit that are shown.
DENSE = ("purpose", "body")
STATES = {
    "stale": "has changed since: its file has another content at the newest commit",
    "missing": "is gone since: the newest commit has no file of its path",
}


def honest_sentences(trace: Payload) -> list[str]:
    """Return what qualifies the numbers of a trace, from the record alone."""
    return [
        *_ties(trace),
        *_exactness(trace),
        "Numbers on this page are rounded; the JSON has them whole. What is equal here "
        "need not be equal there.",
        *_terms(trace),
        *_lengths(trace),
        *_partial_legs(trace),
        *_parse_errors(trace),
        *_stale(trace),
        *_several(trace),
    ]


def _ties(trace: Payload) -> list[str]:
    """Return the cuts that fall inside a tie: of legs, of the pool, of page one."""
    said: list[str] = []
    if edge := trace.get("edge"):
        cuts = {f"The end of the {leg} list": edge["legs"][leg] for leg in edge["legs"]}
        cuts["The cut of the pool"] = edge["pool"]
        for cut, found in cuts.items():
            said += tie_sentences(found["tie"], cut=cut)
    return said + _page_tie(trace)


def _page_tie(trace: Payload) -> list[str]:
    shown = trace["config"]["cards_per_page"]
    hits = trace["hits"]
    first = next((i for i, hit in enumerate(hits) if hit["card"] > shown), 0)
    if not first or not _tied(hits[first - 1], hits[first]):
        return []
    score = hits[first]["rerank"]["score"]
    size = sum(_tied(hit, hits[first]) for hit in hits)
    return [
        f"Page one ends inside a tie of {size:,}: ranks {first:,} and {first + 1:,} "
        f"have the same score, {score:.3f}."
    ]


def _tied(hit: Payload, other: Payload) -> bool:
    ours, theirs = hit["rerank"], other["rerank"]
    same_kind = (ours.get("logit") is None) == (theirs.get("logit") is None)
    return same_kind and bool(ours["score"] == theirs["score"])


def _exactness(trace: Payload) -> list[str]:
    kinds: dict[str, list[str]] = {}
    for name, kind in trace.get("evidence", {}).get("index_type", {}).items():
        if trace["legs"][name]["ran"]:
            kinds.setdefault(kind, []).append(name)
    return [f"{joined(names)}: {kind}." for kind, names in kinds.items()]


def _terms(trace: Payload) -> list[str]:
    found = (trace.get("bm25_compared") or {"terms": []})["terms"]
    nowhere = [term["term"] for term in found if not term["df"]]
    said = []
    if nowhere:
        verb = "occurs" if len(nowhere) == 1 else "occur"
        said.append(
            f"{joined(nowhere)} {verb} in no chunk: bm25 cannot add anything for it."
        )
    said += [
        f"{term['term']} is in {100 * term['df_share']:.0f}% of the chunks: its idf, "
        f"{term['idf']:.3f}, is above 0 by the form of its formula; it tells little."
        for term in found
        if term["is_common"]
    ]
    return said


def _lengths(trace: Payload) -> list[str]:
    evidence = trace.get("evidence")
    if not evidence:
        return []
    said = []
    if count := evidence["overlength_count"]:
        said.append(
            f"{_count(count, 'text')} {_are(count)} longer than the model reads and in "
            f"parts{_by_surface(evidence)}: a chunk has the cosine of its best part."
        )
    for target in trace["targets"]:
        split = [
            f"{name} in {parts} parts{_scored(target, name)}"
            for name, parts in (target.get("parts") or {}).items()
            if parts > 1
        ]
        if split:
            said.append(f"{target_name(target)} is one of them: its {joined(split)}.")
    return said


def _by_surface(evidence: Payload) -> str:
    """Return how many texts of each surface were split, "" where some are not read."""
    counts = []
    for name in ("purpose", "body", "summary"):
        found = [build["parts"][name] for build in evidence["builds"]]
        if any(found):
            counts.append(f"{name} {sum(n or 0 for n in found):,}")
    return f" ({', '.join(counts)})" if counts else ""


def _scored(target: Payload, surface: str) -> str:
    """Return which part has the score, "" where none has."""
    for name, seen in target["legs"].items():
        if surface_of(name) == surface and seen and seen["part"]:
            return f" of which number {seen['part']} has the score"
    return ""


def _partial_legs(trace: Payload) -> list[str]:
    scope = chunks_in_scope(trace)
    return [
        f"The {name} leg knows {leg['matched']:,} of {scope:,} chunks: its ranks are "
        f"among those. The others have no {surface_of(name)} text, or no vector yet."
        for name, leg in trace["legs"].items()
        if surface_of(name) in DENSE and leg["ran"] and leg["matched"] < scope
    ]


def _parse_errors(trace: Payload) -> list[str]:
    count = sum(build["counts"].get("partial", 0) for build in trace["builds"])
    if not count:
        return []
    return [
        f"{_count(count, 'file')} {_are(count)} indexed in part only; the coverage of "
        "the repository says which, and why."
    ]


def _stale(trace: Payload) -> list[str]:
    said = []
    builds = trace.get("evidence", {}).get("builds", [])
    for build, searched in zip(builds, trace["builds"], strict=False):
        if newer := build["newer"]:
            said.append(
                f"{build['repository']} is searched at {searched['revision'][:HASH]}; "
                f"{newer['revision'][:HASH]} was fetched since, by build {newer['id']} "
                f"({newer['status']}, {newer['profile']})."
            )
    said += [
        f"{target_name(target)} {STATES[target['state']]}."
        for target in trace["targets"]
        if target.get("state") in STATES
    ]
    return said


def _several(trace: Payload) -> list[str]:
    said = []
    if (count := len(trace["builds"])) > 1:
        said.append(
            f"{count} builds are searched as one: N, df and the average length are "
            "summed over them."
        )
    prints = {name.partition(":")[2] for name in trace["legs"] if ":" in name}
    if len(prints) > 1:
        said.append(
            f"They have {len(prints)} embedders: cosines of two models cannot be "
            "compared, so each has legs of its own."
        )
    return said


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'s' * (number != 1)}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
