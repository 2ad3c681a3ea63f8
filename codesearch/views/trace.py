"""The trace page: where wanted results went."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from codesearch import selectors, services
from codesearch.cases import find_case
from codesearch.config_forms import ConfigForm, PageConfigForm
from codesearch.configs import config_names
from codesearch.errors import (
    AmbiguousTarget,
    Candidate,
    NothingIndexed,
    SearchError,
    UnknownRepository,
    UnreadableQuery,
)
from codesearch.forms import TraceForm
from codesearch.htmx import private_page
from codesearch.models import Case
from codesearch.pages import filters
from codesearch.pages import search as search_pages
from codesearch.pages.closeness import missing_words
from codesearch.pages.links import Scope
from codesearch.pages.newest import newest_lines
from codesearch.pages.trace.candidates import candidates, has_sigmoid
from codesearch.pages.trace.distributions import absent_of, leg_scores
from codesearch.pages.trace.edge import leg_edges, pool_edge
from codesearch.pages.trace.export import Export, export_of
from codesearch.pages.trace.honesty import honest_sentences
from codesearch.pages.trace.ranks import rank_flow
from codesearch.pages.trace.views import target_views
from codesearch.payloads import Payload
from codesearch.payloads.builds import stamp_of
from codesearch.plots.distribution import draw_distribution
from codesearch.plots.flow import draw_flow
from codesearch.plots.strip import draw_funnel
from codesearch.plots.term_bars import draw_terms
from codesearch.runs import stage_run, stages_of
from codesearch.views.answers import (
    Reply,
    answer,
    json_error,
    scope_of,
    wants_json,
)
from codesearch.views.runs import answer_run, wants_run
from indexer.access import Viewer, viewer_of
from indexer.selectors import repository_names

OPTIONS_SHOWN = 20  # More are no choice; `__init__` is the name of thousands.
TYPED_LEAST = 2  # Characters of a name before it is looked up.


@require_safe
@private_page
def trace(request: HttpRequest) -> HttpResponse:
    """Show the trace of a query's targets, or only its result, or the payload."""
    viewer = viewer_of(request.user)
    names = repository_names(viewer)
    form = TraceForm(request.GET, names=names)
    form.is_valid()
    knobs = PageConfigForm(request.GET)
    knobs.is_valid()
    scope = replace(scope_of(form), settings=knobs.settings)
    targets: list[str] = form.cleaned_data.get("target", [])
    if wants_run(request):
        return _run(request, viewer, form, knobs)
    reply, others = follow(services.trace, viewer, form, knobs, scope, targets)
    if wants_json(request):
        if reply.payload is None:
            return json_error(reply)
        return JsonResponse(reply.payload)
    context: dict[str, Any] = {  # Any: a template context
        "names": names,
        "scope": scope,
        "targets": targets,
        "configs": config_names(),
        "is_turned": knobs.is_turned,
        "state": reply.state,
        "sentences": reply.sentences,
        "marked": reply.marked(scope.query),
        "options": option_links(reply.options, scope, others),
    }
    if reply.payload is not None:
        context |= trace_context(reply.payload, scope)
        context |= case_context(viewer, reply.payload, scope)
        context["export"] = _export(request, reply.payload, scope, targets)
    return answer(
        request,
        "codesearch/trace.html",
        "codesearch/_trace.html",
        context,
        reply.status,
    )


def _run(
    request: HttpRequest, viewer: Viewer, form: TraceForm, knobs: ConfigForm
) -> HttpResponse:
    """Answer with the list of one stage; it needs no target."""
    data = form.cleaned_data
    ask = partial(
        stage_run,
        viewer=viewer,
        query=data.get("q", ""),
        repositories=data.get("repository", ()),
        profile=data.get("profile") or None,
        config=knobs.config,
    )
    sentences = [*form.sentences, *knobs.sentences]
    return answer_run(request, sentences, lambda stage: ask(stage=stage))


def _export(
    request: HttpRequest, payload: Payload, scope: Scope, targets: Sequence[str]
) -> Export:
    json_url = request.build_absolute_uri(scope.trace_url(*targets, format="json"))
    urls = {
        stage: scope.trace_url(format="trec", stage=stage)
        for stage in stages_of(payload)
    }
    return export_of(payload, scope, json_url, urls)


