"""What the benchmarks share: a folder, indexed by the product's own pipeline.

The data folder is CODESEARCH_DATA where that is set, so that a second run finds
its vectors made; otherwise a temporary one.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def data_folder() -> Iterator[None]:
    """Set Django up on a data folder with all tables, for the block."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("CODESEARCH_DATA", folder)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "codesearch.settings")
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        yield


def index_folder(source: Path, *, name: str) -> str:
    """Index a folder, if that was not done at its present content; return its name.

    Raises SystemExit with the sentence of a build that failed.
    """
    from indexer import services

    index = services.register(name=name, source=str(source.resolve()))
    build = services.finish_build(
        build=services.request_build(index=index, enqueue=False)
    )
    if build.status != build.Status.READY:
        raise SystemExit(f"{name}: {build.failure}")
    return name
