"""Shared pages: shown as they were recorded, to those who may read all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from codesearch import selectors, sharing
from codesearch.audit_forms import CompareForm
from codesearch.errors import SearchError
from codesearch.htmx import private_page
from codesearch.models import SearchRecord, ShareLink
from codesearch.opening import Opening, answer_of, linked_answer, open_link
from codesearch.pages.comparison import Compared, compared_context
from codesearch.pages.filters import without_repositories
from codesearch.pages.links import Scope
from codesearch.pages.metadata import metadata_of
from codesearch.pages.newest import newest_lines
from codesearch.pages.remains import remains_of
from codesearch.pages.rerun import rerun_page
from codesearch.pages.share_links import KINDS, closed_words, readers
from codesearch.pages.shared_file import shared_file
from codesearch.pages.side_by_side import sides_page
from codesearch.pages.trace.export import Export, export_of
from codesearch.payloads import SCHEMA, Payload
from codesearch.rerun import run_again
from codesearch.runs import recorded_run, stages_of
from codesearch.share_forms import RecordedForm
from codesearch.side_by_side import LIMIT
from codesearch.views.answers import page_of, refusal, result_context, wants_json
from codesearch.views.runs import answer_run, wants_run
from codesearch.views.trace import trace_context
from indexer.access import Viewer, viewer_of

Context = dict[str, Any]  # Any: a template context
Kind = SearchRecord.Kind


@require_safe
@private_page
def shared(request: HttpRequest, token: str) -> HttpResponse:
    """Show what was recorded as it was, whatever the index holds by now."""
    viewer = viewer_of(request.user)
    opening = open_link(viewer, token)
    if opening is None:
        raise Http404
    response = _answer(request, viewer, opening)
    response["X-Robots-Tag"] = "noindex"
    return response


def _answer(request: HttpRequest, viewer: Viewer, opening: Opening) -> HttpResponse:
    link = opening.link
    context = _head(request, opening)
    if not link.is_open:
        return _closed(request, link, context)
    if opening.removed:
        return _remains(request, opening, context)
    if wants_json(request):
        return JsonResponse(_json(viewer, opening))
    is_result = opening.record.kind in (Kind.SEARCH, Kind.TRACE)
    if wants_run(request) and is_result:
        run = partial(recorded_run, answer_of(opening))
        return answer_run(request, (), run)
    if request.method == "GET" and not (opening.is_own or request.GET):
        sharing.count_visit(link)
    context["metadata"] = metadata_of(opening)
    show = _SHOWN[opening.record.kind]
    template, more = show(request, viewer, opening)
    return render(request, template, context | more)


def _head(request: HttpRequest, opening: Opening) -> Context:
    """Return what every page of a link says of it."""
    return {
        "opening": opening,
        "record": opening.record,
        "link": opening.link,
        "kind": KINDS[Kind(opening.record.kind)],
        "readers": readers(opening.record),
        "share_url": request.build_absolute_uri(
            reverse("shared", args=[opening.link.token])
        ),
    }


def _closed(request: HttpRequest, link: ShareLink, context: Context) -> HttpResponse:
    """Answer that a link leads nowhere any more."""
    sentence = f"This link {closed_words(link)}."
    if wants_json(request):
        return JsonResponse({"schema": SCHEMA, "error": sentence}, status=410)
    if wants_run(request):
        gone = refusal(sentence)
        gone.status_code = 410
        return gone
    context["sentence"] = sentence
    return render(request, "codesearch/shared/closed.html", context, status=410)


def _remains(request: HttpRequest, opening: Opening, context: Context) -> HttpResponse:
    """Say what was recorded of a repository that was removed, without its code."""
    remains = remains_of(opening.record.kind, opening.record.answer)
    if wants_json(request) or wants_run(request):
        rows = [dict(zip(remains.heads, row, strict=True)) for row in remains.rows]
        removed = [one.name for one in opening.removed]
        query = opening.record.query
        told = {"schema": SCHEMA, "removed": removed, "query": query, "rows": rows}
        return JsonResponse(told)
    context["remains"] = remains
    return render(request, "codesearch/shared/removed.html", context)


def _json(viewer: Viewer, opening: Opening) -> Payload:
    if opening.record.kind != Kind.FILE:
        return answer_of(opening)
    return answer_of(opening) | {"text": shared_file(viewer, opening).text}


def _show_result(
    request: HttpRequest, viewer: Viewer, opening: Opening
) -> tuple[str, Context]:
    payload, token = linked_answer(opening), opening.link.token
    scope = _scope_of(payload)
    is_trace = opening.record.kind == Kind.TRACE
    targets = [target["target"] for target in payload.get("targets", [])]
    form = RecordedForm(request.GET)
    form.is_valid()
    page = page_of(form, partial(_address, token))
    context = {
        "scope": scope,
        "is_trace": is_trace,
        "targets": targets,
        "newer": selectors.newer_builds(viewer, payload),
        "again_url": scope.trace_url(*targets) if is_trace else scope.search_url(),
        **result_context(viewer, payload, scope, page),
    }
    if form.cleaned_data["again"]:
        context |= _again(viewer, payload, scope)
    if is_trace:
        context |= trace_context(payload, scope)
        context["export"] = _export(request, payload, scope, token)
    # Frozen: what an index is doing now is no part of the record.
    context |= {"notices": [], "is_frozen": True}
    context["newest"] = newest_lines(payload["builds"], frozen=True)
    return "codesearch/shared/result.html", context


def _again(viewer: Viewer, payload: Payload, scope: Scope) -> Context:
    """Return what the query of a record finds now, beside it."""
    try:
        rerun = run_again(
            viewer,
            payload,
            query=scope.query,
            repositories=scope.repositories,
            profile=scope.profile or None,
        )
    except SearchError as error:
        return {"is_again": True, "sentence": str(error)}
    return {"is_again": True, "rerun": rerun_page(rerun, scope)}


def _show_comparison(
    request: HttpRequest, viewer: Viewer, opening: Opening
) -> tuple[str, Context]:
    payload = linked_answer(opening)
    form = CompareForm(request.GET)
    form.is_valid()
    if opening.renamed:  # Or their links would ask repositories by names of then.
        for row in payload["rows"]:
            row["a"]["trace"] = row["b"]["trace"] = None
    compared = Compared(
        payload["a"]["audit"],
        payload["b"]["audit"],
        payload["stage"],
        form.cleaned_data.get("sort") or "",
        form.number,
        at=reverse("shared", args=[opening.link.token]),
    )
    context = compared_context(payload, compared) | {"is_frozen": True}
    context["again_url"] = Compared(compared.a, compared.b, compared.stage).url()
    return "codesearch/shared/comparison.html", context


def _show_profiles(
    request: HttpRequest, viewer: Viewer, opening: Opening
) -> tuple[str, Context]:
    page = sides_page(linked_answer(opening))
    return "codesearch/shared/profiles.html", {
        "page": page,
        "is_frozen": True,
        "limit": LIMIT,
    }


def _show_file(
    request: HttpRequest, viewer: Viewer, opening: Opening
) -> tuple[str, Context]:
    return "codesearch/shared/file.html", {"page": shared_file(viewer, opening)}


_SHOWN: dict[str, Callable[[HttpRequest, Viewer, Opening], tuple[str, Context]]] = {
    Kind.SEARCH: _show_result,
    Kind.TRACE: _show_result,
    Kind.COMPARISON: _show_comparison,
    Kind.PROFILES: _show_profiles,
    Kind.FILE: _show_file,
}


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
