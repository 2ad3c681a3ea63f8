"""Hooks: what a Git host tells of a push, and whether it was that host.

Read are the formats of GitHub, of Gitea and Forgejo, and of GitLab:
https://docs.github.com/en/webhooks, https://forgejo.org/docs/latest/user/webhooks/,
https://docs.gitlab.com/user/project/integrations/webhook_events/
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs

JSON_TYPE = "application/json"
FORM_TYPE = "application/x-www-form-urlencoded"

# Headers with the HMAC of the body, in hexadecimal digits: (name, what is before it).
_SIGNATURES = (
    ("X-Hub-Signature-256", "sha256="),
    ("X-Gitea-Signature", ""),
    ("X-Forgejo-Signature", ""),
)
_TOKEN = "X-Gitlab-Token"  # noqa: S105  the name of a header; it holds the secret itself
_EVENTS = ("X-GitHub-Event", "X-Gitea-Event", "X-Forgejo-Event", "X-Gitlab-Event")
_PUSHES = ("push", "Push Hook", "Tag Push Hook")


@dataclass(frozen=True, slots=True)
class Push:
    """What was pushed: a full ref, and the branch that is the host's default.

    `default_branch` is empty where the host does not say.
    """

    ref: str
    default_branch: str

    def moves(self, tracked: str) -> bool:
        """Return whether it concerns a branch or tag; "" stands for the default."""
        name = tracked or self.default_branch
        return not name or self.ref in (f"refs/heads/{name}", f"refs/tags/{name}", name)


def is_signed(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    """Return whether a request bears a signature of `body`, or the token, of `secret`.

    The comparison takes the same time wherever two differ. `secret` is not empty.
    """
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    expected = [(name, before + digest) for name, before in _SIGNATURES]
    expected.append((_TOKEN, secret))
    found = [
        hmac.compare_digest(_header_bytes(headers.get(name, "")), value.encode())
        for name, value in expected
    ]
    return any(found)


def read_push(
    headers: Mapping[str, str], content_type: str, body: bytes
) -> Push | None:
    """Return the push that a signed request tells of; None for another event.

    Raises ValueError with a sentence for what no host sends.
    """
    event = next((headers[name] for name in _EVENTS if name in headers), "")
    if event not in _PUSHES:
        return None
    told = _read_payload(content_type, body)
    ref = told.get("ref")
    if not isinstance(ref, str) or not ref:
        raise ValueError("The payload names no ref.")
    about = told.get("repository")
    project = told.get("project")  # GitLab's; it has a `repository` without a branch.
    for described in (project, about):
        if isinstance(described, dict) and "default_branch" in described:
            return Push(ref, str(described["default_branch"] or ""))
    return Push(ref, "")


def _read_payload(content_type: str, body: bytes) -> dict[str, object]:
    try:
        if content_type == FORM_TYPE:
            fields = parse_qs(body.decode(), max_num_fields=10)
            text = fields.get("payload", [""])[0]
        else:
            text = body.decode()
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("The payload is not JSON.") from error
    if not isinstance(told, dict):
        raise ValueError("The payload is not an object.")
    return told


def _header_bytes(value: str) -> bytes:
    """Return a header as it was sent; WSGI gives its bytes as Latin-1."""
    return value.encode("latin-1", errors="replace")
