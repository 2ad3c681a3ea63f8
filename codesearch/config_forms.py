"""Forms of a config: the knobs of an address, and those that staff names and keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.http import QueryDict

from codesearch.configs import SHIPPED, config_names, find_config, pairs_of
from codesearch.errors import UnreadableSetting
from codesearch.forms import ToldForm
from codesearch.funnel.legs import ALWAYS, LEGS
from codesearch.funnel.types import Config
from codesearch.knobs import (
    AS_SHIPPED,
    KNOBS,
    OFF,
    POINTS,
    RERANKER,
    RERANKERS,
    Knob,
    config_pairs,
    make_config,
    read_pairs,
)
from codesearch.models import NamedConfig

TAKEN = (SHIPPED, "add", "default")  # The shipped one, and addresses of pages.


class ConfigForm(ToldForm):
    """The knobs of a config that are turned; what is not given is as shipped.

    `config` is the name of one instead; where a knob is given too the knobs hold.
    """

    has_default = False  # Whether the default config is meant where none is named.
    off = forms.MultipleChoiceField(choices=[(n, n) for n in LEGS], required=False)
    reranker = forms.ChoiceField(choices=[(n, n) for n in RERANKERS], required=False)

    def __init__(self, data: Any) -> None:  # Any: QueryDict
        super().__init__(data)
        for name, knob in KNOBS.items():
            self.fields[name] = _number(knob)
        self.fields["config"] = forms.SlugField(required=False)
        self.named: NamedConfig | None = None

    def clean(self) -> dict[str, Any] | None:  # Any: cleaned data
        """Find the config that is meant; a name that there is not is an error."""
        name = self.cleaned_data.get("config", "")
        if not self.is_turned and name != SHIPPED:
            self.named = find_config(name, default=self.has_default)
            if name and self.named is None:
                names = ", ".join(config_names())
                self.add_error("config", f"There is no “{name}”; there are {names}.")
        return super().clean()

    def clean_off(self) -> list[str]:
        """Refuse a search without a leg; `literal` runs for few queries."""
        off: list[str] = self.cleaned_data["off"]
        if set(off) >= set(ALWAYS):
            raise forms.ValidationError("One leg at least must run.")
        return off

    @property
    def is_turned(self) -> bool:
        """Tell whether any knob is given, at whatever value."""
        return any(self.data.get(name) for name in (*KNOBS, OFF, RERANKER))

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """Return what an address says of the settings, none where it need not."""
        if self.named is not None:
            return (("config", self.named.name),)
        pairs = tuple(config_pairs(self.config))
        is_asked = self.is_turned or self.cleaned_data.get("config")
        if not pairs and is_asked and find_config("", default=True):
            return (("config", SHIPPED),)
        return pairs

    @property
    def config(self) -> Config:
        """Return the config of a validated form."""
        if self.named is not None:
            return read_pairs(pairs_of(self.named))
        data = self.cleaned_data
        numbers = {name: data.get(name) for name in KNOBS}
        return make_config(numbers, data.get("off", ()), data.get("reranker", ""))


class PageConfigForm(ConfigForm):
    """The settings of a page: those of the default config where it says nothing."""

    has_default = True


def _number(knob: Knob) -> forms.Field:
    """Return the field of a knob. It may be left empty."""
    if not knob.is_whole:
        return forms.FloatField(
            label=knob.label,
            min_value=knob.least,
            max_value=knob.most,
            required=False,
        )
    return forms.IntegerField(
        label=knob.label,
        min_value=int(knob.least),
        max_value=int(knob.most),
        required=False,
    )


def read_settings(texts: Sequence[str]) -> Config:
    """Return the config of `name=value` texts. Raises UnreadableSetting."""
    data = QueryDict(mutable=True)
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name not in {*KNOBS, OFF, RERANKER}:
            names = ", ".join([*KNOBS, OFF, RERANKER])
            raise UnreadableSetting(f"“{text}” is no setting NAME=VALUE of {names}.")
        data.appendlist(name, value)
    form = ConfigForm(data)
    if not form.is_valid():
        raise UnreadableSetting(" ".join(form.sentences))
    return form.config


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
