"""A hit is saved from the search page as what its query should find."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from codesearch.case_sets import make_set
from codesearch.cases import save_right_one
from codesearch.errors import SearchError
from codesearch.models import Case
from codesearch.pages.links import target_of
from codesearch.services import search
from indexer.access import ANYONE, viewer_of
from indexer.models import Build, Repository

QUERY = "format money"
HTMX = {"HX-Request": "true"}


def hit(symbol: str) -> str:
    """The exact spelling of a hit of the search page."""
    found = search(viewer=ANYONE, query=symbol)
    return next(target_of(one) for one in found["hits"] if one["symbol"] == symbol)


def save(user: User, symbol: str, **more: Any) -> Case:
    told: dict[str, Any] = {"viewer": viewer_of(user), "user": user, "query": QUERY}
    return save_right_one(**told, target=hit(symbol), **more)


def test_a_hit_is_kept_by_its_name_in_its_file(shop: Build, ada: User) -> None:
    case = save(ada, "format_money")

    assert case.targets == ["billing/money.py#format_money"]
    assert (case.case_set.name, case.created_by) == ("saved for shop", ada)


def test_a_case_holds_when_its_repository_is_called_otherwise(
    client: Client, shop: Build, ada: User
) -> None:
    case = save(ada, "format_money")
    Repository.objects.update(name="store")

    page = client.get(f"/cases/{case.case_set_id}/")

    url = page.context["rows"][0].url
    told = client.get(url, {}).content.decode()
    assert "repository=store" in url
    assert "This question is a case" in told


def test_of_several_repositories_the_target_names_its_own(
    till: Repository, ada: User
) -> None:
    assert save(ada, "ring").targets == ["till:till.py#ring"]


def test_a_second_right_one_joins_the_first(shop: Build, ada: User) -> None:
    first = save(ada, "format_money")
    again = save(ada, "format_money")
    second = save(ada, "Invoice.total")

    assert first == again == second
    assert second.targets == [
        "billing/money.py#Invoice.total",
        "billing/money.py#format_money",
    ]


def test_what_another_saved_is_left_as_it_is(shop: Build, ada: User) -> None:
    first = save(ada, "format_money")
    second = save(User.objects.create_user("bob"), "Invoice.total")

    assert second != first
    assert second.case_set == first.case_set
    first.refresh_from_db()
    assert first.targets == ["billing/money.py#format_money"]


def test_a_set_is_given_only_hits_of_what_it_is_asked_of(
    till: Repository, ada: User
) -> None:
    told: Any = {"viewer": viewer_of(ada), "user": ada}
    mine = make_set(**told, name="mine", repositories=["shop"])

    assert save(ada, "format_money", case_set=mine).case_set == mine
    with pytest.raises(SearchError, match="mine is not asked of till"):
        save(ada, "ring", case_set=mine)


def test_a_hit_that_is_gone_is_not_saved(shop: Build, ada: User) -> None:
    told: Any = {"viewer": viewer_of(ada), "user": ada, "query": QUERY}

    with pytest.raises(SearchError, match="not in the index any more"):
        save_right_one(**told, target="shop:billing/money.py#gone@7")
    assert not Case.objects.exists()


def test_the_button_is_for_who_is_signed_in(
    client: Client, shop: Build, ada: User
) -> None:
    for view in ("", "list"):
        assert "right-one" not in client.get("/", {"q": QUERY, "view": view}).text
    client.force_login(ada)
    for view in ("", "list"):
        page = client.get("/", {"q": QUERY, "view": view}).text
        assert page.count('form="right-one"') >= 1
        assert f'value="{hit("format_money")}"' in page


def test_the_answer_takes_the_place_of_the_button(
    client: Client, shop: Build, ada: User
) -> None:
    client.force_login(ada)
    form = {"q": QUERY, "target": hit("format_money")}

    answer = client.post("/cases/right/", form, headers=HTMX)

    case = Case.objects.get()
    assert answer.text.lstrip().startswith("<span")
    assert f'href="/cases/{case.case_set_id}/"' in answer.text
    assert f'href="/cases/{case.case_set_id}/{case.pk}/"' in answer.text
    form = {"q": QUERY, "target": "shop:gone.py#gone@7"}
    answer = client.post("/cases/right/", form, headers=HTMX)
    assert answer.status_code == 400
    assert "not in the index any more" in answer.text


def test_without_a_script_it_leads_back_to_the_page_and_says_so(
    client: Client, shop: Build, ada: User
) -> None:
    client.force_login(ada)
    form = {"q": QUERY, "target": hit("format_money"), "view": "list"}

    answer = client.post("/cases/right/", form, follow=True)

    assert answer.redirect_chain == [("/?q=format+money&view=list", 302)]
    assert "Saved in “saved for shop”: format money" in answer.text


def test_the_set_that_was_chosen_last_is_offered_first(
    client: Client, shop: Build, ada: User
) -> None:
    told: Any = {"viewer": viewer_of(ada), "user": ada}
    mine = make_set(**told, name="mine", repositories=["shop"])
    client.force_login(ada)
    form = {"q": QUERY, "target": hit("format_money"), "case_set": mine.pk}

    client.post("/cases/right/", form)

    assert mine.cases.count() == 1
    page = client.get("/", {"q": QUERY}).text
    assert f'<option value="{mine.pk}" selected>mine</option>' in page


def test_the_set_of_another_cannot_be_chosen(
    client: Client, shop: Build, ada: User
) -> None:
    told: Any = {"viewer": viewer_of(ada), "user": ada}
    mine = make_set(**told, name="mine", repositories=["shop"])
    client.force_login(User.objects.create_user("bob"))
    form = {"q": QUERY, "target": hit("format_money"), "case_set": mine.pk}

    assert client.post("/cases/right/", form).status_code == 404
    assert not Case.objects.exists()
