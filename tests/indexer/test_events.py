"""The log of a build keeps what it is told, up to its limit."""

from __future__ import annotations

import pytest

from indexer import events, services
from indexer.events import record_event
from indexer.models import Build, BuildEvent


@pytest.fixture
def build(db: None) -> Build:
    index = services.register(name="shop", source="https://example.org/shop.git")
    made = services.request_build(index=index, enqueue=False)
    made.events.all().delete()
    return made


def test_a_line_says_when_at_which_stage_and_of_which_file(build: Build) -> None:
    record_event(build, "is not parsed\x00", level="warning", path="a\x00.py")
    (event,) = build.events.all()
    assert (event.level, event.stage) == ("warning", Build.Stage.FETCHING)
    assert (event.text, event.path) == ("is not parsed\ufffd", "a\ufffd.py")


def test_a_line_that_is_cut_says_so(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "LONGEST", 10)
    record_event(build, "0123456789")
    record_event(build, "0123456789a")
    texts = list(build.events.values_list("text", flat=True))
    assert texts == ["0123456789", "012345678…"]


def test_a_log_ends_with_a_line_that_says_so(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MOST_EVENTS", 3)
    for number in range(6):
        record_event(build, f"line {number}")
    texts = list(build.events.values_list("text", flat=True))
    assert texts[:3] == ["line 0", "line 1", "line 2"]
    assert len(texts) == 4
    assert build.events.filter(level=BuildEvent.Level.WARNING).count() == 1
