"""Lines: what each line of a target adds to its cosines, made when it is asked for.

The vectors of a build are the truth, and they are of whole parts. So the texts are
encoded again, token by token, by the build's own model, and what that gives stands
beside the leg's raw score, as `recomputed`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from codesearch.catalogue import chunk_place
from codesearch.chunk_texts import body_text
from codesearch.corpora import Searched
from codesearch.funnel.legs import DENSE, reaches
from codesearch.funnel.types import Config, Leg, Outcome, surface_of
from codesearch.inquiry import Inquiry, inquire
from codesearch.knobs import AS_SHIPPED
from codesearch.payloads import SCHEMA, Payload
from codesearch.payloads.builds import builds_payload
from codesearch.services import best_chunk
from codesearch.targets import resolve_target
from indexer import encoders, files
from indexer.access import Viewer
from indexer.inspection import hides_texts
from indexer.models import Build
from indexer.pipeline.attribution import ADDITIVE, attribute_text
from indexer.pipeline.embedding import split_texts
from indexer.pipeline.encoder import Encoder, Floats
from indexer.pipeline.numbering import (
    CONTEXT,
    MEMBERS,
    TextLine,
    divide_lines,
    number_body,
    number_purpose,
    with_marks,
)
from indexer.pipeline.surfaces import load_surface, texts_of

MOST_PARTS = 8  # Encoded again, 50 ms each.
MOST_ABOVE = 200  # Lines above a chunk that are looked through for its comment.


def trace_lines(
    *,
    viewer: Viewer,
    query: str,
    target: str,
    repositories: Sequence[str] = (),
    profile: str | None = None,
    config: Config = AS_SHIPPED,
) -> Payload:
    """Return what each line of a target's purpose and body adds to their cosines.

    A surface that cannot be measured has a `note` that says why, and no parts.
    `source` are the lines of the file that have a number somewhere. Raises SearchError
    as a trace does.
    """
    inquiry = inquire(viewer, query, repositories, profile, again=True)
    asked, searched = inquiry.query, inquiry.searched
    found: Payload = {"schema": SCHEMA, "query": asked.typed, "target": target}
    found["builds"] = builds_payload(searched)
    found["terms"] = list(dict.fromkeys(asked.terms))
    outcome = inquiry.answer(config)
    best = best_chunk(resolve_target(target, searched.builds), outcome, searched)
    if best is None:
        return {**found, "chunk": None, "surfaces": []}
    place = chunk_place(searched, best)
    source = _source(viewer, searched, best, place)
    surfaces = [_measure(inquiry, outcome, name, best, source) for name in DENSE]
    of_purpose = _purpose_lines(surfaces, source)
    _add_groups(surfaces, of_purpose)
    told = of_purpose.union(*map(_numbers, surfaces))
    shown = [{"line": n, "text": source[n]} for n in sorted(source) if n in told]
    found |= {"purpose_lines": sorted(of_purpose), "source": shown}
    return {**found, **place, "surfaces": surfaces}


def _source(
    viewer: Viewer, searched: Searched, chunk: int, place: Payload
) -> dict[int, str]:
    """Return the lines of the file that a chunk's texts may come from, by number.

    Its own, and those right above, where its comment may stand. As they were encoded
    where the file is gone.
    """
    key = place["repository"], place["revision"], place["path_url"]
    text = files.read_texts(viewer, [key]).get(key)
    own = {n for first, last in place["spans"] for n in range(first, last + 1)}
    if text is None:
        encoded = number_body(body_text(searched, chunk), place["spans"])
        return {line.number: line.text for line in encoded if line.number}
    lines = text.split("\n")
    first = place["start_line"]
    while first > max(1, place["start_line"] - MOST_ABOVE) and lines[first - 2].strip():
        first -= 1
    numbers = own.union(range(first, place["start_line"]))
    return {n: lines[n - 1] for n in sorted(numbers) if n <= len(lines)}


def _measure(
    inquiry: Inquiry,
    outcome: Outcome,
    surface: str,
    chunk: int,
    source: Mapping[int, str],
) -> Payload:
    """Return one surface of a chunk: its parts with their lines, or why it has none."""
    searched = inquiry.searched
    leg = _leg_of(outcome, surface, chunk)
    raw = math.nan if leg is None else float(leg.scores[chunk])
    known = not math.isnan(raw)
    part = int(leg.parts[chunk]) if known and leg and leg.parts is not None else None
    told: Payload = {
        "surface": surface,
        "raw": raw if known else None,
        "part": None if part is None else 1 + part,
        "recomputed": None,
        "difference": None,
        "note": "",
        "limit": None,
        "tokens": None,
        "left_out": 0,
        "parts": [],
    }
    which, ordinal = searched.corpus.locate(chunk)
    folder = searched.corpus.builds[which].lexical.folder
    if ordinal not in texts_of(folder, surface):
        return {**told, "note": f"It has no {surface}: windows have none."}
    if leg is None or not leg.ran:
        return {**told, "note": f"The {surface} leg did not run{_because(leg)}."}
    if not known:
        return {**told, "note": f"Its {surface} has no vector yet."}
    encoder, note = _encoder(searched.builds[which], folder)
    if encoder is None:
        return {**told, "note": note}
    told |= _parts(inquiry, surface, chunk, encoder, source, best=part or 0)
    best = next(row for row in told["parts"] if row["part"] == 1 + (part or 0))
    told["recomputed"] = best["recomputed"]
    told["difference"] = best["recomputed"] - raw
    return told


def _leg_of(outcome: Outcome, surface: str, chunk: int) -> Leg | None:
    return next(
        (
            leg
            for leg in outcome.legs
            if surface_of(leg.name) == surface and reaches(leg, chunk)
        ),
        None,
    )


def _because(leg: Leg | None) -> str:
    return f": {leg.note.rstrip('.')}" if leg and leg.note else ""


def _encoder(build: Build, lexical: Path) -> tuple[Encoder | None, str]:
    """Return the build's own encoder, or None and why its texts are not shown."""
    if hides_texts(build, lexical):
        return None, "Hidden: it was indexed with secrets, which are off now."
    encoder, missing = encoders.encoder_of(build.embedder, build.fingerprint)
    if encoder is None:
        return None, f"Nothing can be encoded: {missing}."
    if encoder.fingerprint != build.fingerprint:
        return None, "The build was made with another model."
    return encoder, ""


