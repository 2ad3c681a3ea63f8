"""Asking: one case of an audit put to the funnel, and what became of its targets."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from codesearch.absence import closeness_payload
from codesearch.audits.aims import Aim, Named, take_aim
from codesearch.audits.listings import (
    Listings,
    by_card,
    list_stages,
    name_lists,
    stage_places,
)
from codesearch.audits.rows import NOWHERE, Line, count_judged
from codesearch.catalogue import chunk_place
from codesearch.chunk_texts import body_text
from codesearch.corpora import Searched
from codesearch.errors import SearchError, UnreadableQuery
from codesearch.funnel.audit.types import Stage, StageKind
from codesearch.funnel.expression import Not, name_of, value_of
from codesearch.funnel.filters import CASE, REPOSITORY, is_choice
from codesearch.funnel.legs import NO_WORDS
from codesearch.funnel.lists import page_hits
from codesearch.funnel.lookup import look_up
from codesearch.funnel.trace import (
    Death,
    TargetTrace,
    best_of,
    stage_lost,
    trace_chunk,
)
from codesearch.funnel.types import Config, Outcome, Query
from codesearch.funnel.vocabulary import count_words, weigh_words
from codesearch.inquiry import inquire_of
from codesearch.models import AuditRow, CaseSet
from codesearch.wishes import Lines
from indexer import encoders
from indexer.pipeline.choosing import names_meant

Result = dict[str, Any]  # Any: JSON, of the form that `rows` tells.


class AuditError(Exception):
    """An audit cannot go on; the message says what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What the cases of one audit are asked of, and how.

    `names` and `tokens` keep what was said of a chunk for the cases that follow.
    """

    searched: Searched
    config: Config
    unit: str
    stages: tuple[Stage, ...]
    named: Named
    names: dict[int, str] = field(default_factory=dict)
    tokens: dict[int, int | None] = field(default_factory=dict)

    def name(self, number: int) -> str:
        """Return the name of a chunk's document: its id, or that of its file."""
        if number not in self.names:
            place = chunk_place(self.searched, number)
            file = f"{place['repository']}:{place['path_url']}"
            is_file = self.unit == CaseSet.Unit.FILE
            self.names[number] = file if is_file else place["chunk"]
        return self.names[number]


def ask_case(row: AuditRow, asked: Asked) -> tuple[Result, dict[str, list[Line]]]:
    """Return the result of a case and its lists.

    One that cannot be asked has a failure and no lists. Raises AuditError when a stage
    did not run, and so what others were asked is not what this one would be.
    """
    started = time.perf_counter()
    try:
        inquiry = inquire_of(asked.searched, row.query)
        _refuse_other_repositories(inquiry.query, asked.searched)
        aims = take_aim(row.targets, asked.searched, asked.unit, asked.named)
    except SearchError as error:
        return _failed(row, str(error), _milliseconds(started)), {}
    outcome = inquiry.answer(asked.config)
    _refuse_idle(outcome, asked.stages)
    listings = list_stages(outcome, asked.searched.corpus, asked.stages, asked.unit)
    targets = [_target(aim, outcome, asked, listings) for aim in aims]
    words = weigh_words(outcome.query, asked.searched.corpus)
    closeness = closeness_payload(outcome, asked.searched, words)
    result = {
        "failure": "",
        "closeness": closeness["band"],
        "reading": _reading(outcome, aims, asked),
        "judged_at": {
            stage.name: count_judged(
                (p for one in targets if (p := one["stages"][stage.name])), stage
            )
            for stage in asked.stages
        },
        "targets": targets,
    }
    lists = name_lists(listings, aims, asked.name)
    return {**result, "milliseconds": _milliseconds(started)}, lists


def _milliseconds(started: float) -> float:
    return round(1000 * (time.perf_counter() - started), 3)


def _failed(row: AuditRow, sentence: str, milliseconds: float) -> Result:
    nothing: Result = {**NOWHERE, "death": None, "iou": None}
    nothing |= {"stages": {}, "legs": {}, "lookup": {"found": False, "name": None}}
    return {
        "failure": sentence,
        "closeness": None,
        "reading": None,
        "judged_at": {},
        "targets": [{**one, **nothing} for one in row.targets],
        "milliseconds": milliseconds,
    }


def _refuse_other_repositories(query: Query, searched: Searched) -> None:
    """Raise UnreadableQuery for a query of a repository that is not audited."""
    known = [build.index.repository.name for build in searched.builds]
    for one in filter(is_choice, query.filters):
        is_named = name_of(one) == REPOSITORY
        meant = names_meant(value_of(one), known) if is_named else []
        if name_of(one) != CASE and bool(meant) == isinstance(one, Not):
            raise UnreadableQuery(
                f"“{one.text}” names a repository that this audit does not search."
            )


def _refuse_idle(outcome: Outcome, stages: Sequence[Stage]) -> None:
    """Raise AuditError where a leg or the cross-encoder should have run."""
    names = {stage.name for stage in stages}
    for leg in outcome.legs:
        if leg.name in names and not leg.ran and leg.note != NO_WORDS:
            raise AuditError(
                f"The {leg.name} leg did not run: {leg.note}. Turn it off in the "
                "settings of the audit, or mend that and start it again."
            )
    if outcome.reranked.failure:
        raise AuditError(f"The cross-encoder did not run: {outcome.reranked.failure}.")


