"""The lines of a target: what each adds to its cosines, made when it is asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from codesearch.config_forms import PageConfigForm
from codesearch.forms import TraceForm
from codesearch.htmx import private_page
from codesearch.lines import trace_lines
from codesearch.pages.trace.lines import lines_view
from codesearch.payloads import Payload
from codesearch.views.answers import (
    Reply,
    answer,
    json_error,
    layers_context,
    scope_of,
    wants_json,
)
from codesearch.views.trace import follow, option_links
from indexer.access import viewer_of
from indexer.selectors import repository_names


@require_safe
@private_page
def lines(request: HttpRequest) -> HttpResponse:
    """Show what each line of one target adds, or only the section, or the payload."""
    viewer = viewer_of(request.user)
    form = TraceForm(request.GET, names=repository_names(viewer))
    form.is_valid()
    knobs = PageConfigForm(request.GET)
    knobs.is_valid()
    scope = replace(scope_of(form), settings=knobs.settings)
    targets: list[str] = form.cleaned_data.get("target", [])
    reply, others = follow(_measure, viewer, form, knobs, scope, targets[:1])
    if len(targets) > 1:
        reply = Reply("error", ["The lines of one target are shown; name one."], 400)
    if wants_json(request):
        found = reply.payload
        return json_error(reply) if found is None else JsonResponse(found)
    context: dict[str, Any] = {  # Any: a template context
        "scope": scope,
        "targets": targets,
        "state": reply.state,
        "sentences": reply.sentences or ["Name a query and a target to see its lines."],
        "options": option_links(reply.options, scope, others),
        "lines": None,
        "trace_url": scope.trace_url(*targets),
    }
    if reply.payload is not None:
        context["lines"] = lines_view(reply.payload)
        context |= layers_context(form, reply.payload)
    return answer(
        request,
        "codesearch/lines.html",
        "codesearch/trace/_lines.html",
        context,
        reply.status,
    )


def _measure(
    *, targets: list[str], **asked: Any
) -> Payload:  # Any: what a trace is asked
    return trace_lines(target=targets[0], **asked)
