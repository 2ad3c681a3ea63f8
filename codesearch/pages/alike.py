"""The page of what is like a chunk: rows with code, each leading on to its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from codesearch.pages.cards import text_key
from codesearch.pages.excerpts import (
    AROUND_STEP,
    Excerpt,
    Sought,
    cut_excerpt,
    excerpt_url,
)
from codesearch.pages.links import Scope, file_url, target_of
from codesearch.pages.paging import Pager, answer_pager
from codesearch.pages.scores import hit_name, joined, leg_style, raw_score
from codesearch.payloads import Payload
from indexer.files import TextKey


@dataclass(frozen=True, slots=True)
class AlikeView:
    """One chunk; `legs` are (name, style, rank, score) of those that hold it."""

    hit: Payload
    name: str
    url: str
    like_url: str
    legs: list[tuple[str, str, int, str]]
    fused: str
    folded: list[tuple[str, str]]
    code: Excerpt | None
    more_url: str
    around_url: str


@dataclass(frozen=True, slots=True)
class AlikePage:
    """The chunk that is asked for, what is like it, and what could not be compared.

    The hits are those from rank `first` to `last` of `found`, both 0 without any.
    """

    chunk: AlikeView
    hits: list[AlikeView]
    sentences: list[str]
    found: int
    first: int
    last: int
    pager: Pager


def alike_page(
    payload: Payload, texts: Mapping[TextKey, str], scope: Scope
) -> AlikePage:
    """Return the page of an answer."""
    hits = payload["hits"]
    address = partial(scope.like_url, target_of(payload["chunk"]))
    return AlikePage(
        chunk=_view(payload["chunk"], texts, scope),
        hits=[_view(hit, texts, scope) for hit in hits],
        sentences=_sentences(payload),
        found=payload["found"],
        first=hits[0]["rank"] if hits else 0,
        last=hits[-1]["rank"] if hits else 0,
        pager=answer_pager(payload, address),
    )


def wanted_texts(payload: Payload) -> set[TextKey]:
    """Return the files whose text the page shows."""
    return {text_key(one) for one in (payload["chunk"], *payload["hits"])}


def _view(hit: Payload, texts: Mapping[TextKey, str], scope: Scope) -> AlikeView:
    text = texts.get(text_key(hit))
    legs = hit.get("legs", {})
    return AlikeView(
        hit=hit,
        name=hit_name(hit),
        url=file_url(hit),
        like_url=scope.like_url(target_of(hit)),
        legs=[
            (name, leg_style(name), one["rank"], raw_score(name, one["raw"]))
            for name, one in legs.items()
            if one
        ],
        fused=f"rrf {hit['fused']:.6f}" if "fused" in hit else "",
        folded=[(one["path"], file_url(one)) for one in hit.get("folded", ())],
        code=None if text is None else cut_excerpt(text, hit, Sought({})),
        more_url=excerpt_url(hit, ""),
        around_url=excerpt_url(hit, "", AROUND_STEP),
    )


def _sentences(payload: Payload) -> list[str]:
    """Return what was left out of the comparison, and why."""
    told = list(payload["left_out"])
    idle = {
        name: leg["note"] for name, leg in payload["legs"].items() if not leg["ran"]
    }
    told += [f"Not compared by {name}: {note}." for name, note in idle.items()]
    if count := payload["incomparable"]:
        told.append(
            f"{count:,} chunks cannot be compared: another model embedded them."
        )
    if copies := payload["copies"]:
        where = joined([f"{one['path']}:{one['start_line']}" for one in copies[:5]])
        more = f" and {len(copies) - 5:,} more" if len(copies) > 5 else ""
        told.append(f"Left out as its copies: {where}{more}.")
    return told