def _target(aim: Aim, outcome: Outcome, asked: Asked, listings: Listings) -> Result:
    places = stage_places(aim, outcome, asked.stages, listings)
    traced = _trace(aim, outcome, asked) if aim.chunks else None
    death = traced.death if traced else aim.death
    return {
        "target": aim.target,
        "grade": aim.grade,
        "document": aim.document,
        **aim.where,
        "stages": places,
        "legs": _standings(traced, asked.stages),
        "death": death and _death(death),
        "lookup": _lookup(traced, outcome, asked.searched),
        "iou": _overlap(aim, outcome, asked.searched),
    }


def _trace(aim: Aim, outcome: Outcome, asked: Asked) -> TargetTrace:
    """Follow the chunk of an aim that came furthest."""
    corpus, best = asked.searched.corpus, best_of(outcome, aim.chunks)
    is_lost = stage_lost(outcome, best) == "leg"
    return trace_chunk(
        outcome,
        best,
        count_words(outcome.query, corpus, best) if is_lost else (),
        has_purpose=corpus.has_purpose(best),
        spell=lambda number: str(chunk_place(asked.searched, number)["chunk"]),
        with_pool_size=False,
    )


def _death(death: Death) -> Result:
    return {"stage": death.stage, "reason": death.reason, "detail": death.detail}


def _standings(traced: TargetTrace | None, stages: Sequence[Stage]) -> Result:
    """Return where the best chunk stands in each leg, over all that is in scope."""
    legs = [stage.name for stage in stages if stage.kind is StageKind.LEG]
    rows: Result = dict.fromkeys(legs)
    for name in legs if traced else ():
        if traced and (found := traced.standings.get(name)):
            rows[name] = {
                "rank": found.rank,
                "ordinal": found.ordinal,
                "tie_size": found.tie_size,
                "raw": found.raw,
                "margin": traced.margins[name],
                "in_leg": traced.in_leg[name],
            }
    return rows


def _lookup(traced: TargetTrace | None, outcome: Outcome, searched: Searched) -> Result:
    """Say whether plain name lookup finds the chunk, and by which name."""
    found = None
    if traced:
        symbol = chunk_place(searched, traced.chunk)["symbol"] or ""
        found = look_up(outcome.query, searched.corpus, traced.chunk, symbol)
    return {"found": found is not None, "name": found.name if found else None}


def _overlap(aim: Aim, outcome: Outcome, searched: Searched) -> float | None:
    """Return the best overlap of the wanted lines with a result on page one."""
    if not aim.spans:
        return None
    corpus = searched.corpus
    shown = (hit.chunk for hit in page_hits(outcome))
    found = [_lines(n, searched) for n in shown if corpus.file_of(n) == aim.file]
    pairs = (_iou(lines, span) for lines in found for span in aim.spans)
    return max(pairs, default=0.0)


def _lines(number: int, searched: Searched) -> Lines:
    build, ordinal = searched.corpus.locate(number)
    lexical = searched.corpus.builds[build].lexical
    return Lines(*lexical.catalogue.lines[ordinal].tolist())


def _iou(one: Lines, other: Lines) -> float:
    """Return the lines in both over the lines in either."""
    both = min(one.last, other.last) - max(one.first, other.first) + 1
    if both <= 0:
        return 0.0
    of_each = (lines.last - lines.first + 1 for lines in (one, other))
    return both / (sum(of_each) - both)


def _reading(outcome: Outcome, aims: Iterable[Aim], asked: Asked) -> Result | None:
    """Return what stands on page one above the first wanted target: its own lines.

    Tokens are those of the model that embedded it, None without one.
    """
    wanted = {chunk for aim in aims if aim.grade > 0 for chunk in aim.chunks}
    page = [hit.chunk for hit in by_card(outcome, page_hits(outcome))]
    above = list(takewhile(lambda chunk: chunk not in wanted, page))
    if len(above) == len(page):
        return None
    counts = [_tokens(chunk, asked) for chunk in above]
    lines = (asked.searched.corpus.facts(chunk).own_lines for chunk in above)
    known = [count for count in counts if count is not None]
    is_known = len(known) == len(counts) and _has_model(asked.searched)
    return {"lines": sum(lines), "tokens": sum(known) if is_known else None}


def _has_model(searched: Searched) -> bool:
    return all(encoder.encode for encoder in searched.encoders)


def _tokens(number: int, asked: Asked) -> int | None:
    """Count the tokens of a chunk's body text, once for all cases of a batch."""
    if number not in asked.tokens:
        build = asked.searched.builds[asked.searched.corpus.locate(number)[0]]
        made_by = build.fingerprint
        encoder = encoders.encoder_of(build.embedder, made_by)[0] if made_by else None
        if encoder is None or encoder.fingerprint != made_by:
            asked.tokens[number] = None
        else:
            (count,) = encoder.count_tokens([body_text(asked.searched, number)])
            asked.tokens[number] = count
    return asked.tokens[number]
