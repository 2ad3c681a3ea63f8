"""What the page of an audit prints is what its payload says, in words."""

from __future__ import annotations

import pytest

from codesearch.audits.summaries import summarise_lists
from codesearch.pages.audits.details import (
    control_sentence,
    death_rows,
    hubs,
    loss_rows,
    overlap_rows,
    retrievability_sentence,
    topic_table,
    unit_of,
)
from codesearch.pages.audits.measures import headline_stages, recall_table, stats
from codesearch.pages.audits.misses import SHOWN, miss_columns, miss_table
from codesearch.pages.audits.page import again, duration, notices
from codesearch.payloads import Payload
from codesearch.payloads.audit import audit_payload
from tests.codesearch.audits.made import make_audit as make_rows
from tests.codesearch.audits.made import random_queries
from tests.codesearch.example_audit import make_audit, make_foreign, make_miss


def counted(**changes: int) -> Payload:
    """Return counts of queries."""
    return {**make_audit()["queries"], **changes}


@pytest.mark.django_db
def test_the_example_has_the_keys_of_a_real_payload() -> None:
    made = make_rows(random_queries(12), chunks=200)
    made.summary = summarise_lists(made)
    real, example = audit_payload(made), make_audit()

    assert set(example) == set(real)
    for key in ("set", "queries", "losses", "reading", "control", "retrievability"):
        assert set(example[key]) == set(real[key]), key
    for key in ("misses", "topics", "stages", "deaths"):
        assert set(real[key][0]) - {"grade"} == set(example[key][0]), key
    assert set(example["losses"]["steps"][0]) == set(real["losses"]["steps"][0])
    assert set(example["measures"]["pool"]) == set(real["measures"]["pool"])
    assert set(example["iou"]) == set(real["iou"])
    hub = example["retrievability"]["hubs"][0]
    assert set(hub) == set(real["retrievability"]["hubs"][0])


def test_the_headline_says_recall_at_union_pool_and_page_and_how_many() -> None:
    found = stats(make_audit())

    assert [(one.label, one.value) for one in found] == [
        ("recall, union of legs", "0.800"),
        ("recall, pool of 200", "0.700"),
        ("recall, page one", "0.600"),
        ("MRR, page one", "0.500"),
        ("judged among the first 10", "0.067"),
    ]
    assert found[0].more == "8 of 10 targets; 95% 0.600 to 1.000"
    assert found[2].more == "6 of 10 targets; 95% 0.400 to 0.800"


def test_one_target_and_one_query_are_told_in_the_singular() -> None:
    audit = make_audit()
    audit["losses"]["total"] = 1
    for measured in audit["measures"].values():
        if measured["mrr"]:
            measured["mrr"]["n"] = 1

    told = [one.more for one in stats(audit)]

    assert any(" of 1 target;" in more for more in told)
    assert any(more.endswith("; 1 query") for more in told)


def test_another_system_has_the_headline_of_the_stages_it_has() -> None:
    foreign = make_foreign()

    assert headline_stages(foreign) == {"union": "union", "page": "answers"}
    assert [one.label for one in stats(foreign)][:3] == [
        *("recall, union of legs", "recall, answers of 10", "MRR, answers of 10")
    ]


def test_a_stage_has_a_dash_at_a_k_that_it_does_not_reach() -> None:
    audit = make_audit()
    del audit["measures"]["symbol"]["recall"]["200"]

    table = recall_table(audit)

    assert table.ks == [1, 5, 10, 20, 60, 100, 200]
    symbol = next(row for row in table.rows if row.name == "symbol")
    assert symbol.recalls == ["0.100"] * 6 + ["–"]
    union = next(row for row in table.rows if row.name == "union")
    assert union.ndcg == "–"


def test_a_miss_has_its_ordinals_its_death_and_its_trace() -> None:
    table = miss_table(make_audit())

    assert table.columns == [*("purpose", "body", "bm25", "symbol", "fusion", "result")]
    first, second, third, _ = table.rows
    assert first.places == [None, None, 150, None, 64, 33]
    assert (first.stage, first.reason, first.state) == ("page", "beyond page", "warn")
    assert second.places[4:] == [201, None]
    assert second.is_synthetic
    assert (third.state, third.control) == ("target", "not found by name")
    assert "/trace/?q=what+%3Cq7%3E+asks&repository=shop&target=" in first.trace_url


def test_misses_are_chosen_by_stage_of_death_with_a_link_for_each() -> None:
    table = miss_table(make_audit(), "leg")

    assert [(tab.words, tab.count) for tab in table.tabs] == [
        *(("all", 4), ("chunk", 1), ("leg", 1), ("pool", 1), ("page", 1))
    ]
    assert [row.key for row in table.rows] == ["q9"]
    assert (table.found, table.total) == (1, 4)
    assert table.tabs[2].is_shown
    assert table.tabs[2].url == "/audits/7/?death=leg#misses"
    assert table.tabs[2].fragment_url == "/audits/7/misses/?death=leg"


def test_a_stage_that_nothing_died_at_shows_all_and_pages_end() -> None:
    many = [make_miss(f"q{n}", "page", "beyond_page") for n in range(SHOWN + 1)]
    audit = make_audit(misses=many, only="written")

    table = miss_table(audit, "nowhere", 9)

    assert (table.pager.page, table.pager.pages, table.found) == (2, 2, SHOWN + 1)
    assert [row.key for row in table.rows] == [f"q{SHOWN}"]
    assert table.pager.previous == "/audits/7/?only=written#misses"
    assert table.pager.next == ""


