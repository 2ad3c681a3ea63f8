"""Names lead to their definitions, by name only, and to the lines that say them."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from indexer import services
from indexer.models import Build, Repository
from indexer.places import full_texts_of
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder


def get(client: Client, address: str, **headers: str) -> str:
    response = client.get(address, headers=headers or None)
    assert response.status_code == 200
    return response.content.decode()


def test_a_name_with_one_definition_is_a_link_to_it(
    client: Client, shop: Build
) -> None:
    page = get(client, f"/r/shop/blob/{shop.revision}/billing/money.py")

    assert '<a class="nf" href="#L6-L8">format_money</a>' in page


def test_a_name_with_several_definitions_leads_to_the_list(
    client: Client, shop: Build
) -> None:
    page = get(client, f"/r/shop/blob/{shop.revision}/billing/money.py")

    link = f"../../../names/{shop.revision}/?name=send"
    assert f'<a class="nf" href="{link}">send</a>' in page


def test_a_name_in_another_file_is_a_relative_link(
    client: Client,
    db: None,
    data_dir: Path,
    encoder: WordEncoder,
    make_repository: MakeRepository,
) -> None:
    files: dict[str, str | bytes] = {
        "a:b/use.py": "from c import make\n\n\ndef use():\n    return make()\n",
        "c.py": "def make():\n    return 1\n",
    }
    index = services.register(name="two", source=str(make_repository(files)))
    build = services.finish_build(
        build=services.request_build(index=index, enqueue=False)
    )

    page = get(client, f"/r/two/blob/{build.revision}/a%3Ab/use.py")

    assert '<a class="n" href="./../c.py#L1-L2">make</a><span' in page


def test_the_case_of_a_name_counts_and_a_word_in_a_string_is_none(
    client: Client, shop: Build
) -> None:
    page = get(client, f"/r/shop/blob/{shop.revision}/billing/money.py")

    assert ">amount</a>" not in page  # A parameter: nothing is called so.
    assert ">Format</a>" not in page


def test_a_commit_that_is_not_indexed_has_no_links(client: Client, shop: Build) -> None:
    Build.objects.update(revision="f" * 40)

    page = get(client, f"/r/shop/blob/{shop.revision}/billing/money.py")

    assert ">format_money</span>" in page


def test_all_definitions_of_a_name_are_listed_in_order_of_path(
    client: Client, shop: Build
) -> None:
    page = get(client, f"/r/shop/names/{shop.revision}/?name=send")

    assert "2 in" in page
    assert page.index("Report.send") < page.index("Invoice.send")
    assert "def send(self)" in page
    assert "Mail the report to its readers." in page
    assert f"/r/shop/blob/{shop.revision}/billing/money.py#L18-L19" in page


def test_the_card_names_the_definitions_of_the_same_file_first(
    client: Client, shop: Build
) -> None:
    card = get(
        client,
        f"/r/shop/names/{shop.revision}/?name=send&path=billing/money.py",
        HX_Request="true",
    )

    assert "<html" not in card
    assert card.index("Invoice.send") < card.index("Report.send")
    assert "billing/money.py:18" in card
    assert f"/r/shop/uses/{shop.revision}/?name=send" in card


def test_uses_are_all_lines_that_hold_the_word_and_definitions_are_marked(
    client: Client, shop: Build
) -> None:
    page = get(client, f"/r/shop/uses/{shop.revision}/?name=total")

    assert "2 lines in 2 files" in page
    assert page.count('<span class="kind">definition</span>') == 2
    assert "other things of the same name are among them" in page


def test_a_use_is_a_whole_word_in_its_case(
    client: Client,
    db: None,
    data_dir: Path,
    encoder: WordEncoder,
    make_repository: MakeRepository,
) -> None:
    text = "def get():\n    pass\n\n\nget_all = get\nGet = getter = 1\n# get: it\n"
    index = services.register(name="one", source=str(make_repository({"a.py": text})))
    build = services.finish_build(
        build=services.request_build(index=index, enqueue=False)
    )

    page = get(client, f"/r/one/uses/{build.revision}/?name=get")

    assert "3 lines in 1 file" in page
    for number in (1, 5, 7):
        assert f'/r/one/blob/{build.revision}/a.py#L{number}"' in page


def test_uses_are_paged(
    client: Client,
    db: None,
    data_dir: Path,
    encoder: WordEncoder,
    make_repository: MakeRepository,
) -> None:
    text = "def step():\n    pass\n\n\ndef run():\n" + "    step()\n" * 450
    index = services.register(name="one", source=str(make_repository({"a.py": text})))
    build = services.finish_build(
        build=services.request_build(index=index, enqueue=False)
    )
    address = f"/r/one/uses/{build.revision}/?name=step"

    first, last = get(client, address), get(client, f"{address}&page=99")

    assert "451 lines" in first
    assert first.count('class="code__src"') == 200
    assert last.count('class="code__src"') == 51


@pytest.mark.parametrize("page", ["names", "uses"])
def test_a_branch_leads_to_its_commit_and_what_is_no_name_is_refused(
    client: Client, shop: Build, page: str
) -> None:
    branch = client.get(f"/r/shop/{page}/main/?name=send")
    refused = client.get(f"/r/shop/{page}/{shop.revision}/?name=<b>")

    assert branch["Location"] == f"/r/shop/{page}/{shop.revision}/?name=send"
    assert refused.status_code == 400
    assert "A name is a word of code" in refused.content.decode()
    assert "<b>" not in refused.content.decode().replace("<b>A", "")


def test_without_a_name_no_line_is_a_use(client: Client, shop: Build) -> None:
    response = client.get(f"/r/shop/uses/{shop.revision}/")

    assert response.status_code == 400
    assert response.content == b"name: This field is required."


@pytest.mark.parametrize("page", ["names", "uses"])
def test_names_out_of_reach_do_not_exist(
    client: Client, shop: Build, page: str
) -> None:
    Repository.objects.update(visibility="staff")

    response = client.get(f"/r/shop/{page}/{shop.revision}/?name=send")

    assert response.status_code == 404
    assert b"No such repository" in response.content
    assert b"Invoice" not in response.content


def test_the_card_names_definitions_in_the_language_of_the_file_before_others(
    client: Client,
    db: None,
    data_dir: Path,
    encoder: WordEncoder,
    make_repository: MakeRepository,
) -> None:
    files: dict[str, str | bytes] = {
        "a.js": "function send() {\n  return 1;\n}\n",
        "b.py": "def send():\n    return 1\n",
    }
    index = services.register(name="two", source=str(make_repository(files)))
    build = services.finish_build(
        build=services.request_build(index=index, enqueue=False)
    )
    address = f"/r/two/names/{build.revision}/?name=send"

    card = get(client, f"{address}&language=python", HX_Request="true")
    page = get(client, address)

    assert card.index("b.py:1") < card.index("a.js:1")
    assert page.index("a.js:1") < page.index("b.py:1")


def test_uses_of_files_whose_texts_are_not_kept_are_counted_as_missing(
    client: Client, shop: Build
) -> None:
    full_texts_of(shop.index.repository).unlink()

    page = get(client, f"/r/shop/uses/{shop.revision}/?name=total")

    assert "0 lines in 0 files" in page
    assert "4 cannot be searched exactly yet" in page


def test_uses_in_data_and_in_text_are_found_and_a_letter_ends_no_word(
    client: Client,
    db: None,
    data_dir: Path,
    encoder: WordEncoder,
    make_repository: MakeRepository,
) -> None:
    files: dict[str, str | bytes] = {
        "a.py": "def send():\n    pass\n\n\nésend = $send = send_all = sende\n",
        "de.po": 'msgid "send"\nmsgstr "senden"\n',
        "notes.txt": "Then send(it).\n",
    }
    index = services.register(name="one", source=str(make_repository(files)))
    build = services.finish_build(
        build=services.request_build(index=index, enqueue=False)
    )

    page = get(client, f"/r/one/uses/{build.revision}/?name=send")

    assert "3 lines in 3 files" in page
    assert f'/r/one/blob/{build.revision}/de.po#L1"' in page
