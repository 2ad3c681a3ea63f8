"""The inspection page shows what was indexed, to the letter."""

from __future__ import annotations

import shutil

import pytest
from django.test import Client

from indexer import inspection, services
from indexer.access import ANYONE
from indexer.inspection import inspect_file
from indexer.models import Build, Layer, Repository
from indexer.places import layer_folder
from tests.codesearch.conftest import build_of
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

PATH = b"billing/money.py"


def test_texts_and_terms_are_those_of_the_index(
    shop: Build, encoder: WordEncoder
) -> None:
    found = inspect_file(ANYONE, "shop", shop.revision, PATH)

    assert found is not None
    assert (found.limit, found.note) == (80, "")
    row = next(row for row in found.chunks if row.chunk.symbol == "Invoice.total")
    purpose, body = row.texts
    assert purpose.parts[0].text == (
        "billing money Invoice.total\ndef total(self)\nAdd the lines up."
    )
    assert purpose.parts[0].text in encoder.encoded
    assert body.parts[0].text in encoder.encoded
    assert body.parts[0].tokens == len(body.parts[0].text.split())
    assert all(text.embedded for text in row.texts)
    assert dict(row.terms)["total"] == 6  # three times in the name, twice in the head
    assert sum(count for _, count in row.terms) == row.length


def test_a_text_whose_layer_is_not_out_has_no_vector_yet(shop: Build) -> None:
    Layer.objects.filter(kind="body").delete()

    found = inspect_file(ANYONE, "shop", shop.revision, PATH)

    assert found is not None
    assert [text.embedded for text in found.chunks[-1].texts] == [True, False]


def test_texts_indexed_with_secrets_are_hidden_once_secrets_are_off(
    shop: Build,
) -> None:
    Repository.objects.update(index_secrets=True)
    again = services.request_build(index=shop.index, enqueue=False)
    build = services.finish_build(build=again)
    shown = inspect_file(ANYONE, "shop", build.revision, PATH)
    Repository.objects.update(index_secrets=False)

    hidden = inspect_file(ANYONE, "shop", build.revision, PATH)

    assert shown is not None
    assert shown.chunks
    assert hidden is not None
    assert (hidden.summary, hidden.chunks) == (None, [])
    assert hidden.note.startswith("Hidden: it was indexed with secrets")


def test_the_page_is_reached_from_the_file_and_shows_each_text(
    shop: Build, client: Client
) -> None:
    address = f"/r/shop/inspect/{shop.revision}/billing/money.py"

    file = client.get(f"/r/shop/blob/{shop.revision}/billing/money.py")
    page = client.get(address)

    assert address in file.content.decode()
    text = page.content.decode()
    assert page.status_code == 200
    assert "billing money Invoice.total\ndef total(self)\nAdd the lines up." in text


def test_of_much_the_beginning_is_shown_and_how_much_there_is(
    shop: Build, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"/r/shop/inspect/{shop.revision}/billing/money.py"
    whole = inspect_file(ANYONE, "shop", shop.revision, PATH)
    assert whole is not None
    monkeypatch.setattr(inspection, "MOST_CHUNKS", 2)
    monkeypatch.setattr(inspection, "MOST_TERMS", 3)
    monkeypatch.setattr(inspection, "MOST_CHARACTERS", 60)

    found = inspect_file(ANYONE, "shop", shop.revision, PATH)
    page = client.get(address).content.decode()

    assert found is not None
    assert found.more == len(whole.chunks) - 2
    first, known = found.chunks[0], whole.chunks[0]
    assert first.terms == known.terms[:3]
    assert first.different == len(known.terms)
    body, known_body = first.texts[-1], known.texts[-1]
    assert known_body.cut_from == 0
    assert body.cut_from == len(known_body.parts[0].text)
    assert f"The first 2 of {len(whole.chunks)} chunks" in page
    assert f"the body has {body.cut_from} characters" in page
    assert f"{found.more} more chunks" in page


def test_the_parts_of_a_beginning_are_those_of_the_whole_text(
    shop: Build,
    make_repository: MakeRepository,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = "".join(f"    call_{n}(first, second)\n" for n in range(200))
    build = build_of("long", make_repository({"long.py": f"def long():\n{lines}"}))

    def bodies() -> list[str]:
        found = inspect_file(ANYONE, "long", build.revision, b"long.py")
        assert found is not None
        return [part.text for part in found.chunks[0].texts[-1].parts]

    whole = bodies()
    monkeypatch.setattr(inspection, "MOST_CHARACTERS", 3000)
    first = bodies()

    assert 1 < len(first) < len(whole)
    assert first == whole[: len(first)]


def test_what_a_viewer_may_not_read_is_not_there(shop: Build, client: Client) -> None:
    address = f"/r/shop/inspect/{shop.revision}/billing/money.py"
    assert client.get(f"/r/shop/inspect/{shop.revision}/no.py").status_code == 404

    Repository.objects.update(visibility="staff")

    assert client.get(address).status_code == 404


def test_an_index_of_an_earlier_version_is_named(client: Client, shop: Build) -> None:
    shutil.rmtree(layer_folder(shop, "lexical", 0) / "catalogue")
    layer = shop.layers.get(kind="lexical")
    layer.files = {k: v for k, v in layer.files.items() if "catalogue" not in k}
    layer.save()

    page = client.get(f"/r/shop/inspect/{shop.revision}/{PATH.decode()}")

    assert "The index cannot be read: lexical-0 is of an earlier" in page.text
