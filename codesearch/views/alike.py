"""What is like a chunk: found by its own vectors, without words."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from codesearch import alike
from codesearch.errors import SearchError
from codesearch.forms import LikeForm
from codesearch.htmx import private_page
from codesearch.pages.alike import alike_page, wanted_texts
from codesearch.payloads import Payload
from codesearch.views.answers import Reply, json_error, scope_of, wants_json
from indexer import files, selectors
from indexer.access import Viewer, viewer_of


@require_safe
@private_page
def like(request: HttpRequest) -> HttpResponse:
    """Show the chunks that are like one, as a page or as JSON."""
    viewer = viewer_of(request.user)
    form = LikeForm(request.GET, names=selectors.repository_names(viewer))
    reply = _ask(viewer, form)
    if wants_json(request):
        return JsonResponse(reply.payload) if reply.payload else json_error(reply)
    page = None
    if reply.payload:
        texts = files.read_texts(viewer, wanted_texts(reply.payload))
        page = alike_page(reply.payload, texts, scope_of(form))
    context = {"page": page, "sentences": reply.sentences}
    return render(request, "codesearch/like.html", context, status=reply.status)


def _ask(viewer: Viewer, form: LikeForm) -> Reply:
    if not form.is_valid():
        return Reply("error", form.sentences, 400)
    data = form.cleaned_data
    try:
        payload: Payload = alike.alike(
            viewer=viewer,
            target=data["target"],
            repositories=data["repository"],
            profile=data["profile"] or None,
            page=data["page"],
        )
    except SearchError as error:
        return Reply("error", [str(error)], 404)
    return Reply("results", payload=payload)
