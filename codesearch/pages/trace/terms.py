"""Terms: what bm25 added up for a target, beside the first and the floor of its leg."""

from __future__ import annotations

from dataclasses import dataclass

from codesearch.pages.links import where_url
from codesearch.pages.scores import hit_name, joined
from codesearch.pages.trace.verdict import target_name
from codesearch.payloads import Payload


@dataclass(frozen=True, slots=True)
class Compared:
    """One chunk whose terms are shown; `total` is None where it holds none of them.

    `place` says where it stands in the leg.
    """

    name: str
    place: str
    url: str
    is_target: bool
    total: float | None
    terms: list[Payload]
    length: Payload | None


@dataclass(frozen=True, slots=True)
class TermRow:
    """One term: what it is in the corpus; `cells` are (points, how) for each chunk."""

    term: str
    note: str
    df: int
    idf: str
    most: str
    cells: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class TermTable:
    """The terms of a target; `sentence` says why there is none, `foot` what else is."""

    sentence: str
    columns: list[Compared]
    rows: list[TermRow]
    lengths: list[str]
    norms: list[str]
    missed: list[str]
    foot: list[str]


def term_table(trace: Payload, target: Payload) -> TermTable:
    """Return the table of a target's terms; without rows it has a sentence."""
    columns = compared(trace, target)
    lengths = [one.length or {} for one in columns]
    return TermTable(
        sentence="" if target["terms"] else _no_terms(trace),
        columns=columns,
        rows=[_row(trace, columns, i) for i in range(len(target["terms"]))],
        lengths=[f"{one['dl']:,}" if one else "–" for one in lengths],
        norms=[f"{one['len_norm']:.3f}" if one else "–" for one in lengths],
        missed=[_missed(one) for one in lengths],
        foot=_foot(trace),
    )


def compared(trace: Payload, target: Payload) -> list[Compared]:
    """Return the first of the bm25 leg, the target and the floor, each chunk once."""
    found = trace.get("bm25_compared") or {}
    first, floor = found.get("first"), found.get("floor")
    rows = [_target(target)]
    if first and first["chunk"] != target["chunk"]:
        rows.insert(0, _listed(first))
    if floor and floor["chunk"] not in (target["chunk"], (first or {}).get("chunk")):
        rows.append(_listed(floor))
    return rows


def _listed(chunk: Payload) -> Compared:
    place = f"#{chunk['leg_ordinal']:,}"
    url, name = where_url(chunk), hit_name(chunk)
    raw, terms = chunk["raw"], chunk["terms"]
    return Compared(name, place, url, False, raw, terms, chunk["length"])


def _target(target: Payload) -> Compared:
    seen = (target.get("legs") or {}).get("bm25")
    held = any(term["tf"] for term in target["terms"])
    total = sum(term["points"] for term in target["terms"]) if held else None
    if seen:
        place, total = f"#{seen['ordinal']:,}", seen["raw"]
    else:
        place = "not ranked" if held else "no term of it"
    return Compared(
        name=target_name(target),
        place=place,
        url=where_url(target),
        is_target=True,
        total=total,
        terms=target["terms"],
        length=target.get("length"),
    )


def _row(trace: Payload, columns: list[Compared], i: int) -> TermRow:
    held = next(one.terms[i] for one in columns if one.is_target)
    about = (trace.get("bm25_compared") or {}).get("terms") or [{}] * (i + 1)
    most = about[i].get("max_points")
    return TermRow(
        term=held["term"],
        note=_note(held, about[i]),
        df=held["df"],
        idf=f"{held['idf']:.3f}",
        most="–" if most is None else f"{most:.2f}",
        cells=[_cell(one.terms[i]) for one in columns],
    )


def _cell(term: Payload) -> tuple[str, str]:
    """Return the points of a term in a chunk, and how often the chunk holds it."""
    if not term["tf"]:
        return "absent", ""
    saturation = f" → {term['tf_sat']:.3f}" if "tf_sat" in term else ""
    return f"{term['points']:.2f}", f"tf {term['tf']:,}{saturation}"


def _note(term: Payload, about: Payload) -> str:
    """Return what is to be known of a term's idf."""
    notes = []
    if term.get("qtf", 1) > 1:
        notes.append(f"{term['qtf']} times in the query")
    if not term["df"]:
        notes.append("in no chunk")
    elif about.get("is_common"):
        notes.append(f"in {int(100 * about['df_share'])}% of the chunks")
    return ", ".join(notes)


def _missed(length: Payload) -> str:
    return f"{100 * length['missed_share']:.0f}%" if length else "–"


def _foot(trace: Payload) -> list[str]:
    found = trace.get("bm25_compared")
    config = trace["config"]
    sentences = [f"k1 {config['k1']}, b {config['b']}."]
    if not found:
        return sentences
    sentences.insert(0, f"Average length {found['avgdl']:.1f} terms.")
    if left := found["stop_words"]:
        words = f"Stop word{'s' * (len(left) > 1)}"
        sentences.append(f"{words} left out: {joined(left)}.")
    return sentences


def _no_terms(trace: Payload) -> str:
    left = (trace.get("bm25_compared") or {}).get("stop_words")
    if not left:
        return "The query has no term."
    are = "is a stop word" if len(left) == 1 else "are stop words"
    return f"The query has no term: {joined(left)} {are}."
