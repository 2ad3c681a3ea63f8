"""A case says what a query should find; only who may read all of it sees it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client

from codesearch.cases import cases_of, delete_case, find_case, save_case
from codesearch.errors import NothingIndexed, UnknownRepository, UnreadableQuery
from codesearch.models import Case, CaseSet
from indexer.access import ANYONE, COMMAND_LINE, Viewer, viewer_of
from indexer.models import Build, Repository

WISH: dict[str, Any] = {"query": "format money", "targets": ["format_money"]}
FORM = {"q": "format money", "target": "format_money", "expected": "in_pool"}


def hide(repository: Repository) -> None:
    Repository.objects.filter(pk=repository.pk).update(visibility="staff")


def test_a_case_keeps_what_was_asked_and_what_is_expected(
    shop: Build, ada: User
) -> None:
    case = save_case(
        viewer=ANYONE, user=ada, **WISH, expected="in_pool", note="Printed on bills."
    )

    assert (case.query, case.targets, case.case_set.profile) == (
        "format money",
        ["format_money"],
        "",
    )
    assert (case.expected, case.note) == ("in_pool", "Printed on bills.")
    assert case.created_by == ada
    assert [one.name for one in case.case_set.repositories.all()] == ["shop"]


def test_one_question_is_one_case_whoever_saves_it(shop: Build, ada: User) -> None:
    wish: dict[str, Any] = {"viewer": ANYONE, "query": "total", "user": ada}
    first = save_case(**wish, targets=["b", "a"])

    again = save_case(**wish, targets=["a", "b"], expected="in_leg")
    other = save_case(**wish, targets=["a", "b"], profile="symbol")

    assert again == first
    assert Case.objects.get(pk=first.pk).expected == "on_page"
    assert other != first


def test_a_query_that_names_a_repository_is_asked_of_that_alone(
    till: Repository, ada: User
) -> None:
    case = save_case(viewer=ANYONE, user=ada, query="bell repo:till", targets=["ring"])

    assert [one.name for one in case.case_set.repositories.all()] == ["till"]


def test_what_cannot_be_asked_is_no_case(db: None, ada: User) -> None:
    with pytest.raises(NothingIndexed):
        save_case(viewer=ANYONE, user=ada, **WISH)
    with pytest.raises(UnknownRepository):
        save_case(viewer=ANYONE, user=ada, **WISH, repositories=["shop"])
    with pytest.raises(UnreadableQuery):
        save_case(viewer=ANYONE, user=ada, query=" ", targets=["total"])
    assert not Case.objects.exists()


def test_the_database_refuses_a_stage_that_there_is_not(db: None) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Case.objects.create(
            case_set=CaseSet.objects.create(name="a"),
            query="a",
            targets=[],
            expected="first",
        )


def test_a_case_is_seen_by_who_may_read_all_its_repositories(
    till: Repository, ada: User
) -> None:
    both = save_case(viewer=ANYONE, user=ada, **WISH)
    one = save_case(viewer=ANYONE, user=ada, **WISH, repositories=["shop"])
    hide(till)

    assert cases_of(ANYONE) == [one]
    assert cases_of(COMMAND_LINE) == [one, both]
    assert not delete_case(viewer=viewer_of(ada), pk=both.pk)


def test_a_case_of_a_removed_repository_is_gone_for_all(
    till: Repository, ada: User
) -> None:
    save_case(viewer=ANYONE, user=ada, **WISH)

    till.delete()

    assert cases_of(COMMAND_LINE) == []


def test_cases_of_a_scope_are_asked_of_nothing_beyond(
    till: Repository, ada: User
) -> None:
    save_case(viewer=ANYONE, user=ada, **WISH)
    one = save_case(viewer=ANYONE, user=ada, **WISH, repositories=["shop"])

    assert cases_of(ANYONE, ["shop"]) == [one]
    assert cases_of(ANYONE, ["till"]) == []
    assert len(cases_of(ANYONE, ["shop", "till"])) == 2


def test_a_question_finds_its_case(shop: Build, ada: User) -> None:
    case = save_case(viewer=ANYONE, user=ada, **WISH)
    asked = [shop.index.repository_id]

    assert find_case(ANYONE, "format money", ["format_money"], asked) == case
    assert find_case(ANYONE, "format money", ["total"], asked) is None
    hide(shop.index.repository)
    assert find_case(ANYONE, "format money", ["format_money"], asked) is None


def test_a_case_is_removed_by_who_saved_it_and_by_staff(shop: Build, ada: User) -> None:
    other = Viewer(user_id=ada.pk + 1, sees_all=False)
    case = save_case(viewer=ANYONE, user=ada, **WISH)

    assert not delete_case(viewer=ANYONE, pk=case.pk)
    assert not delete_case(viewer=other, pk=case.pk)
    assert delete_case(viewer=viewer_of(ada), pk=case.pk)
    case = save_case(viewer=ANYONE, user=ada, **WISH)
    assert delete_case(viewer=COMMAND_LINE, pk=case.pk)


def test_a_trace_is_saved_as_a_case_and_says_so(
    client: Client, shop: Build, ada: User
) -> None:
    client.force_login(ada)
    asked = client.get("/trace/", {"q": "format money", "target": "format_money"})

    answer = client.post("/cases/save/", {**FORM, "pool": "150"}, follow=True)

    assert "Save as case" in asked.content.decode()
    assert answer.redirect_chain == [
        ("/trace/?q=format+money&target=format_money&pool=150", 302)
    ]
    page = answer.content.decode()
    assert "This question is a case: its target is expected in the pool." in page
    assert "Save as case" not in page


def test_a_set_opens_traces_and_its_cases_are_removed(
    client: Client, shop: Build, ada: User
) -> None:
    case = save_case(viewer=ANYONE, user=ada, **WISH, note="Bills.")
    trace = "/trace/?q=format+money&amp;repository=shop&amp;target=format_money"
    there, own = f"/cases/{case.case_set_id}/", f"/cases/{case.case_set_id}/{case.pk}/"

    page = client.get(there).content.decode()
    shown = client.get(own).content.decode()
    client.force_login(ada)

    assert trace in page
    assert "Bills." in page
    assert f'href="{own}"' not in page
    assert f"{own}delete/" not in shown
    assert f"{own}delete/" in client.get(own).content.decode()
    assert client.post(f"{own}delete/").headers["Location"] == there
    assert "There is no case in it." in client.get(there).content.decode()
    assert client.post(f"{own}delete/").status_code == 404


def test_the_trace_that_the_list_opens_says_that_it_is_the_case(
    client: Client, shop: Build, ada: User
) -> None:
    save_case(viewer=ANYONE, user=ada, **WISH)

    page = client.get("/trace/?q=format+money&repository=shop&target=format_money")

    assert "its target is expected on page one" in page.content.decode()


def test_who_is_not_signed_in_saves_nothing(client: Client, shop: Build) -> None:
    page = client.get("/trace/", {"q": "format money", "target": "format_money"})

    assert "Save as case" not in page.content.decode()
    assert client.post("/cases/save/", FORM).status_code == 403
    assert not Case.objects.exists()


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"target": ""}, "A case has a query and a target."),
        ({"q": ""}, "A case has a query and a target."),
        ({"repository": "vault"}, "There is no repository “vault” here."),
        ({"pool": "1"}, "pool: "),
        ({"q": "lang:python"}, "say what to look for as well"),
    ],
)
def test_a_form_without_a_case_is_refused(
    client: Client, shop: Build, ada: User, more: dict[str, str], sentence: str
) -> None:
    client.force_login(ada)

    answer = client.post("/cases/save/", {**FORM, **more})

    assert answer.status_code == 400
    assert sentence in answer.content.decode()
    assert not Case.objects.exists()
