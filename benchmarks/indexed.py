"""What the benchmarks share: a folder, indexed by the product's own pipeline.

The data folder is CODESEARCH_DATA where that is set, so that a second run finds
its vectors made; otherwise a temporary one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.records import ROOT


@contextmanager
def data_folder() -> Iterator[None]:
    """Set Django up on a data folder with all tables, for the block."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("CODESEARCH_DATA", folder)
        set_up()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        yield


def share_models() -> None:
    """Let fresh data folders use models that were prepared by an earlier run."""
    models = ROOT / "data" / "bench" / "models"
    os.environ.setdefault("CODESEARCH_MODELS", str(models))


def set_up() -> None:
    """Set Django up on the data folder that CODESEARCH_DATA names."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "codesearch.settings")
    import django

    django.setup()


def index_folder(source: Path, *, name: str, profile: str = "symbol") -> str:
    """Index a folder as it is now, with the vectors it had; return its name.

    Raises SystemExit with the sentence of a build that failed, or of a name that
    stands for another folder in this data folder.
    """
    from indexer import progress, services
    from indexer.errors import IndexingError
    from indexer.models import Build

    try:
        index = services.register(
            name=name, source=str(source.resolve()), profile=profile
        )
    except IndexingError as error:
        raise SystemExit(str(error)) from error
    for stopped in index.builds.filter(status__in=Build.ACTIVE):
        progress.cancel_build(build=stopped)  # Perhaps of other code: not resumed.
    build = services.finish_build(
        build=services.request_build(index=index, enqueue=False)
    )
    if build.status != Build.Status.READY:
        raise SystemExit(f"{name}: {build.failure}")
    return name


def lexical_profile() -> str:
    """Return the name of a profile without vectors, which is made if needed."""
    from indexer.encoders import NO_MODEL
    from indexer.models import Profile

    Profile.objects.get_or_create(name="lexical", defaults={"model": NO_MODEL})
    return "lexical"


def copy_below(source: Path, part: str, *, name: str) -> Path:
    """Return a folder that holds only what `source` has below `part`, at its paths.

    So the texts of a part are those of the whole, and so are their vectors. The
    copy lies in the data folder, made anew each time.
    """
    from django.conf import settings

    folder = Path(settings.DATA_DIR) / "benchmarks" / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source / part, folder / part, symlinks=True)
    return folder


def django_source() -> Path:
    """Return a folder that holds the installed Django as `django/`."""
    from codesearch.management.commands.demo import demo_source

    return demo_source()
