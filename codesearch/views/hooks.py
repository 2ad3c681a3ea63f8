"""Hooks: where a Git host tells of a push. No session, no page, one answer in JSON."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from indexer import freshness
from indexer.access import listening
from indexer.hooks import FORM_TYPE, JSON_TYPE, is_signed, read_push
from indexer.models import Build

MOST_BYTES = 25_000_000  # GitHub and GitLab send no larger ones.
NO_SECRET = "-"  # noqa: S105  what is compared where no repository listens


@csrf_exempt  # Signed with a secret instead; a browser has none.
@require_POST
@never_cache
def hook(request: HttpRequest, name: str) -> JsonResponse:
    """Queue a fetch when a push moved what a repository tracks.

    A name that is not known, one that does not listen and a wrong signature answer
    alike, with 404 as all that is not for whoever asks: no one learns which
    repositories there are. A request that comes twice is answered by one more look at
    the source, which finds nothing new.
    """
    # Not `request.body`: its limit is that of forms, and there is none to keep.
    body = request.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        return _answer(f"The body is over {MOST_BYTES:,} bytes.", status=413)
    if request.content_type not in (JSON_TYPE, FORM_TYPE):
        return _answer(f"Send {JSON_TYPE} or {FORM_TYPE}.", status=415)
    repository = listening(name)
    secret = repository.hook_secret if repository else NO_SECRET
    if not is_signed(request.headers, body, secret) or repository is None:
        return _answer("Nothing listens here, or the signature is wrong.", status=404)
    try:
        push = read_push(request.headers, request.content_type, body)
    except ValueError as error:
        return _answer(str(error), status=400)
    if push is None:
        return _answer(f"{name} listens; only pushes are acted on.")
    if not push.moves(repository.branch):
        tracked = repository.branch or push.default_branch
        return _answer(f"{push.ref} is ignored: {name} tracks {tracked}.")
    if not freshness.is_built(repository):
        return _answer(f"{name} was never indexed; index it once, then it follows.")
    freshness.request_fetch(repository, cause=Build.Cause.PUSH)
    return _answer(f"{push.ref} will be fetched.", status=202, queued=True)


def _answer(detail: str, *, status: int = 200, queued: bool = False) -> JsonResponse:
    return JsonResponse({"queued": queued, "detail": detail}, status=status)
