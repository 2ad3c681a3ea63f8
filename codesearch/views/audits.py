"""Audits: started, watched, read, cancelled and removed."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from codesearch.audit_forms import AuditForm, AuditPageForm
from codesearch.audits.running import cancel_audit, delete_audit, request_audit
from codesearch.config_forms import ConfigForm
from codesearch.errors import SearchError, Unfinished
from codesearch.forms import PageForm
from codesearch.htmx import private_page
from codesearch.models import Audit
from codesearch.pages.audits.definitions import DEFINITIONS
from codesearch.pages.audits.history import before, history, past_audits
from codesearch.pages.audits.listing import SHOWN, audit_form, audit_line
from codesearch.pages.audits.misses import miss_table
from codesearch.pages.audits.page import audit_view
from codesearch.pages.paging import list_pager
from codesearch.payloads.audit import audit_payload, is_asked
from codesearch.reach import audits_in_reach, may_edit, sets_in_reach
from codesearch.views.answers import answer
from indexer.access import Viewer, viewer_of
from indexer.selectors import repository_names


@require_safe
@private_page
def audits(request: HttpRequest) -> HttpResponse:
    """List the audits in reach, below the form that starts one."""
    return _list(request, dict(request.GET.lists()))


@require_POST
def request_one(request: HttpRequest) -> HttpResponse:
    """Start an audit and go to its page, or say what is wrong with it."""
    if not request.user.is_authenticated:
        raise PermissionDenied
    viewer = viewer_of(request.user)
    form = AuditForm(request.POST, names=repository_names(viewer))
    knobs = ConfigForm(request.POST)
    chosen = dict(request.POST.lists())
    if not (form.is_valid() and knobs.is_valid()):
        return _list(request, chosen, [*form.sentences, *knobs.sentences])
    data = form.cleaned_data
    case_set = sets_in_reach(viewer).filter(pk=data["set"], is_foreign=False).first()
    if case_set is None:
        return _list(request, chosen, ["There is no such set here to ask."])
    try:
        made = request_audit(
            viewer=viewer,
            user=request.user,
            case_set=case_set,
            repositories=data["repository"],
            profile=data["profile"],
            config=knobs.config,
            note=data["note"],
        )
    except SearchError as error:
        job = error.build if isinstance(error, Unfinished) else None
        return _list(request, chosen, [str(error)], job)
    return redirect("audit", made.pk)


@require_safe
@private_page
def audit(request: HttpRequest, pk: int) -> HttpResponse:
    """Show an audit: how far it is, or what it measured; or the payload alone."""
    viewer = viewer_of(request.user)
    found = _found(viewer, pk)
    form = AuditPageForm(request.GET)
    payload = audit_payload(found, form.queries)
    view = audit_view(payload, form.died_at, form.number)
    context: dict[str, Any] = {  # Any: a template context
        "audit": found,
        "view": view,
        "definitions": DEFINITIONS,
        "may_edit": may_edit(viewer, found),
        "may_start": request.user.is_authenticated and not payload["system"],
    }
    rows = found.rows.exclude(result=None).defer("lists")
    if found.is_active:
        context["done"] = rows.count()
    else:
        past = past_audits(viewer, found)
        context["history"] = history(past, found)
        context["before"] = before(past, found)
        failed = [row for row in rows if row.result and row.result["failure"]]
        context["unasked"] = [row for row in failed if is_asked(row, form.queries)]
    page, fragment = "codesearch/audits/audit.html", "codesearch/audits/_audit.html"
    return answer(request, page, fragment, context)


@require_safe
@private_page
def misses(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one page of the misses of an audit alone."""
    found = _found(viewer_of(request.user), pk)
    form = AuditPageForm(request.GET)
    payload = audit_payload(found, form.queries)
    table = miss_table(payload, form.died_at, form.number)
    context = {"audit": found, "misses": table}
    return render(request, "codesearch/audits/_misses.html", context)


@require_POST
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop an audit that is queued or running, and go back to it."""
    viewer = viewer_of(request.user)
    found = _found(viewer, pk)
    if not may_edit(viewer, found):
        raise PermissionDenied
    cancel_audit(viewer=viewer, audit=found)
    return redirect("audit", pk)


@require_POST
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove an audit that has ended, and go to the list."""
    if not delete_audit(viewer=viewer_of(request.user), pk=pk):
        raise Http404
    return redirect("audits")


def _list(
    request: HttpRequest,
    chosen: dict[str, list[str]],
    sentences: list[str] | None = None,
    job: int | None = None,
) -> HttpResponse:
    """Return the page of all audits, with the form as it was filled in.

    `job` is the build that an audit has to wait for.
    """
    viewer = viewer_of(request.user)
    found = audits_in_reach(viewer).select_related("case_set", "created_by")
    wanted = PageForm(request.GET).number
    pager = list_pager(wanted, found.count(), SHOWN, lambda page: f"?page={page}")
    shown = found.prefetch_related("repositories")[pager.rows]
    sets = list(sets_in_reach(viewer).filter(is_foreign=False))
    context = {
        "lines": [audit_line(one) for one in shown],
        "form": audit_form(sets, repository_names(viewer), chosen),
        "sentences": sentences or [],
        "job": job,
        "pager": pager,
    }
    status = 400 if sentences else 200
    return render(request, "codesearch/audits/audits.html", context, status=status)


def _found(viewer: Viewer, pk: int) -> Audit:
    found = audits_in_reach(viewer).filter(pk=pk)
    audit = found.select_related("case_set", "created_by").first()
    if audit is None:
        raise Http404
    return audit
