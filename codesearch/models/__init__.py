"""What the read side keeps: results that were shared, cases, and audits of them."""

from __future__ import annotations

from codesearch.models.audits import Audit, AuditRow
from codesearch.models.cases import Case, CaseSet, RefusedLines
from codesearch.models.records import SearchRecord, new_token

__all__ = [
    "Audit",
    "AuditRow",
    "Case",
    "CaseSet",
    "RefusedLines",
    "SearchRecord",
    "new_token",
]
