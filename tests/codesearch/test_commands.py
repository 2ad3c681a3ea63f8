"""The command line: what scripts rely on, in JSON keys and exit codes."""

from __future__ import annotations

import json
import shutil
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from codesearch.payloads import Payload
from indexer import services
from indexer.models import Build
from indexer.places import mirror_of
from tests.conftest import MakeRepository

QUERY = "format money for a locale"
BUILD = {"repository", "revision", "profile", "coverage"}
LEG = {"rank", "ordinal", "tie_size", "raw", "normalised", "in_leg"}
WHERE = {"chunk", "repository", "path", "start_line", "end_line"}
HIT = WHERE | {"rank", "card", "revision", "symbol", "kind", "legs", "fused", "rerank"}
PLACE = {"rank", "repository", "revision", "path", "score", "terms"}
TARGET = WHERE | {"target", "legs", "fused", "pool", "rerank", "rank", "card", "death"}

pytestmark = pytest.mark.usefixtures("shop")


def run(*arguments: str) -> str:
    output = StringIO()
    call_command(*arguments, stdout=output)
    return output.getvalue()


def read(*arguments: str) -> Payload:
    found: Payload = json.loads(run(*arguments, "--json"))
    return found


def exit_code(*arguments: str) -> tuple[int, str]:
    output = StringIO()
    with pytest.raises(CommandError) as caught:
        call_command(*arguments, stdout=output)
    return caught.value.returncode, output.getvalue()


def test_a_search_has_the_keys_of_the_contract() -> None:
    found = read("search", QUERY)

    assert found["schema"] == 1
    assert found["query"] == QUERY
    assert found["builds"][0].keys() >= BUILD
    assert found["builds"][0]["coverage"].keys() == {
        "files",
        "chunks",
        "summary",
        "purpose",
        "body",
    }
    assert found["closeness"]["band"] == "uncalibrated"
    assert found["closeness"]["evidence"][0].keys() >= {"signal", "value", "sentence"}
    assert found["places"][0].keys() >= PLACE
    assert found["places"][0]["terms"][0].keys() >= {
        "name",
        "value",
        "weight",
        "points",
    }


def test_a_hit_has_the_keys_of_the_contract_and_its_text() -> None:
    first = read("search", QUERY)["hits"][0]

    assert first.keys() >= HIT
    assert first["legs"]["bm25"].keys() >= LEG
    assert first["legs"]["symbol"] is None
    assert first["rerank"].keys() >= {"kind", "score", "terms", "logit"}
    assert first["text"] == (
        "def format_money(amount, locale):\n"
        '    """Format an amount of money for a locale."""\n'
        '    return f"{amount} {locale}"'
    )


def test_a_hit_whose_text_is_gone_has_none(shop: Build) -> None:
    shutil.rmtree(mirror_of(shop.index.repository))

    assert "text" not in read("search", QUERY)["hits"][0]


def test_the_limit_counts_hits() -> None:
    count = len(read("search", QUERY)["hits"])

    assert len(read("search", QUERY, "--limit", "2")["hits"]) == 2
    assert f"{count - 2} more, with a larger --limit." in run(
        "search", QUERY, "--limit", "2"
    )
    assert "--limit" not in run("search", QUERY)


def test_hits_are_printed_with_lines_and_raw_scores() -> None:
    lines = run("search", QUERY).splitlines()

    assert lines[0] == "  1  shop  billing/money.py:6-8  format_money"
    assert "bm25 1 (" in lines[1]


def test_a_search_in_an_unknown_repository_exits_with_1() -> None:
    assert exit_code("search", QUERY, "--repository", "attic") == (1, "")


def test_a_trace_has_the_keys_of_the_contract() -> None:
    found = read("trace", QUERY, "--target", "format_money")

    assert found["schema"] == 1
    assert found["builds"][0].keys() >= BUILD
    assert list(found["legs"]) == ["purpose", "body", "bm25", "symbol"]
    assert found["legs"]["bm25"].keys() >= {"floor", "depth", "matched", "total"}
    assert found["pool"].keys() >= {"size", "guarantee"}
    (target,) = found["targets"]
    assert target.keys() >= TARGET
    assert target["legs"]["bm25"].keys() >= LEG | {"margin"}
    assert target["fused"].keys() >= {"score", "ordinal"}
    assert target["pool"] == {"in": True, "via": "guarantee:purpose"}
    assert (target["rank"], target["card"], target["death"]) == (1, 1, None)


