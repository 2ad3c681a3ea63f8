"""The experiments pages: the findings as buttons, and a result as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codesearch.errors import SearchError
from codesearch.experiments.findings import FINDINGS
from codesearch.experiments.running import find_experiment
from codesearch.experiments.types import Finding
from codesearch.models import Experiment
from codesearch.pages.jobs import STATES
from codesearch.pages.links import Scope, file_url, target_of
from codesearch.pages.scores import hit_name
from codesearch.payloads import Payload
from indexer.access import Viewer

NUMBERS = ("count", "rank", "raw", "share", "scores")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a result. `url` is "" where there is nothing to open."""

    text: str
    is_number: bool
    url: str = ""
    fine: str = ""


@dataclass(frozen=True, slots=True)
class FindingView:
    """One finding on the page, with what is known of it for the chosen repository.

    `missing` says why it cannot be run there. `sentence` is the outcome, or why it
    failed, "" before there is one.
    """

    finding: Finding
    known: Experiment | None
    state: str
    glyph: str
    sentence: str
    missing: str


def finding_views(viewer: Viewer, repository: str, profile: str) -> list[FindingView]:
    """Return the findings in order, with what is known of each on a repository."""
    return [
        _finding_view(viewer, finding, repository, profile)
        for finding in FINDINGS.values()
    ]


def _finding_view(
    viewer: Viewer, finding: Finding, repository: str, profile: str
) -> FindingView:
    known, missing = None, ""
    try:
        known = find_experiment(viewer, finding, repository, profile)
    except SearchError as error:
        missing = str(error)
    if known is None:
        return FindingView(finding, None, "none", "none", "", missing)
    sentence = known.result["sentence"] if known.result else known.failure
    return FindingView(finding, known, *STATES[known.status], sentence, missing)


def build_sentences(payload: Payload) -> list[str]:
    """Return for each build that was asked what it is."""
    return [
        f"build {one['id']} ({one['profile']}) of {one['revision'][:12]}: "
        f"{one['chunks']:,} chunks, {one['vectors']:,} vectors{_made_by(one)}"
        for one in payload["builds"]
    ]


def _made_by(build: Payload) -> str:
    if not build["model"]:
        return ""
    return f" of the model {build['model']} ({build['fingerprint']})"


def cell_text(value: object, form: str) -> str:
    """Return a value as its column shows it; what is absent is a dash."""
    if value is None or value == "":
        return "–"
    if form == "yes":
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(f"{one:.2f}" for one in value) or "–"
    if isinstance(value, dict):
        return hit_name(value)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return str(value)
    if form == "share":
        return f"{value:.1%}"
    if form == "raw":
        return f"{value:.3f}"
    return f"{value:,.1f}" if value % 1 else f"{value:,.0f}"


def table_rows(payload: Payload) -> list[list[Cell]]:
    """Return the rows of a result, with links to lines and to traces."""
    result = payload["result"]
    return [
        [
            _cell(row, column["key"], column["form"], payload)
            for column in result["columns"]
        ]
        for row in result["rows"]
    ]


def _cell(row: Payload, key: str, form: str, payload: Payload) -> Cell:
    value = row.get(key)
    text = cell_text(value, form)
    if form == "symbol" and value:
        return Cell(text, False, file_url(value), value["path"])
    if form == "query" and value:
        scope = Scope(value, (payload["repository"],), payload["profile"])
        where = row.get("where")
        # The first result of an absent concept is no target that anyone wanted.
        if where and row.get("band") is None:
            return Cell(text, False, scope.trace_url(target_of(where)))
        return Cell(text, False, scope.search_url())
    return Cell(text, form in NUMBERS)


def figure_rows(payload: Payload) -> list[tuple[str, str, str]]:
    """Return our figures with the report's: name, ours, theirs."""
    return [
        (one["name"], cell_text(one["value"], one["form"]), one["report"])
        for one in payload["result"]["figures"]
    ]


def column_heads(payload: Payload) -> list[tuple[str, bool]]:
    """Return the title of each column, and whether it holds numbers."""
    columns: Sequence[Payload] = payload["result"]["columns"]
    return [(one["title"], one["form"] in NUMBERS) for one in columns]
