"""Shared results: recorded as they were answered, and never run again."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from codesearch import selectors, services
from codesearch.errors import SearchError
from codesearch.forms import ConfigForm, ResultForm, ShareForm
from codesearch.htmx import private_page
from codesearch.models import SearchRecord
from codesearch.pages.filters import without_repositories
from codesearch.pages.links import Scope
from codesearch.pages.newest import newest_lines
from codesearch.pages.trace.export import Export, export_of
from codesearch.payloads import Payload
from codesearch.runs import recorded_run, stages_of
from codesearch.views.answers import page_of, refusal, result_context, wants_json
from codesearch.views.runs import answer_run, wants_run
from codesearch.views.trace import trace_context
from indexer.access import viewer_of
from indexer.selectors import repository_names


@require_POST
def share(request: HttpRequest) -> HttpResponse:
    """Record a search or a trace and go to its page."""
    viewer = viewer_of(request.user)
    form = ShareForm(request.POST, names=repository_names(viewer))
    if not form.is_valid() or not form.cleaned_data["q"]:
        return refusal(" ".join(form.sentences) or "Give a query.")
    knobs = ConfigForm(request.POST)
    if not knobs.is_valid():
        return refusal(" ".join(knobs.sentences))
    data = form.cleaned_data
    try:
        record = services.share(
            viewer=viewer,
            user=request.user,
            kind=data["kind"],
            query=data["q"],
            targets=data["target"],
            repositories=data["repository"],
            profile=data["profile"] or None,
            config=knobs.config,
        )
    except SearchError as error:
        return refusal(str(error))
    return redirect("shared", token=record.token)


@require_GET
@private_page
def shared(request: HttpRequest, token: str) -> HttpResponse:
    """Show a recorded result as it was, whatever the index holds by now."""
    viewer = viewer_of(request.user)
    record = selectors.shared_record(viewer, token)
    if record is None:
        raise Http404
    payload = record.answer
    if wants_json(request):
        return JsonResponse(payload)
    if wants_run(request):
        return answer_run(request, (), partial(recorded_run, payload))
    scope = _scope_of(payload)
    is_trace = record.kind == SearchRecord.Kind.TRACE
    targets = [target["target"] for target in payload.get("targets", [])]
    context: dict[str, Any] = {  # Any: a template context
        "record": record,
        "scope": scope,
        "is_trace": is_trace,
        "targets": targets,
        "newer": selectors.newer_builds(viewer, record),
        "again_url": scope.trace_url(*targets) if is_trace else scope.search_url(),
        "share_url": request.build_absolute_uri(reverse("shared", args=[token])),
    }
    form = ResultForm(request.GET)
    form.is_valid()
    page = page_of(form, partial(_address, record.token))
    context |= result_context(viewer, payload, scope, page)
    if is_trace:
        context |= trace_context(payload, scope)
        context["export"] = _export(request, payload, scope, record.token)
    # Frozen: what an index is doing now is no part of the record.
    context |= {"notices": [], "is_frozen": True}
    context["newest"] = newest_lines(payload["builds"], frozen=True)
    return render(request, "codesearch/shared.html", context)


def _export(request: HttpRequest, payload: Payload, scope: Scope, token: str) -> Export:
    json_url = request.build_absolute_uri(_address(token, format="json"))
    urls = {
        stage: _address(token, format="trec", stage=stage)
        for stage in stages_of(payload)
    }
    return export_of(payload, scope, json_url, urls)


def _address(token: str, **more: str) -> str:
    return f"{reverse('shared', args=[token])}?{urlencode(more)}".rstrip("?")


def _scope_of(payload: Payload) -> Scope:
    """Return the scope that a payload was answered in, as it was searched."""
    repositories = {build["repository"] for build in payload["builds"]}
    profiles = {build["profile"] for build in payload["builds"]}
    profile = profiles.pop() if len(profiles) == 1 else ""
    query = without_repositories(payload)
    settings = tuple((name, value) for name, value in payload.get("settings", ()))
    return Scope(query, tuple(sorted(repositories)), profile, settings=settings)
