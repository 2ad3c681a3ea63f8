"""Concepts that many repositories do not have, for the experiment with absent ones.

They are others than those that calibrate a build: nothing is judged by itself. The
words between asterisks make the concept; where one chunk holds them all, it is set
aside.
"""

from __future__ import annotations

from indexer.pipeline.concepts import Concept, read_concept

_LINES = (
    "*CORS* handling",
    "*GraphQL* resolver batching",
    "*OAuth* refresh token rotation",
    "*Kubernetes* pod eviction",
    "*gRPC* deadline propagation",
    "*MQTT* retained messages",
    "*Arduino* pin mode",
    "*blockchain* block validation",
    "*karaoke* pitch detection",
    "*biometric* fingerprint unlock",
    "*speech* *recognition* grammar",
    "*video* *transcoding* queue",
    "*shader* uniform upload",
    "*origami* fold pattern",
    "*genome* sequence alignment",
    "*sewage* pump control",
    "*spacecraft* attitude control",
    "*ballot* counting audit",
    "*customs* *tariff* lookup",
    "*airline* seat upgrade",
    "*vaccine* dose reminder",
    "*crop* *irrigation* planning",
    "*guitar* tablature layout",
    "*beekeeping* hive log",
)


def own_concepts() -> tuple[Concept, ...]:
    """Return the concepts, in the order in which they are asked."""
    return tuple(map(read_concept, _LINES))
