"""The builds of an experiment that has not ended are held, and named to the indexer."""

from __future__ import annotations

from codesearch.experiments.running import cancel_experiment, request_experiment
from codesearch.holding import held_builds
from indexer.access import COMMAND_LINE
from indexer.models import Build


def test_an_experiment_holds_its_builds_until_it_ends(mill: Build) -> None:
    made = request_experiment(
        viewer=COMMAND_LINE,
        user=None,
        kind="guarantees",
        repository="mill",
        enqueue=False,
    )
    while_active = held_builds()
    cancel_experiment(viewer=COMMAND_LINE, token=made.token)

    assert while_active == {mill.pk}
    assert held_builds() == set()
