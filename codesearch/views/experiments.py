"""Experiments: the findings as buttons, and each result by its share link."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from codesearch.errors import SearchError
from codesearch.experiments.builds import profile_names
from codesearch.experiments.results import experiment_payload
from codesearch.experiments.running import cancel_experiment, request_experiment
from codesearch.forms import ExperimentForm, StartForm
from codesearch.htmx import private_page
from codesearch.models import Experiment
from codesearch.pages import experiments as pages
from codesearch.pages.jobs import STATES
from codesearch.reach import experiments_in_reach, may_edit
from codesearch.views.answers import answer, refusal, wants_json
from indexer.access import viewer_of
from indexer.selectors import repository_names

LATEST = 20  # Of the experiments that are listed below the findings.


@require_safe
@private_page
def experiments(request: HttpRequest) -> HttpResponse:
    """Show the findings, with what is known of each on the chosen repository."""
    viewer = viewer_of(request.user)
    names = repository_names(viewer)
    form = ExperimentForm(request.GET, names=names)
    form.is_valid()
    repository = form.cleaned_data.get("repository") or (names[0] if names else "")
    profile = form.cleaned_data.get("profile") or ""
    latest = experiments_in_reach(viewer).filter(repository__name=repository)
    context = {
        "names": names,
        "repository": repository,
        "profile": profile,
        "profiles": profile_names(viewer, repository),
        "sentences": form.sentences,
        "findings": pages.finding_views(viewer, repository, profile),
        "latest": latest.select_related("created_by")[:LATEST],
        "may_start": request.user.is_authenticated,
    }
    return render(request, "codesearch/experiments.html", context)


@require_safe
@private_page
def experiment(request: HttpRequest, token: str) -> HttpResponse:
    """Show one experiment: its result, or how far it is."""
    viewer = viewer_of(request.user)
    found = _find(request, token)
    payload = experiment_payload(found)
    if wants_json(request):
        return JsonResponse(payload)
    context: dict[str, Any] = {  # Any: a template context
        "experiment": found,
        "payload": payload,
        "state": STATES[found.status],
        "may_cancel": found.is_active and may_edit(viewer, found),
        "may_start": request.user.is_authenticated,
        "share_url": request.build_absolute_uri(request.path),
        "builds": pages.build_sentences(payload),
    }
    if payload["result"]:
        context |= {
            "figures": pages.figure_rows(payload),
            "heads": pages.column_heads(payload),
            "rows": pages.table_rows(payload),
        }
    return answer(
        request, "codesearch/experiment.html", "codesearch/_experiment.html", context
    )


@require_POST
def start(request: HttpRequest) -> HttpResponse:
    """Ask for an experiment and go to it; the same one is there already."""
    if not request.user.is_authenticated:
        raise PermissionDenied
    viewer = viewer_of(request.user)
    form = StartForm(request.POST, names=repository_names(viewer))
    if not form.is_valid():
        return refusal(" ".join(form.sentences))
    data = form.cleaned_data
    try:
        found = request_experiment(
            viewer=viewer,
            user=request.user,
            kind=data["kind"],
            repository=data["repository"],
            profile=data["profile"],
            target=data["target"],
        )
    except SearchError as error:
        return refusal(str(error))
    return redirect("experiment", token=found.token)


@require_POST
def cancel(request: HttpRequest, token: str) -> HttpResponse:
    """Stop an experiment and go back to it."""
    if not cancel_experiment(viewer=viewer_of(request.user), token=token):
        raise Http404
    return redirect("experiment", token=token)


def _find(request: HttpRequest, token: str) -> Experiment:
    found = experiments_in_reach(viewer_of(request.user)).filter(token=token).first()
    if found is None:
        raise Http404
    return found
