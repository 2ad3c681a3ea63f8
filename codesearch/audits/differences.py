"""Differences: what two audits were asked of, and what of them may not be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from codesearch.audits.pairs import Paired
from codesearch.funnel.audit.types import Stage, StageKind
from codesearch.funnel.legs import DENSE
from codesearch.funnel.types import surface_of
from codesearch.models import Audit, CaseSet
from codesearch.payloads import Payload

SHIPPED = "as shipped"
SHORT = 12  # Digits of a revision or a fingerprint.


def differences_of(a: Audit, b: Audit) -> list[Payload]:
    """Return what differs: `{what, a, b}`, both as text, "" for nothing."""
    pairs = [(what, tell(a), tell(b)) for what, tell in _TOLD.items()]
    pairs += _settings(a, b)
    return [
        {"what": what, "a": first, "b": second}
        for what, first, second in pairs
        if first != second
    ]


def comparable_scores(a: Audit, b: Audit, stages: tuple[Stage, Stage]) -> bool:
    """Return whether raw scores of a stage mean the same in both.

    Cosines do with one embedder, whatever the builds; other scores of a leg take the
    statistics of their build, so only of the same builds. Nothing is known of others'.
    """
    if a.system or b.system or any(one.kind is not StageKind.LEG for one in stages):
        return False
    if surface_of(stages[0].name) in DENSE:
        prints = _fingerprints(a)
        return bool(prints) and prints == _fingerprints(b)
    return bool(_builds(a)) and _builds(a) == _builds(b)


def cautions_of(
    a: Audit, b: Audit, paired: Paired, stages: tuple[Stage, Stage] | None
) -> list[str]:
    """Return sentences on what is not, or hardly, comparable."""
    checks = (_of_audits(a, b), _of_pairs(paired), _of_scores(a, b, stages))
    return [sentence for found in checks for sentence in found]


def _of_audits(a: Audit, b: Audit) -> Iterable[str]:
    for name, audit in (("A", a), ("B", b)):
        if audit.status != Audit.Status.DONE:
            yield f"{name} is {audit.status}: only what was answered is compared."
    if a.case_set_id != b.case_set_id:
        yield (
            f"They are of two sets, {a.case_set.name} and {b.case_set.name}; "
            "queries are paired by their keys."
        )
    if a.unit != b.unit:
        units = dict(CaseSet.Unit.choices)
        yield (
            f"Places are counted in {units[a.unit]} by A and in {units[b.unit]} by B: "
            "ranks and metrics do not mean the same."
        )
    if bool(a.system) != bool(b.system):
        yield "One of them is another system: their passages are cut differently."


def _of_pairs(paired: Paired) -> Iterable[str]:
    if paired.only_a or paired.only_b:
        yield (
            f"Queries asked in A alone: {paired.only_a:,}, in B alone: "
            f"{paired.only_b:,}; they are not compared."
        )
    if paired.failed:
        yield f"Queries without an answer in one of them: {paired.failed:,}; left out."
    if paired.other_targets:
        yield (
            f"Queries that want other targets in A than in B: "
            f"{len(paired.other_targets):,}; left out: {_first(paired.other_targets)}."
        )
    if paired.other_texts:
        yield (
            f"Queries worded otherwise in A than in B: {len(paired.other_texts):,}: "
            f"{_first(paired.other_texts)}."
        )


def _of_scores(a: Audit, b: Audit, stages: tuple[Stage, Stage] | None) -> Iterable[str]:
    if stages is None:
        yield "They have no stage in common, by name or by kind."
        return
    ours, theirs = stages
    if ours.name != theirs.name:
        yield (
            f"{ours.name} of A is compared with {theirs.name} of B: both are of kind "
            f"{ours.kind}."
        )
    if ours.depth != theirs.depth:
        yield (
            f"{ours.name} holds {_depth(ours)} in A and {_depth(theirs)} in B: what "
            "is deeper counts as not found in the other."
        )
    if ours.kind is StageKind.LEG and not comparable_scores(a, b, stages):
        yield (
            f"Raw scores of {ours.name} are shown and not subtracted: cosines mean the "
            "same only with one embedder, other scores only in one build."
        )


def _depth(stage: Stage) -> str:
    return "any number" if stage.depth is None else f"{stage.depth:,}"


def _first(keys: Iterable[str], most: int = 5) -> str:
    shown = list(keys)
    return ", ".join(shown[:most]) + (", …" if len(shown) > most else "")


def _builds(audit: Audit) -> list[Any]:  # Any: JSON
    return [
        (build["id"], build["lexical_at"]) for build in audit.header.get("builds") or ()
    ]


def _fingerprints(audit: Audit) -> list[str]:
    builds = audit.header.get("builds") or ()
    return sorted({build["fingerprint"] for build in builds})


def _each(key: str, length: int = 100) -> Callable[[Audit], str]:
    """Return how one fact of the builds of an audit is told, for each repository."""

    def tell(audit: Audit) -> str:
        builds = audit.header.get("builds") or ()
        told = {str(build[key] or "none")[:length] for build in builds}
        if len(told) < 2:
            return "".join(told)
        return ", ".join(
            f"{build['repository']}: {str(build[key] or 'none')[:length]}"
            for build in builds
        )

    return tell


def _repositories(audit: Audit) -> str:
    return ", ".join(sorted(one.name for one in audit.repositories.all()))


_TOLD: dict[str, Callable[[Audit], str]] = {
    "system": lambda audit: audit.system or "codesearch",
    "query set": lambda audit: f"{audit.case_set.name} ({audit.case_set_id})",
    "repositories": _repositories,
    "revision": _each("revision", SHORT),
    "profile": _each("profile"),
    "chunks cut by": _each("chunker"),
    "build": _each("id"),
    "embedder": _each("fingerprint", SHORT),
    "cross-encoder": lambda audit: audit.header.get("cross_encoder") or "",
}


def _settings(a: Audit, b: Audit) -> list[tuple[str, str, str]]:
    """Return each setting of the config that one of them turned."""
    sides: list[dict[str, str]] = []
    for audit in (a, b):
        told: dict[str, str] = {}
        for name, value in audit.knobs:
            told[name] = f"{told[name]}, {value}" if name in told else str(value)
        sides.append(told)
    first, second = sides
    return [
        (name, first.get(name, SHIPPED), second.get(name, SHIPPED))
        for name in dict.fromkeys([*first, *second])
    ]
