"""A search answers with exact lines and raw scores; a trace says where a wish ended."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from codesearch import selectors, services
from codesearch.corpora import open_corpus
from codesearch.errors import (
    AmbiguousTarget,
    NothingIndexed,
    SearchError,
    UnknownRepository,
    UnreadableQuery,
)
from codesearch.knobs import make_config
from codesearch.opening import answer_of, linked_answer, open_link
from codesearch.pages.links import target_of
from codesearch.pages.search import silent_legs
from codesearch.payloads import Payload
from indexer import encoders, vectors
from indexer import services as indexing
from indexer.access import ANYONE, COMMAND_LINE
from indexer.files import read_texts
from indexer.models import Build, File, Index, Repository
from indexer.pipeline import store
from indexer.places import layer_folder
from tests.codesearch.conftest import EXPORTS
from tests.codesearch.example_payload import make_trace
from tests.conftest import MakeRepository, run_git
from tests.encoders import WordEncoder

LEGS = ["purpose", "body", "bm25", "symbol"]


def search(query: str) -> Payload:
    return services.search(viewer=ANYONE, query=query)


def trace(query: str, *targets: str) -> Payload:
    return services.trace(viewer=ANYONE, query=query, targets=targets)


def target(query: str, wanted: str) -> Payload:
    (found,) = trace(query, wanted)["targets"]
    row: Payload = found
    return row


def death(query: str, wanted: str) -> tuple[str, str] | None:
    found = target(query, wanted)["death"]
    return (found["stage"], found["reason"]) if found else None


def commit_and_index(shop: Build, source: Path) -> None:
    run_git(source, "add", "--all")
    run_git(source, "commit", "--quiet", "--message=Change")
    build = indexing.request_build(index=shop.index, enqueue=False)
    indexing.finish_build(build=build)


def test_the_first_hit_has_its_exact_lines_and_its_place_in_every_leg(
    shop: Build,
) -> None:
    found = search("format money for a locale")

    first = found["hits"][0]
    assert (first["symbol"], first["start_line"], first["end_line"]) == (
        "format_money",
        6,
        8,
    )
    assert first["chunk"].startswith(
        f"shop@{shop.revision}:billing/money.py#format_money@"
    )
    assert list(first["legs"]) == LEGS
    assert first["legs"]["bm25"]["rank"] == 1
    assert first["legs"]["symbol"] is None
    assert found["builds"][0]["coverage"] == {
        "files": 0.8,
        "chunks": 1.0,
        "summary": 1.0,
        "purpose": 1.0,
        "body": 1.0,
    }


def test_a_payload_is_json_that_survives_a_round_trip(shop: Build) -> None:
    found = trace("send an invoice", "Invoice.send", "logo.png")

    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_the_example_of_the_page_tests_has_the_keys_of_a_real_payload(
    shop: Build,
) -> None:
    real, example = trace("format money", "format_money"), make_trace()

    assert example.keys() == real.keys()
    for name in ("builds", "hits", "places", "targets", "terms", "words"):
        assert example[name][0].keys() == real[name][0].keys(), name
    for name in ("closeness", "config", "pool", "rerank"):
        assert example[name].keys() == real[name].keys(), name
    assert example["legs"]["bm25"].keys() == real["legs"]["bm25"].keys()
    for name in ("hits", "targets"):
        ours, theirs = (found[name][0]["legs"]["bm25"] for found in (example, real))
        assert ours.keys() == theirs.keys(), name
    ours, theirs = (found["evidence"] for found in (example, real))
    assert ours.keys() == theirs.keys()
    assert ours["builds"][0].keys() == theirs["builds"][0].keys()
    embedders = (found["builds"][0]["embedder"] for found in (ours, theirs))
    assert len({tuple(embedder) for embedder in embedders}) == 1
    ours, theirs = (found["bm25_compared"] for found in (example, real))
    assert ours.keys() == theirs.keys()
    assert ours["terms"][0].keys() == theirs["terms"][0].keys()
    assert ours["floor"].keys() == theirs["floor"].keys()
    ours, theirs = (found["targets"][0] for found in (example, real))
    assert ours["terms"][0].keys() == theirs["terms"][0].keys()
    assert ours["length"].keys() == theirs["length"].keys()
    ours, theirs = (found["hits"][0]["rerank"] for found in (example, real))
    assert ours.keys() == theirs.keys()
    ours, theirs = (found["legs"]["bm25"]["distribution"] for found in (example, real))
    assert ours.keys() == theirs.keys()


def test_a_trace_keeps_each_legs_distribution_and_a_search_does_not(
    shop: Build,
) -> None:
    found = trace("lang:python format money", "format_money")

    for name, leg in found["legs"].items():
        spread = leg["distribution"]
        assert sum(spread["counts"]) + spread["unscored"] == found["in_scope"], name
        assert sum(spread["counts"]) == leg["matched"], name
        (wanted,) = found["targets"]
        if (seen := wanted["legs"][name]) and spread["sd"]:
            z = (seen["raw"] - spread["mean"]) / spread["sd"]
            assert seen["z"] == z, name
    assert "distribution" not in search("format money")["legs"]["bm25"]


def test_the_rerank_says_how_far_each_chunk_moved_in_the_pool(shop: Build) -> None:
    found = trace("send an invoice", "Invoice.send")

    rows = sorted(found["hits"], key=lambda hit: hit["fused"]["ordinal"])
    moves = [row["rerank"] for row in rows]
    assert [move["rank_in"] for move in moves] == list(range(1, len(rows) + 1))
    assert sorted(move["rank_out"] for move in moves) == list(range(1, len(rows) + 1))
    assert all(m["rank_in"] - m["rank_out"] == m["delta"] for m in moves)
    assert any(move["delta"] for move in moves)
    (wanted,) = found["targets"]
    (same,) = (hit for hit in found["hits"] if hit["chunk"] == wanted["chunk"])
    assert (wanted["rerank"], wanted["page"]) == (same["rerank"], same["page"])


def test_a_leader_that_the_pool_cuts_is_in_the_trace(shop: Build) -> None:
    config = make_config({"pool": 1, "guarantee": 0})
    found = services.trace(
        viewer=ANYONE, query="send an invoice", targets=["logo.png"], config=config
    )

    firsts = {
        name
        for hit in (*found["hits"], *found["cut_leaders"])
        for name, seen in hit["legs"].items()
        if seen and seen["ordinal"] == 1
    }
    assert len(found["hits"]) == 1
    assert found["cut_leaders"]
    assert firsts == {name for name, leg in found["legs"].items() if leg["listed"]}
    assert all(
        hit["pool"] == {"in": False, "via": None} for hit in found["cut_leaders"]
    )


def test_copies_and_stubs_fold_and_everything_adds_up(
    shop: Build, make_repository: MakeRepository
) -> None:
    source = make_repository(
        {
            "till/__init__.py": "from .exports import Report\n",
            "till/exports.py": EXPORTS,
        }
    )
    index = indexing.register(name="till", source=str(source))
    indexing.finish_build(build=indexing.request_build(index=index, enqueue=False))

    found = search("report of an export for its readers")

    hits = {hit["path"] + "#" + (hit["symbol"] or ""): hit for hit in found["hits"]}
    report = hits["billing/exports.py#Report.send"]
    assert [row["path"] for row in report["copies"]] == ["till/exports.py"]
    assert [row["rank"] for row in found["hits"]] == list(range(1, len(hits) + 1))
    folded = [r for h in found["hits"] for r in h["copies"] + h["re_exports"]]
    assert "till/__init__.py" in {row["path"] for row in folded}
    assert {(row["rank"], row["card"]) for row in folded} == {(None, None)}
    assert len(found["hits"]) + len(folded) == found["pool"]["filled"]
    assert len(folded) == found["pool"]["folded"]


def test_equal_searches_give_equal_answers(shop: Build) -> None:
    first, second = search("total of the rows"), search("total of the rows")

    for found in (first, second):
        found.pop("timings_ms")
    assert first == second


def test_places_are_files_and_hold_the_data_files_that_chunks_leave_out(
    shop: Build,
) -> None:
    found = search("locale de")

    assert "locale/de.po" in [place["path"] for place in found["places"]]
    assert "locale/de.po" not in [hit["path"] for hit in found["hits"]]
    for place in found["places"]:
        points = sum(term["points"] for term in place["terms"])
        assert math.isclose(points, place["score"])


def test_words_that_occur_nowhere_are_named(shop: Build) -> None:
    found = search("NoSuchKey in the invoice")

    assert found["words"][0] == {
        "word": "NoSuchKey",
        "df": 0,
        "parts": [
            {"term": "no", "df": 0},
            {"term": "such", "df": 0},
            {"term": "kei", "df": 0},
        ],
        "share": found["missing_share"],
        "near": [],
    }
    assert 0.5 < found["missing_share"] < 1
    sentences = [row["sentence"] for row in found["closeness"]["evidence"]]
    assert any("“NoSuchKey” occurs nowhere in this index" in row for row in sentences)


def test_names_to_offer_are_read_only_for_a_word_that_is_missing(shop: Build) -> None:
    services.search(viewer=ANYONE, query="money")
    lexical = open_corpus([shop], viewer=ANYONE).corpus.builds[0].lexical
    assert "spellings" not in vars(lexical)

    services.search(viewer=ANYONE, query="monye")

    assert "spellings" in vars(lexical)


def test_a_name_like_a_missing_word_is_offered_and_not_applied(shop: Build) -> None:
    found = search("Invoise")

    assert found["words"][0]["near"] == ["Invoice"]
    assert found["missing_share"] == 1.0
    assert all(hit["legs"]["symbol"] is None for hit in found["hits"])


def test_names_are_offered_for_the_first_missing_words_only(shop: Build) -> None:
    words = ["formatmoney", "formatmone", "formatmony", "formtmoney", "frmatmoney"]

    found = search(" ".join([*words, "ormatmoney"]))["words"]

    assert [bool(word["near"]) for word in found] == [True] * 5 + [False]


def test_a_build_too_small_to_be_calibrated_says_so(shop: Build) -> None:
    found = search("format money")["closeness"]

    assert found["band"] == "uncalibrated"
    assert found["builds"] == [
        {"repository": "shop", "band": "uncalibrated", "decided": True}
    ]
    assert "documented sentences, 50 are needed" in found["evidence"][-1]["sentence"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"fingerprint": ""}, "without vectors there are only its words"),
        ({"fingerprint": "of another"}, "nothing here compares with its vectors"),
        ({"calibration": None}, "was indexed without a calibration"),
        ({"calibration": None, "status": "running"}, "when all its vectors are made"),
    ],
)
def test_a_build_that_cannot_be_judged_says_why(
    shop: Build, fields: dict[str, object], sentence: str
) -> None:
    Build.objects.filter(pk=shop.pk).update(**fields)

    found = search("format money")["closeness"]

    assert found["band"] == "uncalibrated"
    assert sentence in found["evidence"][-1]["sentence"]


def test_a_dense_leg_names_the_part_that_has_the_score(
    shop: Build, make_repository: MakeRepository
) -> None:
    # The stand-in reads 80 words; only the second part speaks of zebras.
    lines = [f"    step_{n} = prepare(order, {n})" for n in range(30)]
    code = "\n".join(["def fill(order):", *lines, "    return zebra(order)", ""])
    index = indexing.register(name="zoo", source=str(make_repository({"zoo.py": code})))
    build = indexing.request_build(index=index, enqueue=False)
    assert indexing.finish_build(build=build).over_length_count == 1

    found = target("zebra", "zoo:zoo.py:1")

    assert found["legs"]["body"]["part"] == 2
    assert found["legs"]["bm25"]["part"] is None


def test_the_bm25_terms_of_a_target_sum_to_its_raw_score(shop: Build) -> None:
    found = target("send the report to readers", "Report.send")

    points = sum(term["points"] for term in found["terms"])
    assert math.isclose(points, found["legs"]["bm25"]["raw"], rel_tol=1e-12)
    shares = found["fused"]["contributions"].values()
    assert sum(shares) == found["fused"]["score"]


def test_a_target_on_page_one_has_no_death(shop: Build) -> None:
    assert death("format money for a locale", "format_money") is None
    assert death("format money", "billing/money.py") is None
    assert target("format money", "billing/money.py:7")["symbol"] == "format_money"
    assert target("add lines", "billing/money.py:15")["symbol"] == "Invoice.total"


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("logo.png", ("corpus", "skipped:binary")),
        ("locale/de.po", ("corpus", "data_file")),
        ("nowhere.py", ("corpus", "not_in_repository")),
        ("NoSuchSymbol", ("corpus", "not_in_repository")),
        ("billing/money.py:999", ("chunk", "not_extracted")),
        ("billing/money.py:9", ("chunk", "not_extracted")),
    ],
)
def test_a_target_that_is_no_chunk_dies_before_the_legs(
    shop: Build, wanted: str, expected: tuple[str, str]
) -> None:
    assert death("money", wanted) == expected


def test_a_digit_that_is_no_number_is_no_start_byte(shop: Build) -> None:
    found = death("money", "billing/money.py#format_money@²")

    assert found == ("corpus", "not_in_repository")


@pytest.mark.parametrize("wanted", ["old.py", "old.py:1", "outdated"])
def test_what_an_earlier_build_had_is_not_in_the_revision(
    shop: Build, wanted: str
) -> None:
    source = Path(shop.index.repository.source)
    (source / "old.py").write_text("def outdated():\n    pass\n")
    commit_and_index(shop, source)
    (source / "old.py").unlink()
    commit_and_index(shop, source)

    assert death("outdated", wanted) == ("corpus", "not_in_revision")


def test_an_ambiguous_symbol_lists_all_and_each_can_be_asked_for(shop: Build) -> None:
    with pytest.raises(AmbiguousTarget) as caught:
        trace("send it", "send")

    symbols = [row["symbol"] for row in caught.value.candidates]
    assert symbols == ["Report.send", "Invoice.send"]
    for row in caught.value.candidates:
        assert target("send it", row["target"])["symbol"] == row["symbol"]


def test_every_hit_can_be_asked_for_whatever_its_path_holds(
    shop: Build, make_repository: MakeRepository
) -> None:
    code = "class A:\n    def save(self):\n        return 1\n"
    source = make_repository(
        {"a#b.py": code, "100%25.py": code, "notes: c.txt": "save"}
    )
    index = indexing.register(name="odd", source=str(source))
    indexing.finish_build(build=indexing.request_build(index=index, enqueue=False))

    hits = services.search(viewer=ANYONE, query="save", repositories=["odd"])["hits"]

    assert {hit["path"] for hit in hits} == {"a#b.py", "100%25.py", "notes: c.txt"}
    for hit in hits:
        assert target("save", target_of(hit))["chunk"] == hit["chunk"]


def test_a_search_asks_the_database_as_often_however_many_files_it_shows(
    shop: Build, client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.get("/?q=money")

    for query in ("money", "money total send invoice", "report"):
        with django_assert_num_queries(10):
            client.get("/", {"q": query})
        with django_assert_num_queries(9):
            client.get("/", {"q": query}, headers={"HX-Request": "true"})


def test_a_text_that_the_mirror_has_lost_is_absent_and_the_others_are_there(
    shop: Build,
) -> None:
    File.objects.filter(path="billing/money.py").update(oid="0" * 40)
    keys = [("shop", shop.revision, f"billing/{n}.py") for n in ("money", "exports")]

    assert list(read_texts(ANYONE, keys)) == keys[1:]


def test_a_name_is_found_as_written_before_any_other_case(shop: Build) -> None:
    found = [row["symbol"] for row in selectors.find_symbols(ANYONE, "total")]

    assert found == ["total", "Invoice.total"]
    assert target("count", "total")["path"] == "billing/exports.py"
    assert target("bill", "invoice")["symbol"] == "Invoice"


def test_without_vectors_the_dense_legs_say_that_they_did_not_run(
    shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoders, "encoder_of", lambda *build: (None, "no model"))

    found = search("format money")

    assert found["legs"]["purpose"]["ran"] is False
    assert found["legs"]["purpose"]["note"] == "no model"
    assert found["hits"][0]["symbol"] == "format_money"
    assert found["hits"][0]["legs"]["body"] is None
    assert death("zebra", "Report.send") == ("leg", "leg_missing:purpose")


def test_each_layer_is_searched_once_it_is_published(
    shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "STEP_SECONDS", 0.0)
    Index.objects.update(current_build=None)
    build = indexing.request_build(index=shop.index, enqueue=False)
    found = []
    while indexing.advance_build(build_id=build.pk):
        answer = search("format money")
        coverage = answer["builds"][0]["coverage"]
        found.append((coverage["purpose"], coverage["body"]))
        legs = answer["legs"]
        assert (legs["purpose"]["matched"] > 0) == (coverage["purpose"] > 0)
        assert (legs["body"]["matched"] > 0) == (coverage["body"] > 0)

    assert found == [(0.0, 0.0), (0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]


def test_a_model_of_another_fingerprint_is_never_mixed_in(
    shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    Build.objects.update(fingerprint="another")

    found = search("format money")

    assert found["legs"]["purpose"]["ran"] is False
    assert found["legs"]["purpose"]["note"] == (
        "its model has changed since shop was indexed; index it again"
    )
    assert found["hits"][0]["legs"]["purpose"] is None


def test_a_model_that_is_missing_is_not_said_to_have_changed(
    shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = "model /m cannot be loaded: there is no such folder"
    monkeypatch.setattr(encoders, "encoder_of", lambda *build: (None, missing))

    found = search("format money")

    assert found["legs"]["purpose"]["note"] == missing
    assert found["closeness"]["evidence"][-1]["sentence"] == (
        "shop cannot be judged: nothing here compares with its vectors."
    )


def test_several_repositories_are_one_corpus(
    shop: Build, make_repository: MakeRepository
) -> None:
    source = make_repository({"a.py": "def format_money(x):\n    return x\n"})
    index = indexing.register(name="attic", source=str(source))
    indexing.finish_build(build=indexing.request_build(index=index, enqueue=False))

    both = search("format_money")
    one = services.search(viewer=ANYONE, query="format_money", repositories=["shop"])

    assert [build["repository"] for build in both["builds"]] == ["attic", "shop"]
    assert both["legs"]["symbol"]["matched"] == 2
    assert {hit["repository"] for hit in one["hits"]} == {"shop"}
    assert both["legs"]["bm25"]["total"] == one["legs"]["bm25"]["total"] + 1


def test_an_index_that_cannot_be_read_is_named_and_the_others_answer(
    shop: Build, make_repository: MakeRepository
) -> None:
    source = make_repository({"a.py": "def format_money(x):\n    return x\n"})
    index = indexing.register(name="attic", source=str(source))
    broken = indexing.finish_build(
        build=indexing.request_build(index=index, enqueue=False)
    )
    (layer_folder(broken, "body", 0) / "ordinals.npy").unlink()
    sentence = (
        f"attic: build {broken.pk} is damaged: body-0/ordinals.npy is missing or "
        "altered. Nothing is searched of it; a new one is being made."
    )

    found = search("format_money")

    assert found["left_out"] == [sentence]
    assert {hit["repository"] for hit in found["hits"]} == {"shop"}
    assert silent_legs(found) == [sentence]
    with pytest.raises(NothingIndexed) as caught:
        services.search(viewer=ANYONE, query="money", repositories=["attic"])
    assert str(caught.value) == sentence


def test_an_index_of_an_earlier_version_is_refused_before_it_is_hashed(
    shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(layer_folder(shop, "lexical", 0) / "catalogue")
    lexical = shop.layers.get(kind="lexical")
    lexical.files = {n: s for n, s in lexical.files.items() if "catalogue" not in n}
    lexical.save()
    hashed: list[Path] = []
    monkeypatch.setattr(store, "verify_layer", lambda *a: hashed.append(a[0]))

    with pytest.raises(NothingIndexed) as caught:
        search("money")

    assert str(caught.value) == (
        "The index of shop cannot be read: lexical-0 is of an earlier version; "
        "index the repository again."
    )
    assert hashed == []


def test_what_a_viewer_may_not_read_does_not_exist_for_them(shop: Build) -> None:
    Repository.objects.update(visibility="staff")

    with pytest.raises(NothingIndexed, match="registered yet. Add one on the page"):
        search("money")
    with pytest.raises(UnknownRepository):
        services.search(viewer=ANYONE, query="money", repositories=["shop"])
    assert services.search(viewer=COMMAND_LINE, query="money")["hits"]
    assert selectors.find_symbols(ANYONE, "Invoice") == []


def test_a_profile_that_does_not_exist_is_named(shop: Build) -> None:
    with pytest.raises(NothingIndexed, match="no profile typo; there are static, sym"):
        services.search(viewer=ANYONE, query="money", profile="typo")


def test_a_query_without_a_term_is_answered_with_nothing_from_the_lexical_legs(
    shop: Build,
) -> None:
    found = search("the ?!")

    assert found["legs"]["bm25"]["matched"] == 0
    assert found["terms"] == []


def test_a_blank_query_is_refused(shop: Build) -> None:
    with pytest.raises(SearchError, match="The query is empty"):
        search(" \n")


def test_a_query_that_is_too_long_is_refused(shop: Build) -> None:
    with pytest.raises(SearchError, match="2,000 are read"):
        search("x" * 2001)


def test_a_shared_result_stays_as_it_was_and_says_that_the_index_moved_on(
    shop: Build,
) -> None:
    link = services.share(
        viewer=ANYONE, user=AnonymousUser(), kind="search", query="format money"
    )
    twice = services.share(
        viewer=ANYONE, user=AnonymousUser(), kind="search", query="format money"
    )
    assert twice.record == link.record
    assert selectors.newer_builds(ANYONE, link.record.answer) == []
    again = indexing.request_build(index=shop.index, enqueue=False)
    indexing.finish_build(build=again)

    found = open_link(ANYONE, link.token)

    assert found is not None
    payload = linked_answer(found)
    assert payload["hits"][0]["symbol"] == "format_money"
    assert selectors.newer_builds(ANYONE, payload) == [
        {
            "repository": "shop",
            "recorded": shop.revision,
            "current": shop.revision,
            "is_same": False,
            "was_preview": False,
        }
    ]


def test_what_became_of_many_builds_of_a_result_is_asked_at_once(
    shop: Build, till: Repository, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    answer = search("money")
    assert len(answer["builds"]) == 2

    with django_assert_num_queries(1):
        assert selectors.newer_builds(ANYONE, answer) == []


def test_a_shared_result_calls_a_repository_as_it_is_called_now(shop: Build) -> None:
    link = services.share(
        viewer=ANYONE, user=AnonymousUser(), kind="search", query="money"
    )
    Repository.objects.update(name="store")

    found = open_link(ANYONE, link.token)

    assert found is not None
    payload = linked_answer(found)
    assert {row["repository"] for row in payload["hits"]} == {"store"}
    assert {row["repository"] for row in payload["closeness"]["builds"]} == {"store"}


def test_a_shared_result_is_only_for_those_who_may_read_all_of_it(shop: Build) -> None:
    link = services.share(
        viewer=ANYONE, user=AnonymousUser(), kind="search", query="money"
    )
    Repository.objects.update(visibility="staff")

    assert open_link(ANYONE, link.token) is None
    found = open_link(COMMAND_LINE, link.token)
    assert found is not None
    assert found.removed == []


def test_a_search_for_tests_finds_tests_by_its_filter(
    db: None, data_dir: Path, encoder: WordEncoder, make_repository: MakeRepository
) -> None:
    files: dict[str, str | bytes] = {
        "cart.py": "def total():\n    return 1\n",
        "tests/test_cart.py": "def test_total():\n    assert total() == 1\n",
    }
    source = make_repository(files)
    index = indexing.register(name="till", source=str(source))
    indexing.finish_build(build=indexing.request_build(index=index, enqueue=False))

    paths = [
        {row["path"] for part in ("hits", "places") for row in search(query)[part]}
        for query in ("total", "total is:test", "total -is:test")
    ]

    assert paths == [
        {"cart.py", "tests/test_cart.py"},
        {"tests/test_cart.py"},
        {"cart.py"},
    ]


def test_a_filtered_search_says_what_it_understood_and_how_much_is_in_scope(
    shop: Build,
) -> None:
    found = search("kind:Class money -path:exports")

    assert found["query"] == "kind:Class money -path:exports"
    assert found["filters"] == [
        {
            "name": "kind",
            "value": "class",
            "negated": False,
            "text": "kind:Class",
            "start": 0,
        },
        {
            "name": "path",
            "value": "exports",
            "negated": True,
            "text": "-path:exports",
            "start": 17,
        },
    ]
    assert (found["in_scope"], found["without"]) == (1, [])
    assert [hit["symbol"] for hit in found["hits"]] == ["Invoice"]
    assert [term["term"] for term in found["terms"]] == ["monei"]


def test_filters_that_leave_nothing_say_how_many_hits_there_are_without(
    shop: Build,
) -> None:
    one = search("lang:go money -is:test")
    both = search("lang:go kind:class money kind:enum path:notes")

    everything = len(search("money")["hits"])
    assert (one["hits"], one["in_scope"]) == ([], 0)
    assert one["without"] == [
        {"filters": [0], "hits": everything},
        {"filters": [1], "hits": 0},
    ]
    assert both["without"] == [
        {"filters": [0], "hits": 0},
        {"filters": [1, 2], "hits": 0},
        {"filters": [3], "hits": 0},
        {"filters": [0, 1, 2, 3], "hits": everything},
    ]


def test_repositories_can_be_chosen_in_the_query(shop: Build) -> None:
    both = [
        services.search(viewer=ANYONE, query="money repo:shop"),
        services.search(viewer=ANYONE, query="money", repositories=["shop"]),
    ]

    assert both[0]["hits"] == both[1]["hits"]
    with pytest.raises(UnknownRepository, match="no repository called till"):
        search("money repo:till")


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("kind:clas money", "“kind:clas” at character 1: no kind is called clas"),
        ("lang:python", "“lang:python” says where to look; say what to look for"),
        ("repo:shop", "“repo:shop” says where to look"),
    ],
)
def test_a_query_that_cannot_be_read_is_refused_in_a_sentence(
    shop: Build, query: str, sentence: str
) -> None:
    with pytest.raises(UnreadableQuery, match=sentence):
        search(query)


def test_a_target_out_of_scope_has_no_rank_but_the_one_without_filters(
    shop: Build,
) -> None:
    found = target("format money kind:class", "format_money")

    assert (found["death"]["stage"], found["death"]["reason"]) == (
        "scope",
        "filter:kind",
    )
    assert found["legs"] == dict.fromkeys(LEGS)
    assert found["unfiltered_ranks"]["bm25"] == 1
    assert (found["rank"], found["fused"]) == (None, None)


def test_a_shared_result_does_not_name_what_its_reader_may_not_know(
    shop: Build,
) -> None:
    Repository.objects.create(name="attic", source="/srv/attic", visibility="staff")
    link = services.share(
        viewer=COMMAND_LINE, user=AnonymousUser(), kind="search", query="money"
    )
    assert "attic" in link.record.answer["left_out"][0]

    found = open_link(ANYONE, link.token)

    assert found is not None
    assert "attic" not in json.dumps(answer_of(found))
    assert "attic" not in json.dumps(linked_answer(found))
