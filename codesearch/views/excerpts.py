"""Lines of a file as a fragment: a hit with all its own lines, and some around it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from codesearch.file_forms import ExcerptForm
from codesearch.funnel.expression import FilterError
from codesearch.funnel.query import read_query
from codesearch.funnel.types import Query
from codesearch.htmx import private_page, wants_fragment
from codesearch.pages.excerpts import (
    AROUND_MOST,
    AROUND_STEP,
    excerpt_url,
    sought_by,
    whole_excerpt,
)
from codesearch.pages.links import file_url
from codesearch.payloads import Payload
from codesearch.views.answers import refusal
from codesearch.views.files import path_spellings
from indexer import files
from indexer.access import viewer_of
from indexer.pipeline.languages import detect_language
from indexer.pipeline.paths import display_path, path_url


@require_safe
@private_page
def excerpt(request: HttpRequest, name: str, revision: str, path: str) -> HttpResponse:
    """Show the asked lines of a file to htmx; a browser is led to them in the file."""
    form = ExcerptForm(request.GET)
    if not form.is_valid():
        return refusal(" ".join(form.sentences))
    spans, around = form.cleaned_data["own"], form.cleaned_data["around"] or 0
    spellings = {path_url(one): one for one in path_spellings(path)}
    keys = [(name, revision, url) for url in spellings]
    texts = files.read_texts(viewer_of(request.user), keys)
    key = next((key for key in keys if key in texts), keys[0])
    where: Payload = {
        "repository": name,
        "revision": revision,
        "path_url": key[2],
        "path": display_path(spellings[key[2]]),
        "language": detect_language(spellings[key[2]], texts.get(key, "")),
        "spans": [list(span) for span in spans],
        "start_line": min(first for first, _ in spans),
        "end_line": max(last for _, last in spans),
    }
    if not wants_fragment(request):
        return redirect(file_url(where))
    if key not in texts:
        return refusal("These lines are not on this server.", status=404)
    query = form.cleaned_data["q"]
    wider = min(around + AROUND_STEP, AROUND_MOST)
    context = {
        "excerpt": whole_excerpt(texts[key], where, sought_by(_read(query)), around),
        "url": file_url(where),
        "around_url": excerpt_url(where, query, wider) if wider > around else "",
        "end_line": where["end_line"],
    }
    return render(request, "codesearch/_excerpt.html", context)


def _read(typed: str) -> Query | None:
    """Return a query, None where it cannot be read: then nothing is marked."""
    try:
        return read_query(typed)
    except FilterError:
        return None
