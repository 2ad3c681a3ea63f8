"""What the read side keeps: shared results, cases, audits of them, experiments."""

from __future__ import annotations

from codesearch.models.audits import Audit, AuditRow
from codesearch.models.cases import Case, CaseSet, RefusedLines
from codesearch.models.configs import NamedConfig
from codesearch.models.experiments import Experiment
from codesearch.models.queries import WeakQuery
from codesearch.models.records import (
    RecordedText,
    SearchRecord,
    ShareLink,
    new_token,
)

__all__ = [
    "Audit",
    "AuditRow",
    "Case",
    "CaseSet",
    "Experiment",
    "NamedConfig",
    "RecordedText",
    "RefusedLines",
    "SearchRecord",
    "ShareLink",
    "WeakQuery",
    "new_token",
]