def test_a_target_that_is_no_chunk_has_the_same_keys_without_values() -> None:
    (target,) = read("trace", QUERY, "--target", "logo.png")["targets"]

    assert target.keys() >= TARGET
    assert (target["target"], target["path"]) == ("logo.png", "logo.png")
    assert target["chunk"] is None
    assert target["start_line"] is None
    assert set(target["legs"].values()) == {None}
    assert target["pool"] == {"in": False, "via": None}
    assert target["death"] == {
        "stage": "corpus",
        "reason": "skipped:binary",
        "detail": "logo.png was skipped: binary.",
        "needed": None,
    }


def test_a_trace_prints_the_verdict_and_each_leg() -> None:
    lines = run("trace", QUERY, "--target", "format_money").splitlines()

    assert lines[0] == (
        "On page one. format_money is number 1, on card 1. It was found by purpose at "
        "rank 1, body at rank 1 and bm25 at rank 1. Symbol has nothing of it."
    )
    assert lines[3].startswith("  bm25     rank 1, bm25 ")
    assert lines[4] == "  symbol   no evidence"
    assert lines[5] == "  fused    1 (guarantee:purpose)"


def test_a_target_that_died_is_told_in_the_words_of_the_page() -> None:
    lines = run("trace", QUERY, "--target", "logo.png").splitlines()

    assert lines[0] == (
        "Died at the corpus: skipped (binary). logo.png is not among what was "
        "searched. logo.png was skipped: binary. Looking up names does not find it."
    )


def test_an_ambiguous_symbol_lists_all_and_exits_with_2() -> None:
    code, output = exit_code("trace", "send it", "--target", "send")

    assert code == 2
    assert [line.split()[-1] for line in output.splitlines()] == [
        "Report.send",
        "Invoice.send",
    ]


def test_an_ambiguous_symbol_is_json_too() -> None:
    code, output = exit_code("trace", "send it", "--target", "send", "--json")

    found = json.loads(output)
    assert code == 2
    assert found["schema"] == 1
    assert found["target"] == "send"
    assert [row["symbol"] for row in found["candidates"]] == [
        "Report.send",
        "Invoice.send",
    ]


@pytest.mark.parametrize("claim", ["in_leg", "in_pool", "on_page"])
def test_an_assertion_that_fails_exits_with_1_after_the_answer(claim: str) -> None:
    wish = ("trace", QUERY, "--json", "--assert", claim)

    assert run(*wish, "--target", "format_money")
    code, output = exit_code(*wish, "--target", "format_money", "--target", "logo.png")
    assert code == 1
    assert len(json.loads(output)["targets"]) == 2


def test_arguments_may_be_any_bytes(
    make_repository: MakeRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    source = make_repository({"caf\udce9.py": "def brew():\n    pass\n"})
    index = services.register(name="cafe", source=str(source))
    services.finish_build(build=services.request_build(index=index, enqueue=False))

    call_command("trace", "caf\udce9 brew", "--target", "caf\udce9.py", "--json")

    (target,) = json.loads(capsys.readouterr().out)["targets"]
    assert (target["path"], target["rank"]) == (r"caf\xe9.py", 1)


def test_a_filtered_search_prints_its_scope_and_what_filters_cost() -> None:
    lines = run("search", "lang:go money").splitlines()

    assert "0 of 9 chunks in scope." in lines
    assert lines[-1].startswith("Without lang:go there are ")


def test_a_filter_that_cannot_be_read_exits_with_1_and_says_where() -> None:
    with pytest.raises(CommandError, match="“is:tests” at character 7: no mark is"):
        run("search", "money is:tests")


def test_a_trace_prints_the_unfiltered_rank_of_what_is_out_of_scope() -> None:
    lines = run("trace", "kind:class " + QUERY, "--target", "format_money").splitlines()

    assert lines[0].startswith("Died at the scope: filter (kind). format_money is")
    assert "  bm25     out of scope; unfiltered rank 1" in lines
    assert "  symbol   no evidence" in lines
