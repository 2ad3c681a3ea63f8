"""Case sets: listed, shown, imported, made from docstrings, changed and removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_POST, require_safe

from codesearch import case_sets as services
from codesearch.case_files.files import read_file
from codesearch.case_files.gathering import gather_cases
from codesearch.case_files.records import Problem, Reading
from codesearch.case_files.refused import unpack_refused, write_refused
from codesearch.case_forms import (
    DownloadForm,
    GenerateForm,
    ImportForm,
    SetForm,
    read_upload,
)
from codesearch.case_sets import Imported, NothingTaken
from codesearch.errors import SearchError
from codesearch.forms import PageForm
from codesearch.generating import generate_set
from codesearch.htmx import private_page
from codesearch.models import Case, CaseSet
from codesearch.pages.cases import (
    PROBLEMS_SHOWN,
    own_sets,
    set_context,
    set_rows,
    set_url,
)
from codesearch.reach import may_edit, sets_in_reach
from codesearch.views.answers import attached, refusal
from indexer.access import Viewer, viewer_of
from indexer.models import Profile
from indexer.selectors import repository_names

TYPES = {"json": "application/json", "csv": "text/csv; charset=utf-8"}
SUFFIXES = {"topics": "topics.tsv", "qrels": "qrels.txt"}


@require_safe
@private_page
def case_sets(request: HttpRequest) -> HttpResponse:
    """List the sets in reach, with forms to import one and to make one."""
    return _list(request)


@require_safe
@private_page
def case_set(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one set and a page of its cases."""
    found = reach_set(request, pk)
    return show_set(request, found)


@require_POST
def import_cases(request: HttpRequest) -> HttpResponse:
    """Import a file as a new set or into one, or only say what it holds."""
    viewer = require_user(request)
    form = ImportForm(request.POST, request.FILES, names=repository_names(viewer))
    if not form.is_valid():
        return _list(request, {"import_errors": form.sentences}, 400)
    data = form.cleaned_data
    topics = data["topics"] and read_upload(data["topics"])
    try:
        reading = read_file(read_upload(data["file"]), topics or None)
        if data["check"]:
            return _list(request, {"checked": _checked(reading)})
        done = _import(request, viewer, form, reading)
    except NothingTaken as error:
        return _list(request, _told(str(error), error.problems), 400)
    except SearchError as error:
        return _list(request, {"import_errors": [f"{data['file'].name}: {error}"]}, 400)
    _tell(request, done)
    return redirect(set_url(done.case_set))


@require_POST
def generate(request: HttpRequest) -> HttpResponse:
    """Make a set from the docstrings of a repository."""
    viewer = require_user(request)
    form = GenerateForm(request.POST, names=repository_names(viewer))
    if not form.is_valid():
        return _list(request, {"generate_errors": form.sentences}, 400)
    data = form.cleaned_data
    try:
        made = generate_set(
            viewer=viewer,
            user=request.user,
            repository=data["repository"],
            profile=data["profile"],
            count=data["count"],
            seed=data["seed"] or 0,
            name=data["name"],
        )
    except SearchError as error:
        return _list(request, {"generate_errors": [str(error)]}, 400)
    messages.success(request, made.told)
    return redirect(set_url(made.case_set))


@require_POST
def change(request: HttpRequest, pk: int) -> HttpResponse:
    """Change the name, the description or the unit of a set."""
    found = reach_own(request, pk)
    form = SetForm(request.POST)
    if not form.is_valid():
        return show_set(request, found, {"set_errors": form.sentences}, 400)
    viewer = viewer_of(request.user)
    services.change_set(viewer=viewer, case_set=found, **form.cleaned_data)
    return redirect(set_url(found))


@require_POST
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove a set with all that belongs to it."""
    found = reach_own(request, pk)
    services.delete_set(viewer=viewer_of(request.user), case_set=found)
    messages.success(request, f"The set “{found}” was deleted.")
    return redirect("cases")


@require_safe
@private_page
def download(request: HttpRequest, pk: int) -> HttpResponse:
    """Return a set as a file."""
    found = reach_set(request, pk)
    form = DownloadForm(request.GET)
    if not form.is_valid():
        return refusal(" ".join(form.sentences))
    kind = form.cleaned_data["format"]
    text = services.write_set(found, kind)
    return _file(text, f"{_stem(found.name)}.{SUFFIXES.get(kind, kind)}", kind)


@require_safe
@private_page
def refused(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Return the lines that an import did not take, as they were."""
    found = get_object_or_404(reach_set(request, pk).refused, pk=number)
    text = write_refused(*unpack_refused(bytes(found.packed)))
    return _file(text, f"refused-{_stem(found.file_name)}.txt")


