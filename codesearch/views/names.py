"""What is called by a name in a build: its definitions, and the lines that say it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from codesearch.file_forms import NameForm
from codesearch.htmx import private_page
from codesearch.pages.names import CARD_ROWS, definitions_page, uses_page
from codesearch.pages.trees import missing_page
from codesearch.views.answers import answer, refusal
from indexer import named
from indexer.access import viewer_of
from indexer.addresses import Elsewhere, follow_address, not_indexed


@require_safe
@private_page
def names(request: HttpRequest, name: str, revision: str) -> HttpResponse:
    """List all definitions of a name; to a pointer over it, the first as a card."""
    found = named.names_at(viewer_of(request.user), name, revision)
    if found is None:
        return _elsewhere(request, "names", name, revision)
    form = NameForm(request.GET)
    status = 200 if form.is_valid() else 400
    page = definitions_page(
        found,
        form.cleaned_data.get("name", ""),
        near=form.cleaned_data.get("path", ""),
        language=form.cleaned_data.get("language", ""),
        number=form.number,
    )
    context = {"page": page, "form": form, "card_rows": f":{CARD_ROWS}"}
    card = "codesearch/_name_card.html"
    return answer(request, "codesearch/names.html", card, context, status)


@require_safe
@private_page
def uses(request: HttpRequest, name: str, revision: str) -> HttpResponse:
    """List the lines that hold a name as a whole word, its definitions marked."""
    found = named.names_at(viewer_of(request.user), name, revision)
    if found is None:
        return _elsewhere(request, "uses", name, revision)
    form = NameForm(request.GET)
    if not form.is_valid():
        return refusal(" ".join(form.sentences))
    page = uses_page(found, form.cleaned_data["name"], form.number)
    return render(request, "codesearch/uses.html", {"page": page})


def _elsewhere(
    request: HttpRequest, page: str, name: str, revision: str
) -> HttpResponse:
    """Lead to the commit that a revision means, or say why it has no names."""
    found = follow_address(viewer_of(request.user), name, revision, b"")
    if isinstance(found, Elsewhere):
        if found.revision != revision:
            url = reverse(page, args=[name, found.revision])
            return redirect(f"{url}?{request.META.get('QUERY_STRING', '')}")
        found = not_indexed(name, revision)
    context = {"page": missing_page(found, [])}
    status = 410 if found.is_gone else 404
    return render(request, "codesearch/missing.html", context, status=status)
