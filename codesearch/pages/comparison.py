"""The comparison page: what a template needs of two audits beside each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from codesearch.models import Audit
from codesearch.pages.paging import Pager, list_pager
from codesearch.pages.scores import leg_style, minus, p_value, raw_score, signed
from codesearch.payloads import Payload
from codesearch.plots.slope import Slope, deepest, draw_slope
from codesearch.spreadsheets import Cell
from codesearch.templatetags.codesearch import minute

ROWS = 25  # Of a page.
SORTS = {
    "": "in order",
    "shift": "largest shift",
    "better": "A better",
    "worse": "A worse",
}
METRICS = {"recall": "recall", "success": "success", "mrr": "MRR", "ndcg": "nDCG"}
COLUMNS = ("rank", "raw", "in_pool", "death")


@dataclass(frozen=True, slots=True)
class RowView:
    """One target of one query, under A and under B."""

    query: str
    target: str
    key: str
    a: Payload
    b: Payload
    raw_a: str
    raw_b: str
    slope: Slope
    outcome: str
    shift: str
    style: str
    raw_shift: str
    trace_a: str
    trace_b: str


@dataclass(frozen=True, slots=True)
class MetricView:
    """One metric under A and under B, with its tests."""

    name: str
    a: str
    b: str
    difference: str
    style: str
    interval: str
    p: str
    p_holm: str
    outcomes: str


@dataclass(frozen=True, slots=True)
class Compared:
    """Where a comparison is: the parameters of its address, or `at` a link."""

    a: int
    b: int
    stage: str
    sort: str = ""
    page: int = 1
    at: str = ""

    def url(self, **more: str | int) -> str:
        """Return the address of it with other parameters; "" leaves one out."""
        of = {} if self.at else {"a": self.a, "b": self.b, "stage": self.stage}
        pairs = {**of, "sort": self.sort, **more}
        told = {name: value for name, value in pairs.items() if value}
        return f"{self.at or reverse('compare')}?{urlencode(told)}"


def compared_context(
    payload: Payload, compared: Compared
) -> dict[str, Any]:  # Any: a template context
    """Return what the page shows of a comparison."""
    rows = sort_rows(payload["rows"], compared.sort)
    pager = pager_of(compared, len(rows))
    return {
        "payload": payload,
        "compared": compared,
        "metrics": metric_views(payload),
        "rows": row_views(payload, rows[pager.rows]),
        "count": len(rows),
        "pager": pager,
        "sorts": [
            (sort, told, compared.url(sort=sort)) for sort, told in SORTS.items()
        ],
        "p_sign": p_text(payload["ranks"]["p_sign"]),
        "json": compared.url(format="json"),
    }


def sort_rows(rows: Sequence[Payload], sort: str) -> list[Payload]:
    """Return the rows of a sort, in its order; equal ones as they are in the set."""
    if not sort:
        return list(rows)
    kept = [row for row in rows if sort == "shift" or row["outcome"] == sort]
    return sorted((row for row in kept if row["outcome"] != "equal"), key=_by_shift)


def row_views(payload: Payload, rows: Iterable[Payload]) -> list[RowView]:
    """Return the rows as the table shows them, on one scale for all of the payload."""
    last = deepest(row[side]["rank"] for row in payload["rows"] for side in ("a", "b"))
    pool = payload["pool"]
    cut = pool["depth"]["a"] if pool else None
    stage = payload["stage"]
    is_known = not (payload["a"]["system"] or payload["b"]["system"])
    return [
        RowView(
            query=row["query"],
            target=row["target"],
            key=row["key"],
            a=row["a"],
            b=row["b"],
            raw_a=_raw(stage, row["a"]["raw"], payload["a"]["system"]),
            raw_b=_raw(stage, row["b"]["raw"], payload["b"]["system"]),
            slope=draw_slope(row["a"]["rank"], row["b"]["rank"], last=last, pool=cut),
            outcome=row["outcome"],
            shift=_shift(row),
            style=leg_style(stage) if is_known else "fused",
            raw_shift=signed(row["raw_shift"]),
            trace_a=_trace(row["a"]["trace"]),
            trace_b=_trace(row["b"]["trace"]),
        )
        for row in rows
    ]


def metric_views(payload: Payload) -> list[MetricView]:
    """Return the metrics as the table shows them."""
    return [
        MetricView(
            name=_metric(row),
            a=f"{row['mean_a']:.3f}",
            b=f"{row['mean_b']:.3f}",
            difference=signed(row["difference"]),
            style=_style(row["difference"]),
            interval=f"{signed(row['low'])} to {signed(row['high'])}",
            p=p_value(row["p_randomisation"]),
            p_holm=p_value(row["p_holm"]),
            outcomes=f"{row['wins']:,} · {row['ties']:,} · {row['losses']:,}",
        )
        for row in payload["metrics"]
    ]


def pager_of(compared: Compared, count: int) -> Pager:
    """Return the links to the other pages of `count` rows."""
    return list_pager(
        compared.page, count, ROWS, lambda number: f"{compared.url(page=number)}#rows"
    )


def label(audit: Audit) -> str:
    """Return how an audit is called in a list of several."""
    what = audit.system or audit.profile or "default profile"
    knobs = " ".join(f"{name}={value}" for name, value in audit.knobs)
    told = [f"#{audit.pk} {audit.case_set.name}", what, knobs, audit.note]
    return ", ".join([*filter(None, told), minute(audit.created_at)])


def comparison_table(payload: Payload) -> Iterator[list[Cell]]:
    """Yield the rows as a table, its header first."""
    yield [
        *("key", "topic", "query", "target", "outcome", "rank_shift", "raw_shift"),
        *(f"{side}_{name}" for side in ("a", "b") for name in COLUMNS),
    ]
    for row in payload["rows"]:
        yield [
            *(row[name] for name in ("key", "topic", "query", "target", "outcome")),
            *(row[name] for name in ("rank_shift", "raw_shift")),
            *(_cell(row[side][name]) for side in ("a", "b") for name in COLUMNS),
        ]


def p_text(p: float) -> str:
    """Return a p as "p = 0.031" or "p < 0.001"."""
    text = p_value(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _cell(value: Payload | float | None) -> Cell:
    return f"{value['stage']}: {value['reason']}" if isinstance(value, dict) else value


def _by_shift(row: Payload) -> tuple[float, int]:
    """Return a key that sorts the largest shift first; found in one alone is larger."""
    shift = row["rank_shift"]
    if shift is not None:
        return -abs(shift), 0
    held = row["a"]["rank"] or row["b"]["rank"] or 0
    return float("-inf"), held


def _shift(row: Payload) -> str:
    a, b, shift = row["a"]["rank"], row["b"]["rank"], row["rank_shift"]
    if shift is not None:
        return f"{abs(shift):,} by A" if shift else ""
    return "" if a is None and b is None else f"only in {'A' if b is None else 'B'}"


def _raw(stage: str, raw: float | None, system: str) -> str:
    if raw is None:
        return "–"
    return f"score {minus(f'{raw:.4g}')}" if system else minus(raw_score(stage, raw))


def _trace(query: str | None) -> str:
    return f"{reverse('trace')}?{query}" if query else ""


def _metric(row: Payload) -> str:
    name = METRICS[row["metric"]]
    return (
        f"{name}@{row['k']}, {row['stage']}" if row["k"] else f"{name}, {row['stage']}"
    )


def _style(difference: float) -> str:
    return "ok" if difference > 0 else "bad" if difference < 0 else "inherit"
