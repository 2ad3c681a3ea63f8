"""Choosing: which builds a query is asked of, by its `repo:` and `rev:`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from django.db.models import Exists, F, OuterRef, Q

from codesearch.corpora import chosen_indexes, current_builds
from codesearch.errors import UnknownRepository, UnreadableQuery
from codesearch.funnel.expression import (
    All,
    Any,
    Filter,
    Node,
    Not,
    conditions,
    leaves,
    name_of,
)
from codesearch.funnel.filters import REPOSITORY, REVISION, chosen
from codesearch.funnel.types import Query
from indexer.access import Viewer, readable, renamed
from indexer.addresses import HEAD
from indexer.models import Build, Layer
from indexer.pipeline.choosing import names_meant
from indexer.selectors import repository_names

LISTED = 8  # Revisions that a sentence names.
SHORT = 10  # Digits of a revision in a sentence.


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a query is asked of.

    `query` has the names that repositories have now, and `renamed` a sentence for each
    that it did not. `repositories` are the names it chooses, none for all that the
    viewer may read; `builds` those to open, in order of the repository's name. With
    `may_miss` one that cannot be read is left out of the search: none was asked for by
    its name.
    """

    query: Query
    renamed: list[str]
    repositories: list[str]
    builds: list[Build]
    may_miss: bool


def choose_builds(
    viewer: Viewer, query: Query, repositories: Sequence[str], profile: str | None
) -> Chosen:
    """Return the builds that a query is asked of, within what the viewer may read.

    `repositories` are chosen beside those of the query. Raises UnknownRepository, and
    UnreadableQuery where nothing is left or no build is of the revision.
    """
    query, told = _with_names_of_now(viewer, query)
    revisions = _revisions(viewer, query.filters, repositories)
    asked = [_name_in(one) for one in chosen(query.filters, REPOSITORY)]
    may_miss = not repositories and revisions.keys().isdisjoint(asked)
    names = list(revisions)
    if not any(revisions.values()):
        builds = current_builds(viewer, names, profile)
        return Chosen(query, told, names, builds, may_miss)
    builds = []
    for revision in dict.fromkeys(revisions.values()):
        some = [name for name in names if revisions[name] == revision]
        if revision:
            builds += _builds_at(viewer, some, revision, profile)
        else:
            builds += current_builds(viewer, some, profile)
    builds.sort(key=lambda build: build.index.repository.name)
    names = [build.index.repository.name for build in builds]
    return Chosen(query, told, names, builds, may_miss)


def _with_names_of_now(viewer: Viewer, query: Query) -> tuple[Query, list[str]]:
    """Return a query with the names of now, and a sentence for each that was changed.

    What is as typed stays so: the text of each part, and its place.
    """
    asked = {
        _name_in(one)
        for one in leaves(query.expression)
        if isinstance(one, Filter) and one.name == REPOSITORY
    }
    now = renamed(viewer, asked) if asked else {}
    if not now:
        return query, []
    expression = _with_names(query.expression, now)
    query = replace(query, expression=expression, filters=conditions(expression))
    return query, [f"{name} is called {now[name]} now." for name in sorted(now)]


def _with_names(node: Node, now: Mapping[str, str]) -> Node:
    if isinstance(node, Not):
        return replace(node, part=_with_names(node.part, now))
    if isinstance(node, All | Any):
        return replace(node, parts=tuple(_with_names(one, now) for one in node.parts))
    if isinstance(node, Filter) and node.name == REPOSITORY:
        name = _name_in(node)
        value = now.get(name, name) + node.value.removeprefix(name)
        return replace(node, value=value)
    return node


