"""Removing an audit with all its rows."""

from __future__ import annotations

from codesearch.reach import audits_in_reach, may_edit
from indexer.access import Viewer


def delete_audit(*, viewer: Viewer, pk: int) -> bool:
    """Remove an audit that has ended, if `viewer` may.

    False: there is none such for them. One at work is to be cancelled first.
    """
    audit = audits_in_reach(viewer).filter(pk=pk).first()
    if audit is None or audit.is_active or not may_edit(viewer, audit):
        return False
    audit.delete()
    return True
