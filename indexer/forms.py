"""Forms: where an administrator's input becomes Python values, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from django import forms
from django.conf import settings

from indexer.models import DEFAULT_PROFILE, Index, Profile, Repository
from indexer.pipeline.sources import check_branch, check_source


class SourceForm(forms.ModelForm):  # type: ignore[type-arg]  # not at run time
    """A repository and how it is fetched, from the web: folders below the roots."""

    class Meta:
        model = Repository
        fields = ["name", "source", "branch", "visibility", "index_secrets"]

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
        branch = str(self.cleaned_data["branch"])
        try:
            check_branch(branch)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
        return branch


class NewRepositoryForm(SourceForm):
    """A repository to register, with its first profile."""

    profile = forms.ModelChoiceField(
        Profile.objects.all(),
        initial=lambda: Profile.objects.filter(name=DEFAULT_PROFILE).first(),
        help_text="How it is indexed. Others can be added afterwards.",
    )


class RepositoryForm(SourceForm):
    """A registered repository, with the profile that is searched by default."""

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
