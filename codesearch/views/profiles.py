"""Profiles: listed for everybody; made, copied, changed and removed by who may."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import ProtectedError
from django.forms import model_to_dict
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from codesearch.administration import index_with, may, note, require, require_staff
from codesearch.htmx import private_page
from codesearch.pages.profiles import profile_rows
from codesearch.views.form_pages import form_page, show_form
from indexer import services
from indexer.access import may_change, readable, viewer_of
from indexer.forms import ProfileForm
from indexer.models import Profile

PAGE = "codesearch/profiles/edit.html"


@require_safe
@private_page
def profiles(request: HttpRequest) -> HttpResponse:
    """List the profiles, and which repositories are indexed with each."""
    viewer = viewer_of(request.user)
    context = {
        "rows": profile_rows(viewer),
        "may_index": may_change(viewer),
        "may_add": may(request.user, "add", Profile),
        "may_edit": may(request.user, "change", Profile),
    }
    return render(request, "codesearch/profiles/list.html", context)


@form_page
@private_page
def add(request: HttpRequest) -> HttpResponse:
    """Show the form of a new profile, or make it; `copy` names one to begin with."""
    require(request, "add", Profile)
    name = request.GET.get("copy", "")
    begin = Profile.objects.filter(name=name).first()
    initial = model_to_dict(begin, exclude=["name"]) if begin else {}
    form = ProfileForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        note(request, "add", form.save())
        return redirect("profiles")
    return show_form(request, PAGE, form, name="")


@form_page
@private_page
def change(request: HttpRequest, name: str) -> HttpResponse:
    """Show the form of a profile, or save it and build its indexes anew."""
    require(request, "change", Profile)
    profile = get_object_or_404(Profile, name=name)
    form = ProfileForm(request.POST or None, instance=profile)
    if request.method == "POST" and form.is_valid():
        form.save()
        note(request, "change", profile, f"Changed {', '.join(form.changed_data)}.")
        if count := services.rebuild_profile(profile=profile):
            told = "1 index is" if count == 1 else f"{count} indexes are"
            messages.success(request, f"{told} built anew; see the jobs.")
        return redirect("profiles")
    return show_form(request, PAGE, form, name=name)


@require_POST
def delete(request: HttpRequest, name: str) -> HttpResponse:
    """Remove a profile that no repository is indexed with."""
    require(request, "delete", Profile)
    profile = get_object_or_404(Profile, name=name)
    if profile.indexes.exists():
        messages.error(request, f"Repositories are indexed with “{name}”.")
        return redirect("profiles")
    note(request, "delete", profile)
    try:
        profile.delete()
    except ProtectedError:  # One was indexed with it meanwhile.
        messages.error(request, f"Repositories are indexed with “{name}”.")
    return redirect("profiles")


@require_POST
def index(request: HttpRequest, name: str) -> HttpResponse:
    """Index a repository with a profile, beside those that it has."""
    require_staff(request)
    profile = get_object_or_404(Profile, name=name)
    chosen = request.POST.get("repository", "")
    repository = get_object_or_404(readable(viewer_of(request.user)), name=chosen)
    index_with(request, repository, profile.name)
    messages.success(request, f"{repository} is being indexed with {profile}.")
    return redirect("profiles")
