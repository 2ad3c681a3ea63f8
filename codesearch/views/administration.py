"""Repositories for administrators: registered, changed, renamed and removed."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from codesearch.administration import note, require, what_goes
from codesearch.htmx import private_page
from codesearch.views.form_pages import form_page, show_form
from indexer import removal, services
from indexer.access import readable, viewer_of
from indexer.errors import IndexingError
from indexer.forms import NewRepositoryForm, RepositoryForm
from indexer.models import Repository


@form_page
@private_page
def add(request: HttpRequest) -> HttpResponse:
    """Show the form that registers a repository, or register one."""
    require(request, "add", Repository)
    form = NewRepositoryForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            return _register(request, form)
        except IndexingError as error:
            form.add_error(None, str(error))
    return show_form(request, "indexer/add.html", form)


@form_page
@private_page
def change(request: HttpRequest, name: str) -> HttpResponse:
    """Show the settings of a repository, its name among them, or save them."""
    require(request, "change", Repository)
    repository = _find(request, name)
    form = RepositoryForm(request.POST or None, instance=repository)
    if request.method == "POST" and form.is_valid():
        _save(request, form)
        return redirect("repository", form.instance.name)
    return show_form(request, "indexer/settings.html", form, name=name)


@form_page
@private_page
def remove(request: HttpRequest, name: str) -> HttpResponse:
    """Say what goes with a repository, or remove it."""
    require(request, "delete", Repository)
    repository = _find(request, name)
    if request.method == "POST":
        note(request, "delete", repository)
        removal.remove_repository(repository=repository)
        messages.success(request, f"{name} was removed.")
        return redirect("repositories")
    context = {"name": name, "going": what_goes(repository)}
    return render(request, "indexer/remove.html", context)


def _register(request: HttpRequest, form: NewRepositoryForm) -> HttpResponse:
    """Register what a valid form describes. Raises IndexingError."""
    data = form.cleaned_data
    profile = data.pop("profile")
    index = services.register(**data, profile=profile.name)
    note(request, "add", index.repository)
    if "_index" in request.POST:
        services.request_build(index=index)
    return redirect("repository", index.repository.name)


def _save(request: HttpRequest, form: RepositoryForm) -> None:
    repository = cast(Repository, form.instance)
    services.change_repository(
        repository=repository,
        changed=set(form.changed_data),
        new_secret="_secret" in request.POST,
    )
    if "default" in form.changed_data:
        services.choose_default(index=form.cleaned_data["default"])
    note(request, "change", repository, f"Changed {', '.join(form.changed_data)}.")
    messages.success(request, f"The settings of {repository} were saved.")


def _find(request: HttpRequest, name: str) -> Repository:
    found = readable(viewer_of(request.user)).filter(name=name).first()
    if found is None:
        raise Http404
    return found
