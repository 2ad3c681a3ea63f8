"""Runs: the list of each stage as TREC writes it, for tools that evaluate lists.

A line is `qid Q0 docid rank score tag`; a docid is a chunk's id, which has no blank.
Tools order a run by its scores alone, as 32-bit floats, and break ties in ways of
their own. So the written scores fall strictly: a score is the raw one while it is
below the score before it, else the next 32-bit float below that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

import numpy as np

from codesearch.catalogue import chunk_place
from codesearch.corpora import Searched
from codesearch.errors import SearchError
from codesearch.funnel.lists import stage_hits
from codesearch.funnel.types import Config
from codesearch.inquiry import inquire
from codesearch.knobs import AS_SHIPPED
from codesearch.payloads import Payload, beneath
from indexer.access import Viewer

MERGED = ("fusion", "pool", "rerank", "page")  # After the legs, in order.


class UnknownStage(SearchError):
    """A search has no such stage; the message names those that it has."""


@dataclass(frozen=True, slots=True)
class RunLine:
    """One chunk of a run: its id, its place there from 1, its raw score."""

    docid: str
    rank: int
    score: float


def stage_run(
    *,
    viewer: Viewer,
    query: str,
    stage: str,
    repositories: Sequence[str] = (),
    profile: str | None = None,
    config: Config = AS_SHIPPED,
) -> list[RunLine]:
    """Return the whole list of one stage. Raises SearchError, UnknownStage too."""
    inquiry = inquire(viewer, query, repositories, profile, again=True)
    outcome = inquiry.answer(config)
    _check(stage, [leg.name for leg in outcome.legs])
    return [
        RunLine(_docid(inquiry.searched, hit.chunk), hit.ordinal, hit.score)
        for hit in stage_hits(outcome, stage)
    ]


def recorded_run(payload: Payload, stage: str) -> list[RunLine]:
    """Return what a record knows of a stage's list: the chunks of the pool.

    Those of a leg or of the fusion keep their ordinals, with gaps. Raises UnknownStage.
    """
    _check(stage, list(payload["legs"]))
    if stage == "page":
        return _on_page_one(payload)
    rows = [row for hit in payload["hits"] for row in (hit, *beneath(hit))]
    lines = [line for row in rows if (line := _recorded(payload, row, stage))]
    return sorted(lines, key=lambda line: line.rank)


def write_run(lines: Iterable[RunLine], *, qid: str, tag: str) -> str:
    """Return a run as text, the last line ended too."""
    written = []
    before = np.float32(np.inf)
    for line in lines:
        score, low = line.score, np.float32(line.score)
        if not low < before:
            low = np.nextafter(before, np.float32(-np.inf))
            score = float(low)
        before = low
        written.append(f"{qid} Q0 {line.docid} {line.rank} {score!r} {tag}\n")
    return "".join(written)


def one_word(text: str) -> str:
    """Return a text with its blanks percent-encoded: fields of TREC files end there."""
    return re.sub(r"\s", lambda blank: quote(blank[0]), text)


def stages_of(payload: Payload) -> list[str]:
    """Return the names of the stages of a search, in order."""
    return [*payload["legs"], *MERGED]


def _check(stage: str, legs: Sequence[str]) -> None:
    if stage not in (*legs, *MERGED):
        names = ", ".join([*legs, *MERGED])
        raise UnknownStage(f"There is no stage “{stage}”; there are {names}.")


def _docid(searched: Searched, number: int) -> str:
    docid: str = chunk_place(searched, number)["chunk"]
    return docid


def _recorded(payload: Payload, row: Payload, stage: str) -> RunLine | None:
    docid, fused, reranked = row["chunk"], row["fused"], row["rerank"]
    if stage in payload["legs"]:
        seen = row["legs"][stage]
        if seen is None or not seen["in_leg"]:
            return None
        return RunLine(docid, seen["ordinal"], seen["raw"])
    if stage == "fusion":
        return RunLine(docid, fused["ordinal"], fused["score"])
    if stage == "pool":
        return RunLine(
            docid, reranked.get("rank_in") or fused["ordinal"], fused["score"]
        )
    rank = reranked.get("rank_out") or row["rank"]  # The first version had no former.
    return RunLine(docid, rank, reranked["score"]) if rank else None


def _on_page_one(payload: Payload) -> list[RunLine]:
    config, shown = payload["config"], dict[int, int]()
    lines = []
    for hit in payload["hits"]:
        card = hit["card"]
        shown[card] = shown.get(card, 0) + 1
        if (
            card <= config["cards_per_page"]
            and shown[card] <= config["chunks_per_card"]
        ):
            lines.append(RunLine(hit["chunk"], hit["rank"], hit["rerank"]["score"]))
    return lines
