"""Cases: saved from a trace or a search, typed, changed and removed."""

from __future__ import annotations

from dataclasses import replace

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from codesearch import cases as services
from codesearch.case_forms import RightForm, TypedCaseForm
from codesearch.cases import save_case, save_right_one
from codesearch.config_forms import ConfigForm
from codesearch.errors import AmbiguousTarget, SearchError
from codesearch.forms import CaseForm
from codesearch.htmx import private_page, wants_fragment
from codesearch.models import Case, CaseSet
from codesearch.pages.cases import case_url, set_url, typed_case
from codesearch.views.answers import page_of, refusal, scope_of
from codesearch.views.case_sets import reach_own, reach_set, require_user, show_set
from indexer.access import viewer_of
from indexer.selectors import repository_names

CHOSEN = "case_set"  # In the session: where right ones were saved last.


@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Save a trace as a case and go back to it."""
    viewer = require_user(request)
    form = CaseForm(request.POST, names=repository_names(viewer))
    if not form.is_valid():
        return refusal(" ".join(form.sentences))
    knobs = ConfigForm(request.POST)
    if not knobs.is_valid():
        return refusal(" ".join(knobs.sentences))
    scope = replace(scope_of(form), settings=knobs.settings)
    data = form.cleaned_data
    try:
        save_case(
            viewer=viewer,
            user=request.user,
            query=scope.query,
            targets=data["target"],
            repositories=scope.repositories,
            profile=scope.profile,
            expected=data["expected"],
            note=data["note"],
        )
    except SearchError as error:
        return refusal(str(error))
    return redirect(scope.trace_url(*data["target"]))


@require_POST
def right_one(request: HttpRequest) -> HttpResponse:
    """Save a hit as what its query should find, and say so in its place."""
    viewer = require_user(request)
    form = RightForm(request.POST, names=repository_names(viewer))
    if not form.is_valid():
        return refusal(" ".join(form.sentences))
    scope, data = scope_of(form), form.cleaned_data
    request.session[CHOSEN] = data["case_set"]
    chosen = reach_own(request, data["case_set"]) if data["case_set"] else None
    try:
        case = save_right_one(
            viewer=viewer,
            user=request.user,
            query=scope.query,
            target=data["target"],
            repositories=scope.repositories,
            profile=scope.profile,
            case_set=chosen,
        )
    except SearchError as error:
        return _not_saved(request, str(error))
    if wants_fragment(request):
        return render(request, "codesearch/_right_saved.html", {"case": case})
    messages.success(request, f"Saved in “{case.case_set}”: {scope.query}")
    page = page_of(form, replace(scope, view="").search_url)
    return redirect(page.url(unfold=page.unfold))


@require_POST
def add(request: HttpRequest, pk: int) -> HttpResponse:
    """Add a case that was typed to a set."""
    found = reach_set(request, pk)
    viewer = viewer_of(request.user)
    if not services.may_add(viewer, found) or found.is_foreign:
        raise Http404
    form = TypedCaseForm(request.POST)
    sentences = form.sentences
    if form.is_valid():
        try:
            services.add_case(
                viewer=viewer, user=request.user, case_set=found, case=form.case
            )
        except SearchError as error:
            sentences = told(error)
        else:
            return redirect(set_url(found))
    typed = {"case_errors": sentences, "typed": form.data}
    return show_set(request, found, typed, 400)


@require_safe
@private_page
def case(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Show a case with all its targets, to change it."""
    found = _reach_case(request, pk, number)
    return _show(request, found)


@require_POST
def change(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Write what was typed over a case."""
    found = _reach_case(request, pk, number)
    viewer = viewer_of(request.user)
    if not services.may_edit_case(viewer, found):
        raise Http404
    form = TypedCaseForm(request.POST)
    sentences = form.sentences
    if form.is_valid():
        try:
            services.change_case(viewer=viewer, case=found, told=form.case)
        except SearchError as error:
            sentences = told(error)
        else:
            return redirect(set_url(found.case_set))
    return _show(request, found, sentences, dict(form.data.items()))


@require_POST
def delete(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Remove a case and go back to its set."""
    found = _reach_case(request, pk, number)
    if services.delete_case(viewer=viewer_of(request.user), pk=found.pk) is None:
        raise Http404
    return redirect(set_url(found.case_set))


def told(error: SearchError) -> list[str]:
    """Return an error as sentences, with what there is to choose from."""
    if isinstance(error, AmbiguousTarget):
        choices = ", ".join(row["target"] for row in error.candidates[:10])
        return [f"{error}: {choices}"]
    return [str(error)]


def _reach_case(request: HttpRequest, pk: int, number: int) -> Case:
    cases = reach_set(request, pk).cases.select_related("case_set", "created_by")
    return get_object_or_404(cases, pk=number)


def _show(
    request: HttpRequest,
    found: Case,
    sentences: list[str] | None = None,
    typed: dict[str, object] | None = None,
) -> HttpResponse:
    case_set: CaseSet = found.case_set
    names = sorted(one.name for one in case_set.repositories.all())
    context = {
        "case": found,
        "case_set": case_set,
        "url": case_url(found, case_set, names),
        "typed": typed or typed_case(found),
        "case_errors": sentences,
        "stages": Case.Expected.choices,
        "may_edit": services.may_edit_case(viewer_of(request.user), found),
    }
    status = 400 if sentences else 200
    return render(request, "codesearch/cases/case.html", context, status=status)


def _not_saved(request: HttpRequest, sentence: str) -> HttpResponse:
    if not wants_fragment(request):
        return refusal(sentence)
    context = {"sentence": sentence}
    return render(request, "codesearch/_right_saved.html", context, status=400)
