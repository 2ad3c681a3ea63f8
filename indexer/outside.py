"""Outside: where else a file can be opened, at its host and in an editor."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from indexer.access import Viewer
from indexer.models import Repository
from indexer.pipeline.hosts import (
    NO_LINK,
    fill_template,
    known_template,
    path_below,
)


@dataclass(frozen=True, slots=True)
class Outside:
    """Addresses of a file, "" where there is none; `{line}` stands for its line."""

    host_url: str = ""
    editor_url: str = ""


def outside_of(
    viewer: Viewer, repository: Repository, revision: str, path_url: str
) -> Outside:
    """Return where else a file can be opened.

    A folder of this machine is told to those who may see the source.
    """
    template = repository.host_url or known_template(repository.source)
    is_folder = repository.source.startswith("/")
    root = repository.local_root
    if not root and is_folder and viewer.sees_all:
        root = repository.source
    editor = settings.EDITOR_URL if root else ""

    def fill(template: str, path: str) -> str:
        return fill_template(
            template, path=path, revision=revision, repository=repository.name
        )

    return Outside(
        host_url="" if template == NO_LINK else fill(template, path_url),
        editor_url=fill(editor, path_below(root, path_url)),
    )
