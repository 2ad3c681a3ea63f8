"""A build says of each surface how many of its texts have a vector."""

from __future__ import annotations

import shutil

import pytest

from indexer import services, vectors
from indexer.access import ANYONE
from indexer.models import Build, Index
from indexer.places import folder_of
from indexer.selectors import repository_card
from indexer.vector_counts import VectorCount, vector_counts
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir")]


@pytest.fixture
def build(
    make_repository: MakeRepository,
    encoder: WordEncoder,
    monkeypatch: pytest.MonkeyPatch,
) -> Build:
    """A build of two files and three chunks that has its summaries and two purposes."""
    monkeypatch.setattr(vectors, "STEP_SECONDS", 0.0)
    monkeypatch.setattr(vectors, "BATCH", 2)
    code = "def pay(x):\n    return x\n\n\ndef tip(x):\n    return x\n"
    source = make_repository({"shop.py": code, "README.md": "# Shop\n\nHow to pay.\n"})
    index = services.register(name="shop", source=str(source))
    build = services.request_build(index=index, enqueue=False)
    for _ in range(3):
        services.advance_build(build_id=build.pk)
    return Build.objects.get(pk=build.pk)


def test_each_surface_is_counted_apart(build: Build) -> None:
    expected = [
        VectorCount("summary", 2, 2),
        VectorCount("purpose", 2, 3),
        VectorCount("body", 0, 3),
    ]

    card = repository_card(ANYONE, "shop")

    assert vector_counts([build]) == {build.pk: expected}
    assert card is not None
    assert card.vectors == expected


def test_a_build_that_is_not_read_yet_or_has_lost_its_files_has_no_counts(
    build: Build,
) -> None:
    queued = Index.objects.get().builds.create(status="ready")
    shutil.rmtree(folder_of(build))

    assert vector_counts([build, queued]) == {build.pk: [], queued.pk: []}
