"""The trace page: where wanted results went."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET

from codesearch import selectors, services
from codesearch.errors import AmbiguousTarget, NothingIndexed, UnknownRepository
from codesearch.forms import TraceForm
from codesearch.htmx import private_page
from codesearch.pages import search as search_pages
from codesearch.pages import trace as pages
from codesearch.pages.links import Scope
from codesearch.pages.scores import Payload
from codesearch.plots import draw_funnel
from codesearch.views.answers import answer, json_error, scope_of, wants_json
from indexer.access import viewer_of
from indexer.selectors import repository_names

OPTIONS_SHOWN = 20
TYPED_LEAST = 2  # Characters of a name before it is looked up.


@require_GET
@private_page
def trace(request: HttpRequest) -> HttpResponse:
    """Show the trace of a query's targets, or only its result, or the payload."""
    viewer = viewer_of(request.user)
    names = repository_names(viewer)
    form = TraceForm(request.GET, names=names)
    valid = form.is_valid()
    scope = scope_of(form)
    targets: list[str] = form.cleaned_data.get("target", []) if valid else []
    context: dict[str, Any] = {  # Any: a template context
        "names": names,
        "scope": scope,
        "targets": targets,
    }

    def show(
        state: str,
        sentences: list[str],
        status: int = 200,
        options: list[dict[str, Any]] | None = None,  # Any: candidate dictionaries
    ) -> HttpResponse:
        if wants_json(request) and state != "traced":
            return json_error(" ".join(sentences) or "Give q and target.", status)
        shown = context | {
            "state": state,
            "sentences": sentences,
            "options": option_links(options or [], scope, targets),
        }
        return answer(
            request, "codesearch/trace.html", "codesearch/_trace.html", shown, status
        )

    if not valid:
        return show("error", form.sentences, 400)
    if not scope.query or not targets:
        return show("start", [], 400 if wants_json(request) else 200)
    try:
        payload = services.trace(
            viewer=viewer,
            query=scope.query,
            targets=targets,
            repositories=scope.repositories,
            profile=scope.profile or None,
        )
    except AmbiguousTarget as error:
        sentence = f"“{error.target}” names more than one chunk. Which one?"
        others = [target for target in targets if target != error.target]
        context["targets"] = targets
        targets = others
        return show("ambiguous", [sentence], 300, error.candidates)
    except (UnknownRepository, NothingIndexed) as error:
        return show("error", [str(error)], 404)
    if wants_json(request):
        return JsonResponse(payload)
    context |= trace_context(payload)
    return show("traced", [])


def trace_context(payload: Payload) -> dict[str, Any]:  # Any: a template context
    """Return the context of `_traced.html`."""
    return {
        "payload": payload,
        "views": [
            (view, draw_funnel(payload, view.target))
            for view in pages.target_views(payload)
        ],
        "candidates": pages.candidates(payload),
        "silent_legs": search_pages.silent_legs(payload),
        "missing_words": search_pages.missing_words(payload),
    }


def option_links(
    options: list[dict[str, Any]],  # Any: candidate dictionaries
    scope: Scope,
    others: list[str],
) -> list[dict[str, Any]]:  # Any: the same, with the address of their trace
    """Return the options with the address that traces each beside the others."""
    return [
        option | {"url": scope.trace_url(*others, option["target"])}
        for option in options
    ]


@require_GET
@private_page
def symbols(request: HttpRequest) -> HttpResponse:
    """Show the symbols that the last target may mean, each as a link to its trace."""
    viewer = viewer_of(request.user)
    form = TraceForm(request.GET, names=repository_names(viewer))
    found: list[dict[str, Any]] = []  # Any: candidate dictionaries
    text = ""
    if form.is_valid() and form.cleaned_data["target"]:
        text = form.cleaned_data["target"][-1]
    scope = scope_of(form)
    if len(text) >= TYPED_LEAST:
        found = selectors.find_symbols(
            viewer,
            text,
            repositories=scope.repositories,
            profile=scope.profile or None,
            limit=OPTIONS_SHOWN,
        )
    others = form.cleaned_data.get("target", [])[:-1] if form.is_valid() else []
    context = {"options": option_links(found, scope, others), "text": text}
    return answer(
        request, "codesearch/symbols.html", "codesearch/_symbols.html", context
    )
