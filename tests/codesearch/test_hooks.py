"""A Git host tells of a push; only one that knows the secret is heard.

The payloads have the shape of each host's, shortened to what is read and a little of
what is beside it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any
from unittest.mock import Mock
from urllib.parse import urlencode

import pytest
from django.http import HttpResponse
from django.test import Client

from codesearch.views import hooks
from indexer import freshness, services
from indexer.models import Build, Repository

pytestmark = pytest.mark.django_db

SECRET = "a secret of twenty-five ch"  # noqa: S105
BEFORE = "95790bf891e76fee5e1747ab589903a6a1f80f22"
AFTER = "da1560886d4f094c3e6c9ef40349f7d38b5d27d7"

GITHUB: dict[str, object] = {
    "ref": "refs/heads/main",
    "before": BEFORE,
    "after": AFTER,
    "created": False,
    "deleted": False,
    "forced": False,
    "compare": "https://github.example/someone/shop/compare/95790bf8...da156088",
    "repository": {
        "id": 526,
        "full_name": "someone/shop",
        "private": False,
        "default_branch": "main",
        "master_branch": "main",
    },
    "pusher": {"name": "someone", "email": "someone@example.org"},
    "commits": [{"id": AFTER, "message": "Refund", "modified": ["money.py"]}],
}
PING: dict[str, object] = {
    "zen": "Keep it logically awesome.",
    "hook_id": 1,
    "hook": {"type": "Repository", "events": ["push"], "active": True},
    "repository": {"full_name": "someone/shop", "default_branch": "main"},
}
GITEA: dict[str, object] = {
    "ref": "refs/heads/main",
    "before": BEFORE,
    "after": AFTER,
    "compare_url": "https://gitea.example/someone/shop/compare/95790bf8...da156088",
    "commits": [
        {"id": AFTER, "message": "Refund\n", "added": [], "modified": ["a.py"]}
    ],
    "total_commits": 1,
    "repository": {
        "id": 140,
        "full_name": "someone/shop",
        "default_branch": "main",
        "internal": False,
    },
    "pusher": {"id": 1, "login": "someone"},
}
GITLAB: dict[str, object] = {
    "object_kind": "push",
    "event_name": "push",
    "before": BEFORE,
    "after": AFTER,
    "ref": "refs/heads/main",
    "ref_protected": True,
    "checkout_sha": AFTER,
    "project_id": 15,
    "project": {
        "id": 15,
        "path_with_namespace": "someone/shop",
        "visibility_level": 0,
        "default_branch": "main",
    },
    "repository": {"name": "Shop", "homepage": "https://gitlab.example/someone/shop"},
    "commits": [{"id": AFTER, "message": "Refund", "modified": ["money.py"]}],
    "total_commits_count": 1,
}


@pytest.fixture
def shop() -> Repository:
    index = services.register(name="shop", source="https://example.org/shop.git")
    index.builds.create(status=Build.Status.READY)
    Repository.objects.update(hook_secret=SECRET)
    return Repository.objects.get()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """The fetches that were asked for."""
    request = Mock()
    monkeypatch.setattr(freshness, "request_fetch", request)
    return request


def digest(body: bytes, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def github(body: bytes, event: str = "push", secret: str = SECRET) -> dict[str, str]:
    return {
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
        "X-Hub-Signature-256": f"sha256={digest(body, secret)}",
    }


def gitea(body: bytes) -> dict[str, str]:
    """Gitea calls itself GitHub as well, and signs in its own way."""
    return {
        "X-Gitea-Event": "push",
        "X-GitHub-Event": "push",
        "X-Gitea-Signature": digest(body),
    }


def forgejo(body: bytes) -> dict[str, str]:
    return {"X-Forgejo-Event": "push", "X-Forgejo-Signature": digest(body)}


def gitlab(body: bytes, event: str = "Push Hook") -> dict[str, str]:
    return {"X-Gitlab-Event": event, "X-Gitlab-Token": SECRET}


def send(
    body: bytes,
    headers: dict[str, str],
    name: str = "shop",
    content_type: str = "application/json",
) -> HttpResponse:
    """Post as a host does: no cookie, and every check of a form's origin in force."""
    client = Client(enforce_csrf_checks=True)
    answer: Any = client.post(  # Any: the test client's own
        f"/hooks/{name}/", body, content_type=content_type, headers=headers
    )
    assert not answer.cookies
    return answer  # type: ignore[no-any-return]  # as above


def packed(payload: dict[str, object], **changes: object) -> bytes:
    return json.dumps({**payload, **changes}).encode()


@pytest.mark.parametrize(
    ("payload", "sign"),
    [(GITHUB, github), (GITEA, gitea), (GITEA, forgejo), (GITLAB, gitlab)],
    ids=["github", "gitea", "forgejo", "gitlab"],
)
def test_a_push_to_what_is_tracked_queues_a_fetch(
    shop: Repository, asked: Mock, payload: dict[str, object], sign: Any
) -> None:
    body = packed(payload)

    answer = send(body, sign(body))

    assert answer.status_code == 202
    assert json.loads(answer.content) == {
        "queued": True,
        "detail": "refs/heads/main will be fetched.",
    }
    asked.assert_called_once_with(shop, cause="push")


def test_a_form_is_read_as_well_as_json(shop: Repository, asked: Mock) -> None:
    body = urlencode({"payload": json.dumps(GITHUB)}).encode()

    answer = send(body, github(body), content_type="application/x-www-form-urlencoded")

    assert answer.status_code == 202
    assert asked.called


