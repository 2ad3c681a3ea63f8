"""Calibration: two signals on the scale of a build, and none that decides alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.pipeline.calibration import (
    LONGEST,
    Calibration,
    Scale,
    Signals,
    WordShare,
    band,
    best_cosine,
    calibrate,
    cover,
    from_json,
    share_words,
    to_json,
    what_lacks,
)
from indexer.pipeline.postings import build_postings, idf
from indexer.pipeline.terms import tokenize

# Absent concepts lie at cosine .2 and words -.5, present sentences at .6 and .9.
CALIBRATION = Calibration(
    present=100,
    absent=300,
    cosine=Scale(absent=0.2, present=0.6, reach=0.35, start=0.4),
    words=Scale(absent=-0.5, present=0.9, reach=0.2, start=0.5),
    false_flags=0.02,
    flagged=0.95,
)
SIGNAL = st.floats(-1, 1)


def place(cosine: float, words: float) -> Signals:
    """Return the signals that lie at these places of the scale."""
    return Signals(0.2 + 0.4 * cosine, -0.5 + 1.4 * words)


@pytest.mark.parametrize(
    ("signals", "expected"),
    [
        (place(0.0, 0.0), "nothing"),
        (place(0.7, 0.2), "nothing"),  # outweighed: .45 on the whole
        (place(0.2, 0.7), "nothing"),
        (place(0.7, 0.4), "weak"),  # .55
        (place(0.8, 0.0), "weak"),  # a cosine of a present query is not outweighed
        (place(0.0, 0.8), "weak"),
        (place(0.6, 0.6), "close"),
        (place(1.0, 1.0), "close"),
    ],
)
def test_both_signals_have_to_agree(signals: Signals, expected: str) -> None:
    assert band(CALIBRATION, signals, named=False) == expected


@pytest.mark.parametrize(
    ("signals", "expected"),
    [
        (place(0.0, 0.0), "weak"),
        (place(0.6, 0.0), "close"),
        (place(0.0, 0.6), "close"),
    ],
)
def test_an_exact_name_is_a_signal_of_its_own(signals: Signals, expected: str) -> None:
    assert band(CALIBRATION, signals, named=True) == expected


@given(SIGNAL, SIGNAL)
def test_one_signal_alone_never_says_nothing(low: float, other: float) -> None:
    # Whatever one signal is, the other can veto.
    assert band(CALIBRATION, Signals(0.6, low), named=False) != "nothing"
    assert band(CALIBRATION, Signals(low, 0.9), named=False) != "nothing"
    assert band(CALIBRATION, Signals(low, other), named=True) != "nothing"


@given(SIGNAL, SIGNAL)
def test_one_signal_alone_never_says_close(high: float, other: float) -> None:
    assert band(CALIBRATION, Signals(0.2, high), named=False) != "close"
    assert band(CALIBRATION, Signals(high, -0.5), named=False) != "close"
    assert band(CALIBRATION, Signals(0.2, -0.5), named=True) != "close"


@given(SIGNAL, SIGNAL, st.floats(0, 1), st.booleans())
def test_a_better_signal_never_makes_a_worse_band(
    cosine: float, words: float, more: float, named: bool
) -> None:
    order = ["nothing", "weak", "close"]
    before = band(CALIBRATION, Signals(cosine, words), named=named)

    for better in (Signals(cosine + more, words), Signals(cosine, words + more)):
        after = band(CALIBRATION, better, named=named)
        assert order.index(after) >= order.index(before)


@pytest.mark.parametrize(
    ("calibration", "signals", "expected"),
    [
        (None, Signals(0.9, 1.0), "uncalibrated"),
        (Calibration(49, 300), Signals(0.9, 1.0), "uncalibrated"),
        (CALIBRATION, Signals(None, 1.0), "uncalibrated"),
        (CALIBRATION, Signals(0.9, None), "weak"),  # only stop words
    ],
)
def test_without_a_scale_or_a_signal_nothing_is_claimed(
    calibration: Calibration | None, signals: Signals, expected: str
) -> None:
    assert band(calibration, signals, named=False) == expected


def test_the_scale_is_fitted_by_medians_and_the_rates_are_counted() -> None:
    present = [Signals(0.6, 1.0)] * 48 + [Signals(0.2, -1.0)] * 2
    absent = [Signals(0.2, -1.0)] * 45 + [Signals(0.6, 1.0)] * 5

    found = calibrate(present, absent)

    assert found.cosine == Scale(absent=0.2, present=0.6, reach=0.6, start=0.6)
    assert found.words == Scale(absent=-1.0, present=1.0, reach=1.0, start=1.0)
    assert found.false_flags == 0.04
    assert found.flagged == 0.9
    assert what_lacks(found) == ""


@pytest.mark.parametrize(
    ("present", "absent", "lacking"),
    [
        (49, 50, "it has 49 documented sentences, 50 are needed"),
        (50, 49, "49 concepts are absent from it, 50 are needed"),
    ],
)
def test_a_small_sample_is_not_calibrated(
    present: int, absent: int, lacking: str
) -> None:
    found = calibrate([Signals(0.6, 1.0)] * present, [Signals(0.2, 0.0)] * absent)

    assert (found.cosine, found.false_flags) == (None, None)
    assert what_lacks(found) == lacking


def test_a_signal_that_does_not_tell_the_kinds_apart_calibrates_nothing() -> None:
    found = calibrate([Signals(0.2, 1.0)] * 50, [Signals(0.2, -1.0)] * 50)

    assert found.cosine is None
    assert (
        what_lacks(found) == "absent concepts score like its own documented sentences"
    )


@pytest.mark.parametrize("calibration", [CALIBRATION, Calibration(3, 400)])
def test_a_calibration_is_read_as_it_was_stored(calibration: Calibration) -> None:
    assert from_json(to_json(calibration)) == calibration


def test_a_build_of_before_has_none() -> None:
    assert from_json(None) is None


CHUNKS = ["hash a password", "open a session", "password session", "x" * 3]
POSTINGS = build_postings([tokenize(text) for text in CHUNKS])


def test_a_word_that_occurs_nowhere_counts_as_missing() -> None:
    known, unknown = idf(4, 2), idf(4, 0)

    found = share_words(POSTINGS, "the password of kafka")

    assert found is not None
    assert math.isclose(found.covered, known / (known + unknown))
    assert math.isclose(found.missing, unknown / (known + unknown))
    assert math.isclose(found.signal, (known - unknown) / (known + unknown))


def test_an_identifier_is_missing_though_its_parts_occur() -> None:
    assert share_words(POSTINGS, "PasswordSession") == WordShare(0.0, 1.0)


def test_a_chunk_that_is_held_out_holds_nothing() -> None:
    assert share_words(POSTINGS, "hash password", [0, 2]) == WordShare(0.0, 1.0)
    assert share_words(POSTINGS, "hash", [0]) == WordShare(0.0, 1.0)


def test_a_chunk_too_long_to_be_about_anything_holds_nothing() -> None:
    long = ["cor"] + [f"w{n}" for n in range(LONGEST)]
    postings = build_postings([long, ["hash"]])

    assert share_words(postings, "cors") == WordShare(0.0, 0.0)


def test_stop_words_alone_are_no_signal() -> None:
    assert cover(POSTINGS, "what is this") is None
    assert share_words(POSTINGS, "") is None


def test_the_best_cosine_is_that_of_either_surface_apart_from_held_out_chunks() -> None:
    purpose = np.array([0.9, np.nan, 0.3])
    body = np.array([0.1, 0.5, np.nan])

    assert best_cosine([purpose, body]) == 0.9
    assert best_cosine([purpose, body], [0]) == 0.5
    assert best_cosine([purpose, body], [0, 1, 2]) is None
    assert purpose[0] == 0.9
