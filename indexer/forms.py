"""Forms: where an administrator's input becomes Python values, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

from django import forms
from django.conf import settings

from indexer import encoders
from indexer.models import DEFAULT_PROFILE, Index, Profile, Repository
from indexer.pipeline.encoder import Embedder
from indexer.pipeline.hosts import check_host_template, check_root
from indexer.pipeline.sources import check_branch, check_source

# Of a URL that `check_source` refuses for it; the user of an ssh:// one is no secret.
CREDENTIALS = re.compile(r"(?<=://)[^/\s@]*:[^/\s]*@|(?<=https://)[^/\s]*@")


class SourceInput(forms.TextInput):
    """A source; the form that refuses credentials does not show them again."""

    def format_value(self, value: Any) -> str | None:  # Any: Django's own
        """Return the text without user, password and token."""
        text = super().format_value(value)
        return text and CREDENTIALS.sub("", text)


class SourceForm(forms.ModelForm):  # type: ignore[type-arg]  # not at run time
    """A repository and how it is fetched, from the web: folders below the roots."""

    class Meta:
        model = Repository
        fields = ["name", "source", "branch", "visibility", "index_secrets"]
        widgets = {"source": SourceInput}

    def clean_source(self) -> str:
        """Return a source that may be used; the same one may stay as it was."""
        source = str(self.cleaned_data["source"])
        if self.instance.pk is None or source != self.initial["source"]:
            try:
                kind = check_source(source, settings.ROOTS)
            except ValueError as error:
                raise forms.ValidationError(str(error)) from error
            if kind == "folder":
                return str(Path(source).resolve())
        return source

    def clean_branch(self) -> str:
        """Return the name of a branch, or nothing for the default one."""
        return self._checked("branch", check_branch)

    def _checked(self, name: str, check: Callable[[str], None]) -> str:
        text = str(self.cleaned_data[name])
        try:
            check(text)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
        return text


class NewRepositoryForm(SourceForm):
    """A repository to register, with its first profile."""

    class Meta(SourceForm.Meta):
        fields = [*SourceForm.Meta.fields, "fetch_minutes"]

    profile = forms.ModelChoiceField(
        Profile.objects.all(),
        initial=lambda: Profile.objects.filter(name=DEFAULT_PROFILE).first(),
        help_text="How it is indexed. Others can be added afterwards.",
    )


SECRET_LEAST = 16  # Characters; the button makes 43.


class RepositoryForm(SourceForm):
    """A registered repository: how it is kept, and the profile searched by default."""

    class Meta(SourceForm.Meta):
        fields = [
            *SourceForm.Meta.fields,
            "fetch_minutes",
            "hook_secret",
            "kept_builds",
            "host_url",
            "local_root",
        ]

    default = forms.ModelChoiceField(
        Index.objects.none(),
        label="default profile",
        help_text="Searched when no profile is chosen.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # Any: Django's own
        super().__init__(*args, **kwargs)
        indexes = self.instance.indexes.select_related("profile", "repository")
        field = cast("forms.ModelChoiceField[Index]", self.fields["default"])
        field.queryset = indexes
        field.initial = indexes.filter(is_default=True).first()

    def clean_host_url(self) -> str:
        """Return the address of files at a host, or nothing."""
        return self._checked("host_url", check_host_template)

    def clean_local_root(self) -> str:
        """Return a folder of people's machines, or nothing."""
        return self._checked("local_root", check_root)

    def clean_hook_secret(self) -> str:
        """Return a secret that cannot be guessed, or nothing."""
        secret = str(self.cleaned_data["hook_secret"])
        if secret and len(secret) < SECRET_LEAST:
            raise forms.ValidationError(
                f"{SECRET_LEAST} characters or more, or empty for no webhook."
            )
        return secret


class PrefixField(forms.CharField):
    """A prefix as it was typed: its spaces and line ends are part of it."""

    def __init__(self, **kwargs: Any) -> None:  # Any: Django's own, also below
        super().__init__(**{**kwargs, "strip": False})

    def to_python(self, value: Any) -> str:
        """Return the text with the line ends of files, not of browsers."""
        return str(super().to_python(value)).replace("\r\n", "\n")


EMBEDDER = tuple(field.name for field in fields(Embedder))


class ProfileForm(forms.ModelForm):  # type: ignore[type-arg]  # not at run time
    """A profile, whose model is loaded to see that it does what is asked."""

    class Meta:
        model = Profile
        fields = ["name", "chunker", *EMBEDDER]
        field_classes = {"query_prefix": PrefixField, "passage_prefix": PrefixField}
        widgets = {
            "query_prefix": forms.Textarea(attrs={"rows": 2, "cols": 60}),
            "passage_prefix": forms.Textarea(attrs={"rows": 2, "cols": 60}),
        }

    def clean(self) -> dict[str, Any]:
        """Refuse an embedder that cannot be loaded, with the reason."""
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not {*EMBEDDER}.isdisjoint(self.changed_data):
            embedder = Profile(**{name: cleaned[name] for name in EMBEDDER}).embedder
            encoder, missing = encoders.encoder_of(embedder)
            if encoder is None and embedder.model != encoders.NO_MODEL:
                raise forms.ValidationError(f"This cannot make vectors: {missing}.")
        return cleaned
