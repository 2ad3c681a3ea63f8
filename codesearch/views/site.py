"""Pages about the site itself: help, theme, whether it is alive and ready."""

from __future__ import annotations

import logging

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from codesearch.pages.glossary import GROUPS
from codesearch.pages.site import THEME_COOKIE, THEMES
from codesearch.renaming import READS
from indexer.access import ANYONE
from indexer.selectors import repository_names

logger = logging.getLogger(__name__)

THEME_AGE = 365 * 24 * 3600  # Seconds: a year.


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    """Show what the terms of traces and results mean."""
    return render(request, "codesearch/help.html", {"groups": GROUPS})


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the theme in a cookie and go back to the page it was chosen on."""
    response = redirect(back_url(request))
    chosen = request.POST.get("theme", "")
    if chosen in THEMES:
        response.set_cookie(
            THEME_COOKIE,
            chosen,
            max_age=THEME_AGE,
            samesite="Lax",
            httponly=True,
            secure=settings.HTTPS_ONLY,
        )
    return response


def back_url(request: HttpRequest) -> str:
    """Return the page the request came from, if it is one of ours, else "/".

    The referrer, not a hidden field: htmx changes the address after the page
    was made, and our referrer policy keeps it whole within this site.
    """
    url = request.headers.get("Referer", "")
    ours = url_has_allowed_host_and_scheme(
        url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return url if url and ours else "/"


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django gives it
    """Say that this may not be done, and lead whoever is nobody to the log-in and back.

    Who tried to change something is logged.
    """
    if request.method not in READS:
        path = request.get_full_path().partition("?")[0]  # Encoded, so one line.
        name = request.user.get_username() or "nobody"
        logger.warning("refused %s: %s %s", name, request.method, path)
    back = request.get_full_path() if request.method in READS else back_url(request)
    return render(request, "403.html", {"back": back}, status=403)


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Say that the process answers; touches nothing else."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """Say whether the database answers and has its tables."""
    try:
        repository_names(ANYONE)
    except DatabaseError:
        logger.exception("not ready: the database does not answer")
        return HttpResponse("database\n", content_type="text/plain", status=503)
    return HttpResponse("ok\n", content_type="text/plain")
