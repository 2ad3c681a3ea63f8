"""Administrators register, change, rename and remove repositories on our pages.

What the admin refuses someone these pages refuse too, and its log tells of both. Old
names lead to a repository until another one takes them.
"""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client

from codesearch.models import Case, CaseSet, SearchRecord
from indexer import services
from indexer.access import listening
from indexer.models import Build, FormerName, Profile, Repository

ADD = "/repositories/add/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Repository:
    source = "https://example.org/project.git"
    return services.register(name="project", source=source).repository


def new(**changes: object) -> dict[str, object]:
    return {
        "name": "project",
        "source": "https://example.org/project.git",
        "branch": "",
        "visibility": "public",
        "fetch_minutes": "",
        "profile": Profile.objects.get(name="symbol").pk,
        **changes,
    }


def known(repository: Repository, **changes: object) -> dict[str, object]:
    index = repository.indexes.get(is_default=True).pk
    kept = {"kept_builds": 2, "default": index, "host_url": "", "local_root": ""}
    fields = {"name": repository.name, "source": repository.source}
    return {**new(), **fields, **kept, **changes}


def log() -> list[tuple[str, int]]:
    rows = LogEntry.objects.order_by("pk")
    return [(row.object_repr, row.action_flag) for row in rows]


def test_a_repository_is_registered_as_the_form_says(admin: Client) -> None:
    answer = admin.post(ADD, new(branch="main", visibility="staff", fetch_minutes=15))

    made = Repository.objects.get()
    assert answer["Location"] == "/r/project/"
    assert (made.branch, made.visibility, made.fetch_minutes) == ("main", "staff", 15)
    assert not Build.objects.exists()
    assert log() == [("project", 1)]


def test_a_repository_is_registered_and_indexed_by_one_button(admin: Client) -> None:
    admin.post(ADD, new(_index="1"))

    assert Build.objects.get().index.repository.name == "project"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"source": "--upload-pack=touch /tmp/x"}, "A Git URL has no spaces"),
        ({"source": "--upload-pack=x"}, "does not start with a dash"),
        ({"source": "-oProxyCommand=x"}, "does not start with a dash"),
        ({"source": "http://example.org/x"}, "use https://"),
        ({"source": "ext::id"}, "transport helpers"),
        ({"source": "/srv/x"}, "set CODESEARCH_ROOTS"),
        ({"branch": "--output=x"}, "cannot be the name of a branch"),
        ({"branch": "HEAD^{/regex}"}, "cannot be the name of a branch"),
        ({"name": "a/b"}, "Use letters, digits, dots"),
        ({"name": ""}, "This field is required."),
        ({"fetch_minutes": 0}, "greater than or equal to 1"),
    ],
)
def test_bad_input_is_refused_with_its_sentence(
    admin: Client, changes: dict[str, object], sentence: str
) -> None:
    answer = admin.post(ADD, new(**changes))

    assert answer.status_code == 400
    assert sentence in answer.content.decode()
    assert not Repository.objects.exists()
    assert log() == []


def test_a_url_with_a_token_is_refused_and_the_token_not_shown(admin: Client) -> None:
    answer = admin.post(ADD, new(source="https://user:tok3n@example.org/x.git"))

    page = answer.content.decode()
    assert "Leave the user name, password or token out" in page
    assert "tok3n" not in page


@pytest.mark.parametrize("page", ["/r/project/settings/", "/r/project/remove/", ADD])
@pytest.mark.parametrize("who", ["nobody", "reader", "staff"])
def test_who_has_no_right_gets_403_whether_there_is_one_or_not(
    client: Client, project: Repository, page: str, who: str
) -> None:
    if who != "nobody":
        client.force_login(User.objects.create_user(who, is_staff=who == "staff"))
    missing = page.replace("project", "missing")

    answers = [client.get(page), client.post(page, known(project, name="other"))]
    answers += [client.post(missing, known(project, name="other"))]

    assert [answer.status_code for answer in answers] == [403, 403, 403]
    assert Repository.objects.get().name == "project"


def test_staff_with_one_right_has_that_one(client: Client, project: Repository) -> None:
    user = User.objects.create_user("editor", is_staff=True)
    right = Permission.objects.get(codename="change_repository")
    user.user_permissions.add(right)
    client.force_login(user)

    page = client.get("/r/project/").content.decode()

    assert "/r/project/settings/" in page
    assert "/r/project/remove/" not in page
    assert client.post("/r/project/remove/").status_code == 403
    assert client.get("/r/project/settings/").status_code == 200


