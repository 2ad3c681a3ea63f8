"""Share links: made from a page, listed, extended and revoked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from codesearch import services, sharing
from codesearch.audit_forms import CompareForm
from codesearch.config_forms import ConfigForm
from codesearch.errors import NotShareable, SearchError
from codesearch.forms import PageForm
from codesearch.htmx import private_page, wants_fragment
from codesearch.models import SearchRecord, ShareLink
from codesearch.pages.paging import list_pager
from codesearch.pages.share_links import link_views, links_shown, readers
from codesearch.reach import audits_in_reach
from codesearch.share_forms import (
    FileShareForm,
    KindForm,
    ResultShareForm,
    TermsForm,
)
from codesearch.shareable import share_comparison, share_file, share_profiles
from codesearch.sharing import Terms
from codesearch.views.answers import refusal
from codesearch.views.sides import compared_sides
from indexer.access import viewer_of
from indexer.selectors import repository_names

ROWS = 50  # Links of a page.

Maker = Callable[[HttpRequest, Terms], ShareLink]


@require_POST
def share(request: HttpRequest) -> HttpResponse:
    """Record what a page shows and go to its link, or put the link into the page."""
    form, terms = KindForm(request.POST), TermsForm(request.POST)
    try:
        if not form.is_valid():
            raise NotShareable(" ".join(form.sentences))
        if not terms.is_valid():
            raise NotShareable(" ".join(terms.sentences))
        link = _MAKERS[form.cleaned_data["kind"]](request, terms.terms)
    except SearchError as error:
        return _refuse(request, str(error))
    if not wants_fragment(request):
        return redirect("shared", token=link.token)
    context = {
        "link": link,
        "url": request.build_absolute_uri(reverse("shared", args=[link.token])),
        "readers": readers(link.record),
    }
    return render(request, "codesearch/shared/_made.html", context)


def _refuse(request: HttpRequest, sentence: str) -> HttpResponse:
    if not wants_fragment(request):
        return refusal(sentence)
    context = {"sentence": sentence}
    return render(request, "codesearch/shared/_made.html", context, status=400)


def _share_result(request: HttpRequest, terms: Terms) -> ShareLink:
    viewer = viewer_of(request.user)
    form = ResultShareForm(request.POST, names=repository_names(viewer))
    if not form.is_valid() or not form.cleaned_data["q"]:
        raise NotShareable(" ".join(form.sentences) or "Give a query.")
    knobs = ConfigForm(request.POST)
    if not knobs.is_valid():
        raise NotShareable(" ".join(knobs.sentences))
    data = form.cleaned_data
    return services.share(
        viewer=viewer,
        user=request.user,
        kind=data["kind"],
        query=data["q"],
        targets=data["target"],
        repositories=data["repository"],
        profile=data["profile"] or None,
        config=knobs.config,
        terms=terms,
    )


def _share_comparison(request: HttpRequest, terms: Terms) -> ShareLink:
    form = CompareForm(request.POST)
    if not form.is_valid():
        raise NotShareable(" ".join(form.sentences))
    data = form.cleaned_data
    audits = audits_in_reach(viewer_of(request.user)).select_related("case_set")
    found = {one.pk: one for one in audits.filter(pk__in=[data["a"], data["b"]])}
    if not {data["a"], data["b"]} <= found.keys():
        raise NotShareable("There are no two such audits.")
    what = share_comparison(found[data["a"]], found[data["b"]], data["stage"])
    return sharing.share(user=request.user, what=what, terms=terms)


def _share_profiles(request: HttpRequest, terms: Terms) -> ShareLink:
    viewer = viewer_of(request.user)
    what = share_profiles(viewer, *compared_sides(request, viewer))
    return sharing.share(user=request.user, what=what, terms=terms)


def _share_file(request: HttpRequest, terms: Terms) -> ShareLink:
    form = FileShareForm(request.POST)
    if not form.is_valid():
        raise NotShareable(" ".join(form.sentences))
    what = share_file(viewer_of(request.user), **form.cleaned_data)
    return sharing.share(user=request.user, what=what, terms=terms)


_MAKERS: dict[str, Maker] = {
    SearchRecord.Kind.SEARCH: _share_result,
    SearchRecord.Kind.TRACE: _share_result,
    SearchRecord.Kind.COMPARISON: _share_comparison,
    SearchRecord.Kind.PROFILES: _share_profiles,
    SearchRecord.Kind.FILE: _share_file,
}


@require_safe
@private_page
def links(request: HttpRequest) -> HttpResponse:
    """List the links of whoever is signed in; to staff all."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    viewer = viewer_of(request.user)
    shown = links_shown(viewer)
    number = PageForm(request.GET).number
    pager = list_pager(
        number, shown.count(), ROWS, lambda page: f"{reverse('links')}?page={page}"
    )
    context: dict[str, Any] = {  # Any: a template context
        "rows": link_views(viewer, shown[pager.rows]),
        "pager": pager,
        "sees_all": viewer.sees_all,
        "limit": sharing.OPEN_LINKS,
    }
    return render(request, "codesearch/shared/links.html", context)


@require_POST
def revoke(request: HttpRequest, token: str) -> HttpResponse:
    """Close a link for ever and go back to the list."""
    if not sharing.revoke_link(viewer=viewer_of(request.user), token=token):
        raise Http404
    messages.success(request, "The link is revoked: it leads nowhere any more.")
    return redirect("links")


@require_POST
def extend(request: HttpRequest, token: str) -> HttpResponse:
    """Let a link expire at another time and go back to the list."""
    viewer = viewer_of(request.user)
    if sharing.own_link(viewer, token) is None:
        raise Http404
    form = TermsForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(form.sentences))
    elif sharing.extend_link(
        viewer=viewer, token=token, expires_at=form.terms.expires_at
    ):
        messages.success(request, "The link expires at another time now.")
    else:
        messages.error(request, "A link that was revoked stays so. Make a new one.")
    return redirect("links")
