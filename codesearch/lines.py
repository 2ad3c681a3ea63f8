"""Lines: what each line of a target adds to its cosines, made when it is asked for.

The vectors of a build are the truth, and they are of whole parts. So the texts are
encoded again, token by token, by the build's own model, and what that gives stands
beside the leg's raw score, as `recomputed`.
"""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.catalogue import chunk_place
from codesearch.corpora import Searched
from codesearch.funnel.legs import DENSE, reaches
from codesearch.funnel.trace import follow_chunk, stage_reached
from codesearch.funnel.types import Config, Leg, Outcome, surface_of
from codesearch.inquiry import Inquiry, inquire
from codesearch.knobs import AS_SHIPPED
from codesearch.payloads import SCHEMA, Payload
from codesearch.targets import chunk_numbers, resolve_target
from indexer import encoders
from indexer.access import Viewer
from indexer.models import Build
from indexer.pipeline.attribution import attribute_text
from indexer.pipeline.build import load_surface, texts_of
from indexer.pipeline.embedding import split_texts
from indexer.pipeline.encoder import Encoder, Floats
from indexer.pipeline.numbering import (
    TextLine,
    divide_lines,
    number_body,
    number_purpose,
)
from indexer.pipeline.store import read_manifest

MOST_PARTS = 8  # Encoded again, 50 ms each.


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

    A surface that cannot be measured has a `note` that says why, and no parts. Raises
    SearchError as a trace does.
    """
    inquiry = inquire(viewer, query, repositories, profile, again=True)
    found = {"schema": SCHEMA, "query": inquiry.query.typed, "target": target}
    resolved = resolve_target(target, inquiry.searched.builds)
    numbers = chunk_numbers(resolved, inquiry.searched)
    if not numbers:
        return {**found, "chunk": None, "surfaces": []}
    outcome = inquiry.answer(config)
    best = min(numbers, key=lambda n: (*stage_reached(follow_chunk(outcome, n)), n))
    surfaces = [_measure(inquiry, outcome, name, best) for name in DENSE]
    return {**found, **chunk_place(inquiry.searched, best), "surfaces": surfaces}


def _measure(inquiry: Inquiry, outcome: Outcome, surface: str, chunk: int) -> Payload:
    """Return one surface of a chunk: its parts with their lines, or why it has none."""
    searched = inquiry.searched
    leg = _leg_of(outcome, surface, chunk)
    raw = None if leg is None else float(leg.scores[chunk])
    known = raw is not None and raw == raw  # Not NaN.
    told: Payload = {
        "surface": surface,
        "raw": raw if known else None,
        "part": 1 + int(leg.parts[chunk])
        if known and leg and leg.parts is not None
        else None,
        "note": "",
        "limit": None,
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
    encoder, note = _encoder(searched.builds[which], holds_secrets(searched, which))
    if encoder is None:
        return {**told, "note": note}
    parts = _parts(inquiry, surface, chunk, encoder)
    return {**told, "limit": encoder.max_tokens, **parts}


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
    return f": {leg.note}" if leg and leg.note else ""


def holds_secrets(searched: Searched, which: int) -> bool:
    """Tell whether a build holds secrets that its repository no longer shows."""
    folder = searched.corpus.builds[which].lexical.folder
    shown = searched.builds[which].index.repository.index_secrets
    return bool(read_manifest(folder).get("index_secrets")) and not shown


def _encoder(build: Build, hidden: bool) -> tuple[Encoder | None, str]:
    """Return the build's own encoder, or None and why its texts are not shown."""
    if hidden:
        return None, "Hidden: it was indexed with secrets, which are off now."
    encoder, missing = encoders.encoder_of(build.embedder)
    if encoder is None:
        return None, f"Nothing can be encoded: {missing}."
    if encoder.fingerprint != build.fingerprint:
        return None, "The build was made with another model."
    return encoder, ""


def _parts(inquiry: Inquiry, surface: str, chunk: int, encoder: Encoder) -> Payload:
    corpus = inquiry.searched.corpus
    which, ordinal = corpus.locate(chunk)
    folder = corpus.builds[which].lexical.folder
    texts = load_surface(folder, surface, [ordinal])
    (text,) = texts.texts
    spans = chunk_place(inquiry.searched, chunk)["spans"]
    lines = number_body(text, spans) if surface == "body" else number_purpose(text)
    pieces = [part.text for part in split_texts(texts, encoder)]
    vector = encoder.encode_query(inquiry.query.text)
    rows = [
        _part(number, piece, own, encoder, vector)
        for number, (piece, own) in enumerate(
            zip(pieces[:MOST_PARTS], divide_lines(lines, pieces), strict=False), 1
        )
    ]
    return {"parts": rows, "left_out": max(0, len(pieces) - MOST_PARTS)}


def _part(
    number: int,
    text: str,
    lines: Sequence[TextLine],
    encoder: Encoder,
    vector: Floats,
) -> Payload:
    found = attribute_text(encoder, text, vector)
    return {
        "part": number,
        "method": found.method,
        "recomputed": found.cosine,
        "tokens": found.tokens,
        "rest": found.rest,
        "lines": [
            {
                "line": line.number,
                "label": line.label,
                "text": line.text,
                "contribution": share,
            }
            for line, share in zip(lines, found.lines, strict=True)
        ],
    }
