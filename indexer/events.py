"""Events: the log of a build, as a page shows it."""

from __future__ import annotations

from indexer.models import Build, BuildEvent
from indexer.pipeline.texts import without_nul

MOST_EVENTS = 500  # Of one build; a repository may hold a hundred thousand bad files.
LONGEST = 2000  # Characters of one line.

_LAST = f"More than {MOST_EVENTS} lines; the rest is in the worker's log only."


def record_event(
    build: Build,
    text: str,
    *,
    level: str = BuildEvent.Level.INFO,
    path: str = "",
) -> None:
    """Add a line to a build's log. `path` is the file that it is about.

    What is longer than a line may be ends with an ellipsis.
    """
    known = build.events.count()
    if known > MOST_EVENTS:
        return
    if known == MOST_EVENTS:
        text, level, path = _LAST, BuildEvent.Level.WARNING, ""
    text, path = without_nul(text), without_nul(path)
    if len(text) > LONGEST:
        text = f"{text[: LONGEST - 1]}…"
    build.events.create(level=level, stage=build.stage, text=text, path=path)
