"""The demo's three traces, chosen by measurement on the index that was just made.

Each shows another fate: lost in every leg, first in BM25 and outvoted by plain
fusion, and saved by its purpose alone. Which question shows which depends on
the index, so all are asked and the clearest of each kind is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

from codesearch import services
from codesearch.errors import AmbiguousTarget
from codesearch.payloads import Payload
from indexer.access import COMMAND_LINE

REPOSITORY = "django"
FIRST_SEARCH = "get a single object from the database"

QUESTIONS = (
    ("get a single object from the database", "QuerySet.get"),
    ("fetch exactly one row or fail", "QuerySet.get"),
    ("look one record up by its key", "QuerySet.get"),
    ("turn a url name into a path", "reverse"),
    ("build a link to a view from its name", "reverse"),
    ("show a 404 page when the row does not exist", "get_object_or_404"),
    ("split a long list over several pages", "Paginator"),
    ("run code after the transaction is saved", "on_commit"),
    ("undo everything when an error happens half way", "Atomic"),
    ("who may see this page, send others to the log-in form", "login_required"),
    ("keep a value between two visits of the same browser", "SessionBase"),
    ("protect a form from being sent by another site", "CsrfViewMiddleware"),
    ("let two parts of the program react to an event", "Signal"),
    ("call the listeners of an event", "Signal.send"),
    ("remember an expensive result for a while", "BaseCache"),
    ("store a value if the key is not there yet", "BaseCache.add"),
    ("upload arrives in pieces and is written to disk", "TemporaryFileUploadHandler"),
    ("make a file name safe and free on disk", "Storage.get_available_name"),
    ("check that a password is not too easy", "CommonPasswordValidator"),
    ("turn a password into something safe to store", "make_password"),
    ("translate a text into the reader's language", "gettext"),
    ("write sql for a query", "SQLCompiler.as_sql"),
    ("join another table to the statement", "Query.join"),
    ("copy a query before changing it", "Query.chain"),
    ("save many rows with one statement", "QuerySet.bulk_create"),
    ("change many rows without loading them", "QuerySet.update"),
    ("count the rows without loading them", "QuerySet.count"),
    ("load related rows together", "QuerySet.select_related"),
    ("avoid one query for every row of a list", "QuerySet.prefetch_related"),
    ("lock rows until the transaction ends", "QuerySet.select_for_update"),
    ("write a model's change into the database", "Model.save"),
    ("validate all fields of a model", "Model.full_clean"),
    ("read the current values of an object again", "Model.refresh_from_db"),
    ("pack data so that nobody can change it", "Signer"),
    (
        "find out what changed between two versions of the models",
        "MigrationAutodetector",
    ),
    ("apply the changes of the schema in order", "MigrationExecutor.migrate"),
    ("add a column to a table", "BaseDatabaseSchemaEditor.add_field"),
    ("send the same mail to many people", "send_mass_mail"),
    ("shorten a text after some words", "Truncator.words"),
    ("escape a text before it goes into a page", "escape"),
    ("parse a template into nodes", "Parser.parse"),
    ("start a local server for development", "Command.inner_run"),
    ("restart the server when a file changes", "StatReloader"),
    ("limit which hosts a request may name", "HttpRequest.get_host"),
    ("answer only some kinds of request", "require_http_methods"),
    ("compress the answer before it is sent", "GZipMiddleware"),
    ("send a file to the browser", "FileResponse"),
    ("delete objects and everything that points to them", "Collector.collect"),
    ("check a project for common mistakes", "run_checks"),
    ("use a table of another database", "ConnectionRouter.db_for_read"),
)


class DemoTrace(TypedDict):
    """One trace worth opening, with the sentence that says why."""

    title: str
    query: str
    target: str
    sentence: str


def demo_traces() -> list[DemoTrace]:
    """Return up to three traces of the demo repository, measured now."""
    rows = [*_measure()]
    found = [_lost(rows), _outvoted(rows), _saved_by_purpose(rows)]
    return [trace for trace in found if trace is not None]


Row = tuple[str, str, Payload, Payload]  # query, target, its record, the whole trace


def _measure() -> Iterator[Row]:
    for query, target in QUESTIONS:
        try:
            found = services.trace(
                viewer=COMMAND_LINE,
                query=query,
                targets=[target],
                repositories=[REPOSITORY],
            )
        except AmbiguousTarget:
            continue
        record = found["targets"][0]
        if record["chunk"]:
            yield query, target, record, found


def _lost(rows: list[Row]) -> DemoTrace | None:
    """Choose the target that every leg put furthest below its list."""
    lost = [
        row for row in rows if row[2]["death"] and row[2]["death"]["stage"] == "leg"
    ]
    if not lost:
        return None
    query, target, record, _ = max(lost, key=lambda row: _best_ordinal(row[2]))
    best = min((leg["ordinal"], name) for name, leg in record["legs"].items() if leg)
    sentence = f"No leg lists it: its best is {best[1]}, at {best[0]:,}."
    return DemoTrace(
        title="Lost in all legs", query=query, target=target, sentence=sentence
    )


def _best_ordinal(record: Payload) -> int:
    return min((leg["ordinal"] for leg in record["legs"].values() if leg), default=0)


def _outvoted(rows: list[Row]) -> DemoTrace | None:
    """Choose the BM25 #1 that fused order puts lowest; wished-for ones first."""
    wished = [row for row in rows if _is_first(row[2])]
    choices = [(row[0], row[1], row[2]["fused"]["ordinal"]) for row in wished]
    if not choices or max(choices, key=lambda c: c[2])[2] <= 10:
        choices = [_leader(row) for row in rows if row[3]["legs"]["bm25"]["listed"]]
    if not choices:
        return None
    query, target, ordinal = max(choices, key=lambda choice: choice[2])
    return DemoTrace(
        title="First in BM25, lost by plain fusion",
        query=query,
        target=target,
        sentence=f"BM25 puts it first, plain fusion at {ordinal:,}; its leg's "
        "guarantee keeps it in the pool.",
    )


def _is_first(record: Payload) -> bool:
    leg = record["legs"]["bm25"]
    return bool(leg and leg["ordinal"] == 1)


def _leader(row: Row) -> tuple[str, str, int]:
    """Return a query with BM25's first hit as its target."""
    hit = next(
        hit
        for hit in row[3]["hits"]
        if hit["legs"]["bm25"] and hit["legs"]["bm25"]["ordinal"] == 1
    )
    target = f"{hit['path']}:{hit['start_line']}"
    return row[0], target, hit["fused"]["ordinal"]


def _saved_by_purpose(rows: list[Row]) -> DemoTrace | None:
    """Choose the pooled target that only purpose lists; on page one if there is one."""
    saved = [row for row in rows if _listed_by(row[2]) == ["purpose"]]
    saved = [row for row in saved if row[2]["pool"]["in"]]
    if not saved:
        return None
    query, target, record, _ = min(
        saved, key=lambda row: (row[2]["death"] is not None, row[2]["rank"])
    )
    purpose, body = record["legs"]["purpose"], record["legs"]["body"]
    beside = f", its body {body['ordinal']:,}" if body else ""
    return DemoTrace(
        title="In the pool by its purpose alone",
        query=query,
        target=target,
        sentence=f"Its purpose comes {purpose['ordinal']:,}{beside}; "
        f"no other leg lists it. Its final rank is {record['rank']}.",
    )


def _listed_by(record: Payload) -> list[str]:
    return [name for name, leg in record["legs"].items() if leg and leg["in_leg"]]
