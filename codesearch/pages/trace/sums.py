"""Sums: what the lines of a text come to, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.pages.scores import joined, signed
from codesearch.payloads import Payload
from indexer.pipeline.attribution import ADDITIVE, MOST_LINES


def method_sentence(measured: Sequence[Payload]) -> str:
    """Return how the lines of a target were measured, "" where none were."""
    if not measured:
        return ""
    if measured[0]["parts"][0]["method"] == ADDITIVE:
        return (
            "what each line adds to the raw cosine; the model pools by the mean, so the"
            " lines add up exactly"
        )
    return (
        "what the raw cosine loses where a line is left out; the model does not pool by"
        " the mean, so the lines need not add up; the first"
        f" {MOST_LINES} of a part are measured"
    )


def line_sums(surface: Payload) -> list[str]:
    """Return what the lines of a text come to, and how that fits the leg's score.

    Of a text in parts those of its best, which stands for the chunk; of the others
    only their cosines.
    """
    best = surface["part"] or 1
    others = [part for part in surface["parts"] if part["part"] != best]
    several = bool(others or surface["left_out"])
    told = [
        _sum_of(part, surface["surface"], several=several)
        for part in surface["parts"]
        if part["part"] == best
    ]
    if others:
        cosines = [f"{part['recomputed']:.3f} (part {part['part']})" for part in others]
        told.append(f"The others have cosine {joined(cosines)}.")
    if surface["left_out"]:
        told.append(left_out_sentence(surface))
    told.append(_beside_the_leg(surface))
    return told


def left_out_sentence(surface: Payload) -> str:
    """Return how many parts of a text were not measured."""
    left = surface["left_out"]
    return f"{left:,} more part{'s are' if left > 1 else ' is'} not measured."


def _sum_of(part: Payload, surface: str, *, several: bool) -> str:
    name = surface.capitalize() + (f", part {part['part']}" if several else "")
    groups = [f"{one['label']} {signed(one['contribution'])}" for one in part["groups"]]
    made = f"{joined(groups)} make " if groups else ""
    best = ", the best of its parts" if several else ""
    return f"{name}: {made}cosine {part['recomputed']:.3f}{best}."


def _beside_the_leg(surface: Payload) -> str:
    gap = surface["difference"]
    apart = f"{abs(gap):.6f} apart" if gap else "no difference"
    leg = f"the {surface['surface']} leg has cosine {surface['raw']:.6f}"
    return f"Recomputed; {leg}, {apart}."