@require_POST
def forget(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Remove the lines that an import did not take."""
    found = get_object_or_404(reach_own(request, pk).refused, pk=number)
    services.forget_refused(viewer=viewer_of(request.user), refused=found)
    return redirect(set_url(found.case_set))


def reach_set(request: HttpRequest, pk: int) -> CaseSet:
    """Return a set in reach. Raises Http404."""
    sets = sets_in_reach(viewer_of(request.user)).prefetch_related("repositories")
    return get_object_or_404(sets.select_related("created_by"), pk=pk)


def reach_own(request: HttpRequest, pk: int) -> CaseSet:
    """Return a set that the viewer may change. Raises Http404."""
    found = reach_set(request, pk)
    if not may_edit(viewer_of(request.user), found):
        raise Http404
    return found


def require_user(request: HttpRequest) -> Viewer:
    """Return the viewer who is signed in. Raises PermissionDenied."""
    viewer = viewer_of(request.user)
    if viewer.user_id is None:
        raise PermissionDenied
    return viewer


def show_set(
    request: HttpRequest,
    found: CaseSet,
    more: dict[str, Any] | None = None,  # Any: a template context
    status: int = 200,
) -> HttpResponse:
    """Show a set; `more` is what its forms said."""
    viewer = viewer_of(request.user)
    context = set_context(viewer, found, PageForm(request.GET).number)
    context |= {
        "units": CaseSet.Unit.choices,
        "stages": Case.Expected.choices,
        "formats": services.FORMATS,
    }
    template = "codesearch/cases/set.html"
    return render(request, template, context | (more or {}), status=status)


def _list(
    request: HttpRequest,
    more: dict[str, Any] | None = None,  # Any: a template context
    status: int = 200,
) -> HttpResponse:
    viewer = viewer_of(request.user)
    rows, pager = set_rows(viewer, PageForm(request.GET).number)
    context: dict[str, Any] = {"rows": rows, "pager": pager}
    if viewer.user_id is not None:
        context |= {
            "names": repository_names(viewer),
            "profiles": Profile.objects.values_list("name", flat=True),
            "units": CaseSet.Unit.choices,
            "own_sets": own_sets(viewer),
        }
    template = "codesearch/cases/sets.html"
    return render(request, template, context | (more or {}), status=status)


def _import(
    request: HttpRequest, viewer: Viewer, form: ImportForm, reading: Reading
) -> Imported:
    data = form.cleaned_data
    file_name = data["file"].name or ""
    who: dict[str, Any] = {"viewer": viewer, "user": request.user}
    if data["into"]:
        into = reach_own(request, data["into"])
        return services.import_into(
            **who, reading=reading, file_name=file_name, case_set=into
        )
    return services.import_new(
        **who,
        reading=reading,
        file_name=file_name,
        repositories=data["repository"],
        name=data["name"],
        profile=data["profile"],
        unit=data["unit"],
    )


def _tell(request: HttpRequest, done: Imported) -> None:
    level = messages.WARNING if done.problems else messages.SUCCESS
    messages.add_message(request, level, done.told)


def _checked(reading: Reading) -> dict[str, Any]:  # Any: a template context
    rows, problems = gather_cases(reading)
    targets = sum(len(row.case.targets) for row in rows)
    told = f"{services.counted(len(rows), 'case')} would be taken"
    told += f" with {services.counted(targets, 'target')}, "
    told += f"{services.counted(len(problems), 'line')} not."
    return _listed(" ".join([told, *reading.notes]), problems)


def _told(sentence: str, problems: Sequence[Problem]) -> dict[str, Any]:
    return {"import_errors": [sentence], "checked": _listed("", problems)}


def _listed(sentence: str, problems: Sequence[Problem]) -> dict[str, Any]:
    shown = problems[:PROBLEMS_SHOWN]
    more = len(problems) - len(shown)
    return {"sentence": sentence, "problems": shown, "more": more}


def _file(text: str, name: str, kind: str = "") -> HttpResponse:
    content_type = TYPES.get(kind, "text/plain; charset=utf-8")
    # A line that was refused may hold what is no character.
    data = text.encode("utf-8", "backslashreplace")
    return HttpResponse(data, content_type=content_type, headers=attached(name))


def _stem(name: str) -> str:
    return slugify(name) or "cases"
