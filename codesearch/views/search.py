"""The search page: one query, its places and its lines to read."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET

from codesearch import services
from codesearch.errors import NothingIndexed, UnknownRepository
from codesearch.forms import SearchForm
from codesearch.htmx import is_typing, private_page
from codesearch.views.answers import (
    answer,
    json_error,
    result_context,
    scope_of,
    wants_json,
)
from indexer import selectors
from indexer.access import viewer_of

TYPED_LEAST = 3  # Characters before a search runs while someone is typing.


@require_GET
@private_page
def search(request: HttpRequest) -> HttpResponse:
    """Show the search page, or only its results to htmx, or the payload as JSON.

    One URL serves them all, so every result list can be linked, reloaded and
    used without JavaScript.
    """
    viewer = viewer_of(request.user)
    names = selectors.repository_names(viewer)
    form = SearchForm(request.GET, names=names)
    valid = form.is_valid()
    scope = scope_of(form)
    context: dict[str, Any] = {  # Any: a template context
        "names": names,
        "scope": scope,
        "free_names": [name for name in names if name not in scope.repositories],
    }

    def show(state: str, sentences: list[str], status: int = 200) -> HttpResponse:
        if wants_json(request) and state != "results":
            return json_error(" ".join(sentences) or "Give a query as q.", status)
        shown = context | {"state": state, "sentences": sentences}
        return answer(
            request, "codesearch/search.html", "codesearch/_results.html", shown, status
        )

    if not valid:
        return show("error", form.sentences, 400)
    if not scope.query:
        return show(
            "start" if names else "unindexed", [], 400 if wants_json(request) else 200
        )
    if is_typing(request, "q") and len(scope.query) < TYPED_LEAST:
        return show("short", [])
    try:
        payload = services.search(
            viewer=viewer,
            query=scope.query,
            repositories=scope.repositories,
            profile=scope.profile or None,
        )
    except UnknownRepository as error:
        return show("error", [str(error)], 404)
    except NothingIndexed as error:
        return show("unindexed", [str(error)], 404 if wants_json(request) else 200)
    if wants_json(request):
        return JsonResponse(payload)
    page = form.cleaned_data["page"] or 1
    context |= result_context(viewer, payload, scope, page)
    return show("results" if payload["hits"] or payload["places"] else "nothing", [])
