"""The repositories pages: cards, ledgers, and the bar of a build's coverage."""

from __future__ import annotations

from dataclasses import dataclass

from indexer.selectors import RepositoryCard

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
# Ledger outcome: (glyph, colour).
OUTCOMES = {
    "by symbol": ("dense", "dense"),
    "by window": ("purpose", "purpose"),
    "as data": ("summary", "bm25"),
    "not indexed": ("none", "fused"),
}


@dataclass(frozen=True, slots=True)
class BarPart:
    """One outcome of the coverage bar, in thousandths of all files."""

    outcome: str
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
    """One line of the ledger with its icon."""

    outcome: str
    glyph: str
    style: str
    reason: str
    files: int
    chunks: int


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


def card_view(card: RepositoryCard) -> CardView:
    """Return a repository's card with icons, ledger and coverage bar."""
    state, glyph = STATES[card.state]
    ledger = [
        LedgerRow(
            line.outcome,
            *OUTCOMES[line.outcome],
            line.reason,
            line.files,
            line.chunks,
        )
        for line in card.ledger
    ]
    bar = _bar(ledger)
    stages = [
        StageView(
            stage.name,
            stage.state,
            *STAGE_GLYPHS[stage.state],
            stage.done,
            max(1, stage.total),
            stage.text,
        )
        for stage in card.stages
    ]
    return CardView(
        card=card,
        state=state,
        glyph=glyph,
        bar=bar,
        bar_text=", ".join(f"{part.files:,} files {part.outcome}" for part in bar),
        stages=stages,
        ledger=ledger,
        files=sum(line.files for line in ledger),
        chunks=sum(line.chunks for line in ledger),
        show_stages=bool(stages) and (card.is_active or card.state == "failed"),
    )


def _bar(ledger: list[LedgerRow]) -> list[BarPart]:
    totals: dict[str, int] = {}
    for line in ledger:
        totals[line.outcome] = totals.get(line.outcome, 0) + line.files
    most = sum(totals.values())
    parts: list[BarPart] = []
    x = 0.0
    for outcome, files in totals.items():
        if not files:
            continue
        width = BAR_WIDTH * files / most
        glyph, style = OUTCOMES[outcome]
        # A gap of 3 between the parts, so that colour is not the only border.
        shown = max(1.0, round(width - 3, 1))
        parts.append(BarPart(outcome, glyph, style, files, round(x, 1), shown))
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
