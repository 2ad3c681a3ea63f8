"""Downloads of an audit: JSON, a table, and TREC runs and qrels."""

from __future__ import annotations

from collections.abc import Iterable

from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    JsonResponse,
    StreamingHttpResponse,
)
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from codesearch.audit_forms import AuditExportForm
from codesearch.audits.exports import (
    audit_json,
    audit_qrels,
    audit_run,
    audit_table,
)
from codesearch.htmx import private_page
from codesearch.models import Audit
from codesearch.reach import audits_in_reach
from codesearch.runs import UnknownStage
from codesearch.spreadsheets import write_csv
from codesearch.views.answers import attached, refusal
from indexer.access import viewer_of

PLAIN = "text/plain; charset=utf-8"


@require_safe
@private_page
def as_json(request: HttpRequest, pk: int) -> HttpResponse:
    """Return all that is known of an audit, apart from its lists."""
    audit, form = _asked(request, pk)
    if not form.is_valid():
        return refusal(" ".join(form.sentences))
    return JsonResponse(
        audit_json(audit, form.queries), headers=attached(f"audit-{pk}.json")
    )


@require_safe
@private_page
def as_csv(request: HttpRequest, pk: int) -> HttpResponse:
    """Return a line for each target of an audit."""
    audit, form = _asked(request, pk)
    if not form.is_valid():
        return refusal(" ".join(form.sentences))
    return HttpResponse(
        write_csv(audit_table(audit, form.queries)),
        content_type="text/csv; charset=utf-8",
        headers=attached(f"audit-{pk}.csv"),
    )


@require_safe
@private_page
def run(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Return the list of one stage for every query, as a TREC run."""
    audit, form = _asked(request, pk)
    if not form.is_valid():
        return refusal(" ".join(form.sentences))
    stage = form.cleaned_data["stage"]
    try:
        lines = audit_run(audit, stage, form.queries)
    except UnknownStage as error:
        return refusal(str(error))
    return _streamed(lines, f"audit-{pk}-{stage}.run")


@require_safe
@private_page
def qrels(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Return what is wanted for every query, as TREC qrels."""
    audit, form = _asked(request, pk)
    if not form.is_valid():
        return refusal(" ".join(form.sentences))
    return _streamed(audit_qrels(audit, form.queries), f"audit-{pk}.qrels")


def _asked(request: HttpRequest, pk: int) -> tuple[Audit, AuditExportForm]:
    audit = audits_in_reach(viewer_of(request.user)).filter(pk=pk).first()
    if audit is None:
        raise Http404
    return audit, AuditExportForm(request.GET)


def _streamed(lines: Iterable[str], name: str) -> StreamingHttpResponse:
    return StreamingHttpResponse(lines, content_type=PLAIN, headers=attached(name))
