"""History: what the kept builds of a repository, and its newest commit, hold of a path.

No blame: two commits hold the same file if its object id is the same.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from indexer.access import Viewer, readable
from indexer.files import find_entry_at, searched_revisions
from indexer.models import Build, File, Layer, Repository
from indexer.pipeline import git
from indexer.pipeline.paths import display_path
from indexer.places import mirror_of

VERSIONS = 20  # Commits that are listed.


@dataclass(frozen=True, slots=True)
class Version:
    """A path at one commit. `oid` is "" where the commit has no such file.

    `builds` counts the kept builds of the commit, 0 where it is only fetched.
    """

    revision: str
    committed_at: datetime | None
    oid: str
    builds: int
    is_searched: bool
    is_newest: bool


def versions_of(viewer: Viewer, name: str, path: bytes) -> list[Version]:
    """Return a path at the newest fetched commit and in each kept build, newest first.

    None of them if the repository is not in reach.
    """
    repository = readable(viewer).filter(name=name).first()
    if repository is None:
        return []
    kept = Build.objects.filter(
        index__repository=repository, layers__kind=Layer.Kind.LEXICAL
    ).order_by("-pk")
    rows = list(kept.values_list("revision", "committed_at"))
    builds = Counter(revision for revision, _ in rows)
    dates = dict(reversed(rows))
    newest = repository.fetched_revision
    revisions = list(builds)
    if newest and newest not in builds and _holds(repository, newest):
        dates[newest] = git.commit_date(mirror_of(repository), newest)
        revisions.insert(0, newest)
    oids = _oids(repository, path)
    searched = searched_revisions(repository)
    return [
        Version(
            revision=revision,
            committed_at=dates[revision],
            oid=oids[revision]
            if revision in oids
            else _oid_in_tree(repository, revision, path),
            builds=builds[revision],
            is_searched=revision in searched,
            is_newest=revision == newest,
        )
        for revision in revisions[:VERSIONS]
    ]


def _holds(repository: Repository, revision: str) -> bool:
    mirror = mirror_of(repository)
    return mirror.exists() and git.held_commit(mirror, revision) is not None


def _oids(repository: Repository, path: bytes) -> dict[str, str]:
    """Return the object id of a path by revision, as the ledgers have it."""
    rows = File.objects.filter(
        build__index__repository=repository,
        path=display_path(path),
        path_bytes=path,
    )
    return dict(rows.order_by("build_id").values_list("build__revision", "oid"))


def _oid_in_tree(repository: Repository, revision: str, path: bytes) -> str:
    entry = find_entry_at(mirror_of(repository), revision, path)
    return entry.oid if entry else ""