def _revisions(
    viewer: Viewer, filters: Collection[Node], repositories: Sequence[str]
) -> dict[str, str]:
    """Return the chosen repositories, each with the revision that is asked for.

    "" is the one that is searched now. None is chosen where the query says neither.
    """
    if not any(name_of(one) in (REPOSITORY, REVISION) for one in filters):
        return dict.fromkeys(repositories, "")
    asked = chosen(filters, REVISION)
    if len(asked) > 1:
        raise _refuse(asked[1], "only one revision can be asked for")
    revision = asked[0].value if asked else ""
    reach = repository_names(viewer)
    found = dict.fromkeys(repositories, revision)
    for one in chosen(filters, REPOSITORY):
        found |= dict.fromkeys(
            _meant(one, reach), one.value.partition("@")[2] or revision
        )
    left_out = [
        one.part
        for one in filters
        if isinstance(one, Not)
        and isinstance(one.part, Filter)
        and one.part.name == REPOSITORY
    ]
    if not found and (left_out or revision):
        found = dict.fromkeys(reach, revision)
    for part in left_out:
        for name in _meant(part, reach):
            found.pop(name, None)
        if not found:
            raise _refuse(part, "no repository is left to search")
    return found


def _meant(one: Filter, reach: Sequence[str]) -> list[str]:
    """Return the repositories in reach that are meant. Raises UnknownRepository."""
    text = _name_in(one)
    if found := names_meant(text, reach):
        return found
    near = get_close_matches(text, reach, 3)
    hint = f" Is {' or '.join(near)} meant?" if near else ""
    sentence = f"There is no repository called {text}.{hint}"
    raise UnknownRepository(sentence, (one.start, one.end))


def _name_in(one: Filter) -> str:
    """Return the name or expression of a `repo:`, without its revision."""
    return one.value.partition("@")[0]


def _builds_at(
    viewer: Viewer, names: Sequence[str], revision: str, profile: str | None
) -> list[Build]:
    """Return the newest searchable build of a revision of each repository with one.

    A revision is the beginning of a commit's hash, or the branch or tag that was
    indexed. Raises UnreadableQuery where no repository has one.
    """
    rows = kept_builds(viewer, names, profile)
    newest: dict[int, Build] = {}
    for build in rows:
        if _is_of(build, revision):
            newest.setdefault(build.index_id, build)
    if newest:
        return list(newest.values())
    raise UnreadableQuery(
        f"No indexed revision is called {revision}; there are {_told(rows) or 'none'}."
    )


def kept_builds(
    viewer: Viewer, names: Sequence[str], profile: str | None
) -> list[Build]:
    """Return the builds of some repositories that `rev:` can choose, the newest first.

    In order of the repository's name.
    """
    is_whole = Q(status=Build.Status.READY) | Q(pk=F("index__current_build"))
    kept = Build.objects.filter(
        is_whole,
        Exists(Layer.objects.filter(build=OuterRef("pk"), kind=Layer.Kind.LEXICAL)),
        index__in=chosen_indexes(profile),
        index__repository__in=readable(viewer).filter(name__in=names),
        damage="",
    ).select_related("index__repository", "index__profile")
    return list(kept.order_by("index__repository__name", "-pk"))


def revision_names(build: Build) -> list[str]:
    """Return what `rev:` may call a build: the branch or tag, and the commit."""
    return [name for name in (_branch(build), build.revision[:SHORT]) if name]


def _is_of(build: Build, revision: str) -> bool:
    if revision == HEAD:
        return build.pk == build.index.current_build_id
    is_hash = len(revision) > 3 and build.revision.startswith(revision.lower())
    return is_hash or revision == _branch(build)


def _branch(build: Build) -> str:
    """Return the branch, tag or commit that a build was made of, "" if none is known.

    What a repository tracks now says nothing of its earlier builds.
    """
    is_current = build.pk == build.index.current_build_id
    return build.wanted or (build.index.repository.branch if is_current else "")


def _told(builds: Iterable[Build]) -> str:
    """Return the revisions of builds, each once: profiles and rebuilds share them."""
    told = list(
        dict.fromkeys(
            " ".join([build.index.repository.name, *revision_names(build)])
            for build in builds
        )
    )
    more = [f"{len(told) - LISTED} more"] if len(told) > LISTED else []
    return ", ".join(told[:LISTED] + more)


def _refuse(one: Filter, why: str) -> UnreadableQuery:
    sentence = f"“{one.text}” at character {one.start + 1}: {why}."
    return UnreadableQuery(sentence, (one.start, one.end))
