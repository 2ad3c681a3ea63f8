"""One build on its page: its log, its seconds, and what went wrong in its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from codesearch.pages.jobs import JobView, job_view
from codesearch.pages.links import file_url
from codesearch.pages.repositories import coverage_url
from indexer.jobs import RETRIED, BadFile, Event, Job, JobDetail
from indexer.ledger import LedgerFilter
from indexer.workers import Worker

FACTS = {
    "files": "files",
    "indexed": "indexed",
    "partial": "indexed in part",
    "skipped": "not indexed",
    "files_reused": "files from the cache",
    "chunks": "chunks",
    "vectors": "texts to encode",
    "vectors_made": "encoded here",
    "vectors_reused": "copied",
    "over_length": "texts over the model’s length, split",
}
LEVELS = {"info": "", "warning": "warn", "error": "bad"}  # Their glyphs.


@dataclass(frozen=True, slots=True)
class EventRow:
    """One line of a log with its look; `url` is that of its file, or ""."""

    event: Event
    glyph: str
    url: str


@dataclass(frozen=True, slots=True)
class DetailView:
    """One build on its page. Addresses that lead nowhere are ""."""

    view: JobView
    detail: JobDetail
    events: list[EventRow]
    errors: list[tuple[str, int, str]]
    bad_files: list[tuple[BadFile, str]]
    facts: list[tuple[str, int]]
    total_seconds: float
    total_per_thousand: float | None
    may_retry: bool
    recipe: list[tuple[str, str]]


def detail_view(detail: JobDetail, worker: Worker) -> DetailView:
    """Return a build as its page shows it."""
    job = detail.job
    warnings = [event.text for event in detail.events if event.level == "warning"]
    return DetailView(
        view=job_view(job, worker, warnings[-1] if warnings else ""),
        detail=detail,
        events=[_event_row(job, event) for event in detail.events],
        errors=[
            (reason, count, _errors_url(detail, reason))
            for reason, count in detail.errors.items()
        ],
        bad_files=[
            (one, _file_url(job, one.path_url, has_text=one.has_text))
            for one in detail.bad_files
        ],
        facts=_facts(detail.counts),
        total_seconds=job.seconds,
        total_per_thousand=1000 * job.seconds / job.chunks if job.chunks else None,
        may_retry=job.status in RETRIED,
        recipe=_recipe_rows(detail),
    )


def _facts(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(words, counts[name]) for name, words in FACTS.items() if name in counts]


def _event_row(job: Job, event: Event) -> EventRow:
    return EventRow(event, LEVELS[event.level], _file_url(job, event.path_url))


def _file_url(job: Job, path_url: str, *, has_text: bool = True) -> str:
    """Return the address of a file of a build, "" where there is none to open."""
    if not (path_url and job.revision and has_text):
        return ""
    where = {
        "repository": job.repository,
        "revision": job.revision,
        "path_url": path_url,
    }
    return file_url(where)


def _errors_url(detail: JobDetail, reason: str) -> str:
    if not detail.in_coverage:
        return ""
    wanted = LedgerFilter(reason=reason)
    return f"{coverage_url(detail.job.repository, wanted)}#files"


def _recipe_rows(detail: JobDetail) -> list[tuple[str, str]]:
    """Return what a build was made with, without what was left as it is."""
    recipe = dict(detail.recipe)
    model = recipe.pop("embedder", {})
    told = {**recipe, **(model if isinstance(model, dict) else {})}
    rows = [
        (name.replace("_", " "), str(value))
        for name, value in told.items()
        if value not in ("", None)
    ]
    return [
        ("profile", detail.job.profile),
        *rows,
        ("fingerprint", detail.fingerprint or "–"),
    ]
