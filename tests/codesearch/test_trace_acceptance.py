"""What the trace of any search must do, whatever is searched. Most on a real index.

The rest is held by other files: a leg's first is always in the pool
(`funnel/test_pool_and_fusion.py`), a what-if equals a run and its intervals end where
they say (`test_whatif.py`, `test_whatif_fresh.py`, `funnel/test_page_one.py`), TREC
runs give the metrics of ir_measures (`test_runs.py`), every plotted number is in the
payload (`test_score_plots.py`, `test_rank_flow.py`), axe, CSP and pages without a
script (`tests/e2e`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from codesearch import services
from codesearch.config_forms import read_settings
from codesearch.pages.trace.stages import funnel_rows
from codesearch.payloads import Payload
from indexer import services as indexing
from indexer.access import ANYONE
from indexer.models import Build, Repository
from tests.codesearch.conftest import FILES
from tests.conftest import ROOT, MakeRepository, run_git
from tests.encoders import WordEncoder

WANTED = "fetch the colour of a single widget"
DILUTED = f'def load(name):\n    """{WANTED.capitalize()}."""\n' + "".join(
    f"    step_{n} = prepare_{n}(stage_{n}, batch_{n}, buffer_{n})\n" for n in range(12)
)
OTHERS = "".join(
    f"def paint_{n}(shade_{n}):\n    return fetch(colour, single, widget)\n\n"
    for n in range(8)
)


def index(source: Path, name: str) -> Build:
    found = indexing.register(name=name, source=str(source))
    return indexing.finish_build(
        build=indexing.request_build(index=found, enqueue=False)
    )


def trace(query: str, *targets: str, knobs: list[str] | None = None) -> Payload:
    config = read_settings(knobs or [])
    return services.trace(viewer=ANYONE, query=query, targets=targets, config=config)


@pytest.fixture
def diluted(
    db: None, data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> None:
    index(make_repository({"a.py": DILUTED, "b.py": OTHERS}), "paint")


def test_a_diluted_chunk_dies_below_the_floor_of_every_leg(diluted: None) -> None:
    found = trace(WANTED, "load", knobs=["depth=4", "off=purpose"])

    (target,) = found["targets"]
    assert target["death"]["stage"] == "leg"
    assert target["death"]["reason"] == "below_floor"
    known = [leg for leg in target["legs"].values() if leg]
    assert len(known) == 2
    assert all(leg["margin"] < 0 for leg in known)


def test_its_purpose_saves_it(diluted: None) -> None:
    found = trace(WANTED, "load", knobs=["depth=4"])

    (target,) = found["targets"]
    assert target["legs"]["purpose"]["in_leg"]
    assert target["legs"]["purpose"]["rank"] == 1
    assert target["death"] is None


def test_everything_adds_up(shop: Build) -> None:
    found = trace("format money of an invoice", "Invoice.send", "format_money")

    for target in found["targets"]:
        bm25 = target["legs"]["bm25"]
        assert sum(term["points"] for term in target["terms"]) == bm25["raw"]
        fused = target["fused"]
        assert sum(fused["contributions"].values()) == fused["score"]
        points = sum(term["points"] for term in target["rerank"]["terms"])
        assert points == pytest.approx(target["rerank"]["score"], abs=1e-9)
        rows = {row.stage: row for row in funnel_rows(found, target)}
        assert rows["corpus"].kept == found["in_scope"] == rows["scope"].kept
        assert rows["union"].kept + (rows["union"].left_out or 0) == rows["scope"].kept
        assert rows["pool"].kept + (rows["pool"].left_out or 0) == rows["union"].kept
        assert rows["page one"].kept == rows["pool"].kept - (
            rows["page one"].left_out or 0
        )


def test_relative_scores_reach_one_for_a_query_that_nothing_answers(
    shop: Build,
) -> None:
    found = trace("kubernetes ingress controller", "format_money")

    best = [hit["legs"]["body"]["normalised"] for hit in found["hits"]]
    assert max(best) == 1.0
    assert found["missing_share"] == 1.0
    assert found["closeness"]["band"] in ("nothing", "uncalibrated")


def test_what_a_viewer_may_not_read_has_no_trace(shop: Build, client: Client) -> None:
    shared = services.share(
        viewer=ANYONE,
        user=AnonymousUser(),
        kind="trace",
        query="format money",
        targets=["format_money"],
    )
    Repository.objects.update(visibility="staff")

    wish = {"q": "format money", "target": "format_money", "repository": "shop"}
    assert client.get("/trace/", wish).status_code in (400, 404)
    assert client.get(f"/s/{shared.token}").status_code == 404


def test_filtered_and_unfiltered_ranks_are_both_exact(shop: Build) -> None:
    plain = trace("send it to the readers", "Invoice.send")["targets"][0]
    scoped = trace("send it to the readers path:money", "Invoice.send")["targets"][0]

    for name, leg in plain["legs"].items():
        if leg:
            assert scoped["unfiltered_ranks"][name] == leg["rank"]
            assert scoped["legs"][name]["raw"] == leg["raw"]
            assert scoped["legs"][name]["rank"] <= leg["rank"]


def test_an_old_trace_stays_readable_and_says_that_its_build_is_not_the_newest(
    db: None,
    data_dir: Path,
    encoder: WordEncoder,
    make_repository: MakeRepository,
    client: Client,
) -> None:
    source = make_repository(FILES)
    build = index(source, "shop")
    link = services.share(
        viewer=ANYONE,
        user=AnonymousUser(),
        kind="trace",
        query="format money",
        targets=["format_money"],
    )
    (source / "billing/money.py").write_text("def other():\n    return 1\n")
    run_git(source, "commit", "--quiet", "--all", "--message=Two")
    indexing.finish_build(
        build=indexing.request_build(index=build.index, enqueue=False)
    )

    page = client.get(f"/s/{link.token}").content.decode()

    assert "<code>format_money</code>" in page
    assert build.revision[:12] in page
    assert "On page one" in page


SEEDS = ({"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}, {"PYTHONHASHSEED": "7"})


def test_equal_inputs_give_equal_ranks_whatever_the_seed_and_threads(
    tmp_path: Path, make_repository: MakeRepository
) -> None:
    source = make_repository(FILES)
    reversed_ = make_repository(dict(reversed(FILES.items())))
    found = [
        answer(tmp_path / str(n), repository, {**os.environ, **seed})
        for n, (repository, seed) in enumerate(
            zip((source, reversed_), SEEDS, strict=True)
        )
    ]

    assert found[0] == found[1]
    assert found[0]["targets"][0]["legs"]["body"]["rank"] >= 1


def answer(data: Path, source: Path, environment: dict[str, str]) -> Payload:
    """Index in processes of its own and trace; what names the build is left out."""
    environment["CODESEARCH_DATA"] = str(data)
    manage(environment, "migrate", "--verbosity=0")
    manage(environment, "index", str(source), "--name", "shop", "--wait")
    wish = ["send an invoice", "--target", "Invoice.send", "--json"]
    found = json.loads(manage(environment, "trace", *wish))
    revision = found["builds"][0]["revision"]
    text = json.dumps(found).replace(revision, "REVISION")
    without: dict[str, Any] = json.loads(text)  # Any: JSON
    for key in ("timings_ms", "builds"):
        del without[key]
    return without


def manage(environment: dict[str, str], *arguments: str) -> str:
    return subprocess.run(  # noqa: S603 - our own interpreter and command
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
