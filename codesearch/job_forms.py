"""The form of the list of jobs: which of the ended builds are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from codesearch.forms import PageForm
from indexer.jobs import DAMAGED, ENDED

STATES = (*map(str, ENDED), DAMAGED)


class JobsForm(PageForm):
    """A repository in reach, a state, and a page; what is empty does not restrict."""

    repository = forms.ChoiceField(required=False)
    state = forms.ChoiceField(choices=[(n, n) for n in STATES], required=False)

    def __init__(
        self,
        data: Any,  # Any: Django's own signature
        *,
        names: Sequence[str],
    ) -> None:
        super().__init__(data)
        self.fields["repository"].choices = [  # type: ignore[attr-defined]  # a choice
            (name, name) for name in names
        ]