@pytest.mark.parametrize(
    ("branch", "ref", "status"),
    [
        ("", "refs/heads/main", 202),
        ("", "refs/heads/side", 200),
        ("", "refs/tags/main", 202),
        ("side", "refs/heads/side", 202),
        ("side", "refs/heads/main", 200),
        ("v1", "refs/tags/v1", 202),
        ("refs/heads/side", "refs/heads/side", 202),
        (AFTER, "refs/heads/main", 200),
    ],
)
def test_what_is_tracked_decides(
    shop: Repository, asked: Mock, branch: str, ref: str, status: int
) -> None:
    Repository.objects.update(branch=branch)
    body = packed(GITHUB, ref=ref)

    answer = send(body, github(body))

    assert answer.status_code == status
    assert asked.called == (status == 202)


def test_a_push_to_another_branch_is_acknowledged_and_says_so(
    shop: Repository, asked: Mock
) -> None:
    body = packed(GITLAB, ref="refs/heads/side")

    answer = send(body, gitlab(body))

    assert json.loads(answer.content) == {
        "queued": False,
        "detail": "refs/heads/side is ignored: shop tracks main.",
    }


def test_without_a_word_on_the_default_branch_every_push_is_looked_at(
    shop: Repository, asked: Mock
) -> None:
    body = packed(GITEA, repository={"id": 140})

    assert send(body, gitea(body)).status_code == 202


@pytest.mark.parametrize("event", ["ping", "issues", ""])
def test_other_events_are_answered_and_do_nothing(
    shop: Repository, asked: Mock, event: str
) -> None:
    body = packed(PING)

    answer = send(body, github(body, event))

    assert answer.status_code == 200
    assert json.loads(answer.content)["detail"] == (
        "shop listens; only pushes are acted on."
    )
    assert not asked.called


def test_a_tag_of_gitlab_is_a_push(shop: Repository, asked: Mock) -> None:
    Repository.objects.update(branch="v1")
    body = packed(GITLAB, object_kind="tag_push", ref="refs/tags/v1")

    assert send(body, gitlab(body, "Tag Push Hook")).status_code == 202


def test_what_is_not_for_whoever_asks_answers_alike(
    shop: Repository, asked: Mock
) -> None:
    services.register(name="deaf", source="https://example.org/deaf.git")
    body = packed(GITHUB)
    good = github(body)

    answers = [
        send(body, good, name="unknown"),
        send(body, good, name="deaf"),
        send(body, github(body, secret="another")),  # noqa: S106
        send(body, {"X-GitHub-Event": "push"}),
        send(body, {**gitlab(body), "X-Gitlab-Token": ""}, name="deaf"),
        send(body, {**gitlab(body), "X-Gitlab-Token": hooks.NO_SECRET}, name="unknown"),
        send(body, {**gitlab(body), "X-Gitlab-Token": "schlüssel"}),
        send(body + b" ", good),
    ]

    assert {(one.status_code, one.content) for one in answers} == {
        (
            404,
            b'{"queued": false, "detail": '
            b'"Nothing listens here, or the signature is wrong."}',
        )
    }
    assert not asked.called


def test_a_secret_with_letters_of_any_language_is_known_again(
    shop: Repository, asked: Mock
) -> None:
    Repository.objects.update(hook_secret="schlüssel")  # noqa: S106
    body = packed(GITLAB)
    sent = "schlüssel".encode().decode("latin-1")  # As WSGI hands a header on.

    assert send(body, {**gitlab(body), "X-Gitlab-Token": sent}).status_code == 202


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"{", "The payload is not JSON."),
        (b"\xff", "The payload is not JSON."),
        (b"[" * 100_000, "The payload is not JSON."),
        (b"[]", "The payload is not an object."),
        (b"{}", "The payload names no ref."),
        (b'{"ref": 7}', "The payload names no ref."),
    ],
)
def test_a_signed_body_that_no_host_sends_is_refused(
    shop: Repository, asked: Mock, body: bytes, sentence: str
) -> None:
    answer = send(body, github(body))

    assert answer.status_code == 400
    assert json.loads(answer.content)["detail"] == sentence


def test_a_body_without_end_is_not_read(
    shop: Repository, asked: Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = packed(GITHUB)
    monkeypatch.setattr(hooks, "MOST_BYTES", len(body) - 1)

    assert send(body, github(body)).status_code == 413
    assert send(body, github(body), name="unknown").status_code == 413


def test_another_type_of_content_is_not_read(shop: Repository, asked: Mock) -> None:
    body = packed(GITHUB)

    assert send(body, github(body), content_type="text/plain").status_code == 415


def test_it_cannot_be_asked_for(client: Client, shop: Repository) -> None:
    assert client.get("/hooks/shop/").status_code == 405
    assert client.get("/hooks/unknown/").status_code == 405


def test_a_repository_that_was_never_indexed_is_not_begun_by_a_push(
    shop: Repository, asked: Mock
) -> None:
    Build.objects.all().delete()
    body = packed(GITHUB)

    answer = send(body, github(body))

    assert answer.status_code == 200
    assert "was never indexed" in json.loads(answer.content)["detail"]
    assert not asked.called


def test_a_request_that_comes_twice_makes_one_look_due(
    shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freshness, "_enqueue", Mock())
    body = packed(GITHUB)

    assert [send(body, github(body)).status_code for _ in range(2)] == [202, 202]

    assert Build.objects.count() == 1
    assert Repository.objects.exclude(fetch_due_at=None).count() == 1
