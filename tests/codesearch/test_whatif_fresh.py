"""What if, in a process with kept findings, equals traces in fresh processes."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from codesearch.knobs import KNOBS
from tests.conftest import ROOT, MakeRepository

QUERY, TARGET = "add the total of an order", "Order7.total"
RUNS = 6
EXPLORE = """
import json, sys
import django
django.setup()
from codesearch.exploring import what_if
from codesearch.config_forms import read_settings
from indexer.access import COMMAND_LINE
query, target, tried = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
print(json.dumps([
    what_if(viewer=COMMAND_LINE, query=query, targets=[target],
            config=read_settings(knobs))
    for knobs in tried
]))
"""


def run(data: Path, *arguments: str) -> str:
    """Run Python in a process of its own on this data, without a model."""
    environment = os.environ | {
        "CODESEARCH_DATA": str(data),
        "CODESEARCH_MODEL": "none",
    }
    return subprocess.run(  # noqa: S603 - our own interpreter and command
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def orders() -> dict[str, str | bytes]:
    """Forty classes that differ by how often they say the words of the query."""
    chosen = random.Random(5)  # noqa: S311 - a fixed example
    words = ["add", "the", "total", "of", "an", "order", "sum", "price", "count"]

    def order(n: int) -> str:
        doc, word = " ".join(chosen.choices(words, k=6)), chosen.choice(words)
        method = f"    def total(self):\n        return self.{word}\n"
        return f'class Order{n}:\n    """{doc}."""\n\n{method}'

    return {f"shop/orders{n}.py": order(n) for n in range(40)}


def settings(chosen: random.Random) -> list[str]:
    """Two or three knobs at random values, close to the small ones that matter here."""
    found = []
    for knob in chosen.sample(list(KNOBS.values()), 3):
        most = min(knob.most, max(knob.least + 30, 3))
        value = chosen.uniform(max(knob.least, -10), most)
        found.append(f"{knob.name}={int(value) if knob.is_whole else round(value, 3)}")
    return [*found, *chosen.choice([[], ["off=symbol"], ["reranker=identity"]])]


def test_what_if_equals_a_run_in_a_fresh_process(
    tmp_path: Path, make_repository: MakeRepository
) -> None:
    source = make_repository(orders())
    run(tmp_path, "manage.py", "migrate", "--verbosity=0")
    run(tmp_path, "manage.py", "index", str(source), "--wait")
    chosen = random.Random(11)  # noqa: S311 - a fixed example
    tried = [settings(chosen) for _ in range(RUNS)]

    explored = json.loads(
        run(tmp_path, "-c", EXPLORE, QUERY, TARGET, json.dumps(tried))
    )

    for knobs, found in zip(tried, explored, strict=True):
        sets = [part for knob in knobs for part in ("--set", knob)]
        wish = ("trace", QUERY, "--target", TARGET, *sets, "--json")
        traced = json.loads(run(tmp_path, "manage.py", *wish))
        assert found["targets"][0]["now"] == end(traced), knobs
        assert found["settings"] == traced["settings"]
        assert found["now"]["pool"] == traced["pool"]["filled"]
    assert len({json.dumps(found["targets"][0]["now"]) for found in explored}) > 2


def end(traced: dict[str, Any]) -> dict[str, Any]:
    """The end of the first target of a trace, as what-if says it."""
    target = traced["targets"][0]
    return {
        "stage": target["death"] and target["death"]["stage"],
        "fused": target["fused"] and target["fused"]["ordinal"],
        "via": target["pool"]["via"],
        "rank": target["rank"],
        "card": target["card"],
    }
