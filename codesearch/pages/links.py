"""Addresses of pages. A GET address is complete: it can be shared and reloaded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import urlencode

from django.urls import reverse

from codesearch.payloads import Payload
from codesearch.targets import spell_target

# Lines on a page of a file: a browser lays 5,000 out in a second and 50,000 in ten.
LINES_SHOWN = 5000


@dataclass(frozen=True, slots=True)
class Scope:
    """A query and where it is asked: what every address of it repeats."""

    query: str
    repositories: tuple[str, ...] = ()
    profile: str = ""
    view: str = ""  # How search results are shown; no part of what is asked.
    settings: tuple[tuple[str, str], ...] = ()  # A config by name, or turned knobs.

    def pairs(self, **more: str) -> list[tuple[str, str]]:
        """Return the parameters of this scope, sorted as they are written."""
        pairs = [("q", self.query)]
        pairs += [("repository", name) for name in self.repositories]
        pairs += [("profile", self.profile)] if self.profile else []
        return pairs + list(more.items())

    def search_url(self, **more: str) -> str:
        """Return the address of the search page."""
        shown = {"view": self.view, **more} if self.view else more
        pairs = [*self.pairs(**shown), *self.settings]
        return f"{_path('search')}?{urlencode(pairs)}"

    def trace_url(self, *targets: str, **more: str) -> str:
        """Return the address of the trace of these targets."""
        return self.target_url("trace", *targets, **more)

    def target_url(self, page: str, *targets: str, **more: str) -> str:
        """Return the address of a page about targets under these settings."""
        pairs = [("target", target) for target in targets] + [*self.settings]
        return f"{_path(page)}?{urlencode(self.pairs(**more) + pairs)}"

    def like_url(self, target: str, **more: str) -> str:
        """Return the address of what is like a chunk, whatever it was found by."""
        pairs = [pair for pair in self.pairs(target=target, **more) if pair[0] != "q"]
        return f"{_path('like')}?{urlencode(pairs)}"

    @property
    def config(self) -> str:
        """The name of the config, "" where the settings are knobs or none."""
        return dict(self.settings).get("config", "")

    def shipped(self) -> Scope:
        """Return this scope with the shipped settings, whatever the default is."""
        return replace(self, settings=(("config", "shipped"),) if self.settings else ())

    def ask(self, query: str) -> str:
        """Return the address of another query in this scope."""
        return replace(self, query=query).search_url()

    def without(self, name: str) -> Scope:
        """Return this scope without one repository."""
        kept = tuple(one for one in self.repositories if one != name)
        return replace(self, repositories=kept)


@lru_cache(maxsize=256)  # A page of results has hundreds of addresses.
def _path(page: str, *args: str) -> str:
    return reverse(page, args=args)


def file_url(where: Payload, *, lines: bool = True, page: str = "blob") -> str:
    """Return the address of a file at its revision, with its lines if it has any.

    `path_url` is percent-encoded already (a path is bytes), so that `reverse`
    must not see it. A page shows so many lines of a file, and the address says which.
    """
    base = _path("repository", where["repository"])
    url = f"{base}{page}/{where['revision']}/{where['path_url']}"
    start, end = where.get("start_line"), where.get("end_line")
    if not lines or not start:
        return url
    if page == "blob" and start > LINES_SHOWN:
        url = f"{url}?lines={page_of_line(start)}"
    return f"{url}#L{start}" if end in (None, start) else f"{url}#L{start}-L{end}"


def tree_url(where: Payload) -> str:
    """Return the address of a folder at its revision; the root has an empty path."""
    base = reverse("repository", args=[where["repository"]])
    return f"{base}tree/{where['revision']}/{where['path_url']}"


def page_of_line(line: int) -> str:
    """Return the lines of the page that shows a line of a long file: "5001-10000"."""
    first = (line - 1) // LINES_SHOWN * LINES_SHOWN + 1
    return f"{first}-{first + LINES_SHOWN - 1}"


def target_of(hit: Payload) -> str:
    """Return the unambiguous spelling of a hit as a target of a trace."""
    start_byte = int(hit["chunk"].rpartition("@")[2])
    return spell_target(hit["repository"], hit["path"], hit["symbol"] or "", start_byte)


def where_url(chunk: Payload) -> str:
    """Return the address of a target's lines, "" where it has no file."""
    return file_url(chunk) if chunk.get("path_url") and chunk.get("revision") else ""
