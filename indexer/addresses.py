"""Addresses: which commit and path an address means, and why one shows nothing.

Pages are pinned to the full hash of a commit. The name of what is indexed, HEAD and
the beginning of a hash lead to such a page; nothing else does, so that nobody is shown
other lines than those that were linked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from indexer.access import Viewer, readable, removed
from indexer.files import find_entry_at, searched_revisions
from indexer.models import Build, Layer, Repository
from indexer.pipeline import git, refs
from indexer.pipeline.folders import list_folder
from indexer.pipeline.paths import display_path, path_url
from indexer.places import mirror_of

HASH_LENGTHS = (40, 64)
HEAD = "HEAD"

What = Literal["repository", "revision", "index", "path"]


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The page of a commit that an address leads to; `is_folder` is of its path."""

    revision: str
    path_url: str
    is_folder: bool


@dataclass(frozen=True, slots=True)
class Missing:
    """Why an address shows nothing: `what` is the first part of it that is not there.

    `indexed_at` says when a commit that is gone was indexed, `removed_at` when the
    repository was removed, as far as the viewer may know. `searched` is the commit
    that searches read, and `is_searched` whether that one has the path.
    """

    what: What
    repository: str
    revision: str
    path: str
    path_url: str
    indexed_at: datetime | None = None
    removed_at: datetime | None = None
    searched: str = ""
    is_searched: bool = False

    @property
    def is_gone(self) -> bool:
        """True if it was here once: a lost commit, or a removed repository."""
        is_lost = self.what == "revision" and self.indexed_at is not None
        return is_lost or self.removed_at is not None


def follow_address(
    viewer: Viewer, name: str, revision: str, path: bytes, *, of_folder: bool = False
) -> Elsewhere | Missing:
    """Return where an address that shows nothing leads, or what became of it.

    `of_folder` says that the page of a folder was asked for.
    """
    repository = readable(viewer).filter(name=name).first()
    if repository is None:
        known = removed(viewer).filter(name=name).order_by("-removed_at", "-pk").first()
        return replace(
            _missing("repository", name, revision, path),
            removed_at=known.removed_at if known else None,
        )
    found, rest = _pin(repository, revision, path)
    mirror = mirror_of(repository)
    if found is None:
        return _lost(repository, revision, path)
    if list_folder(mirror, found, rest) is not None:
        return Elsewhere(found, path_url(rest), is_folder=True)
    if find_entry_at(mirror, found, rest) is None:
        return _lost(repository, found, rest, what="path")
    if found != revision or of_folder:
        return Elsewhere(found, path_url(rest), is_folder=False)
    return _missing("index", name, found, rest)


def _pin(
    repository: Repository, revision: str, path: bytes
) -> tuple[str | None, bytes]:
    """Return the full hash that an address begins with, None for none, and the path.

    The name of a branch may hold slashes.
    """
    mirror = mirror_of(repository)
    if not mirror.exists():
        return None, path
    whole = revision.encode() + b"/" + path
    for name, commit in _indexed_names(repository):
        if whole.startswith(name.encode() + b"/"):
            return git.held_commit(mirror, commit), whole[len(name.encode()) + 1 :]
    digits = revision.lower()
    if len(digits) in HASH_LENGTHS:
        return git.held_commit(mirror, digits), path
    return refs.commit_beginning(mirror, digits), path


def _indexed_names(repository: Repository) -> list[tuple[str, str]]:
    """Return each branch or tag that is indexed with its commit.

    First what is searched, of several profiles by the default one, then the newest.
    HEAD is what the repository tracks.
    """
    builds = Build.objects.filter(
        index__repository=repository, layers__kind=Layer.Kind.LEXICAL
    ).select_related("index")
    ranked = sorted(
        builds,
        key=lambda build: (
            build.pk != build.index.current_build_id,
            not build.index.is_default,
            -build.pk,
        ),
    )
    tracked = repository.branch or refs.default_branch(mirror_of(repository))
    names: dict[str, str] = {}
    for build in ranked:
        names.setdefault(build.wanted or tracked, build.revision)
    if tracked in names:  # A folder without Git tracks no name.
        names.setdefault(HEAD, names[tracked])
    names.pop("", None)
    return list(names.items())


def _lost(
    repository: Repository, revision: str, path: bytes, *, what: What = "revision"
) -> Missing:
    """Say what became of a commit, or of a path at one that is there."""
    ends = Build.objects.filter(index__repository=repository, revision=revision)
    indexed_at = ends.exclude(lexical_at=None).values_list("lexical_at", flat=True)
    searched = next(iter(searched_revisions(repository)), "")
    mirror = mirror_of(repository)
    there = searched and find_entry_at(mirror, searched, path)
    return replace(
        _missing(what, repository.name, revision, path),
        indexed_at=indexed_at.order_by("-pk").first(),
        searched=searched,
        is_searched=bool(there),
    )


def not_indexed(name: str, revision: str) -> Missing:
    """Return what is said of a commit that is here, but of which there is no build."""
    return _missing("index", name, revision, b"")


def _missing(what: What, name: str, revision: str, path: bytes) -> Missing:
    return Missing(what, name, revision, display_path(path), path_url(path))
