"""A rate is of what was made at work of late: not of what was copied, nor of rest.

The seconds of a stage are those in which a worker was at it.
"""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from indexer import pace, progress, services, stages
from indexer.leases import LEASE, Lease
from indexer.models import Build, Index
from indexer.pace import StepClock, add_sample, rate_of
from indexer.progress import Reporter, begin_step, count_work, enter_stage


class FakeTime:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeTime:
    fake = FakeTime()
    monkeypatch.setattr(pace, "time", fake)
    monkeypatch.setattr(progress, "time", fake)
    return fake


@pytest.fixture
def index(db: None) -> Index:
    return services.register(name="shop", source="https://example.org/shop.git")


@pytest.fixture
def build(index: Index) -> Build:
    return services.request_build(index=index, enqueue=False)


def test_a_rate_is_what_was_made_between_the_first_and_the_last_sample() -> None:
    assert rate_of([(2.0, 10), (4.0, 30), (7.0, 60)]) == 10.0


@pytest.mark.parametrize(
    "samples",
    [
        [],
        [(0.0, 0)],
        [(0.0, 0), (2.9, 100)],  # Too short to mean anything.
        [(0.0, 50), (9.0, 50)],  # Nothing was made.
    ],
)
def test_without_enough_to_tell_there_is_no_rate(samples: list[pace.Sample]) -> None:
    assert rate_of(samples) is None


def test_what_lies_before_the_window_does_not_count() -> None:
    samples: list[pace.Sample] = []
    for second in range(60):  # 100 a second for half a minute, then 10.
        samples = add_sample(samples, float(second), 100 if second < 30 else 10)

    assert rate_of(samples) == 10.0
    assert len(samples) == 21


def test_what_was_there_before_a_step_is_not_made_by_it(clock: FakeTime) -> None:
    step = StepClock()
    step.tell(500)
    clock.now += 4
    step.tell(540)

    assert step.read() == (4.0, 40)
    assert step.read() == (0.0, 0)


def test_the_seconds_of_a_stage_leave_out_the_time_between_two_steps(
    build: Build, clock: FakeTime
) -> None:
    with Lease(build) as lease:
        begin_step(build, lease)
        enter_stage(build, Build.Stage.READING)
        clock.now += 5
        count_work(build)
    clock.now += 3600
    resumed = Build.objects.get()
    with Lease(resumed) as lease:
        begin_step(resumed, lease)
        clock.now += 2
        enter_stage(resumed, Build.Stage.LEXICAL)
        clock.now += 1
        count_work(resumed)

    build.refresh_from_db()
    assert build.seconds == {"fetching": 0.0, "reading": 7.0, "lexical": 1.0}


def test_a_stage_begins_with_a_rate_of_its_own(build: Build, clock: FakeTime) -> None:
    with Lease(build) as lease:
        begin_step(build, lease)
        enter_stage(build, Build.Stage.PURPOSES)
        report = Reporter(build, lease, "vectors_done")
        report(300)  # Copied.
        clock.now += 10
        report(400)

    assert rate_of(Build.objects.get().pace) == 10.0
    enter_stage(build, Build.Stage.BODIES)
    assert Build.objects.get().pace == []


def running(build: Build, *, heard: float, **fields: object) -> Build:
    """Return `build` as one whose worker was heard `heard` seconds ago."""
    until = timezone.now() - timedelta(seconds=heard) + LEASE
    Build.objects.update(status="running", lease_until=until, **fields)
    return Build.objects.get()


def test_the_time_left_is_of_the_stage_alone(build: Build) -> None:
    counts = {"vector_count": 250, "chunk_count": 100, "vectors_done": 50}
    samples = [[0.0, 0], [10.0, 50]]
    purposes = running(build, heard=1, stage="purposes", pace=samples, **counts)
    bodies = running(build, heard=1, stage="bodies", pace=samples, **counts)

    found = [stages.pace_of(one) for one in (purposes, bodies)]

    assert [one and one.text for one in found] == [
        "5.0 texts a second, about 20 s left for purposes",
        "5.0 texts a second, about 40 s left for bodies",
    ]


def test_files_have_a_rate_while_they_are_parsed(build: Build) -> None:
    reading = running(
        build,
        heard=1,
        stage="reading",
        pace=[[0.0, 0], [4.0, 800]],
        file_count=1000,
        files_done=800,
    )

    assert stages.stages_of(reading)[1].text == (
        "800 of 1,000 files, 200 files a second, about 1 s left for parsing"
    )


@pytest.mark.parametrize("heard", [60, -90])
def test_a_build_that_no_one_is_at_has_no_rate(build: Build, heard: float) -> None:
    silent = running(
        build,
        heard=heard,
        stage="reading",
        pace=[[0.0, 0], [4.0, 800]],
        file_count=1000,
        files_done=800,
    )

    assert stages.pace_of(silent) is None
