"""Phrasings: one target asked for in many ways, as a section and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from codesearch import sweeps
from codesearch.config_forms import ConfigForm, PageConfigForm
from codesearch.forms import SweepForm
from codesearch.htmx import private_page
from codesearch.pages.links import Scope
from codesearch.pages.trace.phrasings import fitting, sweep_url, sweep_view
from codesearch.payloads import Payload
from codesearch.views.answers import (
    Reply,
    answer,
    json_error,
    layers_context,
    scope_of,
    wants_json,
)
from codesearch.views.trace import OPTIONS_SHOWN, follow
from indexer.access import Viewer, viewer_of
from indexer.selectors import repository_names

NOTHING_ASKED = "Name a query and a target to sweep."


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request asks to sweep, as far as it could be read."""

    form: SweepForm
    knobs: ConfigForm
    scope: Scope
    targets: list[str]
    typed: list[str]
    with_variants: bool

    def url(self, targets: Sequence[str], **more: str) -> str:
        """Return the address of this sweep for other targets."""
        variants = self.with_variants
        return sweep_url(
            self.scope, targets, self.typed, with_variants=variants, **more
        )


@require_safe
@private_page
def phrasings(request: HttpRequest) -> HttpResponse:
    """Show the ranks of the first target for each phrasing, or the payload."""
    viewer = viewer_of(request.user)
    asked = _read(request.GET, viewer)

    def sweep(*, targets: list[str], **wish: Any) -> Payload:  # Any: of the service
        return sweeps.sweep(
            target=targets[0],
            phrasings=asked.typed,
            with_variants=asked.with_variants,
            **wish,
        )

    reply, _ = follow(
        sweep, viewer, asked.form, asked.knobs, asked.scope, asked.targets
    )
    if wants_json(request):
        found = reply.payload
        return json_error(reply) if found is None else JsonResponse(found)
    return _page(request, asked, reply)


@require_POST
def ask(request: HttpRequest) -> HttpResponse:
    """Go to the address of the phrasings that were typed, as many as it can hold."""
    asked = _read(request.POST, viewer_of(request.user))
    if asked.form.errors or asked.knobs.errors:
        sentences = [*asked.form.sentences, *asked.knobs.sentences]
        return _page(request, asked, Reply("error", sentences, 400))
    kept = fitting(asked.scope, asked.targets, asked.typed)
    given = {} if len(kept) == len(asked.typed) else {"given": str(len(asked.typed))}
    return redirect(replace(asked, typed=list(kept)).url(asked.targets, **given))


def _read(data: QueryDict, viewer: Viewer) -> Asked:
    form = SweepForm(data, names=repository_names(viewer))
    form.is_valid()
    knobs = PageConfigForm(data)
    knobs.is_valid()
    read = form.cleaned_data
    return Asked(
        form=form,
        knobs=knobs,
        scope=replace(scope_of(form), settings=knobs.settings),
        targets=read.get("target", []),
        typed=read.get("phrasing", []),
        with_variants=read.get("variants") != "off",
    )


def _page(request: HttpRequest, asked: Asked, reply: Reply) -> HttpResponse:
    scope, targets = asked.scope, asked.targets
    hidden = [*scope.pairs(), *(("target", one) for one in targets), *scope.settings]
    shown: dict[str, Any] = {  # Any: a template context
        "state": reply.state,
        "sentences": reply.sentences or [NOTHING_ASKED],
        "scope": scope,
        "targets": targets,
        "typed": asked.typed,
        "given": asked.form.cleaned_data.get("given"),
        "with_variants": asked.with_variants,
        "hidden": hidden,
        "options": [
            {**option, "url": asked.url([option["target"]])}
            for option in reply.options[:OPTIONS_SHOWN]
        ],
        "others": [
            (one, asked.url([one, *(kept for kept in targets if kept != one)]))
            for one in targets[1:]
        ],
        "url": asked.url(targets),
        "json_url": asked.url(targets, format="json"),
        "trace_url": scope.trace_url(*targets),
    }
    if reply.payload is not None:
        shown["sweep"] = sweep_view(reply.payload, scope)
        shown |= layers_context(asked.form, reply.payload)
    return answer(
        request,
        "codesearch/phrasings.html",
        "codesearch/trace/_phrasings.html",
        shown,
        reply.status,
    )
