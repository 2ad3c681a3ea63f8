"""Findings: the eight experiments, in the order of the page."""

from __future__ import annotations

from codesearch.errors import SearchError
from codesearch.experiments.absence import ABSENCE
from codesearch.experiments.dilution import DILUTION
from codesearch.experiments.drift import DRIFT
from codesearch.experiments.guarantees import GUARANTEES
from codesearch.experiments.phrasings import SWEEP
from codesearch.experiments.truncation import TRUNCATION
from codesearch.experiments.types import Finding
from codesearch.experiments.whole_files import WHOLE_FILES
from codesearch.experiments.windows import WINDOWS

FINDINGS = {
    finding.kind: finding
    for finding in (
        *(WINDOWS, WHOLE_FILES, DILUTION, TRUNCATION),
        *(GUARANTEES, ABSENCE, SWEEP, DRIFT),
    )
}


class UnknownExperiment(SearchError):
    """There is no such experiment; the message names those that there are."""


def finding_of(kind: str) -> Finding:
    """Return an experiment by its name. Raises UnknownExperiment."""
    if kind not in FINDINGS:
        names = ", ".join(FINDINGS)
        raise UnknownExperiment(f"There is no experiment “{kind}”; there are {names}.")
    return FINDINGS[kind]
