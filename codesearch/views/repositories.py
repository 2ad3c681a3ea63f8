"""Repositories: what is indexed, how far a build is, and starting one."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from codesearch.administration import may, require_staff
from codesearch.forms import BuildForm
from codesearch.htmx import private_page
from codesearch.pages.repositories import card_view, list_sentence
from codesearch.views.answers import refusal
from indexer import selectors, services
from indexer.access import may_change, viewer_of
from indexer.errors import IndexingError
from indexer.models import Repository
from indexer.newest import source_of


@require_safe
@private_page
def repositories(request: HttpRequest) -> HttpResponse:
    """Show every repository the viewer may read, with its build's progress."""
    viewer = viewer_of(request.user)
    cards = [card_view(card) for card in selectors.repository_cards(viewer)]
    context = {
        "cards": cards,
        "sentence": list_sentence(cards),
        "may_change": may_change(viewer),
        "may_add": may(request.user, "add", Repository),
    }
    return render(request, "indexer/repositories.html", context)


@require_safe
@private_page
def repository(request: HttpRequest, name: str) -> HttpResponse:
    """Show one repository: its card and its coverage ledger."""
    context = _card_context(request, name, measured=True)
    source = source_of(viewer_of(request.user), name)
    context |= {
        "source": source,
        "may_edit": may(request.user, "change", Repository),
        "may_remove": may(request.user, "delete", Repository),
    }
    return render(request, "indexer/repository.html", context)


@require_safe
@private_page
def card(request: HttpRequest, name: str) -> HttpResponse:
    """Show one repository's card alone; it polls itself while a build is active."""
    context = _card_context(request, name)
    return render(request, "indexer/_card.html", context)


@require_safe
@private_page
def progress(request: HttpRequest, name: str) -> HttpResponse:
    """Show what a result page says of a build whose vectors are not complete."""
    context = _card_context(request, name)
    return render(request, "indexer/_progress.html", context)


def _card_context(
    request: HttpRequest, name: str, *, measured: bool = False
) -> dict[str, object]:
    viewer = viewer_of(request.user)
    found = selectors.repository_card(viewer, name, measured=measured)
    if found is None:
        raise Http404
    return {"card": card_view(found), "may_change": may_change(viewer)}


@require_POST
def build(request: HttpRequest, name: str) -> HttpResponse:
    """Ask for a build of what the repository tracks, or of another revision."""
    require_staff(request)
    form = BuildForm(request.POST)
    if not form.is_valid():
        return refusal(" ".join(form.sentences))
    revision = form.cleaned_data["revision"]
    try:
        services.request_build_by_name(
            viewer=viewer_of(request.user), name=name, revision=revision
        )
    except IndexingError as error:
        messages.error(request, str(error))
    return redirect(_card_url(name))


@require_POST
def cancel(request: HttpRequest, name: str) -> HttpResponse:
    """Stop the build that is queued or running."""
    require_staff(request)
    try:
        services.cancel_build_by_name(viewer=viewer_of(request.user), name=name)
    except IndexingError as error:
        messages.error(request, str(error))
    return redirect(_card_url(name))


def _card_url(name: str) -> str:
    return f"{reverse('repositories')}#repo-{name}"
