"""What if: settings turned beside a trace, and what would admit a target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from codesearch import exploring
from codesearch.config_forms import PageConfigForm
from codesearch.forms import TraceForm
from codesearch.htmx import private_page, wants_fragment
from codesearch.pages.links import Scope
from codesearch.pages.trace.changes import changes_view
from codesearch.pages.trace.whatif import whatif_view
from codesearch.payloads import Payload
from codesearch.views.answers import (
    answer,
    json_error,
    layers_context,
    scope_of,
    wants_json,
)
from codesearch.views.trace import follow, option_links
from indexer.access import viewer_of
from indexer.selectors import repository_names

Context = Callable[[Payload, Scope, list[str]], dict[str, Any]]  # Any: of a template


@require_safe
@private_page
def what_if(request: HttpRequest) -> HttpResponse:
    """Show where targets end under other settings, and what each setting can do.

    To htmx it gives the address of the trace with these settings to show.
    """

    def context(payload: Payload, scope: Scope, targets: list[str]) -> dict[str, Any]:
        return {"whatif": whatif_view(payload, scope, targets)}

    return _explore(request, exploring.what_if, "whatif", context)


@require_safe
@private_page
def changes(request: HttpRequest) -> HttpResponse:
    """Show the least changes that bring each target where it was wanted.

    With `judge` also what they break among the judged cases.
    """

    def context(payload: Payload, scope: Scope, targets: list[str]) -> dict[str, Any]:
        return {"changes": changes_view(payload, scope, targets)}

    service = partial(exploring.changes, judge="judge" in request.GET)
    return _explore(request, service, "changes", context)


def _explore(
    request: HttpRequest, service: Callable[..., Payload], name: str, context: Context
) -> HttpResponse:
    viewer = viewer_of(request.user)
    form = TraceForm(request.GET, names=repository_names(viewer))
    form.is_valid()
    knobs = PageConfigForm(request.GET)
    knobs.is_valid()
    scope = replace(scope_of(form), settings=knobs.settings)
    targets: list[str] = form.cleaned_data.get("target", [])
    reply, others = follow(service, viewer, form, knobs, scope, targets)
    if wants_json(request):
        found = reply.payload
        return json_error(reply) if found is None else JsonResponse(found)
    shown: dict[str, Any] = {
        "scope": scope,
        "targets": targets,
        "state": reply.state,
        "sentences": reply.sentences or ["Name a query and a target to trace."],
        "options": option_links(reply.options, scope, others),
        "trace_url": scope.trace_url(*targets),
    }
    if reply.payload is not None:
        shown |= context(reply.payload, scope, targets)
        shown |= layers_context(form, reply.payload)
    page, fragment = f"codesearch/{name}.html", f"codesearch/trace/_{name}.html"
    response = answer(request, page, fragment, shown, reply.status)
    if (
        wants_fragment(request)
        and reply.payload is not None
        and "turned" in request.GET
    ):
        response["HX-Push-Url"] = shown["trace_url"]
    return response
