"""So many searches run, so many wait; whoever comes after is told at once."""

from __future__ import annotations

import threading

import pytest

from codesearch.turns import Busy, Turns


def test_one_more_than_may_run_and_wait_is_refused() -> None:
    turns = Turns(running=2, waiting=0)

    with turns.take(), turns.take(), pytest.raises(Busy), turns.take():
        pass
    with turns.take(), turns.take():
        pass


def test_who_waits_runs_when_someone_is_done() -> None:
    turns = Turns(running=1, waiting=1)
    order: list[str] = []

    def wait() -> None:
        with turns.take():
            order.append("second")

    with turns.take():
        second = threading.Thread(target=wait)
        second.start()
        second.join(0.05)
        order.append("first")
    second.join()

    assert order == ["first", "second"]


def test_patience_ends_and_gives_the_place_back() -> None:
    turns = Turns(running=1, waiting=1, patience=0.01)

    with turns.take():
        for _ in range(3):
            with pytest.raises(Busy), turns.take():
                pass
    with turns.take():
        pass


def test_a_search_that_fails_gives_its_turn_back() -> None:
    turns = Turns(running=1, waiting=0)

    with pytest.raises(ZeroDivisionError), turns.take():
        raise ZeroDivisionError

    with turns.take():
        pass
