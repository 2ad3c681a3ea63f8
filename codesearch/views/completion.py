"""Completions of a query that is being typed, as a list for a combobox."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from codesearch import completion
from codesearch.forms import CompleteForm
from codesearch.htmx import private_page
from indexer.access import viewer_of
from indexer.selectors import repository_names


@require_safe
@private_page
def complete(request: HttpRequest) -> HttpResponse:
    """Show what the word at the caret may become; nothing where a form is not ours."""
    viewer = viewer_of(request.user)
    form = CompleteForm(request.GET, names=repository_names(viewer))
    options = []
    if form.is_valid():
        data = form.cleaned_data
        at = data["at"]
        options = completion.complete(
            viewer,
            data["q"],
            len(data["q"]) if at is None else at,
            data["repository"],
            data["profile"] or None,
        )
    return render(request, "codesearch/_complete.html", {"options": options})
