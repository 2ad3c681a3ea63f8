"""Two profiles of a repository are asked the same, and losses are shown like wins."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from codesearch.models import CaseSet
from codesearch.pages.side_by_side import sides_page
from codesearch.payloads import Payload
from codesearch.side_by_side import Wish, compare_profiles
from indexer import services
from indexer.access import COMMAND_LINE
from indexer.models import Build, Index, Repository

PAGE = "/compare/profiles/"


@pytest.fixture
def both(shop: Build) -> Build:
    """The build of the shop by symbol, with one by window beside it."""
    index = services.add_index(repository=shop.index.repository, profile="window")
    services.finish_build(build=services.request_build(index=index, enqueue=False))
    return shop


def ask(client: Client, *lines: str, **more: str) -> Payload:
    asked = {"repository": "shop", "q": "\n".join(lines), "format": "json", **more}
    found: Payload = client.get(PAGE, asked).json()
    return found


def test_a_symbol_stands_for_the_window_with_most_of_its_lines(
    client: Client, both: Build
) -> None:
    found = ask(client, "format an amount of money => format_money")

    (row,) = found["rows"]
    assert (row["a"]["symbol"], row["a"]["start_line"]) == ("format_money", 6)
    assert (row["b"]["symbol"], row["b"]["kind"]) == (None, "window")
    assert (row["b"]["path"], row["b"]["start_line"]) == ("billing/money.py", 1)
    assert row["failure"] == ""


def test_the_margin_is_to_the_best_chunk_that_is_not_the_targets(
    client: Client, both: Build
) -> None:
    found = ask(client, "format an amount of money => format_money", stage="bm25")

    (row,) = found["rows"]
    others = ask(
        client,
        "format an amount of money => Invoice",
        "format an amount of money => Invoice.total",
        "format an amount of money => total",
        stage="bm25",
    )
    best = max(
        one["a"]["raw"] for one in others["rows"] if one["a"] and not one["failure"]
    )
    assert row["a"]["rank"] == 1
    assert 0 < row["a"]["margin"] <= row["a"]["raw"] - best + 1e-12


def test_wins_ties_and_losses_are_counted_by_rank(both: Build) -> None:
    wishes = [
        Wish("format an amount of money", ("format_money",)),
        Wish("zebra crossing", ("format_money",)),
        Wish("format money", ("nowhere_at_all",)),
    ]

    found = compare_profiles(
        viewer=COMMAND_LINE,
        repository="shop",
        profiles=("symbol", "window"),
        wishes=wishes,
        stage="bm25",
    )
    turned = compare_profiles(
        viewer=COMMAND_LINE,
        repository="shop",
        profiles=("window", "symbol"),
        wishes=wishes,
        stage="bm25",
    )

    assert [row["verdict"] for row in found["rows"]] == ["tie", "neither", None]
    assert found["failed"] == 1
    assert "nowhere_at_all" in found["rows"][2]["failure"]
    counts, other = found["counts"], turned["counts"]
    assert (counts["a"], counts["b"]) == (other["b"], other["a"])


def test_a_shift_is_told_of_the_first_side(client: Client, both: Build) -> None:
    found = ask(client, "money => format_money")
    (row,) = found["rows"]

    def shift(verdict: str, a: int | None, b: int) -> str:
        first = {**row["a"], "rank": a} if a else None
        told = {**row, "a": first, "b": {**row["b"], "rank": b}, "verdict": verdict}
        return sides_page({**found, "rows": [told]}).rows[0].shift

    assert shift("a", 2, 5) == "▲ 3 by symbol"
    assert shift("b", 5, 2) == "▼ 3 by symbol"
    assert shift("b", None, 2) == "▼ only by window"
    assert shift("tie", 2, 2) == "equal"


@pytest.mark.parametrize("stage", ["body", "bm25", "fused", "result"])
def test_every_stage_ranks_the_target_of_its_own_words_first(
    client: Client, both: Build, stage: str
) -> None:
    found = ask(client, "format an amount of money => format_money", stage=stage)

    (row,) = found["rows"]
    assert row["a"]["rank"] == 1
    assert row["a"]["in_pool"]


def test_only_cosines_of_one_model_may_be_compared(client: Client, both: Build) -> None:
    line = "format money => format_money"

    assert ask(client, line, stage="body")["raw_is_comparable"] is True
    assert ask(client, line, stage="bm25")["raw_is_comparable"] is False
    Build.objects.filter(index__profile__name="window").update(fingerprint="other")
    assert ask(client, line, stage="body")["raw_is_comparable"] is False


def test_a_side_without_an_index_says_so_and_nothing_is_invented(
    client: Client, shop: Build
) -> None:
    page = client.get(PAGE, {"repository": "shop", "q": "money => format_money"})
    found = ask(client, "money => format_money")

    assert "shop has no window index yet." in page.text
    assert "Staff can index it" in page.text
    assert found["rows"] == []
    assert Index.objects.count() == 1


def test_staff_index_the_missing_profile_from_the_page(
    admin_client: Client, shop: Build
) -> None:
    page = admin_client.get(PAGE, {"repository": "shop"})
    answer = admin_client.post(
        reverse("index_profile"), {"repository": "shop", "a": "symbol", "b": "window"}
    )

    assert "Index it by window" in page.text
    assert answer.status_code == 302
    assert answer["Location"] == f"{PAGE}?repository=shop&a=symbol&b=window"
    assert Build.objects.filter(index__profile__name="window").count() == 1
    assert LogEntry.objects.get().change_message == "Indexed with window."
    assert "It is being built" in admin_client.get(answer["Location"]).text


def test_nobody_else_may_index(
    client: Client, shop: Build, django_user_model: type[User]
) -> None:
    wish = {"repository": "shop", "a": "symbol", "b": "window"}
    reader = django_user_model.objects.create_user("reader")

    anonymous = client.post(reverse("index_profile"), wish).status_code
    client.force_login(reader)
    signed_in = client.post(reverse("index_profile"), wish).status_code

    assert (anonymous, signed_in) == (403, 403)
    assert client.get(reverse("index_profile")).status_code == 405
    assert Index.objects.count() == 1


def test_what_a_viewer_may_not_read_is_not_there(client: Client, both: Build) -> None:
    case_set = CaseSet.objects.create(name="Secret wishes", repository_count=1)
    case_set.repositories.set([both.index.repository])
    Repository.objects.update(visibility="staff")

    named = client.get(PAGE, {"repository": "shop", "q": "money => format_money"})
    listed = client.get(PAGE)

    assert named.status_code == 400
    assert "There is no repository “shop” here." in named.text
    assert "Queries under both profiles" not in named.text
    assert "shop" not in listed.text
    assert "Secret wishes" not in listed.text
    assert client.get(PAGE, {"set": case_set.pk}).status_code == 404


def test_the_cases_of_a_set_are_asked(client: Client, both: Build) -> None:
    case_set = CaseSet.objects.create(name="Money", repository_count=1)
    case_set.repositories.set([both.index.repository])
    for number, targets in enumerate((["format_money"], ["Invoice.total", "Invoice"])):
        case_set.cases.create(
            key=f"c{number}",
            query="add an amount up",
            targets=targets,
            grades={"Invoice": 0},
        )

    found = ask(client, set=str(case_set.pk))

    assert [row["targets"] for row in found["rows"]] == [
        ["format_money"],
        ["Invoice.total"],
    ]
    assert "of the set Money" in client.get(PAGE, {"set": case_set.pk}).text


def test_more_queries_than_a_page_asks_are_named(client: Client, both: Build) -> None:
    found = ask(client, *(f"money {n} => format_money" for n in range(52)))

    assert (len(found["rows"]), found["unasked"]) == (50, 2)


@pytest.mark.parametrize(
    "wish", [{"q": "no target"}, {"q": "=> x"}, {"a": "none"}, {"stage": "x"}]
)
def test_what_cannot_be_asked_is_refused(
    client: Client, both: Build, wish: dict[str, str]
) -> None:
    page = client.get(PAGE, wish)
    json = client.get(PAGE, {**wish, "format": "json"})

    assert (page.status_code, json.status_code) == (400, 400)
    assert json.json()["error"]


def test_symbols_of_the_whole_build_are_counted_by_kind(
    client: Client, both: Build
) -> None:
    found = ask(client)["symbols"]

    rows = {row["shape"]: (row["symbols"], row["found"]) for row in found["rows"]}
    assert rows == {"method": (3, 3), "class": (2, None), "function": (2, 2)}
    assert (found["functions"], found["found"], found["share"]) == (5, 5, 1.0)
    assert "5 of 5 functions and methods" in client.get(PAGE).text
    page = client.get("/r/shop/").text
    assert f"{PAGE}?repository=shop" in page
    assert "/experiments/?repository=shop" in page


def test_without_any_repository_the_page_stands(client: Client, db: None) -> None:
    assert client.get(PAGE).status_code == 200
    assert client.get(PAGE, {"format": "json"}).status_code == 400
