"""Fields of Django's forms as our pages show them: labels, helps, errors, classes."""

from __future__ import annotations

from django.forms import BaseForm, CheckboxInput, Select, Textarea, TextInput

MONO = ("source", "branch", "host_url", "local_root", "model", "revision")


def dress(form: BaseForm) -> BaseForm:
    """Give the widgets of a form the classes of the stylesheet; return the form."""
    for name, field in form.fields.items():
        widget = field.widget
        if isinstance(widget, CheckboxInput):
            continue
        shape = "select" if isinstance(widget, Select) else "input"
        if name in MONO:
            shape += " input--mono"
        widget.attrs["class"] = shape
        if isinstance(widget, TextInput | Textarea):
            widget.attrs |= {"autocomplete": "off", "spellcheck": "false"}
    return form