def follow(
    service: Callable[..., Payload],
    viewer: Viewer,
    form: TraceForm,
    knobs: ConfigForm,
    scope: Scope,
    targets: list[str],
) -> tuple[Reply, list[str]]:
    """Ask a service of the targets; with an ambiguous one return also the others."""
    if form.errors or knobs.errors:
        return Reply("error", [*form.sentences, *knobs.sentences], 400), []
    if not scope.query or not targets:
        return Reply("start"), []
    try:
        payload = service(
            viewer=viewer,
            query=scope.query,
            targets=targets,
            repositories=scope.repositories,
            profile=scope.profile or None,
            config=knobs.config,
        )
    except AmbiguousTarget as error:
        count = len(error.candidates)
        sentences = [f"“{error.target}” stands for {count:,} chunks. Which one?"]
        if count > OPTIONS_SHOWN:
            sentences.append(f"The first {OPTIONS_SHOWN} are here; name it in full.")
        others = [target for target in targets if target != error.target]
        return Reply("ambiguous", sentences, options=error.candidates), others
    except UnreadableQuery as error:
        return Reply("error", [str(error)], 400, span=error.span), []
    except (UnknownRepository, NothingIndexed) as error:
        return Reply("error", [str(error)], 404, span=error.span), []
    except SearchError as error:  # The form is valid: the fault is ours.
        return Reply("error", [str(error)], 503), []
    return Reply("traced", payload=payload), []


def trace_context(
    payload: Payload, scope: Scope
) -> dict[str, Any]:  # Any: a template context
    """Return the context of `_traced.html`."""
    targets = [target["target"] for target in payload["targets"]]
    views = target_views(payload)
    ranks = rank_flow(payload)

    def ask(query: str) -> str:
        return replace(scope, query=query).trace_url(*targets)

    return {
        "payload": payload,
        "of": stamp_of(payload),
        "newest": newest_lines(payload["builds"]),
        "chips": filters.filter_chips(payload, ask),
        "without": filters.without_filters(payload, ask),
        "chunks": filters.chunks_in_scope(payload),
        "all_chunks": filters.chunks_in(payload),
        "views": [(view, draw_funnel(payload, view.target)) for view in views],
        "ranks": ranks,
        "flow": draw_flow(ranks),
        "terms": [(view, draw_terms(payload, view.target)) for view in views],
        "edge": pool_edge(payload),
        "honesty": honest_sentences(payload),
        "leg_edges": leg_edges(payload),
        "distributions": [
            (scores, draw_distribution(payload, scores.name))
            for scores in leg_scores(payload)
        ],
        "absent_of": absent_of(payload),
        "candidates": candidates(payload),
        "has_sigmoid": has_sigmoid(payload),
        "notices": search_pages.vector_notices(payload),
        "silent_legs": search_pages.silent_legs(payload),
        "missing_words": missing_words(payload, scope),
    }


def case_context(
    viewer: Viewer, payload: Payload, scope: Scope
) -> dict[str, Any]:  # Any: a template context
    """Return the part of the context that saves a case, or names it."""
    targets = [target["target"] for target in payload["targets"]]
    asked = [build["repository_id"] for build in payload["builds"]]
    case = find_case(viewer, scope.query, targets, asked, scope.profile)
    return {"case": case, "stages": Case.Expected.choices}


def option_links(
    options: Sequence[Candidate], scope: Scope, others: list[str]
) -> list[dict[str, Any]]:  # Any: the candidates, each with the address of its trace
    """Return the first options with the address that traces each beside the others."""
    return [
        {**option, "url": scope.trace_url(*others, option["target"])}
        for option in options[:OPTIONS_SHOWN]
    ]


@require_safe
@private_page
def symbols(request: HttpRequest) -> HttpResponse:
    """Show the symbols that the last target may mean, each as a link to its trace."""
    viewer = viewer_of(request.user)
    form = TraceForm(request.GET, names=repository_names(viewer))
    form.is_valid()
    scope = scope_of(form)
    targets: list[str] = form.cleaned_data.get("target", [])
    text = targets[-1] if targets else ""
    found: Sequence[Candidate] = ()
    if len(text) >= TYPED_LEAST:
        found = selectors.find_symbols(
            viewer,
            text,
            repositories=scope.repositories,
            profile=scope.profile or None,
            limit=OPTIONS_SHOWN,
        )
    context = {"options": option_links(found, scope, targets[:-1]), "text": text}
    return answer(
        request, "codesearch/symbols.html", "codesearch/_symbols.html", context
    )
