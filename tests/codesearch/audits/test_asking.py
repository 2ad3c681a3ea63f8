"""One case: where each of its targets stands at every stage, in chunks or in files."""

from __future__ import annotations

from typing import Any

import ir_measures
import pytest
from ir_measures import RR, R, nDCG

from codesearch.audits.exports import audit_qrels, audit_run, listed_stages
from codesearch.audits.running import finish_audit, request_audit
from codesearch.config_forms import read_settings
from codesearch.models import Audit, CaseSet
from codesearch.payloads.audit import audit_payload
from codesearch.services import trace
from indexer import services as indexing
from indexer.access import COMMAND_LINE
from indexer.models import Build
from tests.codesearch.audits.sets import lists_of, make_set, result_of
from tests.conftest import MakeRepository


def ask(cases: CaseSet, settings: list[str] | None = None, profile: str = "") -> Audit:
    audit = request_audit(
        viewer=COMMAND_LINE,
        user=None,
        case_set=cases,
        profile=profile,
        config=read_settings(settings or []),
        enqueue=False,
    )
    audit = finish_audit(audit=audit)
    assert audit.failure == ""
    return audit


def ask_one(
    build: Build,
    query: str,
    targets: list[str],
    *,
    unit: str = "chunk",
    grades: dict[str, int] | None = None,
    settings: list[str] | None = None,
    profile: str = "",
) -> tuple[dict[str, Any], dict[str, Any]]:  # Any: JSON
    """Return the result of one case and its lists."""
    cases = make_set(build, [(query, targets)], unit=unit, grades=grades)
    row = ask(cases, settings, profile).rows.get()
    return result_of(row), lists_of(row)


def target_of(result: dict[str, Any], number: int = 0) -> dict[str, Any]:
    found = result["targets"][number]
    assert isinstance(found, dict)
    return found


QUERIES = ("total", "mail the report to its readers", "format money", "sent night")
TARGETS = ("format_money", "Invoice.total", "Report.send", "notes.txt", "logo.png")


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("target", TARGETS)
def test_places_standings_and_death_are_those_of_a_trace(
    shop: Build, query: str, target: str
) -> None:
    settings = ["pool=20", "cards=1", "chunks=1"]
    traced = trace(
        viewer=COMMAND_LINE,
        query=query,
        targets=[target],
        config=read_settings(settings),
    )

    result, _ = ask_one(shop, query, [target], settings=settings)

    row, told = traced["targets"][0], target_of(result)
    death = row["death"]
    assert told["death"] == (
        death and {key: death[key] for key in ("stage", "reason", "detail")}
    )
    assert told["document"] == row["chunk"]
    assert told["path"] == row["path"]
    assert told["lookup"] == {key: row["lookup"][key] for key in ("found", "name")}
    assert result["closeness"] == traced["closeness"]["band"]
    for leg, place in row["legs"].items():
        assert (told["legs"][leg] and told["legs"][leg]["rank"]) == (
            place and place["rank"]
        )
        assert told["stages"][leg] == (
            place["ordinal"] if place and place["in_leg"] else None
        )
    assert told["stages"]["result"] == row["rank"]
    assert told["stages"]["card"] == row["card"]
    assert (told["stages"]["page"] is None) == (death is not None)
    fused = row["fused"]
    assert told["stages"]["fusion"] == (fused and fused["ordinal"])
    assert (told["stages"]["pool"] is not None) == row["pool"]["in"]


def test_the_union_is_the_best_of_the_legs(shop: Build) -> None:
    result, lists = ask_one(shop, "mail the report", ["Report.send"])

    places = target_of(result)["stages"]
    legs = [places[leg] for leg in ("purpose", "body", "bm25", "symbol")]
    assert places["union"] == min(place for place in legs if place)
    assert "union" not in lists
    assert "card" not in lists


def test_a_file_stands_where_its_first_chunk_does_and_keeps_one_place(
    shop: Build,
) -> None:
    result, lists = ask_one(shop, "send total", ["billing/money.py"])

    place = target_of(result)["stages"]["fusion"]
    names = [line.document for line in lists["fusion"]]
    assert names.count("billing/money.py") == 1
    assert names.index("billing/money.py") == place - 1
    assert sum("billing/money.py#" in name for name in names) > 0


