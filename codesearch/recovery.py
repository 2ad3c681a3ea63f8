"""Recovery: a page that failed over files that were damaged while it was up.

A build is hashed when a process first opens it, not at each search. So when a page
fails in a way that damaged files explain, the builds that are searched are hashed
again; if one is damaged it is taken out of use, and the page is asked for once more.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from indexer.damage import check_searched
from indexer.pipeline.store import LayerError

logger = logging.getLogger(__name__)

Answer = Callable[[HttpRequest], HttpResponse]

# What reading a file that is gone, short or altered raises: an altered length may ask
# for more memory than there is.
EXPLAINED = (OSError, ValueError, LookupError, EOFError, MemoryError, LayerError)
PAUSE_SECONDS = 60.0  # Between two checks: another fault would have each page pay.

_lock = threading.Lock()
_due = 0.0


class RecoveryMiddleware:
    """Sends the browser back to a page that failed because a build was damaged."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer as the views do."""
        return self.get_response(request)

    def process_exception(
        self, request: HttpRequest, error: Exception
    ) -> HttpResponse | None:
        """Redirect to the same page if a damaged build was taken out of use."""
        if request.method != "GET" or not isinstance(error, EXPLAINED) or not _is_due():
            return None
        if not check_searched():
            return None
        logger.error("a damaged build broke %s: %r", request.path, error)
        return HttpResponseRedirect(request.get_full_path())


def _is_due() -> bool:
    global _due
    with _lock:
        if time.monotonic() < _due:
            return False
        _due = time.monotonic() + PAUSE_SECONDS
        return True