def test_losses_and_deaths_add_up_in_their_tables() -> None:
    audit = make_audit()

    losses, deaths = loss_rows(audit), death_rows(audit)

    assert sum(row.lost for row in losses) + losses[-1].kept == 10
    assert sum(row.count for row in deaths) == audit["control"]["misses"]
    assert losses[0].words == "no such chunk"
    assert deaths[0].url == "/audits/7/?death=chunk#misses"


def test_topics_found_least_come_first() -> None:
    topic = make_audit()["topics"][0]
    topics = [
        {**topic, "topic": name, "found": found}
        for name, found in (("a", "all"), ("b", "none"), ("c", "some"))
    ]

    table = topic_table(make_audit(topics=topics))

    assert table
    assert [one["topic"] for one in table.shown] == ["b", "c", "a"]
    assert table.sentence == (
        "3 topics of several phrasings; found by all of them 1, by some 1, by none 1"
    )
    one = topic_table(make_audit(topics=topics[:1]))
    assert one
    assert one.sentence.startswith("1 topic of several phrasings")
    assert topic_table(make_audit(topics=[])) is None


def test_looking_up_names_says_what_it_means_where_it_finds_any() -> None:
    some = make_audit(control={"misses": 3, "found_by_name": 2})
    none = make_audit(control={"misses": 1, "found_by_name": 0})

    assert control_sentence(some) == (
        "Looking up their names finds 2 of 3 misses: the index has those, and the"
        " search does not reach them."
    )
    assert control_sentence(none) == "Looking up their names finds 0 of 1 misses."


def test_a_hub_leads_to_its_file_and_one_of_another_system_nowhere() -> None:
    ours = make_audit()
    foreign = make_foreign()
    foreign["retrievability"] = ours["retrievability"]

    (hub,), (other,) = hubs(ours), hubs(foreign)

    assert (hub.name, hub.pools, hub.share) == ("format_money", 9, "0.900")
    assert hub.url.startswith("/r/shop/blob/4f9c2d17ab03")
    assert hub.url.endswith("/billing/money.py")
    assert other.url == ""
    assert retrievability_sentence(ours) == (
        "90 of 120 chunks are in no pool of these queries (0.750). Gini 0.910."
    )


def test_misses_of_another_system_have_the_place_of_its_reranker() -> None:
    def columns(**stages: str) -> list[str]:
        return miss_columns([{"name": n, "kind": k} for n, k in stages.items()])

    assert columns(
        a="leg", union="union", rrf="fusion", pool="pool", words="rerank", top="page"
    ) == ["a", "rrf", "words"]
    assert columns(top="page", union="union") == ["top"]


def test_what_another_system_does_not_say_is_left_out() -> None:
    foreign = make_foreign()

    assert overlap_rows(foreign) == []
    assert retrievability_sentence(foreign) == ""
    assert unit_of(foreign) == "documents"
    assert not miss_table(foreign).has_control
    assert [row.trace_url for row in miss_table(foreign).rows] == [""] * 4


def test_queries_made_from_their_targets_are_said_with_both_parts_of_them() -> None:
    *_, notice = notices(make_audit())

    assert notice.text == (
        "4 of the 11 queries were made from their targets and share words with their"
        " targets. Read their recall as an upper bound."
    )
    assert notice.links == [
        ("Only the 7 written by people", "/audits/7/?only=written"),
        ("Only the 4 made ones", "/audits/7/?only=synthetic"),
    ]
    *_, written = notices(make_audit(only="written"))
    assert written.links == [("All 11", "/audits/7/")]
    assert notices(make_audit(queries=counted(synthetic=0, failed=0))) == []


def test_an_audit_that_ended_early_says_what_it_has_and_what_not() -> None:
    counts = counted(asked=120, answered=40, failed=0, synthetic=0)
    failed = make_audit(
        status="failed",
        failure="The index changed.",
        queries=counts,
        retrievability=None,
    )
    empty = make_audit(
        status="cancelled", queries={**counts, "answered": 0}, retrievability=None
    )

    assert notices(failed)[0].text == (
        "The index changed. 40 of 120 queries were asked; what is measured here is of"
        " those, and not of the rest. Retrievability and overlaps of topics are counted"
        " at the end only."
    )
    assert notices(empty)[0].text == (
        "This audit was cancelled. 0 of 120 queries were asked, so there is nothing to"
        " measure."
    )


def test_one_query_that_could_not_be_asked_leads_to_its_sentence() -> None:
    notice, *_ = notices(make_audit())

    assert notice.text == "1 query could not be asked, and is not measured."
    assert notice.links == [("Which", "#unasked")]


def test_the_same_audit_can_be_asked_again() -> None:
    assert again(make_audit(profile="window")) == [
        *(("set", "3"), ("repository", "shop"), ("profile", "window"), ("pool", "214"))
    ]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (0.25, "0.2 s"),
        (59.6, "1 min 0 s"),
        (12, "12 s"),
        (171, "2 min 51 s"),
    ],
)
def test_how_long_it_took(seconds: float | None, words: str) -> None:
    assert duration(seconds) == words
