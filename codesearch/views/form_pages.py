"""Pages with one form: shown, and sent to themselves."""

from __future__ import annotations

from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from codesearch.pages.fields import dress

form_page = require_http_methods(["GET", "HEAD", "POST"])


def show_form(
    request: HttpRequest, template: str, form: BaseForm, **more: object
) -> HttpResponse:
    """Show a form, with what is wrong with what was sent."""
    context = {"form": dress(form), **more}
    return render(request, template, context, status=400 if form.errors else 200)
