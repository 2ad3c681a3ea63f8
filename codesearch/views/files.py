"""One file or folder at a revision: as a page, and a file as plain text."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TypeVar
from urllib.parse import unquote_to_bytes

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from codesearch.file_forms import ChunkForm, FileForm
from codesearch.forms import PageForm
from codesearch.htmx import private_page
from codesearch.pages.files import file_page, inspection_page
from codesearch.pages.links import file_url, tree_url
from codesearch.pages.trees import missing_page, tree_page
from codesearch.payloads import Payload
from codesearch.views.answers import answer
from indexer import files, trees
from indexer.access import Viewer, viewer_of
from indexer.addresses import Elsewhere, Missing, follow_address
from indexer.history import versions_of
from indexer.inspection import inspect_file

_REPERCENTED = re.compile(rb"%([89A-F][0-9A-F])")

PAGES = {"tree": "blob"}  # Of a file, where the page of a folder was asked for.

Found = TypeVar("Found")
Read = Callable[[Viewer, str, str, bytes], Found | None]


@require_safe
@private_page
def blob(request: HttpRequest, name: str, revision: str, path: str) -> HttpResponse:
    """Show a file with line numbers and an outline of its chunks."""
    viewer = viewer_of(request.user)
    file = read_path(files.read_file, viewer, name, revision, path)
    if file is None:
        return elsewhere(request, "blob", name, revision, path)
    form = FileForm(request.GET)
    form.is_valid()
    where: Payload = {
        "repository": file.repository,
        "revision": file.revision,
        "path_url": file.path_url,
    }
    if line := form.cleaned_data.get("line"):
        start, end = (min(number, file.lines) for number in line)
        return redirect(file_url({**where, "start_line": start, "end_line": end}))
    page = file_page(
        file,
        boundaries=form.cleaned_data.get("chunks", False),
        wanted=form.cleaned_data.get("lines"),
        versions=versions_of(viewer, name, unquote_to_bytes(file.path_url)),
    )
    return render(request, "codesearch/file.html", {"page": page, "form": form})


@require_safe
@private_page
def tree(
    request: HttpRequest, name: str, revision: str, path: str = ""
) -> HttpResponse:
    """Show what lies in a folder, and what of it is not indexed."""
    viewer = viewer_of(request.user)
    folder = read_path(trees.read_folder, viewer, name, revision, path.strip("/"))
    if folder is None:
        return elsewhere(request, "tree", name, revision, path.strip("/"))
    page = tree_page(folder, PageForm(request.GET).number)
    return render(request, "codesearch/tree.html", {"page": page})


@require_safe
@private_page
def raw(request: HttpRequest, name: str, revision: str, path: str) -> HttpResponse:
    """Return a file's text as the index read it: UTF-8, LF line ends.

    Always plain text, saved rather than shown, never sniffed and in a sandbox,
    whatever the file is: a repository may hold pages with scripts.
    """
    viewer = viewer_of(request.user)
    file = read_path(files.read_file, viewer, name, revision, path)
    if file is None:
        return elsewhere(request, "raw", name, revision, path)
    if file.text is None:
        raise Http404
    response = HttpResponse(file.text, content_type="text/plain; charset=utf-8")
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    safe = re.sub(r"[\x00-\x1f\x7f]", "_", file.path.rpartition("/")[2])
    response["Content-Disposition"] = (
        content_disposition_header(True, safe) or "attachment"
    )
    return response


@require_safe
@private_page
def inspect(request: HttpRequest, name: str, revision: str, path: str) -> HttpResponse:
    """Show what was indexed of a file: chunks, exact texts, tokens, terms.

    With `chunk` of the chunk with this ordinal only.
    """
    viewer = viewer_of(request.user)
    form = ChunkForm(request.GET)
    form.is_valid()
    read = partial(inspect_file, only=form.cleaned_data.get("chunk"))
    found = read_path(read, viewer, name, revision, path)
    if found is None:
        return elsewhere(request, "inspect", name, revision, path)
    page = inspection_page(found)
    fragment = "indexer/_inspected_chunks.html"
    return answer(request, "indexer/inspect.html", fragment, {"page": page})


def read_path(
    read: Read[Found], viewer: Viewer, name: str, revision: str, path: str
) -> Found | None:
    """Return what `read` finds under one of the paths that an address may mean."""
    for spelling in path_spellings(path):
        found = read(viewer, name, revision, spelling)
        if found is not None:
            return found
    return None


def elsewhere(
    request: HttpRequest, page: str, name: str, revision: str, path: str
) -> HttpResponse:
    """Lead to the commit that an address means, or say what became of it."""
    viewer = viewer_of(request.user)
    paths = path_spellings(path)
    follow = partial(follow_address, viewer, name, revision, of_folder=page == "tree")
    answers = [follow(one) for one in paths]
    found = next((one for one in answers if isinstance(one, Elsewhere)), None)
    if found is not None:
        where: Payload = {
            "repository": name,
            "revision": found.revision,
            "path_url": found.path_url,
        }
        url = (
            tree_url(where)
            if found.is_folder
            else file_url(where, page=PAGES.get(page, page))
        )
        query = request.META.get("QUERY_STRING", "")
        return redirect(f"{url}?{query}" if query else url)
    missing = next(one for one in answers if isinstance(one, Missing))
    context = {"page": missing_page(missing, versions_of(viewer, name, paths[0]))}
    status = 410 if missing.is_gone else 404
    return render(request, "codesearch/missing.html", context, status=status)


def path_spellings(path: str) -> list[bytes]:
    """Return the bytes that a path of a URL may stand for, the likelier first.

    A path is bytes. Django decodes the URL, and writes bytes that are not UTF-8
    as `%FF` again, which a name that holds `%FF` as text gives as well.
    """
    literal = path.encode()
    broken = _REPERCENTED.sub(lambda byte: bytes([int(byte[1], 16)]), literal)
    return [literal] if broken == literal else [literal, broken]
