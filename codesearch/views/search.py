"""The search page: one query, its places and its lines to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from codesearch import services
from codesearch.addresses import search_address
from codesearch.administration import may
from codesearch.config_forms import PageConfigForm
from codesearch.errors import (
    NothingIndexed,
    SearchError,
    UnknownRepository,
    UnreadableQuery,
)
from codesearch.examples import find_example
from codesearch.forms import SearchForm
from codesearch.found_lines import find_lines
from codesearch.frames import Place, resolve_frames
from codesearch.htmx import (
    has_left,
    is_following,
    is_typing,
    private_page,
    wants_fragment,
)
from codesearch.inquiry import is_of_conditions
from codesearch.listed_files import list_files
from codesearch.pages.cases import own_sets
from codesearch.pages.closeness import Closeness
from codesearch.pages.configs import config_choices
from codesearch.pages.found_lines import lines_context, offer_lines
from codesearch.pages.frames import frames_view
from codesearch.pages.links import Scope
from codesearch.pages.listed_files import listed_context
from codesearch.pages.paging import LINES, ResultPage
from codesearch.pages.repositories import card_view
from codesearch.pages.search import unread
from codesearch.payloads import Payload
from codesearch.payloads.builds import stamp_of
from codesearch.payloads.frames import frames_payload
from codesearch.turns import RETRY_SECONDS, Busy, Turns
from codesearch.views.answers import (
    Reply,
    answer,
    json_error,
    layers_context,
    page_of,
    result_context,
    scope_of,
    wants_json,
    when_sent,
)
from codesearch.views.cases import CHOSEN
from codesearch.weak_queries import band_of, note_query
from indexer import selectors
from indexer.access import Viewer, may_change, viewer_of
from indexer.models import Repository

TYPED_LEAST = 3  # Characters before a search runs while someone is typing.
FIRST_CARDS = 3  # What a screen holds; the others come with the whole order.
WAITING_SHOWN = 5  # Repositories that are not indexed yet.
# What a search may be refused for: the state of the page, and of the answer.
REFUSALS = (
    (UnreadableQuery, "error", 400),
    (UnknownRepository, "error", 404),
    (NothingIndexed, "unindexed", 200),
    (Busy, "busy", 429),
)

_turns = Turns(
    settings.SEARCHES, max(1, (settings.WEB_THREADS - settings.SEARCHES) * 2 // 3)
)


@csrf_exempt  # What is posted changes nothing: it is answered by its address.
@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def search(request: HttpRequest) -> HttpResponse:
    """Show the search page, or only its results to htmx, or the payload as JSON.

    One URL serves them all, so every result list can be linked, reloaded and
    used without JavaScript. What is posted is led to its address: a text that is
    pasted may be longer than one can be. Who is typing gets what words and names find
    first; that answer asks for the whole one itself.
    """
    if request.method == "POST":
        return HttpResponseRedirect(search_address(request.POST), status=303)
    if has_left(request):
        return HttpResponse(status=204)
    viewer = viewer_of(request.user)
    names = selectors.repository_names(viewer)
    form = SearchForm(request.GET, names=names)
    form.is_valid()
    knobs = PageConfigForm(request.GET)
    knobs.is_valid()
    typing = is_typing(request, "q") and not form.stack
    scope = replace(scope_of(form), settings=knobs.settings)
    if typing and 0 < len(scope.query) < TYPED_LEAST:
        reply = Reply("short")
    else:
        reply = _ask(request, form, knobs, scope, names, by_words=typing)
    if has_left(request) or (typing and reply.is_unfinished(scope.query)):
        return HttpResponse(status=204)  # What is on the page stays.
    response = (
        _as_json(request, form, scope, reply)
        if wants_json(request)
        else _as_page(request, form, knobs, scope, names, reply)
    )
    if _is_told(request, form, reply) and (band := band_of(reply.payload or {})):
        when_sent(response, partial(note_query, scope, band))  # Nobody waits for it.
    if reply.state == "busy":
        response["Retry-After"] = str(RETRY_SECONDS)
    return response


def _is_told(request: HttpRequest, form: SearchForm, reply: Reply) -> bool:
    """Tell whether someone asked for a whole answer, not by typing, and sees it first.

    What follows typing comes at any pause, in the middle of a word as well.
    """
    data = form.cleaned_data
    is_first = (data.get("page") or 1) == 1 and not data.get("unfold")
    is_whole = reply.state in ("results", "nothing")
    is_asked = not is_typing(request, "q") and not is_following(request)
    is_kept = settings.QUERY_DAYS > 0 and not wants_json(request)
    return is_first and is_whole and is_asked and is_kept


def _as_page(
    request: HttpRequest,
    form: SearchForm,
    knobs: PageConfigForm,
    scope: Scope,
    names: Sequence[str],
    reply: Reply,
) -> HttpResponse:
    """Return the page of a reply, or only its results to htmx."""
    has_choice = not (wants_fragment(request) or knobs.is_turned)
    context: dict[str, Any] = {  # Any: a template context
        "names": names,
        "scope": scope,
        "configs": config_choices(scope.config) if has_choice else [],
        "free_names": [name for name in names if name not in scope.repositories],
        "state": reply.state,
        "sentences": reply.sentences,
        "cut": form.cut,
        "retry": RETRY_SECONDS,
        "marked": reply.marked(scope.query),
    }
    if form.stack:
        places = _frames(request, form, scope)
        context["frames"] = frames_view(places, scope.query)
    context |= _about(request, form, scope, reply)
    return answer(
        request,
        "codesearch/search.html",
        "codesearch/_results.html",
        context,
        reply.status,
    )


def _about(
    request: HttpRequest, form: SearchForm, scope: Scope, reply: Reply
) -> dict[str, Any]:  # Any: a template context
    """Return the context of what a reply is about."""
    viewer = viewer_of(request.user)
    if reply.payload is not None:
        if reply.state == "lines":
            return lines_context(reply.payload, scope)
        if reply.state == "listed":
            return listed_context(reply.payload, replace(scope, view=""))
        return _found(request, form, scope, reply)
    if reply.state == "start":
        profile = scope.profile or None
        return {"found": find_example(viewer, scope.repositories, profile)}
    if reply.state == "unindexed":
        return {
            **_waiting(viewer, scope),
            "may_add": may(request.user, "add", Repository),
            "may_change": may_change(viewer),
        }
    return {}


def _frames(request: HttpRequest, form: SearchForm, scope: Scope) -> list[Place]:
    """Return where the frames of a pasted stack trace lie."""
    return resolve_frames(
        viewer_of(request.user),
        form.stack.frames if form.stack else (),
        scope.repositories,
        scope.profile or None,
    )


def _found(
    request: HttpRequest, form: SearchForm, scope: Scope, reply: Reply
) -> dict[str, Any]:  # Any: a template context
    """Return the context of what was found, as far as it is found so far."""
    viewer = viewer_of(request.user)
    payload: Payload = reply.payload or {}
    layers = layers_context(form, payload)
    page = page_of(form, replace(scope, view="").search_url, of=stamp_of(payload))
    is_first = is_typing(request, "q") and not form.stack and reply.state != "wordless"
    if is_first:
        page = replace(page, painted=FIRST_CARDS)
    context = result_context(viewer, payload, scope, page)
    context |= _saving(request, viewer) | offer_lines(payload, scope)
    if is_first:
        context |= _first_paint(payload, context["closeness"], page)
    # The beginning of a newer ranking is what was asked for, its middle is not.
    is_inside = page.number > 1 or page.unfold > 0
    return context | {"is_moved": layers["is_other"] and is_inside}


def _waiting(viewer: Viewer, scope: Scope) -> dict[str, Any]:  # Any: a template context
    """Return the repositories of a scope that cannot be searched yet."""
    cards = [card for card in selectors.repository_cards(viewer) if not card.searchable]
    chosen = [card for card in cards if card.name in scope.repositories]
    shown = (chosen or cards)[:WAITING_SHOWN]
    return {
        "waiting": [card_view(card) for card in shown],
        "is_indexing": any(card.is_active for card in shown),
    }


def _as_json(
    request: HttpRequest, form: SearchForm, scope: Scope, reply: Reply
) -> JsonResponse:
    """Return the payload itself; a query is never cut there, it is refused.

    Beside that of a pasted stack trace its frames are.
    """
    if form.cut:
        reply = Reply("error", [form.cut], 400)
    if not reply.payload:
        return json_error(reply)
    if not form.stack:
        return JsonResponse(reply.payload)
    frames = frames_payload(_frames(request, form, scope))
    return JsonResponse(reply.payload | {"frames": frames})


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
    request: HttpRequest,
    form: SearchForm,
    knobs: PageConfigForm,
    scope: Scope,
    names: Sequence[str],
    *,
    by_words: bool,
) -> Reply:
    """Run the search, or say why it cannot be run."""
    if form.errors or knobs.errors:
        return Reply("error", [*form.sentences, *knobs.sentences], 400)
    if not scope.query:
        return Reply(
            "start" if selectors.is_searchable(viewer_of(request.user)) else "unindexed"
        )
    try:
        with _turns.take():
            if has_left(request):  # While it waited.
                return Reply("left")
            asked: dict[str, Any] = {  # Any: what both are called with
                "viewer": viewer_of(request.user),
                "query": scope.query,
                "repositories": scope.repositories,
                "profile": scope.profile or None,
            }
            number = form.cleaned_data["page"] or 1
            if is_of_conditions(scope.query):
                return Reply("listed", payload=list_files(**asked, page=number))
            if scope.view == LINES:
                return Reply("lines", payload=find_lines(**asked, page=number))
            payload = services.search(
                **asked, config=knobs.config, again=True, by_words=by_words
            )
    except SearchError as error:
        return _refused(error)
    return Reply(_state(payload), payload=payload)


def _refused(error: SearchError) -> Reply:
    """Return why a search could not run; of a valid form the last is our fault."""
    for kind, state, status in REFUSALS:
        if isinstance(error, kind):
            return Reply(state, [str(error)], status, span=error.span)
    return Reply("error", [str(error)], 503)


def _state(payload: Payload) -> str:
    """Return what the page is about: hits, none, or that nothing was asked for."""
    if payload["hits"] or payload["places"]:
        return "results"
    is_asked = payload["terms"] or payload.get("literals")
    return "nothing" if is_asked else "wordless"
