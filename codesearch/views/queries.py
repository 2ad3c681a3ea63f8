"""Weak and empty queries, for staff: each a click from a trace and from a case."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from codesearch import weak_queries
from codesearch.administration import require_staff
from codesearch.htmx import private_page
from codesearch.models import Case


@require_safe
@private_page
def queries(request: HttpRequest) -> HttpResponse:
    """List the queries that were answered weakly or not at all."""
    require_staff(request)
    rows, more = weak_queries.weak_queries()
    context = {
        "rows": rows,
        "more": more,
        "read": weak_queries.READ,
        "days": settings.QUERY_DAYS,
        "stages": Case.Expected.choices,
    }
    return render(request, "codesearch/queries.html", context)


@require_POST
def forget(request: HttpRequest) -> HttpResponse:
    """Remove every query that was kept."""
    require_staff(request)
    count = weak_queries.forget_queries(everything=True)
    messages.success(request, f"{count:,} records were removed.")
    return redirect("queries")
