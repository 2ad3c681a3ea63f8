"""Jobs: builds at work, waiting and ended, with what else keeps a worker busy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from codesearch.administration import require_staff
from codesearch.htmx import private_page
from codesearch.job_forms import STATES, JobsForm
from codesearch.models import Audit, Experiment
from codesearch.pages import jobs as pages
from codesearch.pages.builds import detail_view
from codesearch.pages.paging import Pager, list_pager
from codesearch.payloads import SCHEMA
from codesearch.views.answers import answer, wants_json
from indexer import jobs as selectors
from indexer import progress, services
from indexer.access import may_change, viewer_of
from indexer.errors import IndexingError
from indexer.jobs import Job
from indexer.models import Build
from indexer.selectors import repository_names
from indexer.workers import Worker, last_worker

SHOWN = 20  # Ended builds on a page.


@require_safe
@private_page
def jobs(request: HttpRequest) -> HttpResponse:
    """Show what is at work, what waits and what has ended, or that as JSON."""
    viewer = viewer_of(request.user)
    names = repository_names(viewer)
    form = JobsForm(request.GET, names=names)
    form.is_valid()
    if "repository" in form.errors:
        raise Http404
    name, state = (form.cleaned_data.get(key, "") for key in ("repository", "state"))
    here = partial(pages.jobs_url, repository=name, state=state)
    builds = selectors.ended_builds(viewer, name, state)
    pager = list_pager(
        form.number,
        builds.count(),
        SHOWN,
        lambda page: f"{here(page=str(page))}#ended",
    )
    active = selectors.active_jobs(viewer, name)
    ended = [selectors.job_of(build) for build in builds[pager.rows]]
    others = [] if name else pages.other_jobs(viewer)
    if wants_json(request):
        return _json(active=active, others=others, ended=ended, pager=pager)
    context = _list_context(active, others, ended) | {
        "pager": pager,
        "names": names,
        "states": STATES,
        "name": name,
        "state": state,
        "poll_url": here(page=str(pager.page) if pager.page > 1 else ""),
        "json_url": here(format="json"),
        "may_change": may_change(viewer),
    }
    return answer(request, "indexer/jobs.html", "indexer/_jobs.html", context)


def _json(*, pager: Pager, **listed: Sequence[Job | pages.OtherJob]) -> JsonResponse:
    return JsonResponse(
        {
            "schema": SCHEMA,
            "worker": asdict(_worker()),
            **{name: [asdict(one) for one in rows] for name, rows in listed.items()},
            "page": pager.page,
            "pages": pager.pages,
        },
        json_dumps_params={"indent": 1},
    )


def _list_context(
    active: Sequence[Job], others: Sequence[pages.OtherJob], ended: Sequence[Job]
) -> dict[str, Any]:  # Any: a template context
    worker = _worker()
    warnings = selectors.last_warnings([job.build for job in active])
    views = [pages.job_view(job, worker, warnings.get(job.build, "")) for job in active]
    return {
        "running": [view for view in views if view.job.status == Build.Status.RUNNING],
        "waiting": [view for view in views if view.job.status == Build.Status.QUEUED],
        "others": others,
        "ended": [pages.job_view(job, worker) for job in ended],
        "is_live": bool(views or others),
        "worker": worker,
        "worker_sentence": pages.worker_sentence(worker),
    }


@require_safe
@private_page
def job(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one build: its stages, its log and what went wrong, or that as JSON."""
    detail = selectors.read_job(_found(request, pk))
    if wants_json(request):
        payload = {"schema": SCHEMA, **asdict(detail)}
        return JsonResponse(payload, json_dumps_params={"indent": 1})
    context: dict[str, Any] = {  # Any: a template context
        "page": detail_view(detail, _worker()),
        "may_change": may_change(viewer_of(request.user)),
    }
    return answer(request, "indexer/job.html", "indexer/_job.html", context)


@require_POST
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop a build that is queued or running, and go to its page."""
    progress.cancel_build(build=_changeable(request, pk))
    return redirect("job", pk)


@require_POST
def retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask again for what a failed or cancelled build was of; go to the new one."""
    try:
        made = services.retry_build(build=_changeable(request, pk))
    except IndexingError as error:
        messages.error(request, str(error))
        return redirect("job", pk)
    return redirect("job", made.pk)


@require_POST
def again(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for a build of the newest revision under the same profile; go to it."""
    made = services.request_build(index=_changeable(request, pk).index)
    return redirect("job", made.pk)


def _worker() -> Worker:
    return last_worker((Build, Audit, Experiment))


def _found(request: HttpRequest, pk: int) -> Build:
    viewer = viewer_of(request.user)
    build = selectors.builds_in_reach(viewer).filter(pk=pk).first()
    if build is None:
        raise Http404
    return build


def _changeable(request: HttpRequest, pk: int) -> Build:
    """Return a build for someone who may start and stop builds."""
    require_staff(request)
    return _found(request, pk)
