"""Signed out: a page that was made for a user, and asks when the session has ended."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

Answer = Callable[[HttpRequest], HttpResponse]


class SignedOutMiddleware:
    """Sends the browser to sign in where htmx asks for a user who is none any more.

    Their pages say so with each request (`base.html`). Answered as anyone, a part of
    the page would be missing, or refused, among what only the user may read.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer as the views do, or lead the whole page to the log-in."""
        if "X-Signed-In" not in request.headers or request.user.is_authenticated:
            return self.get_response(request)
        there = urlencode({"next": page_address(request)})
        response = HttpResponseClientRedirect(f"{settings.LOGIN_URL}?{there}")
        add_never_cache_headers(response)
        return response


def page_address(request: HttpRequest) -> str:
    """Return the page that a request of htmx came from, with what it asked of it."""
    page = HtmxDetails(request).current_url_abs_path or "/"
    is_same = request.method == "GET" and urlsplit(page).path == request.path
    return request.get_full_path() if is_same else page