def test_one_chunk_serves_the_target_of_fewest_chunks(shop: Build) -> None:
    targets = ["billing/exports.py", "Report.send", "billing/exports.py#Report.send"]

    result, lists = ask_one(shop, "mail the report", targets)

    whole, first, second = result["targets"]
    assert first["document"].endswith("#Report.send@97")
    assert second["document"] is None
    assert second["death"]["reason"].startswith("merged_into:")
    assert whole["document"] == "billing/exports.py"
    names = [line.document for line in lists["result"]]
    assert len(names) == len(set(names))
    assert names[first["stages"]["result"] - 1] == first["document"]
    assert names[whole["stages"]["result"] - 1] == "billing/exports.py"


def test_files_are_counted_once_and_by_name(shop: Build) -> None:
    result, lists = ask_one(shop, "send total", ["billing/money.py"], unit="file")

    names = [line.document for line in lists["body"]]
    assert names.count("shop:billing/money.py") == 1
    assert target_of(result)["document"] == "shop:billing/money.py"
    place = target_of(result)["stages"]["body"]
    assert names[place - 1] == "shop:billing/money.py"


def test_lines_of_a_file_count_where_a_list_touches_them(shop: Build) -> None:
    near, _ = ask_one(shop, "total", ["billing/money.py:6-7"], unit="file")
    symbol, lists = ask_one(
        shop, "Invoice.total", ["billing/money.py:6-7"], unit="file"
    )

    assert target_of(near)["document"] == "shop:billing/money.py:6-7"
    assert target_of(near)["stages"]["page"] is not None
    # The symbol leg holds the file by another chunk alone.
    assert target_of(symbol)["stages"]["symbol"] is None
    assert [line.document for line in lists["symbol"]] == ["shop:billing/money.py"]


def test_targets_of_one_file_are_one_where_files_are_counted(shop: Build) -> None:
    targets = ["billing/money.py:6-7", "billing/exports.py", "billing/money.py:10-12"]

    result, _ = ask_one(
        shop, "total", targets, unit="file", grades={"billing/money.py:10-12": 3}
    )

    assert [(t["document"], t["grade"]) for t in result["targets"]] == [
        ("shop:billing/money.py:6-7,10-12", 3),
        ("shop:billing/exports.py", 1),
    ]


def test_overlap_is_that_of_the_best_result_on_page_one(shop: Build) -> None:
    exact, _ = ask_one(shop, "format money", ["format_money"])
    wider, _ = ask_one(shop, "format money", ["billing/money.py:6-9"])
    whole, _ = ask_one(shop, "format money", ["billing/money.py"])

    assert target_of(exact)["iou"] == 1.0
    assert target_of(wider)["iou"] == 0.75  # Lines 6 to 8 are the function.
    assert target_of(whole)["iou"] is None


def test_reading_counts_what_stands_above_the_first_target(shop: Build) -> None:
    query = "mail the report"
    first, lists = ask_one(shop, query, ["Report.send"])
    ids = [line.document for line in lists["page"]]
    targets = [one.partition("@")[0] + ":" + one.partition(":")[2] for one in ids]
    second, _ = ask_one(shop, query, [targets[1]])
    none, _ = ask_one(shop, query, ["logo.png"])

    assert first["reading"] == {"lines": 0, "tokens": 0}
    assert second["reading"]["lines"] == 3
    assert second["reading"]["tokens"] > 3
    assert none["reading"] is None


