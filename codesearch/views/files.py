"""One file at one revision: as a page, and as plain text."""

from __future__ import annotations

import re

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET

from codesearch.htmx import private_page
from codesearch.pages.files import file_page, inspection_page
from indexer import files
from indexer.access import viewer_of
from indexer.files import FileView
from indexer.inspection import inspect_file

_REPERCENTED = re.compile(rb"%([89A-F][0-9A-F])")


@require_GET
@private_page
def blob(request: HttpRequest, name: str, revision: str, path: str) -> HttpResponse:
    """Show a file with line numbers and an outline of its chunks."""
    file = _read_file(request, name, revision, path)
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
    file = _read_file(request, name, revision, path)
    if file.text is None:
        raise Http404
    response = HttpResponse(file.text, content_type="text/plain; charset=utf-8")
    response["X-Content-Type-Options"] = "nosniff"
    safe = re.sub(r"[\x00-\x1f\x7f]", "_", file.path.rpartition("/")[2])
    disposition = content_disposition_header(False, safe)
    if disposition:
        response["Content-Disposition"] = disposition
    return response


@require_GET
@private_page
def inspect(request: HttpRequest, name: str, revision: str, path: str) -> HttpResponse:
    """Show what was indexed of a file: chunks, exact texts, tokens, terms."""
    viewer = viewer_of(request.user)
    for spelling in path_spellings(path):
        found = inspect_file(viewer, name, revision, spelling)
        if found is not None:
            page = inspection_page(found)
            return render(request, "indexer/inspect.html", {"page": page})
    raise Http404


def _read_file(request: HttpRequest, name: str, revision: str, path: str) -> FileView:
    """Return the file that a request names, or answer 404."""
    viewer = viewer_of(request.user)
    for spelling in path_spellings(path):
        found = files.read_file(viewer, name, revision, spelling)
        if found is not None:
            return found
    raise Http404


def path_spellings(path: str) -> list[bytes]:
    """Return the bytes that a path of a URL may stand for, the likelier first.

    A path is bytes. Django decodes the URL, and writes bytes that are not UTF-8
    as `%FF` again, which a name that holds `%FF` as text gives as well.
    """
    literal = path.encode()
    broken = _REPERCENTED.sub(lambda byte: bytes([int(byte[1], 16)]), literal)
    return [literal] if broken == literal else [literal, broken]
