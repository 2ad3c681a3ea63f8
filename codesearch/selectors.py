"""Look up what is searched now, with the viewer's permission: builds and symbols."""

from __future__ import annotations

from collections.abc import Sequence

from codesearch.corpora import current_builds
from codesearch.errors import Candidate
from codesearch.payloads import Payload
from codesearch.payloads.builds import layers_of
from codesearch.targets import suggest_symbols
from indexer.access import Viewer
from indexer.models import Build


def newer_builds(viewer: Viewer, answer: Payload) -> list[Payload]:
    """Return the builds of an answer that are no longer as they were searched.

    `is_same` where it is that build, and has vectors now that it lacked then, or
    `was_preview` files.
    """
    rows = []
    current = _current_builds(viewer, answer)
    for build in answer["builds"]:
        now = current.get(build["repository"])
        is_same = now is not None and now.pk == build["id"]
        _, read, vectors = layers_of(build)
        was_preview = now is not None and read != (now.previewed or now.file_count)
        if now is None or not is_same or was_preview or now.vectors_done != vectors:
            rows.append(
                {
                    "repository": build["repository"],
                    "recorded": build["revision"],
                    "current": now.revision if now else None,
                    "is_same": is_same,
                    "was_preview": was_preview,
                }
            )
    return rows


def _current_builds(viewer: Viewer, answer: Payload) -> dict[str, Build]:
    """Return what is searched now of each repository of an answer that has a build.

    As many queries for many repositories as for one.
    """
    names: dict[str, list[str]] = {}
    for build in answer["builds"]:
        names.setdefault(build["profile"], []).append(build["repository"])
    return {
        build.index.repository.name: build
        for profile, some in names.items()
        for build in current_builds(viewer, some, profile)
    }


def find_symbols(
    viewer: Viewer,
    text: str,
    repositories: Sequence[str] = (),
    profile: str | None = None,
    limit: int = 20,
) -> list[Candidate]:
    """Return symbols that `text` may be meant for, the exact ones first."""
    return suggest_symbols(text, current_builds(viewer, repositories, profile), limit)
