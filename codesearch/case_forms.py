"""Forms of cases and case sets: what is typed or uploaded, as Python values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from codesearch.case_files.records import (
    KEY_LIMIT,
    MOST_BYTES,
    TOPIC_LIMIT,
    NewCase,
    split_lines,
)
from codesearch.case_sets import FORMATS, NAME_LIMIT
from codesearch.forms import (
    NOTE_LIMIT,
    ManyField,
    ResultForm,
    ScopeForm,
    ToldForm,
    check_repository,
)
from codesearch.generating import MOST_MADE
from codesearch.inquiry import MAX_QUERY
from codesearch.models import Case, CaseSet
from codesearch.targets import TARGET_LIMIT
from indexer.models import Profile

DESCRIPTION_LIMIT = 2000
MOST_TYPED = 100_000  # Characters of targets.
_GRADE = re.compile(r"\s*(\d{1,4})")


class _MadeForm(ToldForm):
    """What every new set has. `names` are the repositories that can be chosen."""

    name = forms.CharField(max_length=NAME_LIMIT, required=False)
    profile = forms.SlugField(required=False)

    def __init__(self, data: Any, files: Any = None, *, names: Sequence[str]) -> None:
        # Any: QueryDict and MultiValueDict
        super().__init__(data, files)
        self.names = names

    def clean_profile(self) -> str:
        """Refuse a profile that there is not."""
        name: str = self.cleaned_data["profile"]
        if name and not Profile.objects.filter(name=name).exists():
            raise forms.ValidationError(f"There is no profile “{name}”.")
        return name


class ImportForm(_MadeForm):
    """A file with cases, and where they go: into a new set, or into `into`."""

    file = forms.FileField()
    topics = forms.FileField(required=False)
    repository = ManyField(required=False)
    unit = forms.ChoiceField(choices=CaseSet.Unit.choices, required=False)
    into = forms.IntegerField(min_value=1, required=False)
    check = forms.BooleanField(required=False)

    def clean_repository(self) -> list[str]:
        """Refuse a repository out of reach."""
        chosen: list[str] = self.cleaned_data["repository"]
        for name in chosen:
            check_repository(name, self.names)
        return chosen

    def clean(self) -> dict[str, Any] | None:  # Any: cleaned data
        """Refuse a new set that is asked of nothing."""
        data = super().clean()
        told = self.cleaned_data
        if not self.errors and not (told["repository"] or told["into"]):
            raise forms.ValidationError("Choose the repositories the set is asked of.")
        return data


class GenerateForm(_MadeForm):
    """What a set of docstrings is made from."""

    repository = forms.CharField()
    count = forms.IntegerField(min_value=1, max_value=MOST_MADE)
    seed = forms.IntegerField(min_value=0, max_value=10**9, required=False)

    def clean_repository(self) -> str:
        """Refuse a repository out of reach."""
        name: str = self.cleaned_data["repository"]
        check_repository(name, self.names)
        return name


class SetForm(ToldForm):
    """What may be changed about a set."""

    name = forms.CharField(max_length=NAME_LIMIT)
    description = forms.CharField(max_length=DESCRIPTION_LIMIT, required=False)
    unit = forms.ChoiceField(choices=CaseSet.Unit.choices)


class TargetsField(forms.CharField):
    """Targets, one a line, each with ` = grade` behind it where that is not 1."""

    def clean(self, value: Any) -> Any:  # Any: as Django's
        """Return pairs of target and grade, in order."""
        return read_typed(super().clean(value))


class TypedCaseForm(ToldForm):
    """One case as it is typed; whether it can be asked is for the service to say."""

    query = forms.CharField(max_length=MAX_QUERY)
    targets = TargetsField(max_length=MOST_TYPED)
    topic = forms.CharField(max_length=TOPIC_LIMIT, required=False)
    key = forms.CharField(max_length=KEY_LIMIT, required=False)
    expected = forms.ChoiceField(choices=Case.Expected.choices)
    synthetic = forms.BooleanField(required=False)
    note = forms.CharField(max_length=NOTE_LIMIT, required=False)

    @property
    def case(self) -> NewCase:
        """Return the case of a validated form."""
        data = self.cleaned_data
        return NewCase(
            query=data["query"],
            targets=data["targets"],
            key=data["key"],
            topic=data["topic"],
            expected=data["expected"],
            is_synthetic=data["synthetic"],
            note=data["note"],
        )


class RightForm(ResultForm, ScopeForm):
    """A hit of a search that was the right one, and the page that it stood on."""

    target = forms.CharField(max_length=TARGET_LIMIT)
    case_set = forms.IntegerField(min_value=1, required=False)


class DownloadForm(ToldForm):
    """What a set is written as."""

    format = forms.ChoiceField(choices=[(name, name) for name in FORMATS])


def read_upload(file: UploadedFile[bytes]) -> bytes:
    """Return the bytes of an upload, at most one more than may be read."""
    data: bytes = file.read(MOST_BYTES + 1)
    return data


def read_typed(text: str) -> tuple[tuple[str, int], ...]:
    """Return targets with their grades, as they were typed one a line."""
    found = []
    for line in map(str.strip, split_lines(text)):
        if line:
            found.append(_split_grade(line) or (line, 1))
    return tuple(found)


def write_typed(targets: Sequence[tuple[str, int]]) -> str:
    """Return targets as `read_typed` reads them."""
    return "\n".join(
        f"{target} = {grade}" if grade != 1 or _split_grade(target) else target
        for target, grade in targets
    )


def _split_grade(line: str) -> tuple[str, int] | None:
    """Return target and grade of `target = grade`, None where a line is not so."""
    target, _, told = line.rpartition("=")
    grade = _GRADE.fullmatch(told)
    if grade is None or not target[-1:].isspace() or not target.strip():
        return None
    return target.rstrip(), int(grade[1])
