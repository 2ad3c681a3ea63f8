"""The repositories pages: cards, ledgers, and the bar of a build's coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from urllib.parse import urlencode

from django.urls import reverse

from codesearch.pages.newest import NewestLine, newest_line
from codesearch.pages.scores import SURFACES
from codesearch.payloads.builds import newest_payload
from indexer.ledger import LedgerFilter, LedgerGroup
from indexer.pipeline.calibration import Calibration, Scale, what_lacks
from indexer.selectors import RepositoryCard
from indexer.stages import Stage

BAR_WIDTH = 1000

# Card state: (state, glyph).
STATES = {
    "ready": ("ok", "ok"),
    "indexing": ("busy", "busy"),
    "queued": ("busy", "busy"),
    "failed": ("bad", "bad"),
    "cancelled": ("warn", "warn"),
    "new": ("none", "none"),
}
STAGE_GLYPHS = {
    "done": ("ok", "ok"),
    "busy": ("busy", "busy"),
    "failed": ("bad", "bad"),
    "todo": ("none", "fused"),
}
# How a file was read: (words, glyph, colour).
MODES = {
    "symbol": ("by symbol", "dense", "dense"),
    "section": ("by section", "rerank", "rerank"),
    "file": ("as one thing", "symbol", "symbol"),
    "window": ("by window", "purpose", "purpose"),
    "data": ("as data", "summary", "bm25"),
    None: ("not indexed", "none", "fused"),
}


@dataclass(frozen=True, slots=True)
class BarPart:
    """One part of the coverage bar, in thousandths of all files."""

    words: str
    glyph: str
    style: str
    files: int
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class StageView:
    """One stage of a build with its icon; `total` is at least 1 for the bar."""

    name: str
    state: str
    glyph: str
    style: str
    done: int
    total: int
    text: str


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One line of the ledger with its icon, and the address of its files."""

    words: str
    glyph: str
    style: str
    reason: str
    files: int
    chunks: int
    url: str


@dataclass(frozen=True, slots=True)
class CardView:
    """One repository as its card shows it."""

    card: RepositoryCard
    state: str
    glyph: str
    bar: list[BarPart]
    bar_text: str
    stages: list[StageView]
    ledger: list[LedgerRow]
    files: int
    chunks: int
    show_stages: bool
    calibration: list[tuple[str, str]]
    calibration_note: str
    newest: NewestLine | None
    vectors: list[tuple[str, int, int]]


def card_view(card: RepositoryCard) -> CardView:
    """Return a repository's card with icons, ledger and coverage bar."""
    state, glyph = STATES[card.state]
    ledger = [ledger_row(card.name, group) for group in card.ledger]
    bar = _bar(ledger)
    return CardView(
        card=card,
        state=state,
        glyph=glyph,
        bar=bar,
        bar_text=", ".join(f"{part.files:,} files {part.words}" for part in bar),
        stages=stage_views(card.stages),
        ledger=ledger,
        files=sum(line.files for line in ledger),
        chunks=sum(line.chunks for line in ledger),
        show_stages=bool(card.stages) and (card.is_active or card.state == "failed"),
        calibration=_calibration_rows(card.calibration),
        calibration_note=_calibration_note(card.calibration),
        newest=_newest_line(card),
        vectors=[(SURFACES[v.surface], v.done, v.total) for v in card.vectors],
    )


def stage_views(stages: Sequence[Stage]) -> list[StageView]:
    """Return the stages of a build with their icons."""
    return [
        StageView(
            stage.name,
            stage.state,
            *STAGE_GLYPHS[stage.state],
            stage.done,
            max(1, stage.total),
            stage.text,
        )
        for stage in stages
    ]


def _newest_line(card: RepositoryCard) -> NewestLine | None:
    if card.newest is None:
        return None
    newest = newest_payload(card.newest)
    told = {"repository": card.name, "revision": card.revision, "newest": newest}
    return newest_line(told)


def _calibration_rows(found: Calibration | None) -> list[tuple[str, str]]:
    """Return what the queries of a build score, as names with figures."""
    if not (found and found.cosine and found.words):
        return []
    return [
        ("sentences that have an answer", f"{found.present:,}"),
        ("of these told that nothing is close", f"{found.false_flags:.1%}"),
        ("concepts that have none", f"{found.absent:,}"),
        ("of these told that nothing is close", f"{found.flagged:.1%}"),
        ("best cosine, medians", _medians(found.cosine)),
        ("words, medians", _medians(found.words)),
    ]


def _medians(scale: Scale) -> str:
    return f"absent {scale.absent:.3f}, present {scale.present:.3f}"


def _calibration_note(found: Calibration | None) -> str:
    """Return in a sentence what is missing of a calibration, "" if nothing is."""
    if found is None:
        return "Not calibrated: that is done when all vectors are made."
    lacking = what_lacks(found)
    return f"Not calibrated: {lacking}." if lacking else ""


def ledger_row(repository: str, group: LedgerGroup) -> LedgerRow:
    """Return one line of the ledger, with the address that lists its files."""
    words, glyph, style = MODES[group.mode]
    wanted = LedgerFilter(group.outcome, group.mode or "", group.reason or "")
    return LedgerRow(
        words=words,
        glyph=glyph,
        style=style,
        reason=group.reason or "",
        files=group.files,
        chunks=group.chunks,
        url=coverage_url(repository, wanted),
    )


def coverage_url(repository: str, wanted: LedgerFilter, **more: str) -> str:
    """Return the address of the ledger's files that pass a filter."""
    chosen = {key: value for key, value in {**asdict(wanted), **more}.items() if value}
    query = f"?{urlencode(chosen)}" if chosen else ""
    return f"{reverse('coverage', args=[repository])}{query}"


def _bar(ledger: list[LedgerRow]) -> list[BarPart]:
    totals: dict[str, int] = {}
    for line in ledger:
        totals[line.words] = totals.get(line.words, 0) + line.files
    styles = {words: look for words, *look in MODES.values()}
    most = sum(totals.values())
    parts: list[BarPart] = []
    x = 0.0
    for words, files in totals.items():
        if not files:
            continue
        width = BAR_WIDTH * files / most
        glyph, style = styles[words]
        # A gap of 3 between the parts, so that colour is not the only border.
        shown = max(1.0, round(width - 3, 1))
        parts.append(BarPart(words, glyph, style, files, round(x, 1), shown))
        x += width
    return parts


def list_sentence(cards: list[CardView]) -> str:
    """Return how many repositories are in which state, and what can be searched."""
    states: dict[str, int] = {}
    for view in cards:
        states[view.card.state] = states.get(view.card.state, 0) + 1
    parts = ", ".join(f"{count} {state}" for state, count in states.items())
    chunks = sum(view.card.counts["chunks"] for view in cards if view.card.searchable)
    return f"{len(cards)} registered: {parts}. {chunks:,} chunks can be searched."
