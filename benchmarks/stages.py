"""Stages: one query's ranked lists, from the product's own search and funnel."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.metrics import LAST, Found
from codesearch.catalogue import chunk_place
from codesearch.corpora import Searched, current_builds, open_corpus
from codesearch.funnel.query import read_query
from codesearch.funnel.search import run_search
from codesearch.funnel.types import Config, Models, Outcome
from codesearch.payloads import Payload
from codesearch.services import search
from indexer.access import COMMAND_LINE
from indexer.models import Build, File
from indexer.pipeline.blobs import decode
from indexer.pipeline.surfaces import load_texts
from indexer.pipeline.types import Source
from indexer.places import lexical_folder

LEGS = ("purpose", "body", "bm25", "symbol")


@dataclass(frozen=True, slots=True)
class Funnel:
    """One search as the funnel left it, before anything was written as JSON."""

    outcome: Outcome
    searched: Searched


def run_funnel(
    query: str, name: str, profile: str | None = None, *, lexical: bool = False
) -> Funnel:
    """Run the funnel of one repository with the model of its build, or with none."""
    builds = current_builds(COMMAND_LINE, [name], profile)
    searched = open_corpus(
        builds, viewer=COMMAND_LINE, repositories=[name], profile=profile
    )
    models = Models() if lexical else Models(searched.encoders)
    outcome = run_search(read_query(query), searched.corpus, models, Config())
    return Funnel(outcome, searched)


def stage_lists(funnel: Funnel) -> dict[str, list[Found]]:
    """Return the list of each leg alone and of the fusion, best first."""
    runs = {leg.name: leg.run for leg in funnel.outcome.legs}
    runs["fused"] = funnel.outcome.fused
    numbers = {hit.chunk for run in runs.values() for hit in run.hits}
    found = {number: _found(chunk_place(funnel.searched, number)) for number in numbers}
    return {
        stage: [found[hit.chunk] for hit in run.hits] for stage, run in runs.items()
    }


def result_list(payload: Payload) -> list[Found]:
    """Return the hits of an answer in the order of their cards, then of their ranks."""
    hits = sorted(payload["hits"], key=lambda hit: (hit["card"], hit["rank"]))
    return [_found(hit) for hit in hits]


def result_ranked(payload: Payload) -> list[Found]:
    """Return the hits of an answer in the order of their ranks."""
    hits = sorted(payload["hits"], key=lambda hit: hit["rank"])
    return [_found(hit) for hit in hits]


def _found(place: Payload) -> Found:
    return Found(place["path"], place["start_line"], place["end_line"])


def place_list(payload: Payload) -> list[Found]:
    """Return the places of an answer: files, with a span that no line misses."""
    return [Found(place["path"], 1, LAST) for place in payload["places"]]


def all_lists(
    query: str, name: str, profile: str | None = None
) -> tuple[dict[str, list[Found]], Payload]:
    """Return the legs' lists, the fusion's and the results', and the answer itself."""
    payload = search(
        viewer=COMMAND_LINE, query=query, repositories=[name], profile=profile
    )
    lists = stage_lists(run_funnel(query, name, profile))
    return {**lists, "result": result_list(payload)}, payload


def current_build(name: str, profile: str = "symbol") -> Build:
    """Return the build that searches of a repository read."""
    (build,) = current_builds(COMMAND_LINE, [name], profile)
    return build


def indexed_purposes(name: str) -> list[str]:
    """Return the purpose text of every chunk of a build, "" for one that has none."""
    return _texts(name, "purpose")


def indexed_bodies(name: str) -> list[str]:
    """Return the body text of every chunk of a build, in order."""
    return _texts(name, "body")


def _texts(name: str, surface: str) -> list[str]:
    build = current_build(name)
    folder = lexical_folder(build)
    return load_texts(folder / surface, range(build.chunk_count))


def indexed_texts(name: str) -> dict[str, str]:
    """Return the text of every file that has chunks, by path: what baselines read."""
    build = current_build(name)
    source = Path(build.index.repository.source)
    files = File.objects.filter(build=build, chunk_count__gt=0)
    found = {}
    for path in files.values_list("path", flat=True):
        text = decode((source / path).read_bytes())
        if isinstance(text, Source):
            found[path] = text.text
    return found
