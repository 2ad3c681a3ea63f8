"""What a view needs to know about htmx. Holds for htmx 2 and htmx 4."""

from __future__ import annotations

import socket
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import add_never_cache_headers, patch_vary_headers

HTMX_HEADERS = ("HX-Request", "HX-History-Restore-Request", "HX-Source")

P = ParamSpec("P")
Answer = TypeVar("Answer", bound=HttpResponseBase)
View = Callable[Concatenate[HttpRequest, P], Answer]


def wants_fragment(request: HttpRequest) -> bool:
    """True if htmx will swap the response into a page already on screen.

    A history restore may carry HX-Request too, but expects the whole page.
    """
    headers = request.headers
    return (
        headers.get("HX-Request") == "true"
        and headers.get("HX-History-Restore-Request") != "true"
    )


def is_typing(request: HttpRequest, field: str) -> bool:
    """True if the request was sent by typing into the input with id `field`."""
    return request.headers.get("HX-Source") == f"input#{field}"


def is_following(request: HttpRequest) -> bool:
    """True if a first part of an answer asks for the whole: someone was typing."""
    return request.headers.get("HX-Source") == "span#follows"


def has_left(request: HttpRequest) -> bool:
    """True if htmx has closed the connection: nobody reads the answer.

    It does so when another key makes its last request stale. Known under gunicorn
    only, and not where it speaks TLS itself.
    """
    connection = request.META.get("gunicorn.socket")
    if type(connection) is not socket.socket or not wants_fragment(request):
        return False
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:  # It is open, and silent.
        return False
    except OSError:
        return True


def private_page(view: View[P, Answer]) -> View[P, Answer]:
    """Keep page and fragment apart in caches, and keep both out of them."""

    @wraps(view)
    def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> Answer:
        response = view(request, *args, **kwargs)
        patch_vary_headers(response, HTMX_HEADERS)
        add_never_cache_headers(response)
        return response

    return wrapped
