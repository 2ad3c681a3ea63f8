"""Results: an experiment as JSON, the same for page, command and share link."""

from __future__ import annotations

from dataclasses import asdict

from codesearch.experiments.findings import FINDINGS
from codesearch.experiments.types import Json, Result
from codesearch.models import Experiment
from codesearch.payloads import SCHEMA

OTHERS = (
    "The reports' figures are of other models and other code: they show the shape of "
    "the finding and are not expected to be equal to those of this repository."
)


def result_json(result: Result) -> Json:
    """Return a result as it is kept."""
    return asdict(result)


def experiment_payload(experiment: Experiment) -> Json:
    """Return an experiment with its finding, its builds and, once done, its result."""
    finding = FINDINGS[experiment.kind]
    name = experiment.repository.name
    return {
        "schema": SCHEMA,
        "experiment": experiment.kind,
        "title": finding.title,
        "claim": finding.claim,
        "asked": finding.asked,
        "reported": {"figures": list(finding.reported), "note": OTHERS},
        "repository": name,
        "profile": experiment.profile,
        "target": experiment.target or None,
        "builds": [{**one, "repository": name} for one in experiment.header["builds"]],
        "status": experiment.status,
        "failure": experiment.failure or None,
        "progress": {
            "done": len(experiment.rows),
            "total": None if experiment.cases is None else len(experiment.cases),
        },
        "created_at": experiment.created_at.isoformat(),
        "finished_at": _iso(experiment),
        "result": _renamed(experiment.result, name),
    }


def _iso(experiment: Experiment) -> str | None:
    return experiment.finished_at.isoformat() if experiment.finished_at else None


def _renamed(result: Json | None, name: str) -> Json | None:
    """Return a result whose links name the repository as it is called now."""
    if result is None:
        return None
    rows = [
        {**row, "where": {**row["where"], "repository": name}}
        if row.get("where")
        else row
        for row in result["rows"]
    ]
    return {**result, "rows": rows}
