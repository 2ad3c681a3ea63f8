"""Profiles: everybody sees them; who may in the admin makes and changes them here."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from indexer import services
from indexer.models import Build, Index, Profile, Repository

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Repository:
    return services.register(name="project", source="https://example.org/p").repository


def test_everybody_sees_what_a_profile_is_and_who_has_it(
    client: Client, project: Repository
) -> None:
    services.register(name="hidden", source="https://example.org/h", visibility="staff")

    page = client.get("/profiles/").content.decode()

    assert "windows of 50 lines" in page
    assert 'href="/r/project/"' in page
    assert "/r/hidden/" not in page
    assert "Make a profile" not in page


def test_a_profile_is_made_and_noted(admin: Client) -> None:
    answer = admin.post(
        "/profiles/add/", {"name": "bare", "chunker": "window", "model": "none"}
    )

    assert answer["Location"] == "/profiles/"
    assert Profile.objects.get(name="bare").chunker == "window"
    assert LogEntry.objects.get().object_repr == "bare"


def test_a_copy_begins_with_the_fields_of_another(admin: Client) -> None:
    Profile.objects.create(name="long", chunker="window", max_tokens=300)

    page = admin.get("/profiles/add/?copy=long").content.decode()

    assert 'value="300"' in page
    assert 'value="window" selected' in page
    assert 'value="long"' not in page


def test_a_model_that_cannot_be_loaded_is_refused(admin: Client) -> None:
    data = {"name": "x", "chunker": "symbol", "model": "/no/such/model"}

    answer = admin.post("/profiles/add/", data)

    assert answer.status_code == 400
    assert "This cannot make vectors" in answer.content.decode()


def test_a_change_builds_its_indexes_anew(admin: Client, project: Repository) -> None:
    services.request_build(index=project.indexes.get(), enqueue=False)
    Build.objects.update(status=Build.Status.CANCELLED)

    admin.post(
        "/profiles/symbol/", {"name": "symbol", "chunker": "window", "model": ""}
    )

    assert Build.objects.count() == 2


def test_a_profile_in_use_is_not_removed(admin: Client, project: Repository) -> None:
    Profile.objects.create(name="free")

    admin.post("/profiles/symbol/delete/")
    admin.post("/profiles/free/delete/")

    assert Profile.objects.filter(name="symbol").exists()
    assert not Profile.objects.filter(name="free").exists()


def test_a_repository_is_indexed_with_another_profile(
    client: Client, project: Repository
) -> None:
    client.force_login(User.objects.create_user("keeper", is_staff=True))

    client.post("/profiles/window/index/", {"repository": "project"})

    index = Index.objects.get(profile__name="window")
    assert (index.repository, index.is_default) == (project, False)
    assert index.builds.count() == 1


@pytest.mark.parametrize("is_staff", [False, True])
def test_who_has_no_right_changes_nothing(
    client: Client, project: Repository, is_staff: bool
) -> None:
    client.force_login(User.objects.create_user("someone", is_staff=is_staff))

    answers = [
        client.get("/profiles/add/"),
        client.post("/profiles/add/", {"name": "x"}),
        client.post("/profiles/window/", {"name": "x"}),
        client.post("/profiles/window/delete/"),
    ]
    if not is_staff:
        wish = {"repository": "project"}
        answers.append(client.post("/profiles/window/index/", wish))

    assert {answer.status_code for answer in answers} == {403}
    assert Profile.objects.filter(name="window").exists()
