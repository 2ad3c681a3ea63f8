"""Renaming: addresses with a name that a repository had lead to it."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from indexer.access import renamed, viewer_of

Answer = Callable[[HttpRequest], HttpResponse]

PLACES = ("/r/", "/repositories/")  # Where the name of a repository follows.
READS = ("GET", "HEAD", "OPTIONS")  # What changes nothing.
UNKNOWN = (400, 404)  # What a page answers to a name that it does not know.


class RenamedMiddleware:
    """Sends the browser on where a page does not know a name that was changed."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer as the views do, or redirect to the address with the names of now."""
        response = self.get_response(request)
        if request.method not in READS or response.status_code not in UNKNOWN:
            return response
        address = address_now(request)
        return HttpResponseRedirect(address) if address else response


def address_now(request: HttpRequest) -> str:
    """Return the address of a request with the names of now, "" if it has them."""
    chosen = request.GET.getlist("repository")
    match = request.resolver_match
    is_place = match is not None and request.path.startswith(PLACES)
    name = str(match.kwargs.get("name", "")) if match and is_place else ""
    now = renamed(viewer_of(request.user), {*chosen, name})
    if not now:
        return ""
    path = request.get_full_path().partition("?")[0]
    if name in now:
        path = path.replace(f"/{quote(name)}/", f"/{quote(now[name])}/", 1)
    data = request.GET.copy()
    data.setlist("repository", [now.get(one, one) for one in chosen])
    query = data.urlencode()
    return f"{path}?{query}" if query else path
