"""Weights are fitted by what is wanted alone, and judged on what they did not see."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from benchmarks.fit_weights import Example, fit, judge, left_out
from benchmarks.metrics import Found
from benchmarks.records import show

# The first feature tells what is wanted, the second one nothing.
ROWS = [[0.0, 1.0], [1.0, 0.0], [0.2, 0.3]]
PATHS = ["a.py", "b.py", "a.py"]
FILES = [0, 1, 0]


def example(kind: str, wanted: int, unit: Sequence[int] = (0, 1, 2)) -> Example:
    """Return a pool of three chunks, of which number `wanted` is the answer."""
    return Example(
        kind,
        {"targets": [{"path": PATHS[wanted]}], "secondary": []},
        np.array(ROWS),
        np.array([row == wanted for row in range(3)]),
        np.array(unit),
        tuple(Found(path, 1, 9) for path in PATHS),
    )


@pytest.mark.parametrize(
    "one", [example("symbol", 1), example("whole", 1, FILES)], ids=["symbol", "file"]
)
def test_what_tells_the_answer_weighs_more_than_what_does_not(one: Example) -> None:
    weights = fit([one], [0, 1])

    assert weights[0] > 0 > weights[1]
    assert judge(one, weights, [0, 1]) == (1.0, 1.0)


def test_a_file_has_the_place_of_its_best_chunk() -> None:
    worth, is_first = judge(example("whole", 0, FILES), np.array([1.0, 0.0]), [0, 1])

    assert worth == pytest.approx(0.631, abs=0.001)
    assert is_first == 0.0


def test_a_symbol_is_worth_the_reciprocal_of_its_rank() -> None:
    assert judge(example("symbol", 0), np.array([1.0, 0.0]), [0, 1]) == (1 / 3, 0.0)


def test_a_repository_is_judged_by_the_weights_of_the_others() -> None:
    examples = {"one": [example("symbol", 1)], "two": [example("symbol", 0)]}

    figures = left_out(examples, [0, 1])

    # What each wants is last by the weights of the other.
    assert show(figures["symbol MRR"]) == ".333 [.333, .333]"
