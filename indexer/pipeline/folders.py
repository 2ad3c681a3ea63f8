"""Folders: what lies directly in one folder of a commit."""

from __future__ import annotations

import os
from pathlib import Path

from indexer.pipeline.git import FOLDER, held_commit, listed_entries
from indexer.pipeline.git_command import LITERAL, GitError, run_git
from indexer.pipeline.types import TreeEntry


def list_folder(mirror: Path, revision: str, path: bytes) -> list[TreeEntry] | None:
    """Return the entries of one folder at a commit, folders first, by path bytes.

    `path` has no slash at its end and is empty for the root. None if there is no such
    folder, or the mirror does not hold the commit.
    """
    if b"\0" in path or not mirror.exists() or held_commit(mirror, revision) is None:
        return None
    below = [os.fsdecode(path + b"/")] if path else []
    arguments = ["ls-tree", "-z", "-l", "--full-tree", revision, "--", *below]
    try:
        listing = run_git(arguments, mirror, extra=LITERAL)
    except GitError:
        return None
    # Git reads `a/..` as a place, not as a name.
    listed = listed_entries(listing)
    within = [one for one in listed if one.path.rpartition(b"/")[0] == path]
    within.sort(key=lambda one: (one.mode != FOLDER, one.path))
    return within if within or not path else None
