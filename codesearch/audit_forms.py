"""Forms of audits: what is asked for, which part of one is shown, and which two."""

from __future__ import annotations

from django import forms

from codesearch.forms import MAX_KEY, PageForm, ScopeForm, ToldForm
from codesearch.pages.comparison import SORTS
from codesearch.payloads.audit import ONLY, Only
from codesearch.targets import TARGET_LIMIT

NOTE_LIMIT = 200


class AuditForm(ScopeForm):
    """An audit to start: a set, what it is asked of, and what is tried."""

    set = forms.IntegerField(min_value=1)
    note = forms.CharField(max_length=NOTE_LIMIT, required=False)


class OnlyForm(ToldForm):
    """Which queries of an audit are measured."""

    only = forms.ChoiceField(choices=[(n, n) for n in ONLY], required=False)

    @property
    def queries(self) -> Only:
        """Return which queries are asked for; all, if that cannot be read."""
        self.is_valid()
        only: Only = self.cleaned_data.get("only") or "all"
        return only


class AuditPageForm(OnlyForm, PageForm):
    """Which of the misses are listed, too."""

    death = forms.CharField(max_length=TARGET_LIMIT, required=False)

    @property
    def died_at(self) -> str:
        """Return the stage whose misses are listed, "" for all."""
        self.is_valid()
        return str(self.cleaned_data.get("death", ""))


class AuditExportForm(OnlyForm):
    """Of which stage a run has the list, too."""

    stage = forms.CharField(required=False, strip=False)


class CompareForm(ToldForm, PageForm):
    """Which two audits are compared, where, and which rows of them are shown."""

    a = forms.IntegerField(min_value=1, max_value=MAX_KEY, required=False)
    b = forms.IntegerField(min_value=1, max_value=MAX_KEY, required=False)
    stage = forms.CharField(required=False)
    sort = forms.ChoiceField(choices=[(n, n) for n in SORTS if n], required=False)
    format = forms.ChoiceField(
        choices=[(n, n) for n in ("csv", "json")], required=False
    )
