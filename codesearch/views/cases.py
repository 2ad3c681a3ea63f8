"""Cases: what queries should find, listed, saved from a trace, and removed."""

from __future__ import annotations

from dataclasses import replace

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from codesearch.cases import cases_of, delete_case, save_case
from codesearch.errors import SearchError
from codesearch.forms import CaseForm, ConfigForm
from codesearch.htmx import private_page
from codesearch.knobs import config_pairs
from codesearch.pages.cases import case_rows
from codesearch.views.answers import refusal, scope_of
from indexer.access import viewer_of
from indexer.selectors import repository_names


@require_GET
@private_page
def cases(request: HttpRequest) -> HttpResponse:
    """List the cases that the viewer may read, each with its trace."""
    viewer = viewer_of(request.user)
    rows = case_rows(cases_of(viewer), viewer)
    return render(request, "codesearch/cases.html", {"rows": rows})


@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Save a trace as a case and go back to it."""
    if not request.user.is_authenticated:
        raise PermissionDenied
    viewer = viewer_of(request.user)
    form = CaseForm(request.POST, names=repository_names(viewer))
    if not form.is_valid():
        return refusal(" ".join(form.sentences))
    knobs = ConfigForm(request.POST)
    if not knobs.is_valid():
        return refusal(" ".join(knobs.sentences))
    scope = replace(scope_of(form), settings=tuple(config_pairs(knobs.config)))
    data = form.cleaned_data
    try:
        save_case(
            viewer=viewer,
            user=request.user,
            query=scope.query,
            targets=data["target"],
            repositories=scope.repositories,
            profile=scope.profile,
            expected=data["expected"],
            note=data["note"],
        )
    except SearchError as error:
        return refusal(str(error))
    return redirect(scope.trace_url(*data["target"]))


@require_POST
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove a case and go back to the list."""
    if not delete_case(viewer=viewer_of(request.user), pk=pk):
        raise Http404
    return redirect("cases")
