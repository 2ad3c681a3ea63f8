"""Holding: the builds that audits and experiments hold until they have ended."""

from __future__ import annotations

from itertools import chain

from codesearch.models import Audit, Experiment


def held_builds() -> set[int]:
    """Return the builds, by key, that active audits and experiments are asked of."""
    active = (
        model.objects.filter(status__in=model.ACTIVE) for model in (Audit, Experiment)
    )
    headers = chain.from_iterable(
        rows.values_list("header", flat=True) for rows in active
    )
    builds = [build for header in headers for build in header.get("builds", ())]
    named_by = (build.get("named_by") for build in builds)
    return {key for key in (*(build["id"] for build in builds), *named_by) if key}
