"""Mending: a mirror that git can no longer read is fetched anew.

Git notices a damaged pack when it reads it, not before. So a mirror is looked through,
which may take a minute, only when a build could not read it.
"""

from __future__ import annotations

import logging
import secrets
import shutil
from pathlib import Path

from indexer.errors import IndexingError
from indexer.events import record_event
from indexer.fetching import bring_up_to_date, locked
from indexer.models import Build, BuildEvent, Repository
from indexer.pipeline import refs
from indexer.pipeline.git_command import GitError, is_damage
from indexer.places import mirror_of

logger = logging.getLogger(__name__)

MENDED = "The mirror was damaged; it was fetched anew."


def mend_mirror(build: Build, error: GitError) -> bool:
    """Return whether a step that failed by `error` is worth another try.

    It is if the mirror was damaged and could be fetched, once a build.
    """
    if not is_damage(error) or build.events.filter(text=MENDED).exists():
        return False
    repository = build.index.repository
    with locked(mirror_of(repository)):
        if not _fetch_anew(repository, mirror_of(repository)):
            return False
    record_event(build, MENDED, level=BuildEvent.Level.WARNING)
    return True


def _fetch_anew(repository: Repository, mirror: Path) -> bool:
    """Replace a damaged mirror; False, and it stays, if it is sound or cannot be.

    Replaced it is also if what is tracked is no longer at its source.
    """
    if mirror.exists() and refs.is_sound(mirror):
        return False
    aside = mirror.with_name(f".{mirror.name}.{secrets.token_hex(8)}")
    if mirror.exists():
        mirror.rename(aside)
    try:
        bring_up_to_date(repository, mirror)
    except (GitError, IndexingError) as error:
        logger.error("the damaged mirror %s: %s", mirror.name, error)
        if not mirror.exists():
            if aside.exists():
                aside.rename(mirror)
            return False
    if aside.exists():
        refs.copy_pins(aside, mirror)
    shutil.rmtree(aside, ignore_errors=True)
    return True
