"""A small repository is audited, and ir_measures makes the same of what is exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from codesearch.audits.exports import listed_stages
from codesearch.audits.running import finish_audit, request_audit
from codesearch.config_forms import read_settings
from codesearch.models import Audit
from codesearch.payloads.audit import audit_payload
from indexer.access import COMMAND_LINE
from indexer.models import Build, Chunk
from tests.codesearch.audits.sets import make_set
from tests.codesearch.audits.test_exports import assert_equal_to_ir_measures
from tests.codesearch.test_targets import build_of
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

WORDS = ("format", "money", "send", "report", "total", "invoice", "night", "ledger")
GRADES = {"f3": 3, "module1/part0.py": 2, "module2/part1.py:1-6": 0, "Kept.total": 2}
CASES: list[tuple[str, list[str]]] = [
    ("format money", ["f3"]),
    ("send the report", ["module1/part0.py", "f5", "f9"]),
    ("total of an invoice", ["Kept.total", "module0/part0.py"]),
    ("night ledger", ["module2/part1.py:1-6"]),
    ("ledger of invoices", ["module2/part1.py:1-9", "module2/part1.py:10-12", "f11"]),
    ("nothing like it", ["gone.py", "f12"]),
    ("money -path:module", ["f1", "f2"]),
    ("report", ["logo.png", "module3/with space.py"]),
    ("invoice", []),
]


def source_of(first: int) -> str:
    """Return a file of six functions that share their words in other mixtures."""
    functions = []
    for n in range(first, first + 6):
        words = " ".join(WORDS[(n * step) % len(WORDS)] for step in (1, 3, 5, 7))
        functions.append(f'def f{n}():\n    """{words}."""\n    return {n}\n')
    return "\n\n".join(functions)


@pytest.fixture
def build(
    db: None, data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> Build:
    """A repository of 7 files with 42 functions, more than a pool of 20 holds."""
    files: dict[str, str | bytes] = {
        f"module{n // 2}/part{n % 2}.py": source_of(6 * n) for n in range(6)
    }
    files["module3/with space.py"] = source_of(36)
    files["kept.py"] = (
        'class Kept:\n    def total(self):\n        """Total of an invoice."""\n'
    )
    files["logo.png"] = b"\x89PNG\x00\x00"
    return build_of("shop", make_repository(files))


@pytest.fixture(params=["chunk", "file"])
def audit(build: Build, request: pytest.FixtureRequest) -> Audit:
    cases = make_set(build, CASES, unit=request.param, grades=GRADES)
    config = read_settings(["pool=20", "cards=3", "depth=30"])
    asked = request_audit(
        viewer=COMMAND_LINE, user=None, case_set=cases, config=config, enqueue=False
    )
    return finish_audit(audit=asked)


def test_run_and_qrels_of_every_stage_give_our_figures(audit: Audit) -> None:
    stages = listed_stages(audit)

    assert stages == [
        *("purpose", "body", "bm25", "symbol"),
        *("fusion", "pool", "rerank", "result", "page"),
    ]
    for stage in stages:
        assert_equal_to_ir_measures(audit, stage)


def test_every_target_is_found_or_lost_once(audit: Audit) -> None:
    payload = audit_payload(audit)

    losses = payload["losses"]
    lost = {step["name"]: step["lost"] for step in losses["steps"]}
    died: dict[str, Any] = {one["stage"]: one["count"] for one in payload["deaths"]}
    assert losses["total"] == payload["wanted"]
    assert sum(lost.values()) == sum(died.values()) == len(payload["misses"])
    assert losses["steps"][-1]["kept"] == losses["total"] - sum(lost.values()) > 0
    assert (
        lost["before"] == sum(died.get(s, 0) for s in ("corpus", "chunk", "scope")) > 0
    )
    assert lost["legs"] == died.get("leg", 0)
    assert lost["pool"] == died.get("pool", 0)
    assert lost["rerank"] + lost["result"] + lost["page"] == died.get("page", 0)


def test_pools_hold_what_the_corpus_has(audit: Audit, build: Build) -> None:
    chunks = Chunk.objects.filter(build=build)
    by_file = audit.case_set.unit == "file"
    size = chunks.values("file").distinct().count() if by_file else chunks.count()

    found = audit_payload(audit)["retrievability"]

    assert found["chunks"] == size
    assert 0 <= found["never"] < size
    assert found["hubs"][0]["document"].startswith("shop")
