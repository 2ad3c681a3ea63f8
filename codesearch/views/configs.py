"""Configs: listed for everybody; made, copied, changed and removed by staff."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from codesearch import configs as services
from codesearch.administration import note, require_staff
from codesearch.config_forms import NamedConfigForm
from codesearch.htmx import private_page
from codesearch.knobs import config_pairs
from codesearch.models import NamedConfig
from codesearch.pages.configs import config_rows
from codesearch.views.form_pages import form_page, show_form
from indexer.access import may_change, viewer_of


@require_safe
@private_page
def configs(request: HttpRequest) -> HttpResponse:
    """List the configs that a search or a trace can be asked under."""
    is_staff = may_change(viewer_of(request.user))
    context = {"rows": config_rows(), "may_change": is_staff}
    return render(request, "codesearch/configs/list.html", context)


@form_page
@private_page
def add(request: HttpRequest) -> HttpResponse:
    """Show the form of a new config, or make it; `copy` names one to begin with."""
    require_staff(request)
    return _edit(request, NamedConfig(), request.GET.get("copy", ""))


@form_page
@private_page
def change(request: HttpRequest, name: str) -> HttpResponse:
    """Show the form of a config, or save it."""
    require_staff(request)
    return _edit(request, get_object_or_404(NamedConfig, name=name), name)


@require_POST
def default(request: HttpRequest) -> HttpResponse:
    """Make a config the one of pages that name none."""
    require_staff(request)
    name = request.POST.get("name", "")
    if name != services.SHIPPED:
        note(request, "change", get_object_or_404(NamedConfig, name=name), "Default.")
    services.choose_default(name=name)
    return redirect("configs")


@require_POST
def delete(request: HttpRequest, name: str) -> HttpResponse:
    """Remove a config; what was recorded with it keeps its settings."""
    require_staff(request)
    config = get_object_or_404(NamedConfig, name=name)
    note(request, "delete", config)
    config.delete()
    messages.success(request, f"The config “{name}” was deleted.")
    return redirect("configs")


def _edit(request: HttpRequest, config: NamedConfig, begin: str) -> HttpResponse:
    """Show the form with the settings of the config called `begin`, or save it."""
    known = config if config.pk else None
    if request.method == "POST":
        form = NamedConfigForm(request.POST, known)
        if form.is_valid():
            services.save_config(
                config=config,
                name=form.cleaned_data["name"],
                pairs=config_pairs(form.config),
                user_id=request.user.pk,
            )
            note(request, "change" if known else "add", config)
            return redirect("configs")
    else:
        form = NamedConfigForm(None, known)
        form.initial = _initial(begin) | ({"name": config.name} if known else {})
    page = "codesearch/configs/edit.html"
    return show_form(request, page, form, known=known, name=begin)


def _initial(name: str) -> dict[str, object]:
    """Return the settings of a config as the form has them; none if there is none."""
    found = NamedConfig.objects.filter(name=name).first()
    data = QueryDict(mutable=True)
    for key, value in services.pairs_of(found) if found else ():
        data.appendlist(key, value)
    return {**data.dict(), "off": data.getlist("off")}
