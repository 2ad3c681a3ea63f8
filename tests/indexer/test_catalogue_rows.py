"""The catalogue on disk says the same as the rows of a build."""

from __future__ import annotations

import pytest

from indexer import services
from indexer.pipeline.catalogue import load_catalogue
from indexer.pipeline.types import NONE
from indexer.places import lexical_folder
from tests.conftest import MakeRepository

COPY = "def total(rows):\n    found = len(rows)\n    return found\n"


@pytest.mark.django_db
@pytest.mark.usefixtures("data_dir", "encoder")
def test_the_catalogue_equals_the_rows(make_repository: MakeRepository) -> None:
    source = make_repository(
        {
            "a.py": COPY,
            "b\udcff.py": "class A:\n    x = 1\n\n    def f(self):\n        return 1\n",
            "tests/test_a.py": COPY,
            "logo.png": b"\x89PNG\x00",
        }
    )
    index = services.register(name="shop", source=str(source))
    build = services.finish_build(
        build=services.request_build(index=index, enqueue=False)
    )

    folder = lexical_folder(build)
    catalogue = load_catalogue(folder / "catalogue")

    for n, row in enumerate(build.chunks.select_related("file").order_by("ordinal")):
        assert catalogue.symbols[n] == row.symbol
        assert catalogue.kinds[n] == row.kind
        assert list(catalogue.marks[n]) == row.marks
        assert list(catalogue.lines[n]) == [row.start_line, row.end_line]
        assert catalogue.start_bytes[n] == row.start_byte
        first, last = catalogue.span_offsets[n : n + 2]
        assert catalogue.spans[first:last].tolist() == [list(s) for s in row.spans]
        copied = NONE if row.duplicate_of is None else row.duplicate_of
        assert catalogue.duplicate_of[n] == copied
        file = row.file.ordinal
        assert catalogue.file_starts[file] <= n < catalogue.file_starts[file + 1]
    for n, line in enumerate(build.files.order_by("ordinal")):
        assert catalogue.files[n].path == bytes(line.path_bytes)
        assert catalogue.files[n].language == line.language
        assert list(catalogue.files[n].marks) == line.marks
    assert [n for n in catalogue.duplicate_of if n != NONE] == [0]
