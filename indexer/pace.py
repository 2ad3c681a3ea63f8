"""Pace: seconds at work, and how fast a stage was of late.

Both are kept as plain numbers in the row of a build, so that they outlive a step, a
process and a stop: the time in which nobody is at work is in neither.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

WINDOW_SECONDS = 20.0  # A rate follows what was done in the last so many at work.
LEAST_SECONDS = 3.0  # A rate over less than this is noise.

# Seconds at work in the stage, and what was made in it until then.
Sample = Sequence[float]


class StepClock:
    """Counts the seconds of one step, and what it makes, from one reading to the next.

    What the first `tell` after `begin` says was there before: published, or copied.
    """

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._told: int | None = None
        self._made = 0

    def begin(self) -> None:
        """Expect next what there is before anything more is made."""
        self._told = None

    def tell(self, done: int) -> None:
        """Take note that `done` are done by now."""
        if self._told is not None:
            self._made += max(0, done - self._told)
        self._told = done

    def read(self) -> tuple[float, int]:
        """Return the seconds and what was made since the last reading."""
        now, made = time.monotonic(), self._made
        elapsed, self._since, self._made = now - self._since, now, 0
        return elapsed, made


def add_sample(pace: Sequence[Sample], seconds: float, made: int) -> list[Sample]:
    """Return the samples of a stage with one more, `made` after the last of them.

    Of those older than the window only the newest is kept: it begins the rate.
    """
    before = pace[-1][1] if pace else 0
    samples = [*pace, (round(seconds, 3), before + made)]
    first = max(
        (i for i, (at, _) in enumerate(samples) if at <= seconds - WINDOW_SECONDS),
        default=0,
    )
    return samples[first:]


def rate_of(pace: Sequence[Sample]) -> float | None:
    """Return what was made in a second of late; None while that is not known."""
    if not pace:
        return None
    (first, before), (last, made) = pace[0], pace[-1]
    if last - first < LEAST_SECONDS or made <= before:
        return None
    return (made - before) / (last - first)
