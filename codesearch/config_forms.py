"""The form in which staff makes and changes a named config."""

from __future__ import annotations

from typing import Any, cast

from django import forms

from codesearch.configs import SHIPPED
from codesearch.forms import ConfigForm
from codesearch.funnel.legs import LEGS
from codesearch.knobs import AS_SHIPPED, KNOBS, POINTS, RERANKERS
from codesearch.models import NamedConfig

TAKEN = (SHIPPED, "add", "default")  # The shipped one, and addresses of pages.


class NamedConfigForm(ConfigForm):
    """A config with its name, as staff makes and changes one; `known` is changed."""

    def __init__(self, data: Any, known: NamedConfig | None = None) -> None:
        super().__init__(data)  # Any: QueryDict, or nothing
        self.known = known
        del self.fields["config"]
        self.fields["off"].widget = forms.CheckboxSelectMultiple(
            choices=[(n, n) for n in LEGS]
        )
        self.fields["off"].label = "Legs turned off"
        cast(forms.ChoiceField, self.fields["reranker"]).choices = [
            ("", "as shipped"),
            *((kind, kind.replace("_", " ")) for kind in RERANKERS),
        ]
        self.fields = {"name": forms.SlugField(max_length=50), **self.fields}
        for name, knob in KNOBS.items():
            if name.startswith(POINTS):
                self.fields[name].label = f"Points of {knob.label}"
            value = knob.read(AS_SHIPPED)
            hint = "by its rule" if value is None else f"{value:g}"
            self.fields[name].widget.attrs["placeholder"] = f"shipped: {hint}"

    def clean_name(self) -> str:
        """Refuse a name that is taken, or ours."""
        name: str = self.cleaned_data["name"]
        others = NamedConfig.objects.all()
        if self.known:
            others = others.exclude(pk=self.known.pk)
        if name in TAKEN or others.filter(name=name).exists():
            raise forms.ValidationError(f"The name “{name}” is taken.")
        return name

    def clean(self) -> dict[str, Any] | None:  # Any: cleaned data
        """Take the knobs as they are: no name of another config is asked for."""
        return self.cleaned_data
