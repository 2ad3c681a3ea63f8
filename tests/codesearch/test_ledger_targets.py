"""A target that is no chunk of its own is told which chunk holds it, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from codesearch import services
from codesearch.errors import AmbiguousTarget
from indexer import services as indexing
from indexer.access import ANYONE
from indexer.models import Build
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

MIGRATION = "class Migration:\n    operations = []\n"
BLOB = "QUJD" * 600
COPY = "def total(rows):\n    rows = list(rows)\n    return len(rows)\n"
API = """Managers
========

Text.

Reference
---------

.. class:: Manager

   It manages.
"""
FILES: dict[str, str | bytes] = {
    "shop/migrations/0001_initial.py": MIGRATION,
    "shop/rows.py": COPY,
    "vendor/rows.py": COPY,
    "shop/logo.js": f"var logo = '{BLOB}';\nfunction draw() {{ return logo; }}\n",
    "docs/managers.rst": API,
    "docs/total.md": "# Guide\n\n## Draw\n\nHow to draw a logo.\n",
    ".env": "TOKEN=abc\n",
}


@pytest.fixture
def shop(
    db: None, data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> Build:
    return build_of(make_repository(FILES))


def build_of(source: Path) -> Build:
    index = indexing.register(name="shop", source=str(source))
    build = indexing.request_build(index=index, enqueue=False)
    return indexing.finish_build(build=build)


def target(wanted: str) -> dict[str, Any]:  # Any: JSON
    found = services.trace(viewer=ANYONE, query="draw a logo", targets=[wanted])
    first: dict[str, Any] = found["targets"][0]
    return first


def death(wanted: str) -> tuple[str, str]:
    found = target(wanted)["death"]
    return found["stage"], found["reason"]


def test_a_symbol_of_a_one_thing_file_is_merged_into_it(shop: Build) -> None:
    chunk = f"shop@{shop.revision}:shop/migrations/0001_initial.py#@0"

    assert death("Migration") == ("chunk", f"merged_into:{chunk}")
    assert death("Migration.operations") == ("chunk", f"merged_into:{chunk}")
    assert target("Migration")["death"]["detail"] == (
        "Migration is no chunk of its own: it lies in lines 1 to 2 of "
        "shop/migrations/0001_initial.py, which are one."
    )


def test_a_merged_name_is_called_as_it_was_asked_for(
    client: Client, shop: Build
) -> None:
    page = client.get("/trace/", {"q": "draw", "target": "Migration"}).content.decode()

    assert "Died at the chunk: merged into" in page
    assert "<code>Migration</code> is not a chunk of its own." in page


def test_the_outline_of_documentation_is_its_headings(
    client: Client, shop: Build
) -> None:
    url = f"/r/shop/blob/{shop.revision}/docs/managers.rst"
    page = client.get(url).content.decode()

    assert ">Managers</" in page
    assert ">Reference</" in page


def test_a_name_of_an_api_page_is_merged_into_its_section(shop: Build) -> None:
    chunk = f"shop@{shop.revision}:docs/managers.rst#Managers%20%3E%20Reference@26"

    assert death("Manager") == ("chunk", f"merged_into:{chunk}")


def test_a_name_of_several_migrations_is_ambiguous(
    db: None, data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> None:
    paths = ["a/migrations/0001_a.py", "a/migrations/0002_b.py"]
    build_of(make_repository(dict.fromkeys(paths, MIGRATION)))

    with pytest.raises(AmbiguousTarget) as caught:
        target("Migration")

    assert [row["path"] for row in caught.value.candidates] == paths


def test_lines_and_files_that_were_left_out_say_why(shop: Build) -> None:
    assert death("shop/logo.js:1") == ("corpus", "partial:long_line")
    assert death(".env") == ("corpus", "skipped:secret")


def test_a_symbol_comes_before_a_section_of_its_name(shop: Build) -> None:
    assert target("draw")["path"] == "shop/logo.js"
    assert target("Guide")["path"] == "docs/total.md"
    assert target("guide > draw")["symbol"] == "Guide > Draw"


def test_sections_are_not_in_the_symbol_leg(shop: Build) -> None:
    found = services.search(viewer=ANYONE, query="Guide")

    assert found["legs"]["symbol"]["matched"] == 0
    assert found["hits"][0]["symbol"] == "Guide"


def test_a_hit_has_marks_and_names_what_it_is_a_copy_of(shop: Build) -> None:
    found = services.search(viewer=ANYONE, query="total rows")

    (hit,) = [hit for hit in found["hits"] if hit["symbol"] == "total"]
    both = {row["path"]: row for row in (hit, *hit["copies"])}
    original, copy = both["shop/rows.py"], both["vendor/rows.py"]
    assert (original["marks"], original["duplicate_of"]) == ([], None)
    assert (copy["marks"], copy["duplicate_of"]) == (["vendored"], original["chunk"])


def test_a_payload_counts_what_is_not_covered(shop: Build) -> None:
    found = services.search(viewer=ANYONE, query="zebra")

    counts = found["builds"][0]["counts"]
    assert {key: counts[key] for key in ("files", "indexed", "partial", "skipped")} == {
        "files": 7,
        "indexed": 6,
        "partial": 1,
        "skipped": 1,
    }


def test_a_page_shows_marks_and_copies(client: Client, shop: Build) -> None:
    page = client.get("/", {"q": "total rows"}).content.decode()

    assert '<span class="kind">vendored</span>' in page
    assert "One of 2 copies found" in page
    assert f'href="/r/shop/blob/{shop.revision}/vendor/rows.py#L1-L3"' in page
