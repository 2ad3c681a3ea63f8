"""Moves each case that was saved into the set of its repositories and profile."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.db import migrations


def digest_of(what: object) -> str:
    """Return the digest as `codesearch.cases` made it then."""
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


def move(apps: Any, schema_editor: Any) -> None:
    """Give every case a set and a key; one whose repository is gone is dropped.

    It could be seen by no one and asked of nothing.
    """
    case_sets = apps.get_model("codesearch", "CaseSet").objects
    for case in apps.get_model("codesearch", "Case").objects.order_by("pk"):
        repositories = sorted(case.repositories.order_by("name"), key=lambda r: r.pk)
        if len(repositories) != case.repository_count:
            case.delete()
            continue
        keys = [repository.pk for repository in repositories]
        names = ", ".join(sorted(repository.name for repository in repositories))
        case_set, is_new = case_sets.get_or_create(
            saved_digest=digest_of([keys, case.profile]),
            defaults={
                "name": f"saved for {names}"[:100],
                "repository_count": len(keys),
                "profile": case.profile,
            },
        )
        if is_new:
            case_set.repositories.set(keys)
        case.case_set = case_set
        case.digest = digest_of([case.query, sorted(set(case.targets))])
        case.key = case.digest[:12]
        case.save()


class Migration(migrations.Migration):
    dependencies = [("codesearch", "0004_case_sets_and_audits")]

    operations = [migrations.RunPython(move)]
