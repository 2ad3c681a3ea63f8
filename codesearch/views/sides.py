"""Profiles side by side: the same queries over two indexes of one repository."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from codesearch.administration import index_with, require_staff
from codesearch.errors import SearchError
from codesearch.forms import SidesForm
from codesearch.htmx import private_page
from codesearch.models import CaseSet
from codesearch.pages.side_by_side import STAGE_NAMES, sides_page, sides_url
from codesearch.payloads import SCHEMA, Payload
from codesearch.reach import sets_in_reach
from codesearch.side_by_side import LIMIT, STAGES, Wish, compare_profiles
from codesearch.views.answers import answer, wants_json
from indexer.access import Viewer, may_change, readable, viewer_of
from indexer.models import Build, Profile
from indexer.selectors import repository_names


@require_safe
@private_page
def profiles(request: HttpRequest) -> HttpResponse:
    """Show where each query's target ranks under both profiles, or the payload."""
    viewer = viewer_of(request.user)
    form = _form(request, viewer)
    if not form.is_valid():
        return _refused(request, viewer, form)
    wanted = form.cleaned_data
    case_set = _case_set(viewer, wanted["set"])
    found = None
    if wanted["repository"]:
        found = _compare(viewer, wanted, case_set)
    if wants_json(request):
        if found is None:
            error = {"schema": SCHEMA, "error": "There is no repository to compare."}
            return JsonResponse(error, status=400)
        return JsonResponse(found)
    context = _context(viewer, form)
    if found is not None:
        context |= {
            "page": sides_page(found),
            "case_set": case_set,
            "json_url": f"{request.get_full_path()}{_joint(request)}format=json",
            "missing": [_missing(viewer, side, wanted) for side in found["sides"]],
        }
    return _render(request, context)


@require_POST
def index_profile(request: HttpRequest) -> HttpResponse:
    """Index a repository under another profile, for staff; then back to the page."""
    require_staff(request)
    viewer = viewer_of(request.user)
    form = _form(request, viewer)
    if not form.is_valid():
        raise Http404
    wanted = form.cleaned_data
    repository = get_object_or_404(readable(viewer), name=wanted["repository"])
    index_with(request, repository, wanted["b"])
    asked = {"repository": repository.name, "a": wanted["a"], "b": wanted["b"]}
    return redirect(sides_url(reverse("compare_profiles"), **asked))


def compared_sides(
    request: HttpRequest, viewer: Viewer
) -> tuple[Payload, CaseSet | None]:
    """Return the comparison that a form of the page asks for, and its set, if any.

    Raises SearchError.
    """
    form = _form(request, viewer)
    if not form.is_valid():
        raise SearchError(" ".join(form.sentences))
    wanted = form.cleaned_data
    if not wanted["repository"]:
        raise SearchError("There is no repository to compare.")
    case_set = _case_set(viewer, wanted["set"])
    return _compare(viewer, wanted, case_set), case_set


def _compare(
    viewer: Viewer, wanted: dict[str, Any], case_set: CaseSet | None
) -> Payload:  # Any: cleaned data
    return compare_profiles(
        viewer=viewer,
        repository=wanted["repository"],
        profiles=(wanted["a"], wanted["b"]),
        wishes=[*wanted["q"], *_wishes(case_set)],
        stage=wanted["stage"],
    )


def _form(request: HttpRequest, viewer: Viewer) -> SidesForm:
    data = request.POST if request.method == "POST" else request.GET
    names = list(Profile.objects.values_list("name", flat=True))
    return SidesForm(data, names=repository_names(viewer), profiles=names)


def _joint(request: HttpRequest) -> str:
    return "&" if request.GET else "?"


def _case_set(viewer: Viewer, pk: int | None) -> CaseSet | None:
    """Return the case set that is asked for, or answer 404."""
    if pk is None:
        return None
    case_set = sets_in_reach(viewer).filter(pk=pk, is_foreign=False).first()
    if case_set is None:
        raise Http404
    return case_set


def _wishes(case_set: CaseSet | None) -> list[Wish]:
    """Return the cases of a set with a wanted target, in the order they were made."""
    if case_set is None:
        return []
    wishes = []
    for case in case_set.cases.order_by("pk"):
        wanted = [one for one, grade in case.judged.items() if grade > 0]
        wishes += [Wish(case.query, tuple(wanted))] if wanted else []
    return wishes


def _missing(
    viewer: Viewer, side: dict[str, Any], wanted: dict[str, Any]
) -> dict[str, Any] | None:  # Any: JSON and a template context
    """Return what is said of a side without an index: what builds it, or what to do."""
    if not side["missing"]:
        return None
    build = Build.objects.filter(
        index__repository__in=readable(viewer),
        index__repository__name=wanted["repository"],
        index__profile__name=side["profile"],
    ).first()
    return {
        "sentence": side["missing"],
        "profile": side["profile"],
        "is_active": bool(build and build.is_active),
        "failure": build.failure if build else "",
        "may_change": may_change(viewer),
        "other": wanted["b"] if side["profile"] == wanted["a"] else wanted["a"],
    }


def _context(viewer: Viewer, form: SidesForm) -> dict[str, Any]:  # Any: a context
    wanted = form.cleaned_data
    sets = sets_in_reach(viewer).filter(is_foreign=False)
    if wanted.get("repository"):
        sets = sets.filter(repositories__name=wanted["repository"])
    return {
        "wanted": wanted,
        "typed": "\n".join(form.typed),
        "names": form.names,
        "profiles": form.profiles,
        "stages": [(name, STAGE_NAMES.get(name, f"{name} leg")) for name in STAGES],
        "sets": sets.distinct(),
        "limit": LIMIT,
        "sentences": form.sentences,
    }


def _refused(request: HttpRequest, viewer: Viewer, form: SidesForm) -> HttpResponse:
    if wants_json(request):
        error = {"schema": SCHEMA, "error": " ".join(form.sentences)}
        return JsonResponse(error, status=400)
    return _render(request, _context(viewer, form), 400)


def _render(
    request: HttpRequest, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    return answer(
        request,
        "codesearch/profiles.html",
        "codesearch/_profiles.html",
        context,
        status,
    )
