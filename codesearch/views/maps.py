"""The chunk map of a file: its functions against the windows over it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from codesearch.forms import MapForm
from codesearch.htmx import private_page
from codesearch.pages.chunk_map import map_page
from codesearch.payloads import SCHEMA
from codesearch.payloads.chunk_map import map_payload
from codesearch.views.answers import answer, wants_json
from codesearch.views.files import elsewhere, read_path
from indexer.access import viewer_of
from indexer.mapping import read_mapped


@require_safe
@private_page
def chunk_map(
    request: HttpRequest, name: str, revision: str, path: str
) -> HttpResponse:
    """Show the map of a file, moved down by `shift` lines; or its payload."""
    file = read_path(read_mapped, viewer_of(request.user), name, revision, path)
    if file is None:
        return elsewhere(request, "map", name, revision, path)
    form = MapForm(request.GET)
    status = 200 if form.is_valid() else 400
    shift, line = form.cleaned_data.get("shift") or 0, form.cleaned_data.get("line")
    if wants_json(request) and status == 400:
        error = {"schema": SCHEMA, "error": " ".join(form.sentences)}
        return JsonResponse(error, status=status)
    found = map_payload(file, shift, line)
    if wants_json(request):
        return JsonResponse(found)
    return answer(
        request,
        "codesearch/map.html",
        "codesearch/_map.html",
        {"page": map_page(found, file), "sentences": form.sentences},
        status,
    )
