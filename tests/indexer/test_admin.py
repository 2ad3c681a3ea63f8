"""An administrator registers, renames, indexes and removes repositories."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from indexer import services
from indexer.models import BadBlob, Build, File, Index, Profile, Repository
from indexer.places import folder_of, mirror_of

LIST = "/admin/indexer/repository/"
ADD = f"{LIST}add/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Repository:
    source = "https://example.org/project.git"
    return services.register(name="project", source=source).repository


def fields(**changes: object) -> dict[str, object]:
    return {
        "name": "project",
        "source": "https://example.org/project.git",
        "branch": "",
        "visibility": "public",
        **changes,
    }


def new(**changes: object) -> dict[str, object]:
    profile = Profile.objects.get(name="symbol").pk
    return fields(**{"profile": profile, **changes})


def known(repository: Repository, **changes: object) -> dict[str, object]:
    """The change form as it is sent: with its profiles, of which none is new."""
    indexes = repository.indexes.all()
    count = indexes.count()
    rows = {f"indexes-{i}-id": index.pk for i, index in enumerate(indexes)}
    return fields(
        **{
            "default": indexes.get(is_default=True).pk,
            "kept_builds": 2,
            "indexes-TOTAL_FORMS": count,
            "indexes-INITIAL_FORMS": count,
            **rows,
            **changes,
        }
    )


def change_url(repository: Repository) -> str:
    return f"{LIST}{repository.pk}/change/"


def put_on_disk(repository: Repository) -> tuple[Build, list[Path]]:
    """A finished build with a folder, and the mirror it was made from."""
    build = Build.objects.create(
        index=repository.indexes.get(is_default=True),
        status=Build.Status.READY,
        finished_at=timezone.now(),
    )
    folders = [mirror_of(repository), folder_of(build)]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"0" * 2048)
    return build, folders


def test_a_repository_is_added_with_its_first_profile(admin: Client) -> None:
    answer = admin.post(ADD, new())

    assert answer.status_code == 302
    index = Index.objects.get(repository__name="project")
    assert (index.profile.name, index.is_default) == ("symbol", True)


def test_the_usual_profile_is_chosen_beforehand(admin: Client) -> None:
    page = admin.get(ADD).content.decode()

    assert "selected>symbol</option>" in page
    assert "---------" not in page


def test_a_folder_below_a_root_is_added(
    admin: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.ROOTS = [tmp_path]
    (tmp_path / "code").mkdir()

    admin.post(ADD, new(source=str(tmp_path / "code")))

    assert Repository.objects.get().source == str(tmp_path / "code")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"source": "http://example.org/x"}, "use https://"),
        ({"source": "file:///srv/x"}, "file:// is not allowed"),
        ({"source": "ext::id"}, "transport helpers"),
        ({"source": "-uid"}, "does not start with a dash"),
        ({"source": "https://me:pw@example.org/x"}, "credential helper"),
        ({"source": "https://127.0.0.1/x"}, "private address"),
        ({"source": "/srv/x"}, "set CODESEARCH_ROOTS"),
        ({"source": ""}, "This field is required."),
        ({"branch": "-x"}, "cannot be the name of a branch"),
        ({"name": "a/b"}, "Use letters, digits, dots, dashes and underscores only."),
        ({"name": ""}, "This field is required."),
        ({"profile": ""}, "This field is required."),
    ],
)
def test_bad_input_is_refused_with_its_sentence(
    admin: Client, changes: dict[str, object], sentence: str
) -> None:
    answer = admin.post(ADD, new(**changes))

    assert sentence in answer.content.decode()
    assert not Repository.objects.exists()


def test_a_name_is_taken_once(admin: Client, project: Repository) -> None:
    answer = admin.post(ADD, new(source="https://example.org/other"))

    assert "already exists" in answer.content.decode()


def test_a_repository_is_renamed_and_keeps_its_builds(
    admin: Client, project: Repository, data_dir: Path
) -> None:
    build, folders = put_on_disk(project)

    answer = admin.post(change_url(project), known(project, name="renamed"))

    assert answer.status_code == 302
    project.refresh_from_db()
    assert project.name == "renamed"
    assert Build.objects.get() == build
    assert all(folder.exists() for folder in folders)


def test_a_source_that_is_no_longer_allowed_does_not_block_a_rename(
    admin: Client, project: Repository
) -> None:
    Repository.objects.update(source="/srv/demo")

    admin.post(change_url(project), known(project, name="new", source="/srv/demo"))

    project.refresh_from_db()
    assert project.name == "new"


def test_index_now_asks_for_a_build_of_each_index(
    admin: Client, project: Repository
) -> None:
    services.add_index(repository=project, profile="window")
    chosen = {"action": "index_now", "_selected_action": [project.pk]}

    with patch("indexer.services.request_build") as request_build:
        answer = admin.post(LIST, chosen, follow=True)

    asked = {call.kwargs["index"].profile.name for call in request_build.mock_calls}
    assert asked == {"symbol", "window"}
    assert "Indexing project." in answer.content.decode()


def test_a_new_repository_can_be_indexed_at_once(admin: Client) -> None:
    with patch("indexer.services.request_build") as request_build:
        admin.post(ADD, new(_index="Save and index now"))

    request_build.assert_called_once_with(index=Index.objects.get(), revision="")


def test_the_page_of_a_repository_has_a_button_that_indexes_it(
    admin: Client, project: Repository
) -> None:
    page = admin.get(change_url(project)).content.decode()
    with patch("indexer.services.request_build") as request_build:
        admin.post(change_url(project), known(project, _index="Index now"))

    assert 'name="_index"' in page
    request_build.assert_called_once_with(index=Index.objects.get(), revision="")


def test_the_page_of_a_repository_indexes_another_revision(
    admin: Client, project: Repository
) -> None:
    wish = {"_index": "Index now", "_revision": " v1.2 "}
    with patch("indexer.services.request_build") as request_build:
        admin.post(change_url(project), known(project, **wish))

    request_build.assert_called_once_with(index=Index.objects.get(), revision="v1.2")


def test_a_revision_that_cannot_be_one_is_refused_with_its_sentence(
    admin: Client, project: Repository
) -> None:
    wish = {"_index": "Index now", "_revision": "-x"}

    page = admin.post(change_url(project), known(project, **wish), follow=True).content

    assert "cannot be the name of a branch, a tag or a commit" in page.decode()
    assert not Build.objects.exists()


def test_a_webhook_secret_is_made_with_what_was_typed(
    admin: Client, project: Repository
) -> None:
    changes = {"_secret": "Save and make a webhook secret", "fetch_minutes": 15}

    page = admin.post(change_url(project), known(project, **changes), follow=True)

    project.refresh_from_db()
    assert len(project.hook_secret) == 43
    assert project.fetch_minutes == 15
    assert project.hook_secret in page.content.decode()
    assert "/hooks/project/" in page.content.decode()


def test_settings_that_cannot_be_kept_are_refused(
    admin: Client, project: Repository
) -> None:
    for changes in (
        {"fetch_minutes": 0},
        {"fetch_minutes": 10**7},
        {"hook_secret": "short"},
        {"kept_builds": 0},
    ):
        page = admin.post(change_url(project), known(project, **changes))
        assert b"errorlist" in page.content

    project.refresh_from_db()
    assert (project.fetch_minutes, project.hook_secret, project.kept_builds) == (
        None,
        "",
        2,
    )


def test_who_may_only_look_does_not_see_the_secret(
    client: Client, project: Repository
) -> None:
    Repository.objects.update(hook_secret="a secret nobody knows")  # noqa: S106
    viewer = User.objects.create_user("viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_repository"))
    client.force_login(viewer)

    page = client.get(change_url(project))

    assert page.status_code == 200
    assert b"nobody knows" not in page.content


def test_a_save_leaves_what_a_fetch_recorded_meanwhile(project: Repository) -> None:
    stale = Repository.objects.get()
    Repository.objects.update(fetched_revision="f" * 40, hook_secret="kept")  # noqa: S106
    stale.visibility = "staff"

    services.change_repository(repository=stale, changed={"visibility", "default"})

    project.refresh_from_db()
    assert (project.fetched_revision, project.hook_secret) == ("f" * 40, "kept")
    assert project.visibility == "staff"


def test_what_was_fetched_of_another_branch_is_forgotten(project: Repository) -> None:
    now = timezone.now()
    Repository.objects.update(
        fetched_revision="f" * 40, fetched_at=now, fetch_failure="No.", fetch_due_at=now
    )
    project.refresh_from_db()
    project.branch = "next"

    services.change_repository(repository=project, changed={"branch"})

    project.refresh_from_db()
    assert (project.fetched_revision, project.fetch_failure) == ("", "")
    assert (project.fetched_at, project.fetch_due_at) == (None, None)
    assert project.branch == "next"


@pytest.mark.parametrize("field", ["source", "branch", "index_secrets"])
def test_a_build_of_what_is_no_longer_meant_begins_anew(
    project: Repository, field: str
) -> None:
    index = project.indexes.get()
    begun = services.request_build(index=index, enqueue=False, revision="v1")
    setattr(project, field, True if field == "index_secrets" else "next")

    services.change_repository(repository=project, changed={field})

    begun.refresh_from_db()
    assert begun.status == Build.Status.CANCELLED
    anew = index.builds.get(status__in=Build.ACTIVE)
    assert (anew.wanted, anew.cause) == ("v1", Build.Cause.ASKED)


@pytest.mark.parametrize(
    ("field", "value", "made"),
    [("index_secrets", True, 1), ("branch", "next", 0), ("visibility", "staff", 0)],
)
def test_what_is_searched_is_made_anew_without_secrets_or_with(
    project: Repository, field: str, value: object, made: int
) -> None:
    index = project.indexes.get()
    index.current_build = index.builds.create(status=Build.Status.READY)
    index.save()
    setattr(project, field, value)

    services.change_repository(repository=project, changed={field})

    assert index.builds.filter(status__in=Build.ACTIVE).count() == made


def test_the_list_shows_state_revision_and_progress(
    admin: Client, project: Repository
) -> None:
    index = project.indexes.get()
    index.current_build = Build.objects.create(
        index=index,
        status=Build.Status.RUNNING,
        stage=Build.Stage.PURPOSES,
        revision="0123456789abcdef" * 2,
        lexical_at=timezone.now(),
        vector_count=40,
        vectors_done=10,
    )
    index.save()

    page = admin.get(LIST).content.decode()

    assert "running: purposes" in page
    assert "0123456789ab<" in page
    assert "10 of 40 vectors" in page


def test_the_list_shows_why_a_build_failed(admin: Client, project: Repository) -> None:
    Build.objects.create(
        index=project.indexes.get(),
        status=Build.Status.FAILED,
        failure="The host does not answer.",
    )

    page = admin.get(LIST).content.decode()

    assert "failed: The host does not answer." in page


def test_removing_a_repository_frees_its_disk_space(
    admin: Client, project: Repository, data_dir: Path
) -> None:
    _, folders = put_on_disk(project)

    question = admin.get(f"{LIST}{project.pk}/delete/").content.decode()
    admin.post(f"{LIST}{project.pk}/delete/", {"post": "yes"})

    assert "4.0\xa0KB on disk" in question
    assert not Repository.objects.exists()
    assert not any(folder.exists() for folder in folders)


def test_removing_several_at_once_frees_their_disk_space(
    admin: Client, project: Repository, data_dir: Path
) -> None:
    _, folders = put_on_disk(project)
    chosen = {"_selected_action": [project.pk], "post": "yes"}

    admin.post(LIST, {"action": "delete_selected", **chosen})

    assert not Repository.objects.exists()
    assert not any(folder.exists() for folder in folders)


def test_a_profile_is_added_made_the_default_and_removed_with_its_builds(
    admin: Client, project: Repository, data_dir: Path
) -> None:
    _, folders = put_on_disk(project)
    window = Profile.objects.get(name="window").pk
    row = {"indexes-TOTAL_FORMS": 2, "indexes-1-profile": window}

    admin.post(change_url(project), known(project, **row))
    added = project.indexes.get(profile=window)
    admin.post(change_url(project), known(project, default=added.pk))
    first = next(i for i, index in enumerate(project.indexes.all()) if index != added)
    admin.post(change_url(project), known(project, **{f"indexes-{first}-DELETE": "on"}))

    remaining = project.indexes.get()
    assert (remaining.pk, remaining.is_default) == (added.pk, True)
    assert not folders[1].exists()


def test_a_build_can_be_cancelled_and_not_edited(
    admin: Client, project: Repository
) -> None:
    build = Build.objects.create(index=project.indexes.get())
    chosen = {"action": "cancel", "_selected_action": [build.pk]}

    admin.post("/admin/indexer/build/", chosen)
    page = admin.get(f"/admin/indexer/build/{build.pk}/change/").content.decode()

    build.refresh_from_db()
    assert build.status == "cancelled"
    assert 'name="_save"' not in page


def test_staff_without_the_permission_cannot_index(
    client: Client, project: Repository
) -> None:
    client.force_login(User.objects.create_user("staff", is_staff=True))

    assert client.get(LIST).status_code == 403


def test_a_repository_shows_what_became_of_its_files(
    admin: Client, project: Repository
) -> None:
    index = project.indexes.get(is_default=True)
    build = Build.objects.create(index=index, status=Build.Status.READY)
    index.current_build = build
    index.save()
    for ordinal, (mode, reason) in enumerate([("symbol", ""), ("", "secret")]):
        File.objects.create(build=build, ordinal=ordinal, mode=mode, reason=reason)

    page = admin.get(change_url(project)).content.decode()

    link = '<a href="/r/project/coverage/">1 indexed, 0 partial, 1 skipped</a>'
    assert link in page


def test_secrets_are_indexed_only_when_an_administrator_says_so(
    admin: Client, project: Repository
) -> None:
    assert project.index_secrets is False

    admin.post(change_url(project), known(project, index_secrets="on"))

    project.refresh_from_db()
    assert project.index_secrets is True


def test_bad_content_can_be_let_in_again(admin_client: Client) -> None:
    bad = BadBlob.objects.create(oid="a" * 40, grammars="1", reason="parse_timeout")

    listed = admin_client.get("/admin/indexer/badblob/")
    admin_client.post(f"/admin/indexer/badblob/{bad.pk}/delete/", {"post": "yes"})

    assert "parse_timeout" in listed.content.decode()
    assert not BadBlob.objects.exists()
