"""A config is read from an address or a command, and written back as it differs."""

from __future__ import annotations

import pytest

from codesearch.config_forms import read_settings
from codesearch.errors import UnreadableSetting
from codesearch.funnel.legs import LEGS
from codesearch.funnel.types import Config
from codesearch.funnel.weights import DENSE, LEXICAL
from codesearch.knobs import KNOBS, config_pairs

TURNED = [
    "pool=214",
    "guarantee=0",
    "weight.bm25=2.5",
    "points.file-bm25=0",
    "off=body",
    "off=symbol",
    "reranker=identity",
]


def test_settings_make_a_config() -> None:
    assert read_settings(TURNED) == Config(
        pool_size=214,
        guarantee=0,
        weights={"bm25": 2.5},
        points={"file bm25": 0.0},
        off=frozenset({"body", "symbol"}),
        reranker="identity",
    )


def test_a_config_is_written_as_what_differs_from_the_shipped_one() -> None:
    pairs = config_pairs(read_settings([*TURNED, "depth=200", "weight.body=1"]))

    assert [f"{name}={value}" for name, value in pairs] == TURNED
    assert config_pairs(Config()) == []


def test_every_leg_and_feature_has_a_knob() -> None:
    assert {knob.key for knob in KNOBS.values() if knob.key} == {*LEGS, *DENSE}
    assert set(LEXICAL) <= set(DENSE)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("pool", "“pool” is no setting NAME=VALUE of"),
        ("colour=red", "“colour=red” is no setting NAME=VALUE of"),
        ("pool=3", "pool: Ensure this value is greater than or equal to 20."),
        ("weight.bm25=nan", "weight.bm25: Enter a number."),
        ("off=everything", "off: Select a valid choice."),
    ],
)
def test_a_setting_that_cannot_be_read_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(UnreadableSetting, match=sentence):
        read_settings([text])


def test_one_leg_at_least_must_run() -> None:
    with pytest.raises(UnreadableSetting, match="One leg at least must run"):
        read_settings([f"off={leg}" for leg in LEGS])
