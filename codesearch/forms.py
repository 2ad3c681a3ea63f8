"""Forms: where parameters and arguments become Python values, and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS

from codesearch.funnel.stack_trace import StackTrace, read_stack
from codesearch.inquiry import MAX_QUERY
from codesearch.models import Case
from codesearch.pages.paging import LINES, LIST
from codesearch.side_by_side import STAGES, Wish
from codesearch.targets import TARGET_LIMIT
from indexer.ledger import MODES, OUTCOMES, LedgerFilter
from indexer.models import Profile
from indexer.pipeline.paths import display_path
from indexer.pipeline.types import SkipReason
from indexer.pipeline.windows import STEP

TARGETS_LIMIT = 10
SYMBOL_LIMIT = 400  # Characters of a function that an experiment is asked for.
NOTE_LIMIT = 1000
NAME_LIMIT = 200  # Characters of a branch or a tag.
PASTED_LIMIT = 200_000  # Characters a browser takes of what is pasted (`search.html`).
MAX_KEY = 2**31 - 1
MAX_LINE = 10**7  # No file that is read has more.


def read_argument(text: str) -> str:
    """Return an argument of a command as text, other bytes than UTF-8 as escapes.

    So a path can be given as the shell completes it.
    """
    return display_path(os.fsencode(text))


class ManyField(forms.Field):
    """A parameter that may be repeated; gives its values without blanks."""

    widget = forms.MultipleHiddenInput

    def clean(self, value: Any) -> list[str]:  # Any: raw request data
        """Return the values in order, without repeats."""
        values = dict.fromkeys(text.strip() for text in value or [])
        values.pop("", None)
        if any(len(text) > TARGET_LIMIT or "\x00" in text for text in values):
            raise forms.ValidationError("This value is too long or not text.")
        return list(values)


class ToldForm(forms.Form):
    """A form that tells its errors as sentences."""

    @property
    def sentences(self) -> list[str]:
        """Return the errors, each with the name of its field where it has one."""
        return [
            str(text) if name == NON_FIELD_ERRORS else f"{name}: {text}"
            for name, texts in self.errors.items()
            for text in texts
        ]


class BuildForm(ToldForm):
    """Which branch, tag or commit is to be indexed; empty: what is tracked."""

    revision = forms.CharField(max_length=NAME_LIMIT, required=False)


def check_repository(name: str, names: Sequence[str]) -> None:
    """Raise ValidationError for a name that the viewer cannot read or there is not."""
    if name not in names:
        raise forms.ValidationError(f"There is no repository “{name}” here.")


class ScopeForm(ToldForm):
    """What every query has: its words and where they are looked for.

    `names` are the repositories that the viewer may read; another one is an
    error, not ignored.
    """

    # A browser takes one more (`trace.html`), so that it is told.
    too_long = f"A query has {MAX_QUERY:,} characters at most, and this one has more."
    q = forms.CharField(
        label="Query",
        max_length=MAX_QUERY,
        required=False,
        error_messages={"max_length": too_long},
    )
    repository = ManyField(label="Repository", required=False)
    profile = forms.SlugField(required=False)

    def __init__(self, data: Any, *, names: Sequence[str]) -> None:  # Any: QueryDict
        super().__init__(data)
        self.names = names

    def clean_repository(self) -> list[str]:
        """Refuse a name that the viewer cannot read or that does not exist."""
        chosen: list[str] = self.cleaned_data["repository"]
        for name in chosen:
            check_repository(name, self.names)
        return chosen

    @property
    def sentences(self) -> list[str]:
        """Return the errors as sentences."""
        return [str(text) for errors in self.errors.values() for text in errors]


class CountField(forms.Field):
    """A number from 1; what is less, or none, is `least`."""

    def __init__(self, least: int) -> None:
        super().__init__(required=False)
        self.least = least

    def clean(self, value: Any) -> int:  # Any: raw request data
        """Return the number. A link that someone has spoilt leads to the beginning."""
        try:
            return max(self.least, int(str(value)))
        except ValueError:  # No whole number, or one of thousands of digits.
            return self.least


class CompleteForm(ScopeForm):
    """A query that is being typed, and where its caret stands: characters before it."""

    q = forms.CharField(max_length=MAX_QUERY, required=False, strip=False)
    at = forms.IntegerField(min_value=0, max_value=MAX_QUERY, required=False)


class ResultForm(forms.Form):
    """Which page of a result is shown, and how; a frozen result has no more."""

    page = CountField(least=1)
    view = forms.ChoiceField(choices=[(LIST, LIST)], required=False)
    unfold = CountField(least=0)


class LayersForm(forms.Form):
    """`of` are the layers that the page was made of which holds the link."""

    of = forms.RegexField(r"^[0-9a-f]{16}\Z", required=False)


class SearchForm(ResultForm, LayersForm, ScopeForm):
    """One query and the page of its results. `cut` says what of it is not read.

    `given` is how many characters there were where an address could not hold all.

    `stack` is the trace that was pasted; the query is then what it says was raised.
    """

    q = forms.CharField(label="Query", required=False)
    view = forms.ChoiceField(choices=[(LIST, LIST), (LINES, LINES)], required=False)
    cut = ""
    stack: StackTrace | None = None

    def clean_q(self) -> str:
        """Read as much of a query as there can be."""
        query: str = self.cleaned_data["q"]
        self.stack = read_stack(query)
        if self.stack:
            return self.stack.query[:MAX_QUERY]
        given = max(len(query), CountField(least=0).clean(self.data.get("given")))
        query = query[:MAX_QUERY]
        if given > len(query):
            count = f"{given:,}{' or more' if given == PASTED_LIMIT else ''}"
            self.cut = (
                f"A query has {MAX_QUERY:,} characters at most, and this one has "
                f"{count}: what lies beyond is left out."
                if len(query) == MAX_QUERY
                else f"This query has {count} characters, and an address can hold "
                f"{len(query):,} of them: what lies beyond is left out."
            )
        return query


class TraceForm(LayersForm, ScopeForm):
    """One query and the results that were wanted."""

    target = ManyField(label="Target", required=False)

    def clean_target(self) -> list[str]:
        """Refuse more targets than one page can show."""
        targets: list[str] = self.cleaned_data["target"]
        if len(targets) > TARGETS_LIMIT:
            raise forms.ValidationError(f"At most {TARGETS_LIMIT} targets at once.")
        return targets


class LikeForm(ScopeForm):
    """A chunk that others are to be like, and where they are looked for."""

    target = forms.CharField(max_length=TARGET_LIMIT)
    page = CountField(least=1)


class LinesField(forms.Field):
    """A parameter that may be repeated, and each of several lines; gives all lines.

    What cannot be asked is for the sweep to refuse, one by one.
    """

    widget = forms.MultipleHiddenInput

    def clean(self, value: Any) -> list[str]:  # Any: raw request data
        """Return the lines in order, without blank ones and repeats."""
        lines = (line.strip() for text in value or [] for line in text.splitlines())
        return list(dict.fromkeys(filter(None, lines)))


class SweepForm(TraceForm):
    """A target, and the phrasings to ask for it in.

    `given` is how many there were where an address could not hold all.
    """

    phrasing = LinesField(required=False)
    variants = forms.ChoiceField(choices=[("off", "off")], required=False)
    given = forms.IntegerField(min_value=1, required=False)


class ExperimentForm(ToldForm):
    """On which repository experiments are shown. `names` are those in reach."""

    repository = forms.CharField(required=False)
    profile = forms.SlugField(required=False)

    def __init__(self, data: Any, *, names: Sequence[str]) -> None:  # Any: QueryDict
        super().__init__(data)
        self.names = names

    def clean_repository(self) -> str:
        """Refuse a name that the viewer cannot read or that does not exist."""
        name: str = self.cleaned_data["repository"]
        if name:
            check_repository(name, self.names)
        return name


class StartForm(ExperimentForm):
    """An experiment to run: which finding, on what."""

    repository = forms.CharField()
    kind = forms.CharField(max_length=20)
    target = forms.CharField(max_length=SYMBOL_LIMIT, required=False)


class RunForm(ToldForm):
    """Which stage's list is written as a run, and the query's id in it."""

    stage = forms.CharField()
    qid = forms.RegexField(r"^\S{1,100}\Z", required=False, strip=False)


class CaseForm(TraceForm):
    """What to save as a case: a query, its targets, and how far they should come."""

    expected = forms.ChoiceField(choices=Case.Expected.choices)
    note = forms.CharField(max_length=NOTE_LIMIT, required=False)

    def clean(self) -> dict[str, Any] | None:  # Any: cleaned data
        """Refuse a case of nothing."""
        data = super().clean()
        if not self.errors and not (
            self.cleaned_data["q"] and self.cleaned_data["target"]
        ):
            raise forms.ValidationError("A case has a query and a target.")
        return data


class MapForm(ToldForm):
    """How far a file is moved down, and the line that is asked about."""

    shift = forms.IntegerField(min_value=0, max_value=STEP - 1, required=False)
    line = forms.IntegerField(min_value=1, max_value=MAX_LINE, required=False)


class SidesForm(ToldForm):
    """Two profiles of a repository, and the queries to put to both.

    `q` has a line `query => target` each; `names` and `profiles` are those there are.
    """

    repository = forms.CharField(max_length=100, required=False)
    a = forms.SlugField(required=False)
    b = forms.SlugField(required=False)
    stage = forms.ChoiceField(choices=[(n, n) for n in STAGES], required=False)
    q = LinesField(required=False)
    set = forms.IntegerField(min_value=1, max_value=MAX_KEY, required=False)

    def __init__(
        self, data: Any, *, names: Sequence[str], profiles: Sequence[str]
    ) -> None:  # Any: QueryDict
        super().__init__(data)
        self.names = names
        self.profiles = profiles
        self.typed = [text.strip() for text in data.getlist("q") if text.strip()]

    def clean_repository(self) -> str:
        """Return the repository, the first if none is named."""
        name: str = self.cleaned_data["repository"] or next(iter(self.names), "")
        if name:
            check_repository(name, self.names)
        return name

    def clean_a(self) -> str:
        """Return the first profile."""
        return self._profile("a", Profile.Chunker.SYMBOL)

    def clean_b(self) -> str:
        """Return the second profile."""
        return self._profile("b", Profile.Chunker.WINDOW)

    def clean_stage(self) -> str:
        """Return the stage whose ranks are compared."""
        return self.cleaned_data["stage"] or STAGES[0]

    def clean_q(self) -> list[Wish]:
        """Return the queries with their targets; a line without a target is refused."""
        wishes = []
        for line in self.cleaned_data["q"]:
            query, arrow, target = line.rpartition("=>")
            if not (arrow and query.strip() and target.strip()):
                raise forms.ValidationError(f"“{line[:80]}” is no “query => target”.")
            if len(target) > TARGET_LIMIT or len(query) > MAX_QUERY or "\x00" in line:
                raise forms.ValidationError("A line is too long or not text.")
            wishes.append(Wish(query.strip(), (target.strip(),)))
        return wishes

    def _profile(self, field: str, default: str) -> str:
        name: str = self.cleaned_data[field] or default
        if name not in self.profiles:
            raise forms.ValidationError(f"There is no profile “{name}”.")
        return name


class PageForm(forms.Form):
    """Which page of a list is shown; what is no number is the first."""

    page = CountField(least=1)

    @property
    def number(self) -> int:
        """Return the page, from 1."""
        self.is_valid()
        page: int = self.cleaned_data["page"]
        return page


class CoverageForm(PageForm):
    """Which lines of a ledger are listed."""

    outcome = forms.ChoiceField(choices=[(n, n) for n in OUTCOMES], required=False)
    mode = forms.ChoiceField(choices=[(n, n) for n in MODES], required=False)
    reason = forms.ChoiceField(
        choices=[(reason.value, reason.value) for reason in SkipReason], required=False
    )
    path = forms.CharField(max_length=TARGET_LIMIT, required=False)

    def wanted(self) -> LedgerFilter:
        """Return the filter; a value that cannot be one does not restrict."""
        known = {key: self.cleaned_data.get(key) or "" for key in self.fields}
        return LedgerFilter(
            known["outcome"], known["mode"], known["reason"], known["path"]
        )
