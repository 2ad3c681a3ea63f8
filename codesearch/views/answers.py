"""What search, trace and shared pages have in common when they answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from codesearch.errors import Candidate
from codesearch.forms import ResultForm, ScopeForm, SearchForm, TraceForm
from codesearch.htmx import wants_fragment
from codesearch.inquiry import MAX_QUERY
from codesearch.pages import cards, filters
from codesearch.pages import search as pages
from codesearch.pages.closeness import closeness, missing_words
from codesearch.pages.definitions import defined_names
from codesearch.pages.facets import facets
from codesearch.pages.links import Scope
from codesearch.pages.newest import newest_lines
from codesearch.pages.paging import (
    LIST,
    ResultPage,
    leg_champions,
    page_count,
    pager,
)
from codesearch.payloads import SCHEMA, Payload
from codesearch.payloads.builds import stamp_of
from indexer import files
from indexer.access import Viewer


@dataclass(frozen=True, slots=True)
class Reply:
    """What was answered: a payload, or a state of the page with sentences.

    `span` is where the part of the query starts and ends that cannot be read.
    """

    state: str
    sentences: Sequence[str] = ()
    status: int = 200
    payload: Payload | None = None
    options: Sequence[Candidate] = ()
    span: tuple[int, int] | None = None

    def marked(self, query: str) -> tuple[str, str, str] | None:
        """Return the query before, in and after the part that cannot be read."""
        if self.span is None:
            return None
        start, end = self.span
        return query[:start], query[start:end], query[end:]

    def is_unfinished(self, query: str) -> bool:
        """Tell whether typing on may mend the query: its end cannot be read."""
        return self.span is not None and self.span[1] == len(query.rstrip())


def wants_json(request: HttpRequest) -> bool:
    """True if the payload itself is asked for."""
    return request.GET.get("format") == "json"


def json_error(reply: Reply) -> JsonResponse:
    """Return a reply without a payload as JSON; never with a status of success."""
    sentence = " ".join(reply.sentences) or "Parameters are missing."
    status = reply.status if reply.status != 200 else 400
    return JsonResponse(
        {"schema": SCHEMA, "error": sentence, "candidates": list(reply.options)},
        status=status,
    )


def layers_context(
    form: TraceForm | SearchForm, payload: Payload
) -> dict[str, Any]:  # Any: a template context
    """Return what a section says where it is of other layers than its page."""
    now = stamp_of(payload)
    of = form.cleaned_data.get("of") or now
    return {"of": of, "is_other": of != now}


def refusal(sentence: str, status: int = 400) -> HttpResponse:
    """Return the answer to what no page of ours asks for."""
    # Plain text: the sentence repeats what was sent.
    plain = "text/plain; charset=utf-8"
    return HttpResponse(sentence, status=status, content_type=plain)


def attached(name: str) -> dict[str, str]:
    """Return the header that saves an answer as a file of this name."""
    safe = re.sub(r"[^A-Za-z0-9_.]+", "-", name)
    return {"Content-Disposition": f'attachment; filename="{safe}"'}


def scope_of(form: ScopeForm) -> Scope:
    """Return the scope of a validated form, as far as it could be read."""
    data = form.cleaned_data
    return Scope(
        query=data["q"] if "q" in data else str(form.data.get("q", ""))[:MAX_QUERY],
        repositories=tuple(data.get("repository", ())),
        profile=data.get("profile", ""),
        view=data.get("view", ""),
    )


def page_of(form: ResultForm, address: Callable[..., str], of: str = "") -> ResultPage:
    """Return the page that a validated form asks for, of the result at `address`.

    `of` are the layers that it is made of, "" if it is frozen.
    """
    data = form.cleaned_data
    return ResultPage(
        address,
        number=data["page"],
        view=data.get("view", ""),
        unfold=data["unfold"],
        of=of,
        wanted=data["page"],
    )


def answer(
    request: HttpRequest,
    template: str,
    fragment: str,
    context: dict[str, Any],  # Any: a template context
    status: int = 200,
) -> HttpResponse:
    """Render a page, or only its fragment to htmx."""
    is_fragment = wants_fragment(request)
    name = fragment if is_fragment else template
    context["is_fragment"] = is_fragment
    return render(request, name, context, status=status)


def when_sent(response: HttpResponse, call: Callable[[], None]) -> None:
    """Call something when the server closes an answer, which has been sent then."""
    close = response.close

    def call_and_close() -> None:
        try:
            call()
        finally:
            close()

    response.close = call_and_close  # type: ignore[method-assign]  # Of this one only.


def result_context(
    viewer: Viewer, payload: Payload, scope: Scope, page: ResultPage
) -> dict[str, Any]:  # Any: a template context
    """Return the context of `_hits.html`: the hits of a page and what is beside.

    Of a page beyond the last it is the last.
    """
    page = replace(page, number=min(page.number, page_count(payload, page)))
    texts = files.read_texts(viewer, cards.wanted_texts(payload, page))
    places, more_places = pages.place_views(payload)
    return {
        "payload": payload,
        "scope": scope,
        "page": page,
        "cards": cards.card_views(payload, page, texts, scope),
        "rows": cards.row_views(payload, page, scope),
        "places": places,
        "more_places": more_places,
        "newest": newest_lines(payload["builds"]),
        "closeness": closeness(payload),
        "missing_words": missing_words(payload, scope),
        "silent_legs": pages.silent_legs(payload),
        "notices": pages.vector_notices(payload),
        "champions": leg_champions(payload, page) if page.number == 1 else [],
        "pager": pager(payload, page),
        "files": len({hit["card"] for hit in payload["hits"]}),
        "chips": filters.filter_chips(payload, scope.ask),
        "without": filters.without_filters(payload, scope.ask),
        "chunks": filters.chunks_in_scope(payload),
        "all_chunks": filters.chunks_in(payload),
        "uncovered": pages.uncovered(payload),
        "counts": pages.count_rows(payload),
        "times": pages.time_rows(payload),
        "facets": facets(payload, scope.ask),
        "facets_of": f"{len(payload['hits']):,} ranked",
        "defined": defined_names(payload, partial(_ask_as_list, scope)),
    }


def _ask_as_list(scope: Scope, query: str) -> str:
    return replace(scope, query=query, view=LIST).search_url()
