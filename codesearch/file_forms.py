"""Forms of the pages about one file: which lines or chunk of it are asked for."""

from __future__ import annotations

import re
from typing import Any

from django import forms

from codesearch.forms import MAX_KEY, MAX_LINE, SYMBOL_LIMIT, PageForm, ToldForm
from codesearch.inquiry import MAX_QUERY
from codesearch.pages.excerpts import AROUND_MOST
from codesearch.pages.names import NAME
from codesearch.targets import TARGET_LIMIT

MOST_SPANS = 1000  # Of one chunk: a class has one around each of its members.

_LINES = re.compile(r"L?([0-9]{1,8})(?:\s*[-–:]\s*L?([0-9]{1,8}))?")


class LinesRangeField(forms.CharField):
    """A line or a range of lines, "12" or "12-20", as (first, last), from 1."""

    def clean(self, value: Any) -> tuple[int, int] | None:  # Any: raw request data
        """Return the range, None for nothing; the smaller number is the first."""
        text = str(super().clean(value))
        if not text:
            return None
        found = _LINES.fullmatch(text)
        if found is None:
            raise forms.ValidationError(
                f"“{text[:40]}” is no line, such as 12 or 12-20."
            )
        first, last = sorted((int(found[1]), int(found[2] or found[1])))
        return max(1, first), min(max(1, last), MAX_LINE)


class FileForm(forms.Form):
    """What of a file is shown.

    `lines` are those that are on the page, `line` those that it is opened at, and
    `chunks` says whether the chunks are named where they begin.
    """

    lines = LinesRangeField(required=False)
    line = LinesRangeField(required=False)
    chunks = forms.BooleanField(required=False)


class SpansField(forms.CharField):
    """Ranges of lines, "10-13,20", as a list of (first, last), from 1."""

    def clean(self, value: Any) -> list[tuple[int, int]]:  # Any: raw request data
        """Return the ranges, rising; those that overlap are one."""
        parts = str(super().clean(value)).split(",")
        if len(parts) > MOST_SPANS:
            raise forms.ValidationError(f"There are more than {MOST_SPANS} ranges.")
        spans = [LinesRangeField().clean(part) for part in parts]
        joined: list[tuple[int, int]] = []
        for first, last in sorted(span for span in spans if span is not None):
            if joined and first <= joined[-1][1]:
                joined[-1] = joined[-1][0], max(joined[-1][1], last)
            else:
                joined.append((first, last))
        return joined


class ExcerptForm(ToldForm):
    """Which lines of a file are shown: a chunk's own ones, and so many around them.

    `q` is the query whose words are marked.
    """

    own = SpansField()
    around = forms.IntegerField(min_value=0, max_value=AROUND_MOST, required=False)
    q = forms.CharField(max_length=MAX_QUERY, required=False)


class ChunkForm(forms.Form):
    """Which chunk of a file is inspected, by its ordinal in the build; empty: all."""

    chunk = forms.IntegerField(min_value=0, max_value=MAX_KEY, required=False)


class NameForm(ToldForm, PageForm):
    """A name to look up, and a page of the list.

    `path` and `language` are those of the file that says it.
    """

    name = forms.RegexField(
        NAME,
        max_length=SYMBOL_LIMIT,
        error_messages={"invalid": "A name is a word of code, such as get_user."},
    )
    path = forms.CharField(max_length=TARGET_LIMIT, required=False)
    language = forms.CharField(max_length=40, required=False)