def _parts(
    inquiry: Inquiry,
    surface: str,
    chunk: int,
    encoder: Encoder,
    source: Mapping[int, str],
    *,
    best: int,
) -> Payload:
    """Return the parts of a text: the first ones, and number `best`, from 0."""
    corpus = inquiry.searched.corpus
    which, ordinal = corpus.locate(chunk)
    folder = corpus.builds[which].lexical.folder
    texts = load_surface(folder, surface, [ordinal])
    (text,) = texts.texts
    if surface == "body":
        lines = number_body(text, chunk_place(inquiry.searched, chunk)["spans"])
    else:
        lines = number_purpose(text, source)
    pieces = [part.text for part in split_texts(texts, encoder)]
    (tokens,) = encoder.count_tokens([text])
    vector = encoder.encode_query(inquiry.query.text)
    rows = [
        _part(1 + i, piece, own, encoder, vector)
        for i, (piece, own) in enumerate(
            zip(pieces, divide_lines(lines, pieces), strict=True)
        )
        if i < MOST_PARTS or i == best
    ]
    return {
        "limit": encoder.max_tokens,
        "tokens": tokens,
        "parts": rows,
        "left_out": len(pieces) - len(rows),
    }


def _part(
    number: int,
    text: str,
    lines: Sequence[TextLine],
    encoder: Encoder,
    vector: Floats,
) -> Payload:
    found = attribute_text(encoder, text, vector)
    told = list(zip(lines, found.lines, strict=True))
    if text.endswith("\n"):  # What comes after it is no line.
        told.pop()
    return {
        "part": number,
        "method": found.method,
        "recomputed": found.cosine,
        "tokens": found.tokens,
        "rest": found.rest,
        "lines": [
            {
                "line": line.number,
                "last_line": line.last,
                "label": line.label,
                "text": line.text,
                "contribution": share,
            }
            for line, share in told
        ],
    }


def _numbers(surface: Payload) -> set[int]:
    """Return the numbers of the lines of the file that a text holds."""
    told = [line for part in surface["parts"] for line in part["lines"] if line["line"]]
    return {
        number
        for line in told
        for number in range(line["line"], (line["last_line"] or line["line"]) + 1)
    }


def _purpose_lines(surfaces: Sequence[Payload], source: Mapping[int, str]) -> set[int]:
    """Return which lines of the file are the purpose's, with the quotes around them."""
    purpose = next(one for one in surfaces if one["surface"] == "purpose")
    numbers = _numbers(purpose)
    return with_marks(numbers, source) if numbers else set()


def _add_groups(surfaces: Sequence[Payload], of_purpose: set[int]) -> None:
    """Add to each part what kinds of lines add together, where lines add up at all.

    The groups of a part sum to its recomputed cosine.
    """
    for surface in surfaces:
        for part in surface["parts"]:
            groups: dict[str, float] = {}
            for line in part["lines"] if part["method"] == ADDITIVE else []:
                name = _group(line, surface["surface"], of_purpose)
                groups[name] = groups.get(name, 0.0) + (line["contribution"] or 0.0)
            if groups:
                groups["special tokens"] = part["rest"]
            part["groups"] = [
                {"label": label, "contribution": share}
                for label, share in groups.items()
            ]


def _group(line: Payload, surface: str, of_purpose: set[int]) -> str:
    if line["label"] == CONTEXT:
        return "context line"
    if line["label"] == MEMBERS:
        return "members"
    if surface == "body" and line["line"] not in of_purpose:
        return "other lines"
    return "purpose lines"
