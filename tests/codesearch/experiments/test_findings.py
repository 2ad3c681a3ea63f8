"""Every finding is an experiment: it answers on a small repository, twice the same."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesearch.experiments import absence, dilution, drift, truncation, whole_files
from codesearch.experiments.concepts import own_concepts
from codesearch.experiments.findings import FINDINGS
from codesearch.experiments.windows import compare
from codesearch.models import Experiment
from codesearch.payloads import Payload
from codesearch.services import search, trace
from indexer.access import ANYONE
from indexer.models import Build
from indexer.pipeline.chunk_map import expected_whole
from indexer.pipeline.concepts import all_concepts
from indexer.pipeline.windows import window_chunks
from tests.codesearch.experiments.conftest import FILES, run
from tests.encoders import WordEncoder, direction


def figure(result: Payload, name: str) -> Any:
    """Return the value of the only figure of a name."""
    (value,) = [one["value"] for one in result["figures"] if one["name"] == name]
    return value


@pytest.mark.parametrize("kind", FINDINGS)
def test_each_finding_gives_the_same_result_of_rows_twice(
    windows: Build, kind: str
) -> None:
    found = run(kind)
    Experiment.objects.all().delete()

    assert run(kind) == found
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["sentence"].startswith("On this repository ")
    assert found["rows"]
    for row in found["rows"]:
        assert {column["key"] for column in found["columns"]} <= row.keys()


def test_ranks_under_both_profiles_are_those_of_a_search(windows: Build) -> None:
    rows = run("windows")["rows"]

    assert {row["by"] for row in rows} == {"name", "api words", "docstring words"}
    for row in rows:
        where, ranks = row["where"], {}
        for profile in ("symbol", "window"):
            hits = search(viewer=ANYONE, query=row["query"], profile=profile)["hits"]
            ranks[profile] = min(
                (hit["rank"] for hit in hits if touches(hit, where, profile)),
                default=None,
            )
        assert (row["symbol_rank"], row["window_rank"]) == (*ranks.values(),)


def touches(hit: Payload, where: Payload, profile: str) -> bool:
    if profile == "symbol":
        return bool(hit["chunk"] == where["chunk"])
    return bool(
        hit["path"] == where["path"]
        and hit["start_line"] <= where["end_line"]
        and where["start_line"] <= hit["end_line"]
    )


def test_what_is_beyond_the_pool_loses_to_every_rank() -> None:
    def row(symbol: int | None, window: int | None) -> dict[str, Any]:
        return {"symbol_rank": symbol, "window_rank": window}

    pairs = [(1, 2), (1, None), (2, 2), (None, None), (3, 1), (None, 200)]
    assert [compare(row(*pair)) for pair in pairs] == [1, 1, 0, 0, -1, -1]


def test_a_function_is_compared_with_its_whole_file(
    mill: Build, encoder: WordEncoder
) -> None:
    result = run("whole-files", target="grind_teff")
    rows = {row["by"]: row for row in result["rows"]}

    assert {row["where"]["symbol"] for row in rows.values()} == {"grind_teff"}
    assert rows["name"]["query"] == "grind_teff"
    text = FILES["mill/long.py"]
    assert isinstance(text, str)
    pooled, _ = whole_files.pool_text(text, encoder)
    for row in rows.values():
        raw = float(pooled @ direction(row["query"]))
        assert row["file_raw"] == pytest.approx(raw, abs=1e-6)
        traced = trace(viewer=ANYONE, query=row["query"], targets=["grind_teff"])
        (target,) = traced["targets"]
        for leg in ("body", "purpose"):
            assert row[f"{leg}_rank"] == target["legs"][leg]["rank"]
            assert row[f"{leg}_raw"] == target["legs"][leg]["raw"]
    assert figure(result, "files encoded whole") == 3


def test_a_whole_file_is_the_mean_of_its_parts_by_their_tokens() -> None:
    encoder = WordEncoder()
    first, second = " ".join(["rye"] * 80), " ".join(["oat"] * 20)

    vector, tokens = whole_files.pool_text(f"{first}\n{second}", encoder)

    expected = 80 * direction(first) + 20 * direction(second)
    assert tokens == 100
    np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), atol=1e-6)


def test_the_census_takes_the_closest_parts_and_is_worst_first(mill: Build) -> None:
    def rows(*texts: str) -> Any:
        return np.array([direction(text) for text in texts], np.float32)

    purposes = (rows("rye", "oat"), np.array([0, 2]), np.array([0, 0], np.int16))
    bodies = (
        rows("oat bran", "rye", "corn"),
        np.array([0, 0, 1]),
        np.array([0, 1, 0], np.int16),
    )
    cosines = dilution.surface_cosines(purposes, bodies, 3)
    assert cosines[0] == pytest.approx(1.0)
    assert all(math.isnan(one) for one in cosines[1:])

    result = run("dilution")
    found = [row["cosine"] for row in result["rows"]]
    assert found == sorted(found)
    assert figure(result, "symbols with both vectors") == len(found) == 12
    assert all(row["documented"] for row in result["rows"])


def test_a_cut_text_is_the_longest_that_the_model_reads() -> None:
    encoder = WordEncoder()
    text = " ".join(f"word{n}" for n in range(200))

    kept = truncation.cut_text(text, encoder)

    assert encoder.count_tokens([kept]) == [encoder.max_tokens]
    assert text.startswith(kept)
    assert encoder.count_tokens([f"{kept} x"]) == [encoder.max_tokens + 1]
    assert truncation.cut_text("short", encoder) == "short"


def test_only_functions_in_several_parts_are_cut(mill: Build) -> None:
    result = run("truncation")

    assert {row["where"]["path"] for row in result["rows"]} == {"mill/long.py"}
    for row in result["rows"]:
        assert row["tokens"] > WordEncoder.max_tokens
        assert row["kept"] == WordEncoder.max_tokens / row["tokens"]
        assert (row["cut_rank"] < row["split_rank"]) <= (
            row["cut_raw"] > row["split_raw"]
        )


def test_the_guarantee_keeps_the_first_of_every_leg(mill: Build) -> None:
    result = run("guarantees")

    for row in result["rows"]:
        assert row["lost"]["shipped"] == row["lost"]["small"] == []
    assert figure(result, "queries") == len(result["rows"]) == 36
    name = "pool of 200, guaranteed: the first of a leg is not in it"
    assert figure(result, name) == 0


def test_a_concept_whose_words_occur_is_set_aside(
    mill: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheat = own_concepts()[0].__class__("wheat futures", ("wheat",))
    asked = (*own_concepts()[:3], wheat)
    monkeypatch.setattr(absence, "own_concepts", lambda: asked)

    result = run("absence")

    absent = [row for row in result["rows"] if row["by"] == absence.ABSENT]
    assert [row["query"] for row in absent] == [one.text for one in asked[:3]]
    assert result["notes"][0].endswith("wheat futures.")
    for row in result["rows"]:
        (hit, *_) = search(viewer=ANYONE, query=row["query"])["hits"]
        raws = [hit["legs"][leg]["raw"] for leg in ("purpose", "body")]
        assert row["raw"] >= max(raws)
        assert row["shown"][0] == 1.0


def test_no_concept_is_one_that_a_build_is_calibrated_by() -> None:
    known = {one.head for one in all_concepts()}

    assert len(own_concepts()) >= 20
    assert [one.text for one in own_concepts() if one.head in known] == []


def test_ten_topics_are_asked_in_six_phrasings_each(mill: Build) -> None:
    result = run("phrasings")

    assert figure(result, "topics") == 10
    assert figure(result, "phrasings") == 60
    for topic in result["rows"]:
        asked = [one["query"] for one in topic["asked"]]
        assert len(set(asked)) == 6
        assert asked[0] == topic["query"]
        ranks = [one["rank"] for one in topic["asked"]]
        assert topic["best"] == min(rank for rank in ranks if rank)
        assert topic["absent"] == ranks.count(None)


@given(st.integers(1, 400), st.integers(1, 60), st.integers(0, 60))
def test_whole_places_are_those_of_the_windows(
    first: int, lines: int, below: int
) -> None:
    last = first + lines - 1
    windows = window_chunks("\n".join(["x"] * (last + below)))
    held = [one for one in windows if one.start_line <= first <= last <= one.end_line]

    assert drift.is_whole(first, lines) == bool(held)


@given(st.integers(1, 500), st.integers(11, 50))
def test_the_share_of_whole_places_is_that_of_the_formula(
    first: int, lines: int
) -> None:
    assert drift.drift(first, lines) == (51 - lines) / 40 == expected_whole(lines) / 40


def test_the_drift_of_a_repository_counts_every_function(mill: Build) -> None:
    result = run("drift")

    lengths = {row["lines"]: row["functions"] for row in result["rows"]}
    assert lengths == {10: 6, 48: 6}
    long = result["rows"][1]
    # Six functions of 48 lines, two lines apart, from line 1: 1, 51, 101, 151, ...
    assert long["whole"] == sum((1 + 50 * n - 1) % 40 + 48 <= 50 for n in range(6))
