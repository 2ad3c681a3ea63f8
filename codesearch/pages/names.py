"""Names: as links in a file, as a list of definitions, and as lines that hold one.

A name in a file leads to its one definition, else to the list of all.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlencode

from django.urls import reverse

from codesearch.highlight import Line, highlight_numbered
from codesearch.pages.links import file_url
from codesearch.pages.paging import Pager, link_pages, list_pager
from codesearch.payloads import Payload
from indexer.files import FileView
from indexer.named import BuildNames, Definition
from indexer.pipeline.terms import tokenize
from indexer.uses import UsedIn, Uses, find_uses

NAME = re.compile(r"[^\W\d][\w$]*\Z")
CARD_ROWS = 4  # Definitions beside the pointer.
LISTED = 100  # Definitions on a page.


@dataclass(frozen=True, slots=True)
class DefinitionRow:
    """One definition and the address of its lines."""

    definition: Definition
    url: str


@dataclass(frozen=True, slots=True)
class DefinitionsPage:
    """The definitions of a name, those of the file that says it first."""

    name: str
    repository: str
    revision: str
    count: int
    rows: list[DefinitionRow]
    pager: Pager
    url: str
    uses_url: str


@dataclass(frozen=True, slots=True)
class UsesFile:
    """A file with its lines as HTML, with their addresses, and if they define it."""

    used: UsedIn
    url: str
    lines: list[tuple[Line, str, bool]]


@dataclass(frozen=True, slots=True)
class UsesPage:
    """The lines that hold a name; `definitions` counts what is called so."""

    name: str
    repository: str
    revision: str
    uses: Uses
    definitions: int
    files: list[UsesFile]
    pager: Pager
    names_url: str


def name_urls(file: FileView, names: BuildNames, shown: range) -> Callable[[str], str]:
    """Return what gives the address of a name in a file, "" for what is none.

    Addresses are relative to the page with the lines `shown`: thousands are on it.
    """
    where = {
        "repository": file.repository,
        "revision": file.revision,
        "path_url": file.path_url,
    }
    folder = posixpath.dirname(file_url(where))

    @cache
    def find_url(name: str) -> str:
        if not NAME.match(name):
            return ""
        found = names.find(name, language=file.language)
        if not found:
            return ""
        if len(found) > 1:
            url = names_url(file.repository, file.revision, name)
            return posixpath.relpath(url, folder)
        path, start, end = names.where(found[0])
        lines = {"start_line": start, "end_line": end}
        url = file_url({**where, "path_url": path, **lines})
        if path == file.path_url and start in shown:
            return url[url.index("#") :]
        # With a dot in front: the name of a file may look like a scheme.
        return f"./{posixpath.relpath(url, folder)}"

    return find_url


def names_url(repository: str, revision: str, name: str, page: str = "names") -> str:
    """Return the address of the list of what is called `name`."""
    base = reverse(page, args=[repository, revision])
    return f"{base}?{urlencode({'name': name})}"


def definitions_page(
    names: BuildNames,
    name: str,
    *,
    near: str = "",
    language: str = "",
    number: int = 1,
) -> DefinitionsPage:
    """Return one page of the definitions of a name.

    First those of the path `near`, then those in the language.
    """
    repository, revision = names.build.index.repository.name, names.build.revision
    spoken = set(names.find(name, language=language))
    found = names.find(name)
    found.sort(key=lambda one: (names.where(one)[0] != near, one not in spoken, one))
    url = names_url(repository, revision, name)
    pager = list_pager(number, len(found), LISTED, lambda page: f"{url}&page={page}")
    return DefinitionsPage(
        name=name,
        repository=repository,
        revision=revision,
        count=len(found),
        rows=[
            DefinitionRow(one, _url(repository, revision, one.path_url, one))
            for one in names.describe(found[pager.rows])
        ],
        pager=pager,
        url=url,
        uses_url=names_url(repository, revision, name, "uses"),
    )


def uses_page(names: BuildNames, name: str, number: int) -> UsesPage:
    """Return one page of the lines that hold a name."""
    repository, revision = names.build.index.repository.name, names.build.revision
    uses = find_uses(names, name, number)
    url = names_url(repository, revision, name, "uses")
    return UsesPage(
        name=name,
        repository=repository,
        revision=revision,
        uses=uses,
        definitions=len(names.find(name)),
        files=[_uses_file(repository, revision, name, used) for used in uses.shown],
        pager=link_pages(uses.page, uses.pages, lambda page: f"{url}&page={page}"),
        names_url=names_url(repository, revision, name),
    )


def _uses_file(repository: str, revision: str, name: str, used: UsedIn) -> UsesFile:
    where: Payload = {
        "repository": repository,
        "revision": revision,
        "path_url": used.path_url,
    }
    html = highlight_numbered(
        {use.number: use.text for use in used.uses},
        language=used.language,
        path=used.path,
        terms=tokenize(name)[:1],  # The whole name; its parts follow.
    )
    return UsesFile(
        used,
        file_url(where),
        [
            (
                html[use.number],
                file_url({**where, "start_line": use.number}),
                use.is_definition,
            )
            for use in used.uses
        ],
    )


def _url(repository: str, revision: str, path: str, one: Definition) -> str:
    return file_url(
        {
            "repository": repository,
            "revision": revision,
            "path_url": path,
            "start_line": one.start_line,
            "end_line": one.end_line,
        }
    )
