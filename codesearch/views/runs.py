"""Runs of the stages as plain text, of a search that is made now and of a record."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.http import HttpRequest, HttpResponse

from codesearch.errors import SearchError
from codesearch.forms import RunForm
from codesearch.runs import RunLine, write_run
from codesearch.views.answers import refusal

QID = "1"  # A search alone has no other id.


def wants_run(request: HttpRequest) -> bool:
    """True if the list of a stage is asked for."""
    return request.GET.get("format") == "trec"


def answer_run(
    request: HttpRequest, sentences: Sequence[str], run: Callable[[str], list[RunLine]]
) -> HttpResponse:
    """Return the run of the stage that is asked for; `sentences` are errors if any."""
    form = RunForm(request.GET)
    if not form.is_valid() or sentences:
        return refusal(" ".join([*sentences, *form.sentences]))
    stage = form.cleaned_data["stage"]
    try:
        lines = run(stage)
    except SearchError as error:
        return refusal(str(error))
    qid = form.cleaned_data["qid"] or QID
    text = write_run(lines, qid=qid, tag=f"codesearch-{stage}")
    return HttpResponse(text, content_type="text/plain; charset=utf-8")
