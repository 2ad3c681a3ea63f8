"""Details of an audit: losses, deaths, topics, lines, reading and retrievability."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from codesearch.pages.audits.measures import decimal
from codesearch.pages.audits.misses import misses_url
from codesearch.pages.links import file_url
from codesearch.pages.scores import joined
from codesearch.payloads import Payload
from codesearch.plots.deaths import spoken_reason
from codesearch.plots.losses import step_words

UNITS = {"chunk": "chunks", "file": "files"}
TOPICS_SHOWN = 20  # Without unfolding.
FOUND = {"all": "ok", "some": "warn", "none": "target"}


@dataclass(frozen=True, slots=True)
class LossRow:
    """One step: what it lost, and what was left after it."""

    words: str
    lost: int
    share: str
    kept: int


@dataclass(frozen=True, slots=True)
class DeathRow:
    """One reason of a death; `is_first` of its stage. `url` lists its misses."""

    stage: str
    is_first: bool
    reason: str
    count: int
    url: str


@dataclass(frozen=True, slots=True)
class TopicTable:
    """Topics, those found least first; `folded` are past the first few."""

    sentence: str
    shown: list[Payload]
    folded: list[Payload]


@dataclass(frozen=True, slots=True)
class Hub:
    """A document of many pools; `url` is "" where it has no page here."""

    name: str
    where: str
    pools: int
    share: str
    url: str


def unit_of(payload: Payload) -> str:
    """Return what places are counted in; another system has documents."""
    asked = payload["set"]
    return "documents" if asked["is_foreign"] else UNITS[asked["unit"]]


def loss_rows(payload: Payload) -> list[LossRow]:
    """Return what each step lost, in order; they add up to all wanted targets."""
    return [
        LossRow(step_words(step), step["lost"], decimal(step["share"]), step["kept"])
        for step in payload["losses"]["steps"]
    ]


def death_rows(payload: Payload) -> list[DeathRow]:
    """Return the deaths by stage and reason."""
    return [
        DeathRow(
            stage=death["stage"],
            is_first=number == 0,
            reason=spoken_reason(one["reason"]),
            count=one["count"],
            url=misses_url(payload, death=death["stage"]),
        )
        for death in payload["deaths"]
        for number, one in enumerate(death["reasons"])
    ]


def topic_table(payload: Payload) -> TopicTable | None:
    """Return the topics of several phrasings, None without any."""
    topics = payload["topics"]
    if not topics:
        return None
    order = list(FOUND)[::-1]
    ranked = sorted(
        topics,
        key=lambda one: (
            order.index(one["found"]) if one["found"] else len(order),
            -(one["worst"] or 0),
            one["topic"],
        ),
    )
    rows = [{**one, "state": FOUND.get(one["found"] or "", "none")} for one in ranked]
    counts = {found: sum(one["found"] == found for one in topics) for found in FOUND}
    noun = "topic" if len(topics) == 1 else "topics"
    sentence = (
        f"{len(topics):,} {noun} of several phrasings; found by all of them"
        f" {counts['all']:,}, by some {counts['some']:,}, by none {counts['none']:,}"
    )
    return TopicTable(sentence, rows[:TOPICS_SHOWN], rows[TOPICS_SHOWN:])


def overlap_rows(payload: Payload) -> list[tuple[str, str]]:
    """Return (overlap, share) of targets whose lines a result on page one meets."""
    found = payload["iou"] or {}
    if not found.get("n"):
        return []
    return [
        (f"at least {least}" if float(least) else "any line", decimal(share))
        for least, share in found.items()
        if least != "n"
    ]


def reading_rows(payload: Payload) -> list[tuple[str, Payload]]:
    """Return (unit, cost) of what is read down to the first answer."""
    found = payload["reading"] or {}
    costs = [(unit, found[unit]) for unit in ("lines", "tokens") if found.get(unit)]
    return [(unit, cost) for unit, cost in costs if cost["n"]]


def hubs(payload: Payload) -> list[Hub]:
    """Return the documents that are in most pools."""
    found = payload["retrievability"]
    is_foreign = payload["set"]["is_foreign"]
    return [_hub(one, is_foreign) for one in found["hubs"]] if found else []


def retrievability_sentence(payload: Payload) -> str:
    """Return how much of the corpus no pool of this audit holds, "" if not known."""
    found = payload["retrievability"]
    if not found:
        return ""
    unit = unit_of(payload)
    gini = "" if found["gini"] is None else f" Gini {found['gini']:.3f}."
    never = f"{found['never']:,} of {found['chunks']:,} {unit}"
    return f"{never} are in no pool of these queries ({found['share']:.3f}).{gini}"


def control_sentence(payload: Payload) -> str:
    """Return what looking up their names finds of the misses, "" if nobody looked."""
    control = payload["control"] or {}
    found = control.get("found_by_name")
    if found is None:
        return ""
    meaning = ": the index has those, and the search does not reach them"
    told = f"{found:,} of {control['misses']:,} misses"
    return f"Looking up their names finds {told}{meaning if found else ''}."


def builds_text(payload: Payload) -> list[tuple[str, str, str]]:
    """Return (repository, revision, profile) of what was searched."""
    return [
        (build["repository"], build["revision"], build["profile"])
        for build in payload["builds"] or ()
    ]


def settings_text(knobs: Iterable[Sequence[str]]) -> str:
    """Return the settings that are not as shipped, in words."""
    turned = [f"{name} {value}" for name, value in knobs]
    return joined(turned) if turned else "as shipped"


def _hub(one: Payload, is_foreign: bool) -> Hub:
    """Return a hub; an id is `repository@revision:path#symbol@byte` or a file's."""
    document, share = one["document"], decimal(one["share"])
    head, _, name = document.partition("#")
    repository, _, rest = head.partition("@")
    revision, _, path = rest.partition(":")
    if is_foreign or not path:
        return Hub(document, "", one["pools"], share, "")
    where = {"repository": repository, "revision": revision, "path_url": path}
    symbol = name.rpartition("@")[0] or path.rpartition("/")[2]
    return Hub(symbol, f"{repository}: {path}", one["pools"], share, file_url(where))
