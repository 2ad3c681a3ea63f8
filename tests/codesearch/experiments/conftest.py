"""A small mill of documented functions, indexed by symbol and by window."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from codesearch.experiments.running import finish_experiment, request_experiment
from codesearch.models import Experiment
from codesearch.payloads import Payload
from indexer import services as indexing
from indexer.access import COMMAND_LINE
from indexer.models import Build
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

GRAINS = (
    *("wheat", "barley", "maize", "millet", "spelt", "sorghum"),
    *("buckwheat", "quinoa", "teff", "amaranth", "einkorn", "triticale"),
)
TOOLS = ("sieve", "stone", "hopper", "chute", "bucket", "lever")


def grind(number: int, lines: int = 10) -> str:
    """Return a function of so many lines about one grain, with calls of its own."""
    grain, tool = GRAINS[number], TOOLS[number % len(TOOLS)]
    head = (
        f"def grind_{grain}(batch):\n"
        f'    """Turn the {grain} of a batch into coarse flour for bakers."""\n'
    )
    body = [
        f"    opened = open_{tool}_gate(batch, {number})",
        f"    stamp_{tool}_sack(opened)",
        f"    weight = weigh_{tool}_tray(opened)",
        *(f"    weight = press_{tool}_{n}(weight)" for n in range(lines - 6)),
        "    return weight",
    ]
    return head + "\n".join(body) + "\n\n\n"


FILES: dict[str, str | bytes] = {
    "mill/short.py": '"""Short grinding."""\n\n' + "".join(map(grind, range(6))),
    "mill/long.py": "".join(grind(n, lines=48) for n in range(6, 12)),
    "mill/notes.txt": "The mill stands by the river.\n",
}


@pytest.fixture
def mill_source(make_repository: MakeRepository) -> Path:
    return make_repository(FILES)


@pytest.fixture
def mill(db: None, data_dir: Path, encoder: WordEncoder, mill_source: Path) -> Build:
    """The finished build by symbol of a repository called mill."""
    return index(mill_source)


@pytest.fixture
def windows(mill: Build, mill_source: Path) -> Build:
    """The finished build by window of the same repository."""
    return index(mill_source, "window")


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada", password="flour")  # noqa: S106 - of a test


def index(source: Path, profile: str = "symbol") -> Build:
    made = indexing.register(name="mill", source=str(source), profile=profile)
    build = indexing.request_build(index=made, enqueue=False)
    return indexing.finish_build(build=build)


def request(kind: str, **more: str) -> Experiment:
    return request_experiment(
        viewer=COMMAND_LINE,
        user=None,
        kind=kind,
        repository="mill",
        enqueue=False,
        **more,
    )


def run(kind: str, **more: str) -> Payload:
    """Run an experiment to its end and return its result."""
    experiment = finish_experiment(experiment=request(kind, **more))
    assert experiment.failure == ""
    return result_of(experiment)


def result_of(experiment: Experiment) -> Payload:
    """Return the result of an experiment that is done."""
    assert experiment.result is not None
    return dict(experiment.result)
