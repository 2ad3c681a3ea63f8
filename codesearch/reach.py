"""Reach: which case sets, audits and experiments a viewer may see.

What they show is of repositories, so `readable` decides: of all of them. Those that
are of no repository belong to who brought them.
"""

from __future__ import annotations

from django.db.models import Count, F, Model, Q, QuerySet

from codesearch.models import Audit, Case, CaseSet, Experiment, ShareLink
from indexer.access import Viewer, may_change, readable


def sets_in_reach(viewer: Viewer) -> QuerySet[CaseSet]:
    """Return the case sets that `viewer` may see, newest first."""
    sets = CaseSet.objects.filter(pk__in=_all_readable(CaseSet, viewer))
    if not viewer.sees_all:
        own = Q(created_by=viewer.user_id, created_by__isnull=False)
        sets = sets.filter(Q(is_foreign=False) | Q(is_open=True) | own)
    return sets.order_by("-pk")


def cases_in_reach(viewer: Viewer) -> QuerySet[Case]:
    """Return the cases of those sets, newest first."""
    cases = Case.objects.filter(case_set__in=sets_in_reach(viewer))
    return cases.order_by("-pk")


def audits_in_reach(viewer: Viewer) -> QuerySet[Audit]:
    """Return the audits of those sets whose repositories it may read, newest first."""
    audits = Audit.objects.filter(case_set__in=sets_in_reach(viewer))
    audits = audits.filter(pk__in=_all_readable(Audit, viewer))
    return audits.order_by("-pk")


def experiments_in_reach(viewer: Viewer) -> QuerySet[Experiment]:
    """Return the experiments on repositories that `viewer` may read, newest first.

    Without those that quote secrets, where these are off now.
    """
    rows = Experiment.objects.filter(repository__in=readable(viewer))
    hidden = Q(holds_secrets=True, repository__index_secrets=False)
    return rows.exclude(hidden).select_related("repository").order_by("-pk")


def may_edit(
    viewer: Viewer, made: Case | CaseSet | Audit | Experiment | ShareLink
) -> bool:
    """Return whether `viewer` may change or remove it: who made it, and staff."""
    is_own = viewer.user_id is not None and made.created_by_id == viewer.user_id
    return is_own or may_change(viewer)


def _all_readable(model: type[CaseSet | Audit], viewer: Viewer) -> QuerySet[Model, int]:
    """Return the keys of what has kept all its repositories, all in reach."""
    held = Count("repositories", filter=Q(repositories__in=readable(viewer)))
    rows = model.objects.order_by().alias(held=held)
    return rows.filter(held=F("repository_count")).values_list("pk", flat=True)
