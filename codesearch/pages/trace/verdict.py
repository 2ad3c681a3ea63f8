"""Verdict: what became of a target, in one sentence."""

from __future__ import annotations

from dataclasses import dataclass

from codesearch.pages.scores import (
    decimals,
    hit_name,
    joined,
    ordinal,
    score_kind,
)
from codesearch.pages.trace.legs import NO_VECTOR
from codesearch.pages.trace.words import lookup_sentence
from codesearch.payloads import Payload, beneath


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a target: state, label, and a sentence after its name."""

    state: str
    glyph: str
    label: str
    name: str
    sentence: str
    more: list[str]


def target_name(target: Payload) -> str:
    """Return what a target is called: its symbol, its path, or the wish itself.

    A name that has no chunk of its own is called as it was asked for.
    """
    death = target.get("death")
    if death and death["reason"].startswith("merged_into:"):
        return str(target["target"])
    name: str = target.get("symbol") or target.get("path") or target["target"]
    return name


def verdict(target: Payload, trace: Payload) -> Verdict:
    """Return what became of `target` in words, from the record alone."""
    death = target["death"]
    name = target_name(target)
    if death is None:
        return Verdict("ok", "ok", "On page one", name, _survived(target, trace), [])
    reason, _, rest = death["reason"].partition(":")
    under = holder(target, trace)
    spoken = reason.replace("re_export", "re-export").replace("_", " ")
    if under and rest:
        spoken += f" rank {under['rank']:,}"
    elif rest:
        spoken += f" ({rest})"
    more = [death["detail"]]
    is_near = is_on_page_one(target, trace)
    if death["needed"]:
        what = death["needed"]
        more.append(what if is_near else f"What would admit it: {what}")
    if looked := lookup_sentence(target):
        more.append(looked)
    sentence = _died(target, trace)
    if not sentence:
        sentence = f"did not get past the {death['stage']}."
    if is_near:
        return Verdict("warn", "warn", f"On page one: {spoken}", name, sentence, more)
    return Verdict(
        "target", "bad", f"Died at the {death['stage']}: {spoken}", name, sentence, more
    )


def holder(target: Payload, trace: Payload) -> Payload | None:
    """Return the hit that a target is, or is folded under; None if it is in none."""
    return next(
        (
            hit
            for hit in trace["hits"]
            if target["chunk"] in (hit["chunk"], *(c["chunk"] for c in beneath(hit)))
        ),
        None,
    )


def is_on_page_one(target: Payload, trace: Payload) -> bool:
    """Tell whether page one holds a target, if only to unfold."""
    hit = holder(target, trace)
    return hit is not None and hit["card"] <= trace["config"]["cards_per_page"]


def _survived(target: Payload, trace: Payload) -> str:
    taken, left = _leg_phrases(target, trace)
    found = f" It was found by {joined(taken)}." if taken else ""
    lost = f" {_capital(joined(left))}." if left else ""
    return f"is number {target['rank']}, on card {target['card']}.{found}{lost}"


def _died(target: Payload, trace: Payload) -> str:
    stage = target["death"]["stage"]
    taken, left = _leg_phrases(target, trace)
    if stage == "leg":
        return (
            f"was taken by no leg: {joined(left)}." if left else "was taken by no leg."
        )
    if stage == "pool":
        but = f", but {joined(left)}" if left else ""
        fused = target["fused"]
        pool = trace["pool"]["size"]
        came = f" It came {ordinal(fused['ordinal'])} in the fusion" if fused else ""
        tail = f"{came}, and the pool takes {pool}." if came else ""
        return f"was found by {joined(taken)}{but}.{tail}"
    if stage == "page":
        return _off_page(target, trace)
    return {
        "corpus": "is not among what was searched.",
        "chunk": "is not a chunk of its own.",
        "scope": "is outside the scope of this search.",
    }.get(stage, "")


def _off_page(target: Payload, trace: Payload) -> str:
    if target["rank"] is None:
        under = holder(target, trace)
        place = f" {hit_name(under)}, rank {under['rank']:,}" if under else " another"
        return f"reached the pool and is folded under{place}."
    place = f"is number {target['rank']:,}"
    if target["card"] is None:
        return f"{place}, and page one does not show it."
    if target["card"] > trace["config"]["cards_per_page"]:
        return f"{place}, on card {target['card']:,}, which is not on page one."
    shown = trace["config"]["chunks_per_card"]
    return (
        f"{place}. Its card, {target['card']}, is on page one and shows its first"
        f" {shown} chunks; the rest unfolds."
    )


def _leg_phrases(target: Payload, trace: Payload) -> tuple[list[str], list[str]]:
    """Return which legs took a target, at which rank, and why the others did not."""
    taken: list[str] = []
    left: list[str] = []
    for name, leg in trace["legs"].items():
        seen = (target.get("legs") or {}).get(name)
        if not leg["ran"]:
            left.append(f"{name} did not run")
        elif name in target.get("unembedded", ()):
            left.append(f"{name} has {NO_VECTOR}")
        elif seen is None:
            left.append(f"{name} has nothing of it")
        elif seen["in_leg"]:
            taken.append(f"{name} at rank {seen['rank']:,}")
        else:
            left.append(f"{name} put it at {seen['rank']:,}{_short_by(name, seen)}")
    return taken, left


def _short_by(name: str, seen: Payload) -> str:
    margin = seen["margin"]
    if margin is None or margin >= 0:
        return ""
    return f", {-margin:.{decimals(name)}f} of {score_kind(name)} below its floor"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