def test_settings_are_saved_and_noted(admin: Client, project: Repository) -> None:
    admin.post("/r/project/settings/", known(project, fetch_minutes=30))

    project.refresh_from_db()
    assert project.fetch_minutes == 30
    assert LogEntry.objects.get().change_message == "Changed fetch_minutes."


def test_settings_that_cannot_be_are_not_saved(
    admin: Client, project: Repository
) -> None:
    answer = admin.post("/r/project/settings/", known(project, name="a b", branch="x"))

    page = answer.content.decode()
    project.refresh_from_db()
    assert answer.status_code == 400
    assert "Settings of project" in page
    assert (project.name, project.branch) == ("project", "")


def test_a_webhook_secret_is_made_by_a_button(
    admin: Client, project: Repository
) -> None:
    admin.post("/r/project/settings/", {**known(project), "_secret": "1"})

    project.refresh_from_db()
    assert len(project.hook_secret) >= 32


def rename(repository: Repository, name: str) -> None:
    repository.name = name
    services.change_repository(repository=repository, changed={"name"})


def test_old_addresses_lead_to_a_renamed_repository(
    admin: Client, project: Repository
) -> None:
    answer = admin.post("/r/project/settings/", known(project, name="shop"))

    assert answer["Location"] == "/r/shop/"
    old = admin.get("/r/project/coverage/?path=a%26b")
    assert old.status_code == 302
    assert old["Location"] == "/r/shop/coverage/?path=a%26b"
    assert admin.head("/r/project/")["Location"] == "/r/shop/"
    scoped = admin.get("/?q=total&repository=project")
    assert scoped["Location"] == "/?q=total&repository=shop"
    blob = admin.get("/r/project/blob/0123/a%20b/project/c.py")
    assert blob["Location"] == "/r/shop/blob/0123/a%20b/project/c.py"


def test_a_name_that_is_taken_leads_to_who_has_it_now(
    admin: Client, project: Repository
) -> None:
    rename(project, "shop")
    services.register(name="project", source="https://example.org/other.git")

    assert admin.get("/r/project/").status_code == 200
    assert not FormerName.objects.exists()


def test_a_repository_that_takes_its_name_back_has_it(
    admin: Client, project: Repository
) -> None:
    rename(project, "shop")
    rename(project, "project")

    assert admin.get("/r/shop/")["Location"] == "/r/project/"
    assert admin.get("/r/project/").status_code == 200


def test_old_names_tell_nothing_to_who_may_not_read(
    client: Client, project: Repository
) -> None:
    rename(project, "shop")
    Repository.objects.update(visibility="staff")

    assert client.get("/r/project/").status_code == 404
    assert client.get("/r/never/").status_code == 404


def test_targets_and_hosts_go_on_by_the_old_name(client: Client, shop: Build) -> None:
    repository = shop.index.repository
    asked = {"q": "total", "format": "json", "target": "shop:billing/money.py"}
    before = client.get("/trace/", asked).json()["targets"][0]
    Repository.objects.update(hook_secret="x" * 20)
    rename(repository, "store")

    after = client.get("/trace/", asked).json()["targets"][0]

    assert before["target"] == after["target"] == "shop:billing/money.py"
    assert before["chunk"].replace("shop@", "store@", 1) == after["chunk"]
    assert listening("shop") == listening("store") == repository


def test_removing_names_what_goes_and_then_does_it(admin: Client, shop: Build) -> None:
    repository = shop.index.repository
    case_set = CaseSet.objects.create(name="Checks", repository_count=1)
    case_set.repositories.add(repository)
    Case.objects.create(case_set=case_set, key="1", query="a", targets=["b"])
    record = SearchRecord.objects.create(
        kind="search", query="a", payload={}, names={str(repository.pk): "shop"}
    )
    record.links.create()

    page = admin.get("/r/shop/remove/").content.decode()

    assert "1 build and" in page
    assert "1 set of cases ask it, with 1 case" in " ".join(page.split())
    assert "1 shared link shows something" in page
    assert Repository.objects.exists()
    assert admin.post("/r/shop/remove/")["Location"] == "/repositories/"
    assert not Repository.objects.exists()
    assert log() == [("shop", 3)]
