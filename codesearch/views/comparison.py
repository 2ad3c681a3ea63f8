"""Two audits beside each other: a page, JSON, and a table of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from codesearch.audit_forms import CompareForm
from codesearch.htmx import private_page
from codesearch.models import Audit
from codesearch.pages.comparison import (
    Compared,
    compared_context,
    comparison_table,
    label,
)
from codesearch.payloads.comparison import comparison_payload
from codesearch.reach import audits_in_reach
from codesearch.spreadsheets import write_csv
from codesearch.views.answers import attached, refusal
from indexer.access import viewer_of

LISTED = 200  # Audits to choose from, the newest.
PAIRS = 10  # That are offered.


@require_safe
@private_page
def compare(request: HttpRequest) -> HttpResponse:
    """Compare two audits; without both, explain and offer some."""
    form = CompareForm(request.GET)
    if not form.is_valid():
        return refusal(" ".join(form.sentences))
    data = form.cleaned_data
    audits = audits_in_reach(viewer_of(request.user)).select_related("case_set")
    a, b = _find(audits, data["a"]), _find(audits, data["b"])
    listed = _choices(audits, a, b)
    context: dict[str, Any] = {  # Any: a template context
        "choices": [(one.pk, label(one)) for one in listed],
        "chosen": _chosen(listed, a, b),
        "a": a,
        "b": b,
    }
    if a is None or b is None:
        context["pairs"] = _pairs(audits)
        return render(request, "codesearch/compare.html", context)
    payload = comparison_payload(a, b, data["stage"])
    name = f"compare-{a.pk}-{b.pk}"
    if data["format"] == "json":
        return JsonResponse(payload, headers=attached(f"{name}.json"))
    if data["format"] == "csv":
        return HttpResponse(
            write_csv(comparison_table(payload)),
            content_type="text/csv; charset=utf-8",
            headers=attached(f"{name}.csv"),
        )
    compared = Compared(a.pk, b.pk, payload["stage"], data["sort"], form.number)
    context |= compared_context(payload, compared) | {
        "swapped": Compared(compared.b, compared.a, "").url(),
        "csv": compared.url(format="csv"),
    }
    return render(request, "codesearch/compare.html", context)


def _find(audits: QuerySet[Audit], pk: int | None) -> Audit | None:
    """Return the audit that is asked for, None if none is. Raises Http404."""
    if pk is None:
        return None
    found = audits.filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def _choices(audits: QuerySet[Audit], *chosen: Audit | None) -> list[Audit]:
    """Return the newest finished audits, and those that are chosen."""
    found = list(audits.filter(status=Audit.Status.DONE)[:LISTED])
    missing = {one for one in chosen if one is not None} - set(found)
    return sorted([*found, *missing], key=lambda one: -one.pk)


def _chosen(
    listed: Sequence[Audit], a: Audit | None, b: Audit | None
) -> list[int | None]:
    """Return the keys of the audits that the form holds at first.

    What the address leaves open is the newest, of the set of the other if there is one.
    """
    a = a or next((one for one in listed if one != b), b)
    others = [one for one in listed if one != a]
    of_set = (one for one in others if a and one.case_set_id == a.case_set_id)
    b = b or next(of_set, next(iter(others), a))
    return [one.pk if one else None for one in (a, b)]


def _pairs(audits: QuerySet[Audit]) -> list[tuple[str, str, str]]:
    """Return the newest two audits of each set: address, and what each is called."""
    by_set: dict[int, list[Audit]] = {}
    for audit in audits.filter(status=Audit.Status.DONE)[:LISTED]:
        by_set.setdefault(audit.case_set_id, []).append(audit)
    pairs = (found[:2] for found in by_set.values() if len(found) > 1)
    return [
        (Compared(new.pk, old.pk, "").url(), label(new), label(old))
        for new, old in islice(pairs, PAIRS)
    ]
