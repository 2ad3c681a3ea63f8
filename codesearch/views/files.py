"""One file at one revision: as a page, and as plain text."""

from __future__ import annotations

import re

from django.core.handlers.wsgi import get_bytes_from_wsgi
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET

from codesearch.htmx import private_page
from codesearch.pages.files import file_page
from indexer import selectors
from indexer.access import viewer_of
from indexer.selectors import FileView


@require_GET
@private_page
def blob(request: HttpRequest, name: str, revision: str, path: str) -> HttpResponse:
    """Show a file with line numbers and an outline of its chunks."""
    file = _read_file(request, name, revision)
    boundaries = request.GET.get("chunks") == "1"
    context = {"page": file_page(file, boundaries=boundaries), "boundaries": boundaries}
    return render(request, "codesearch/file.html", context)


@require_GET
@private_page
def raw(request: HttpRequest, name: str, revision: str, path: str) -> HttpResponse:
    """Return a file's text as the index read it: UTF-8, LF line ends.

    Always plain text and never sniffed, whatever the file is: a repository may
    hold pages with scripts.
    """
    file = _read_file(request, name, revision)
    if file.text is None:
        raise Http404
    response = HttpResponse(file.text, content_type="text/plain; charset=utf-8")
    response["X-Content-Type-Options"] = "nosniff"
    safe = re.sub(r"[\x00-\x1f\x7f]", "_", file.path.rpartition("/")[2])
    disposition = content_disposition_header(False, safe)
    if disposition:
        response["Content-Disposition"] = disposition
    return response


def _read_file(request: HttpRequest, name: str, revision: str) -> FileView:
    """Return the file that a request names, or answer 404."""
    found = selectors.read_file(
        viewer_of(request.user), name, revision, path_bytes(request)
    )
    if found is None:
        raise Http404
    return found


def path_bytes(request: HttpRequest) -> bytes:
    """Return the path within the repository as the bytes that were asked for.

    From the WSGI environment: a path is bytes, and Django's `request.path` has
    percent-encoded again what is not UTF-8, so `%FF` in it is ambiguous.
    """
    full = get_bytes_from_wsgi(request.META, "PATH_INFO", "/")
    _, _, _, _, _, path = full.split(b"/", 5)  # "", r, name, blob, revision
    return path