def test_without_a_model_no_tokens_are_counted(
    shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.encoders.encoder_of", lambda *build: (None, "gone"))
    settings = ["off=purpose", "off=body"]

    result, _ = ask_one(shop, "total", ["Report.send"], settings=settings)

    assert result["reading"] is None or result["reading"]["tokens"] is None
    assert list(target_of(result)["legs"]) == ["bm25", "symbol"]


def test_a_symbol_that_moved_in_its_file_is_still_the_target(shop: Build) -> None:
    result, _ = ask_one(shop, "total", ["shop:billing/money.py#Invoice.total@99999"])

    assert target_of(result)["symbol"] == "Invoice.total"


def test_judged_ones_are_counted_with_any_grade(shop: Build) -> None:
    targets = ["Report.send", "Invoice.send"]

    result, _ = ask_one(shop, "send", targets, grades={"Invoice.send": 0})

    places = [one["stages"]["result"] for one in result["targets"]]
    assert sorted(places) == [1, 2]
    assert result["judged_at"]["result"]["1"] == 1
    assert result["judged_at"]["result"]["5"] == 2


@pytest.fixture
def windows(shop: Build) -> Build:
    """The shop by windows, beside its index by symbols."""
    index = indexing.add_index(repository=shop.index.repository, profile="window")
    build = indexing.request_build(index=index, enqueue=False)
    return indexing.finish_build(build=build)


def test_a_symbol_is_the_window_that_holds_most_of_its_lines(windows: Build) -> None:
    result, _ = ask_one(windows, "total", ["Invoice.total"], profile="window")

    told = target_of(result)
    assert (told["symbol"], told["start_line"], told["end_line"]) == (
        *("Invoice.total", 14, 16),
    )
    assert told["document"].endswith("billing/money.py#@0")
    assert told["death"] is None
    assert 0 < told["iou"] < 1


def test_a_symbol_of_windows_alone_says_what_is_missing(
    windows: Build, shop: Build
) -> None:
    shop.delete()

    result, _ = ask_one(windows, "total", ["Invoice.total"], profile="window")

    death = target_of(result)["death"]
    assert (death["stage"], death["reason"]) == ("chunk", "not_extracted")
    assert "an index of shop by symbols at the same revision" in death["detail"]


LONG = "\n".join(f"def step_{n}(x):\n    return x + {n}\n\n" for n in range(30))


def test_a_symbol_across_windows_is_all_that_hold_most_of_it(
    shop: Build, make_repository: MakeRepository
) -> None:
    source = make_repository({"long.py": LONG})
    builds = []
    for profile in ("symbol", "window"):
        index = indexing.register(name="long", source=str(source), profile=profile)
        build = indexing.request_build(index=index, enqueue=False)
        builds.append(indexing.finish_build(build=build))

    result, _ = ask_one(
        builds[1], "step 11", ["step_11"], unit="chunk", profile="window"
    )

    told = target_of(result)
    spans = {
        (one.start_line, one.end_line)
        for one in builds[1].chunks.all()
        if one.start_line <= told["start_line"] and told["end_line"] <= one.end_line
    }
    assert len(spans) == 2  # Windows overlap by ten lines: both hold it whole.
    assert told["document"] == "step_11"


@pytest.mark.parametrize("unit", ["chunk", "file"])
def test_figures_are_those_of_ir_measures_over_the_exports(
    shop: Build, unit: str
) -> None:
    cases = make_set(
        shop,
        [
            ("send", ["Report.send", "Invoice.send", "billing/exports.py", "logo.png"]),
            ("format money", ["billing/money.py:6-7", "billing/money.py"]),
            ("total rows of an export", ["billing/exports.py#total", "nowhere"]),
        ],
        unit=unit,
        grades={"Invoice.send": 3, "billing/money.py": 2},
    )

    audit = ask(cases)

    read: Any = ir_measures  # Untyped.
    qrels = list(read.read_trec_qrels("".join(audit_qrels(audit))))
    measured = audit_payload(audit)["measures"]
    for stage in listed_stages(audit):
        run = list(read.read_trec_run("".join(audit_run(audit, stage))))
        found = read.calc_aggregate([R @ 5, RR, nDCG @ 5], qrels, run)
        ours = measured[stage]
        assert ours["recall"]["5"]["mean"] == pytest.approx(found[R @ 5])
        assert ours["mrr"]["mean"] == pytest.approx(found[RR])
        assert ours["ndcg"]["5"]["mean"] == pytest.approx(found[nDCG @ 5])
