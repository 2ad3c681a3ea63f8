"""The search page: one query, its places and its lines to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET

from codesearch import services
from codesearch.errors import (
    NothingIndexed,
    SearchError,
    UnknownRepository,
    UnreadableQuery,
)
from codesearch.forms import SearchForm
from codesearch.htmx import has_left, is_typing, private_page
from codesearch.pages.cases import own_sets
from codesearch.pages.closeness import Closeness
from codesearch.pages.links import Scope
from codesearch.pages.paging import ResultPage
from codesearch.pages.search import unread
from codesearch.payloads import Payload
from codesearch.views.answers import (
    Reply,
    answer,
    json_error,
    page_of,
    result_context,
    scope_of,
    wants_json,
)
from codesearch.views.cases import CHOSEN
from indexer import selectors
from indexer.access import Viewer, viewer_of

TYPED_LEAST = 3  # Characters before a search runs while someone is typing.


@require_GET
@private_page
def search(request: HttpRequest) -> HttpResponse:
    """Show the search page, or only its results to htmx, or the payload as JSON.

    One URL serves them all, so every result list can be linked, reloaded and
    used without JavaScript. Who is typing gets what words and names find first; that
    answer asks for the whole one itself.
    """
    if has_left(request):
        return HttpResponse(status=204)
    typing = is_typing(request, "q")
    viewer = viewer_of(request.user)
    names = selectors.repository_names(viewer)
    form = SearchForm(request.GET, names=names)
    form.is_valid()
    scope = scope_of(form)
    if typing and len(scope.query) < TYPED_LEAST:
        reply = Reply("short")
    else:
        reply = _ask(viewer, form, scope, names, by_words=typing)
    if has_left(request):
        return HttpResponse(status=204)
    if wants_json(request):
        return JsonResponse(reply.payload) if reply.payload else json_error(reply)
    context: dict[str, Any] = {  # Any: a template context
        "names": names,
        "scope": scope,
        "free_names": [name for name in names if name not in scope.repositories],
        "state": reply.state,
        "sentences": reply.sentences,
    }
    if reply.payload is not None:
        page = page_of(form, replace(scope, view="").search_url)
        context |= result_context(viewer, reply.payload, scope, page)
        context |= _saving(request, viewer)
        if typing:
            context |= _first_paint(reply.payload, context["closeness"], page)
    return answer(
        request,
        "codesearch/search.html",
        "codesearch/_results.html",
        context,
        reply.status,
    )


def _saving(
    request: HttpRequest, viewer: Viewer
) -> dict[str, Any]:  # Any: a template context
    """Return what the buttons need that save a hit, which are for users."""
    if viewer.user_id is None:
        return {}
    chosen = request.session.get(CHOSEN)
    return {"saving": {"own_sets": own_sets(viewer), "chosen": chosen}}


def _first_paint(
    payload: Payload, found: Closeness, page: ResultPage
) -> dict[str, Any]:  # Any: a template context
    """Return what is said otherwise before the legs by meaning have answered.

    Whether anything is close, and which words are nowhere, is for all of them to say.
    """
    return {
        "follows": page.url(),
        "closeness": replace(found, is_nothing=False, why=[]),
        "missing_words": [],
        "silent_legs": unread(payload),
    }


def _ask(
    viewer: Viewer,
    form: SearchForm,
    scope: Scope,
    names: Sequence[str],
    *,
    by_words: bool,
) -> Reply:
    """Run the search, or say why it cannot be run."""
    if form.errors:
        return Reply("error", form.sentences, 400)
    if not scope.query:
        return Reply("start" if names else "unindexed")
    try:
        payload = services.search(
            viewer=viewer,
            query=scope.query,
            repositories=scope.repositories,
            profile=scope.profile or None,
            again=True,
            by_words=by_words,
        )
    except UnreadableQuery as error:
        return Reply("error", [str(error)], 400)
    except UnknownRepository as error:
        return Reply("error", [str(error)], 404)
    except NothingIndexed as error:
        return Reply("unindexed", [str(error)])
    except SearchError as error:  # The form is valid: the fault is ours.
        return Reply("error", [str(error)], 503)
    found = payload["hits"] or payload["places"]
    return Reply("results" if found else "nothing", payload=payload)
