"""Knobs: the settings of a config by the names that addresses and commands use.

`pool=214&weight.bm25=2&off=body&points.file-bm25=0` is a config as it differs from
the one that is shipped. Every knob names the stage at which it acts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from codesearch.funnel.legs import LEGS
from codesearch.funnel.types import Config
from codesearch.funnel.weights import DENSE

Pairs = list[tuple[str, str]]

AS_SHIPPED = Config()
RERANKERS = ("identity", "structural", "cross_encoder")
WEIGHT, POINTS, OFF, RERANKER = "weight.", "points.", "off", "reranker"


@dataclass(frozen=True, slots=True)
class Knob:
    """One number of a config: its name, its field, its stage, its least and most.

    `key` names a leg or a feature where the field maps those.
    """

    name: str
    field: str
    stage: str
    label: str
    least: float
    most: float
    is_whole: bool = True
    key: str = ""

    def read(self, config: Config) -> float | None:
        """Return its value in a config; None is the rule of the config itself."""
        value = getattr(config, self.field)
        if not self.key:
            return None if value is None else float(value)
        shipped = 1.0 if self.field == "weights" else DENSE[self.key]
        return float(value.get(self.key, shipped))

    def turn(self, config: Config, value: float) -> Config:
        """Return the config with this knob at `value`, and all others as they are."""
        number: Any = int(value) if self.is_whole else value
        if self.key:
            number = {**getattr(config, self.field), self.key: number}
        turned: dict[str, Any] = {self.field: number}  # Any: the field says of what.
        return replace(config, **turned)


PLAIN = (
    Knob("depth", "depth", "leg", "Leg depth", 1, 20_000),
    Knob("k", "rrf_k", "pool", "RRF k", 0, 1_000),
    Knob("pool", "pool_size", "pool", "Pool size", 20, 2_000),
    Knob("guarantee", "guarantee", "pool", "First ordinals sure of a seat", 0, 1_000),
    Knob("cards", "cards_per_page", "page", "Cards on a page", 1, 100),
    Knob("chunks", "chunks_per_card", "page", "Chunks shown on a card", 1, 100),
)
WEIGHTS = tuple(
    Knob(WEIGHT + leg, "weights", "pool", f"Weight of {leg}", 0, 100, False, leg)
    for leg in LEGS
)
FEATURES = tuple(
    Knob(
        POINTS + name.replace(" ", "-"), "points", "page", name, -100, 100, False, name
    )
    for name in DENSE
)
KNOBS: Mapping[str, Knob] = {knob.name: knob for knob in (*PLAIN, *WEIGHTS, *FEATURES)}


def make_config(
    numbers: Mapping[str, float | None], off: Sequence[str] = (), reranker: str = ""
) -> Config:
    """Return the shipped config with some knobs turned; None leaves one as it is."""
    found: dict[str, object] = {"off": frozenset(off)}
    maps: dict[str, dict[str, float]] = {"weights": {}, "points": {}}
    for name, value in numbers.items():
        if value is None:
            continue
        knob = KNOBS[name]
        if knob.key:
            maps[knob.field][knob.key] = float(value)
        else:
            found[knob.field] = int(value)
    if reranker:
        found["reranker"] = reranker
    return Config(**found, **maps)  # type: ignore[arg-type] # By the names of fields.


def read_pairs(pairs: Pairs) -> Config:
    """Return the config that `config_pairs` wrote."""
    numbers = {name: float(value) for name, value in pairs if name in KNOBS}
    off = [value for name, value in pairs if name == OFF]
    reranker = next((value for name, value in pairs if name == RERANKER), "")
    return make_config(numbers, off, reranker)


def config_pairs(config: Config) -> Pairs:
    """Return a config as parameters: only what differs from the shipped one."""
    pairs: Pairs = [
        (name, spell_number(value))
        for name, knob in KNOBS.items()
        if (value := knob.read(config)) is not None and value != knob.read(AS_SHIPPED)
    ]
    pairs += [(OFF, leg) for leg in LEGS if leg in config.off]
    if config.reranker != AS_SHIPPED.reranker:
        pairs.append((RERANKER, config.reranker))
    return pairs


def spell_number(value: float) -> str:
    """Return a number as it is read back, without the point of a whole one."""
    return str(int(value)) if value == int(value) else repr(value)
