"""Bringing the runs of another system: a form, and what was wrong with it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from codesearch.audits.foreign.bringing import Failed, bring
from codesearch.audits.foreign.form import ImportForm, run_rows
from codesearch.audits.foreign.types import MOST_BYTES, MOST_LINES, Report
from codesearch.htmx import private_page
from codesearch.models import Audit
from codesearch.reach import audits_in_reach, sets_in_reach
from codesearch.views.form_pages import form_page
from indexer.access import viewer_of


@form_page
@login_required
@private_page
def import_audit(request: HttpRequest) -> HttpResponse:
    """Show the form; take what it brings and go to what was taken."""
    sets = sets_in_reach(viewer_of(request.user)).filter(is_foreign=True)
    if request.method != "POST":
        chosen = request.GET.get("set", "")
        form = ImportForm(sets=sets, chosen=chosen)
        return _page(request, form, done=_done(request))
    form = ImportForm(request.POST, request.FILES, sets=sets)
    report = Report()
    if not form.is_valid():
        return _page(request, form, report, form.sentences)
    try:
        audit = bring(form.wanted(owner=request.user.pk), report)
    except Failed as error:
        return _page(request, form, report, [str(error)])
    return redirect(f"{reverse('import_audit')}?done={audit.pk}")


def _done(request: HttpRequest) -> Audit | None:
    """Return the audit that was just taken, if the address names one in reach."""
    told = request.GET.get("done", "")
    if not told:
        return None
    audits = audits_in_reach(viewer_of(request.user)).exclude(system="")
    found = (
        audits.filter(pk=told).first() if told.isdecimal() and len(told) < 10 else None
    )
    if found is None:
        raise Http404
    return found


def _page(
    request: HttpRequest,
    form: ImportForm,
    report: Report | None = None,
    sentences: list[str] | None = None,
    done: Audit | None = None,
) -> HttpResponse:
    context: dict[str, Any] = {  # Any: a template context
        "form": form,
        "rows": run_rows(form),
        "report": report,
        "sentences": sentences,
        "done": done,
        "most_megabytes": MOST_BYTES // 1_000_000,
        "most_lines": MOST_LINES,
    }
    status = 400 if sentences else 200
    return render(request, "codesearch/import_audit.html", context, status=status)
