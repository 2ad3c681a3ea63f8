"""The form that brings runs: files, and what each of them is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from django import forms
from django.db.models import QuerySet

from codesearch.audits.foreign.bringing import Wanted
from codesearch.audits.foreign.gathering import BroughtFile, RunFile
from codesearch.audits.foreign.stages import DEEPEST
from codesearch.audits.foreign.types import KINDS, MOST_BYTES
from codesearch.forms import ToldForm
from codesearch.models import CaseSet

# What the rows of the form begin as; a row without a file is none.
ROWS = ("leg", "leg", "leg", "leg", "fusion", "pool", "rerank", "page")


@dataclass(frozen=True, slots=True)
class Row:
    """The fields of one run file."""

    number: int
    file: forms.BoundField
    kind: forms.BoundField
    name: forms.BoundField
    depth: forms.BoundField


class ImportForm(ToldForm):
    """One JSON file, or run files with qrels or a set whose judgements hold."""

    system = forms.CharField(max_length=100, required=False)
    set_name = forms.CharField(max_length=100, required=False)
    note = forms.CharField(max_length=200, required=False)
    document = forms.FileField(required=False)
    qrels = forms.FileField(required=False)
    topics = forms.FileField(required=False)
    case_set = forms.ModelChoiceField(CaseSet.objects.none(), required=False)
    is_open = forms.BooleanField(required=False)
    leave_out = forms.BooleanField(required=False)

    def __init__(
        self,
        data: Any = None,  # Any: QueryDict
        files: Any = None,  # Any: MultiValueDict
        *,
        sets: QuerySet[CaseSet],
        chosen: str = "",
    ) -> None:
        super().__init__(data, files, initial={"case_set": chosen})
        field = self.fields["case_set"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = sets
        for number, kind in enumerate(ROWS):
            self.fields[f"file_{number}"] = forms.FileField(required=False)
            self.fields[f"kind_{number}"] = forms.ChoiceField(
                choices=[(one.value, one.value) for one in KINDS],
                initial=kind,
                required=False,
            )
            self.fields[f"name_{number}"] = forms.CharField(required=False)
            self.fields[f"depth_{number}"] = forms.IntegerField(
                min_value=1, max_value=DEEPEST, required=False
            )

    def clean(self) -> dict[str, Any] | None:  # Any: cleaned data
        """Refuse files that are too large together before any of them is read."""
        size = sum(file.size or 0 for file in _uploads(self.files))
        if size > MOST_BYTES:
            raise forms.ValidationError(
                f"The files have {size / 1e6:,.0f} MB together; "
                f"{MOST_BYTES / 1e6:,.0f} MB are read."
            )
        return super().clean()

    def wanted(self, *, owner: int | None) -> Wanted:
        """Return what a validated form wants."""
        data = self.cleaned_data
        return Wanted(
            owner=owner,
            system=data["system"],
            set_name=data["set_name"],
            note=data["note"],
            is_open=data["is_open"],
            leave_out=data["leave_out"],
            document=_brought(data["document"]),
            runs=[run for number in range(len(ROWS)) if (run := self._run(number))],
            qrels=_brought(data["qrels"]),
            topics=_brought(data["topics"]),
            case_set=data["case_set"],
        )

    def _run(self, number: int) -> RunFile | None:
        data = self.cleaned_data
        file = _brought(data[f"file_{number}"])
        if file is None:
            return None
        name = data[f"name_{number}"] or PurePath(file.name).stem
        kind = data[f"kind_{number}"] or ROWS[number]
        return RunFile(file, name, kind, data[f"depth_{number}"])


def run_rows(form: ImportForm) -> list[Row]:
    """Return the fields of the run files, by row."""
    return [
        Row(
            number + 1,
            *(form[f"{part}_{number}"] for part in ("file", "kind", "name", "depth")),
        )
        for number in range(len(ROWS))
    ]


def _uploads(files: Any) -> list[Any]:  # Any: MultiValueDict, and its files
    return [file for name in files for file in files.getlist(name)]


def _brought(file: Any) -> BroughtFile | None:  # Any: a file, None or False
    return BroughtFile(file.name or "file", file.read()) if file else None
