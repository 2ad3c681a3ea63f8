"""Named configs: staff makes them, everybody chooses them in the address.

An address that names none means the default one; one that turns a knob means exactly
the knobs that it turns.
"""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client

from codesearch.models import NamedConfig, SearchRecord
from indexer.models import Build

pytestmark = pytest.mark.django_db


def make(name: str, *pairs: tuple[str, str], is_default: bool = False) -> NamedConfig:
    return NamedConfig.objects.create(
        name=name, pairs=[list(pair) for pair in pairs], is_default=is_default
    )


def settings_of(client: Client, **asked: str) -> list[list[str]]:
    answer = client.get("/", {"q": "total", "format": "json", **asked})
    found: list[list[str]] = answer.json()["settings"]
    return found


def test_staff_makes_a_config_of_what_differs(staff: Client) -> None:
    data = {"name": "words", "off": ["body", "purpose"], "k": "20", "pool": "200"}
    answer = staff.post("/configs/add/", {**data, "weight.bm25": "2.5"})

    made = NamedConfig.objects.get()
    assert answer["Location"] == "/configs/"
    assert sorted(made.pairs) == [
        ["k", "20"],
        ["off", "body"],
        ["off", "purpose"],
        ["weight.bm25", "2.5"],
    ]
    assert made.created_by is not None
    assert "keeper" in staff.get("/configs/").content.decode()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"name": "shipped"}, "is taken"),
        ({"name": "words"}, "is taken"),
        ({"name": "a b"}, "Enter a valid"),
        ({"name": "x", "pool": "3"}, "greater than or equal to 20"),
        ({"name": "x", "off": ["purpose", "body", "bm25", "symbol"]}, "One leg"),
    ],
)
def test_what_cannot_be_a_config_is_refused(
    staff: Client, data: dict[str, object], sentence: str
) -> None:
    make("words")

    answer = staff.post("/configs/add/", data)

    assert answer.status_code == 400
    assert sentence in answer.content.decode()
    assert NamedConfig.objects.count() == 1


def test_a_copy_begins_with_the_settings_of_another(staff: Client) -> None:
    make("words", ("off", "body"), ("k", "20"))

    page = staff.get("/configs/add/?copy=words").content.decode()

    assert 'value="20"' in page
    assert 'value="body"' in page.partition("checked")[0].rpartition("<input")[2]


def test_a_config_is_changed_and_removed(staff: Client) -> None:
    make("words", ("k", "20"))

    staff.post("/configs/words/", {"name": "few", "k": "30"})
    changed = NamedConfig.objects.get()
    staff.post("/configs/few/delete/")

    assert (changed.name, changed.pairs) == ("few", [["k", "30"]])
    assert not NamedConfig.objects.exists()


@pytest.mark.parametrize("is_known", [False, True])
def test_others_see_configs_and_change_none(client: Client, is_known: bool) -> None:
    make("words", ("k", "20"))
    if is_known:
        client.force_login(User.objects.create_user("reader"))

    page = client.get("/configs/").content.decode()
    answers = [
        client.post("/configs/add/", {"name": "x"}),
        client.post("/configs/words/", {"name": "x"}),
        client.post("/configs/missing/delete/"),
        client.post("/configs/words/delete/"),
        client.post("/configs/default/", {"name": "words"}),
    ]

    assert "RRF k 20" in page
    assert "Make a config" not in page
    assert [answer.status_code for answer in answers] == [403] * 5
    assert NamedConfig.objects.get().pairs == [["k", "20"]]


def test_there_is_one_default_and_none_called_as_ours() -> None:
    make("a", is_default=True)

    with pytest.raises(IntegrityError), transaction.atomic():
        make("b", is_default=True)
    with pytest.raises(IntegrityError), transaction.atomic():
        make("shipped")


def test_a_search_is_ranked_with_the_config_that_its_address_names(
    client: Client, shop: Build
) -> None:
    make("words", ("k", "20"))

    assert settings_of(client) == []
    assert settings_of(client, config="words") == [["k", "20"]]
    page = client.get("/?q=total&config=words").content.decode()
    assert '<option value="words" selected>words</option>' in page
    assert "Ranked with the config <b>words</b>" in " ".join(page.split())


def test_knobs_of_an_address_hold_beside_a_name(client: Client, shop: Build) -> None:
    make("words", ("k", "20"), ("off", "body"))

    assert settings_of(client, config="words", pool="100") == [["pool", "100"]]


def test_the_default_is_used_where_nothing_is_named(staff: Client, shop: Build) -> None:
    make("words", ("k", "20"))
    staff.post("/configs/default/", {"name": "words"})

    assert settings_of(staff) == [["k", "20"]]
    assert settings_of(staff, config="shipped") == []
    assert settings_of(staff, k="60") == []
    page = staff.get("/?q=total").content.decode()
    assert "config=words" in page.partition('id="results"')[2]
    staff.post("/configs/default/", {"name": "shipped"})
    assert settings_of(staff) == []


def test_a_name_that_there_is_not_is_an_error(client: Client, shop: Build) -> None:
    for address in ("/?q=total&config=no", "/trace/?q=total&target=a&config=no"):
        answer = client.get(address)

        assert answer.status_code == 400
        assert "There is no “no”; there are shipped." in answer.content.decode()


def test_a_trace_is_asked_under_a_config_and_its_links_keep_it(
    client: Client, shop: Build
) -> None:
    make("words", ("k", "20"))

    page = client.get("/trace/?q=total&target=Invoice.total&config=words")

    text = page.content.decode()
    assert "<option selected>words</option>" in text
    assert "Traced with the config <b>words</b>" in " ".join(text.split())
    assert "--set=k=20" in text
    assert "config=words" in text


def test_what_is_shared_is_recorded_with_the_settings(
    client: Client, shop: Build
) -> None:
    make("words", ("k", "20"))

    client.post("/share/", {"kind": "search", "q": "total", "config": "words"})
    NamedConfig.objects.all().delete()

    record = SearchRecord.objects.get()
    link = record.links.get()
    assert record.answer["settings"] == [["k", "20"]]
    page = client.get(f"/s/{link.token}").content.decode()
    assert "Ranked with <code>k 20</code>" in " ".join(page.split())


def options(client: Client, address: str) -> list[tuple[str, str]]:
    """The configs that a search page offers: what marks them, and their words."""
    page = client.get(address).content.decode()
    _, _, rest = page.partition('<select class="select select--small querybar__config"')
    chosen, _, _ = rest.partition("</select>")
    return re.findall(r'<option value="[^"]*"( selected)?>([^<]*)<', chosen)


def test_the_search_page_offers_the_configs_and_says_the_default(
    client: Client, shop: Build
) -> None:
    assert options(client, "/?q=total") == []

    make("words", ("k", "20"))
    make("few", ("pool", "50"), is_default=True)

    few, shipped, words = "few (default)", "shipped", "words"
    assert options(client, "/?q=total") == [
        ("", shipped),
        (" selected", few),
        ("", words),
    ]
    assert options(client, "/?q=total&config=words") == [
        ("", shipped),
        ("", few),
        (" selected", words),
    ]
    assert options(client, "/?config=shipped")[0] == (" selected", shipped)


def test_knobs_that_are_turned_are_kept_and_no_config_is_chosen(client: Client) -> None:
    make("words", ("k", "20"))

    page = client.get("/?q=total&pool=100").content.decode()

    assert options(client, "/?q=total&pool=100") == []
    assert '<input type="hidden" name="pool" value="100">' in page
