"""Forms of sharing: what is recorded, and until when its link leads there."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils import timezone

from codesearch.forms import MAX_LINE, NAME_LIMIT, ResultForm, ToldForm, TraceForm
from codesearch.models import SearchRecord
from codesearch.sharing import Terms

NEVER = ""
DATE = "date"
EXPIRIES = {
    NEVER: "never",
    "1": "in 1 day",
    "7": "in 7 days",
    "30": "in 30 days",
    DATE: "at the end of a date",
}
LABEL_LIMIT = 100
PATH_LIMIT = 4096
RESULTS = (SearchRecord.Kind.SEARCH, SearchRecord.Kind.TRACE)


class RecordedForm(ResultForm):
    """Which page of a recorded result is shown, and whether beside that of now."""

    again = forms.BooleanField(required=False)


class TermsForm(ToldForm):
    """Until when a link leads to its record, and what its maker calls it."""

    expires = forms.ChoiceField(choices=list(EXPIRIES.items()), required=False)
    until = forms.DateField(required=False)
    label = forms.CharField(max_length=LABEL_LIMIT, required=False)

    def clean(self) -> dict[str, Any] | None:  # Any: cleaned data
        """Refuse a date that is past, that is missing, or that would be ignored."""
        data = super().clean()
        if self.errors:
            return data
        expires, until = self.cleaned_data["expires"], self.cleaned_data["until"]
        if expires == DATE and until is None:
            raise forms.ValidationError("Give the date on which the link expires.")
        if expires != DATE and until is not None:
            raise forms.ValidationError(
                f"A date is given: choose “{EXPIRIES[DATE]}”, or leave it empty."
            )
        if until is not None and until < timezone.now().date():
            raise forms.ValidationError(f"{until} is past.")
        return data

    @property
    def terms(self) -> Terms:
        """Return the terms of a validated form."""
        return Terms(_expiry(**self.cleaned_data), self.cleaned_data["label"])


def _expiry(expires: str, until: Any, label: str) -> datetime | None:  # Any: a date
    """Return the moment of an expiry, a full hour in UTC; None: never."""
    if expires == NEVER:
        return None
    if expires == DATE:
        return datetime.combine(until, time.min, UTC) + timedelta(days=1)
    moment = timezone.now() + timedelta(days=int(expires), hours=1)
    return moment.replace(minute=0, second=0, microsecond=0)


class KindForm(ToldForm):
    """Which page is shared."""

    kind = forms.ChoiceField(choices=SearchRecord.Kind.choices)


class ResultShareForm(TraceForm):
    """A search, or a trace with its targets."""

    kind = forms.ChoiceField(choices=[(one.value, one.value) for one in RESULTS])


class FileShareForm(ToldForm):
    """Lines of a file at a commit; without a first line those that it begins with."""

    repository = forms.CharField(max_length=NAME_LIMIT)
    revision = forms.RegexField(r"^[0-9a-f]{40,64}\Z")
    path_url = forms.CharField(max_length=3 * PATH_LIMIT)
    start = forms.IntegerField(min_value=1, max_value=MAX_LINE, required=False)
    end = forms.IntegerField(min_value=1, max_value=MAX_LINE, required=False)

    def clean(self) -> dict[str, Any] | None:  # Any: cleaned data
        """Refuse a last line without, or before, a first one."""
        data = super().clean()
        start, end = self.cleaned_data.get("start"), self.cleaned_data.get("end")
        if end is not None and (start is None or end < start):
            raise forms.ValidationError(f"Line {end} does not end what is shared.")
        return data
