"""Who was signed in is led to the log-in; a part of their page is never refused."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true", "X-Signed-In": "yes"}
HERE = "http://testserver"


def test_a_part_of_a_page_leads_back_to_its_page(client: Client) -> None:
    page = f"{HERE}/trace/?q=money&target=notes.txt"

    answer = client.post("/share/", headers=HTMX | {"HX-Current-URL": page})

    assert answer.status_code == 200
    assert answer["HX-Redirect"] == (
        "/accounts/login/?next=%2Ftrace%2F%3Fq%3Dmoney%26target%3Dnotes.txt"
    )
    assert "no-store" in answer["Cache-Control"]
    assert answer.content == b""


def test_what_was_asked_of_the_page_itself_is_kept(client: Client) -> None:
    headers = HTMX | {"HX-Current-URL": f"{HERE}/?q=a"}

    answer = client.get("/?q=money&view=list", headers=headers)

    assert answer["HX-Redirect"].endswith("?next=%2F%3Fq%3Dmoney%26view%3Dlist")


@pytest.mark.parametrize("page", ["https://elsewhere.example/x", "", "//elsewhere/x"])
def test_no_other_site_is_led_back_to(client: Client, page: str) -> None:
    answer = client.post("/share/", headers=HTMX | {"HX-Current-URL": page})

    assert answer["HX-Redirect"] == "/accounts/login/?next=%2F"


def test_who_is_signed_in_and_who_never_was_are_answered(
    client: Client, ada: User
) -> None:
    assert client.get("/jobs/", headers={"HX-Request": "true"}).status_code == 200

    client.force_login(ada)

    answer = client.get("/jobs/", headers=HTMX)
    assert answer.status_code == 200
    assert "HX-Redirect" not in answer
    assert 'hx-headers:inherited=\'{"X-Signed-In": "yes"}\'' in (
        client.get("/jobs/").content.decode()
    )
