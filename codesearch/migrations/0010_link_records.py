"""Gives each record the link that it was until now, and the names of what it shows."""

from __future__ import annotations

import json
import lzma
from typing import Any

from django.db import migrations


def answer_of(record: Any) -> Any:
    """Return the payload of a record as it was packed then."""
    if record.packed is None:
        return record.payload
    return json.loads(lzma.decompress(bytes(record.packed)))


def link(apps: Any, schema_editor: Any) -> None:
    """Make one link a record, with its token, its maker and its time."""
    links = apps.get_model("codesearch", "ShareLink").objects
    for record in apps.get_model("codesearch", "SearchRecord").objects.iterator(50):
        record.names = {
            str(build["repository_id"]): build["repository"]
            for build in answer_of(record)["builds"]
        }
        record.save(update_fields=["names"])
        made = links.create(
            token=record.token, record=record, created_by_id=record.created_by_id
        )
        links.filter(pk=made.pk).update(created_at=record.created_at)


class Migration(migrations.Migration):
    dependencies = [("codesearch", "0009_share_links")]

    operations = [migrations.RunPython(link)]
