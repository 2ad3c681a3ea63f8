"""Previews: what is read of a first build is searched while the rest is read."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from indexer.gathering import Gathering
from indexer.models import Build, Index
from indexer.pipeline.packing import PlacedFile

FIRST_SECONDS = 1.5  # Of reading; half of what a person waits for the first hits.
# Each next one after so many times as long: all together take an eighth of the time.
TIMES = 8
LEAST_GROWTH = 2  # Times as many files as the one before.
MOST_READ = 0.5  # Of the files: the rest is read as soon as a preview is made.


class Previews:
    """Publishes the files of a build that are read so far, when it is time.

    Only while nothing else of its index is searched, or only another preview. A small
    repository is read before it is time.
    """

    def __init__(
        self,
        build: Build,
        gathering: Gathering,
        publish: Callable[[Sequence[PlacedFile]], None],
    ) -> None:
        self.build = build
        self.gathering = gathering
        self.publish = publish
        self.most = MOST_READ * build.file_count
        self._begun = time.monotonic()
        self._seconds = FIRST_SECONDS
        index = Index.objects.select_related("current_build").get(pk=build.index_id)
        current = index.current_build
        self._wanted = current is None or bool(current.previewed)

    def note(self, done: int) -> None:
        """Publish a preview if it is time, now that `done` files are read."""
        elapsed = time.monotonic() - self._begun
        if not self._wanted or elapsed < self._seconds or done > self.most:
            return
        files = self.gathering.files()
        # A step or an attempt before this one may have made one.
        is_more = len(files) >= LEAST_GROWTH * self.build.previewed
        if is_more and any(placed.file.symbols for placed in files):
            self.publish(files)
            self._seconds = TIMES * (time.monotonic() - self._begun)
        else:
            self._seconds = elapsed + FIRST_SECONDS
