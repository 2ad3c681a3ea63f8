"""Coverage: the ledger of one repository, counted, filtered and listed."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from codesearch.forms import CoverageForm
from codesearch.htmx import private_page
from codesearch.pages.coverage import coverage_page
from indexer import ledger
from indexer.access import viewer_of


@require_safe
@private_page
def coverage(request: HttpRequest, name: str) -> HttpResponse:
    """Show what became of every file; the same as JSON with `format=json`."""
    form = CoverageForm(request.GET)
    status = 200 if form.is_valid() else 400
    viewer = viewer_of(request.user)
    found = ledger.read_ledger(viewer, name, form.wanted(), page=form.number)
    if found is None:
        raise Http404
    if request.GET.get("format") == "json":
        data = ledger.ledger_json(found)
        if form.errors:
            data = {"schema": ledger.SCHEMA, "errors": form.errors}
        return JsonResponse(data, status=status, json_dumps_params={"indent": 1})
    context = {"view": coverage_page(found), "ledger": found, "errors": form.errors}
    return render(request, "indexer/coverage.html", context, status=status)
