"""Presenters: every number is the payload's, and what is absent stays absent."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client, RequestFactory

import codesearch
from codesearch.pages.cards import card_views, row_views
from codesearch.pages.excerpts import Sought, cut_excerpt
from codesearch.pages.links import Scope, file_url, target_of
from codesearch.pages.paging import LIST, ResultPage, leg_champions, pager
from codesearch.pages.scores import leg_cells, ordinal, raw_score, rerank_score
from codesearch.pages.search import silent_legs, vector_notices
from codesearch.pages.site import frame
from codesearch.pages.trace.candidates import candidates
from codesearch.pages.trace.legs import leg_row
from codesearch.pages.trace.stages import funnel_rows
from codesearch.pages.trace.verdict import verdict
from codesearch.pages.trace.words import lookup_sentence
from codesearch.payloads import Payload
from codesearch.plots.strip import draw_funnel
from tests.codesearch.example_payload import (
    FILTERED,
    REVISION,
    make_folded,
    make_hit,
    make_search,
    make_target,
    make_trace,
    standing,
)

SCOPE = Scope("format money")
PAGE = ResultPage(SCOPE.search_url)
LOOKUP = (
    "The query does not name it; looking up “discount” finds it as the 2nd of 3"
    " definitions."
)


def test_a_card_holds_one_file_and_folds_its_fourth_hit() -> None:
    cards = card_views(make_search(), PAGE, {}, SCOPE)

    assert [card.number for card in cards] == [1, 2, 3]
    assert [view.hit["rank"] for view in cards[0].hits] == [1, 2, 4]
    assert [view.hit["rank"] for view in cards[0].folded] == [5]


def test_an_absent_leg_has_no_rank_and_no_score() -> None:
    payload = make_search()

    cells = leg_cells(payload, payload["hits"][0])

    assert [(cell.name, cell.rank, cell.raw) for cell in cells] == [
        ("purpose", None, ""),
        ("body", None, ""),
        ("bm25", 1, "bm25 19.00"),
        ("symbol", None, ""),
    ]


@pytest.mark.parametrize(
    ("leg", "raw", "text"),
    [
        ("purpose", 0.7064, "cosine 0.706"),
        ("purpose:a1b2c3d4", 0.7064, "cosine 0.706"),
        ("bm25", 17.3, "bm25 17.30"),
        ("symbol", 1.0, "symbol 1.000"),
    ],
)
def test_a_raw_score_is_printed_with_its_kind(leg: str, raw: float, text: str) -> None:
    assert raw_score(leg, raw) == text


def test_a_chunk_that_the_cross_encoder_did_not_score_says_so() -> None:
    rerank = {"kind": "cross_encoder", "score": 3.0, "terms": [], "logit": None}

    assert rerank_score(rerank) == "not scored"


def test_an_excerpt_tints_the_hit_and_shows_two_lines_before() -> None:
    text = "\n".join(f"line{n}" for n in range(1, 40))
    hit = make_hit(1, 1, "a.txt", "f", start_line=10, end_line=30, spans=[[10, 30]])

    excerpt = cut_excerpt(text, hit, Sought({}))

    assert [row.line.number for row in excerpt.rows if row.line] == [*range(8, 22)]
    assert [row.line.number for row in excerpt.rows if row.on and row.line][0] == 10
    assert excerpt.more == 9


def test_an_excerpt_says_which_lines_are_other_chunks() -> None:
    text = "\n".join(f"line{n}" for n in range(1, 40))
    hit = make_hit(1, 1, "a.txt", "C", spans=[[10, 11], [20, 20]])

    excerpt = cut_excerpt(text, hit | {"start_line": 10}, Sought({}))

    assert [row.gap for row in excerpt.rows if row.gap] == [
        "lines 12–19 are other chunks"
    ]


def test_the_end_of_a_docstring_above_does_not_colour_the_hit() -> None:
    text = '"""\nx\n"""\ndef f():\n    return 1\n'
    hit = make_hit(1, 1, "a.py", "f", start_line=4, end_line=5, spans=[[4, 5]])

    rows = cut_excerpt(text, hit, Sought({})).rows

    assert rows[-1].line is not None
    assert '<span class="k">return</span>' in rows[-1].line.html


def test_a_file_shorter_than_the_record_says_gives_what_there_is() -> None:
    hit = make_hit(1, 1, "a.py", "f", start_line=4, end_line=50, spans=[[4, 50]])

    assert cut_excerpt("a\n", hit, Sought({})).rows == ()


def test_a_leg_that_did_not_run_says_so() -> None:
    payload = make_search()
    payload["legs"]["purpose"] |= {"ran": False, "note": "no model is loaded"}

    assert silent_legs(payload) == ["The purpose leg did not run: no model is loaded."]


def test_legs_that_did_not_run_for_one_reason_share_a_sentence() -> None:
    payload = make_search()
    for name in ("purpose", "body", "bm25"):
        payload["legs"][name] |= {"ran": False, "note": "the query has no words"}

    assert silent_legs(payload) == [
        "The purpose, body and bm25 legs did not run: the query has no words."
    ]


def test_a_build_without_all_vectors_has_a_notice() -> None:
    payload = make_search()
    payload["builds"][0]["coverage"]["body"] = 0.43
    payload["builds"][0]["status"] = "running"

    notices = vector_notices(payload)

    assert [notice.is_active for notice in notices] == [True]
    assert vector_notices(make_search()) == []


def test_the_first_of_a_leg_that_page_one_lacks_is_named() -> None:
    far = make_hit(7, 11, "shop/far.py", "far_away")
    far["legs"]["symbol"] = standing(1, 1.0)
    payload = make_search()
    payload["hits"].append(far)

    champions = leg_champions(payload, PAGE)

    assert [(one.leg, one.name, one.place) for one in champions] == [
        ("symbol", "far_away", "page 2")
    ]
    assert champions[0].place_url == "/?q=format+money&page=2#hit-7"


def test_a_champion_that_is_beneath_a_hit_is_where_the_hit_is() -> None:
    first = make_folded("b.py", "copy", legs={"symbol": standing(1, 1.0)})
    near = make_search(hits=[make_hit(1, 1, "a.py", "f", copies=[first])])
    far = make_search(hits=[make_hit(14, 11, "a.py", "f", re_exports=[first])])

    assert leg_champions(near, PAGE) == []
    assert [(one.name, one.rank, one.place) for one in leg_champions(far, PAGE)] == [
        ("copy", 14, "page 2")
    ]


def test_a_champion_that_its_card_folds_is_named_until_the_card_is_unfolded() -> None:
    payload = make_search()
    payload["hits"][4]["legs"]["symbol"] = standing(1, 1.0)

    (found,) = leg_champions(payload, PAGE)

    assert (found.name, found.place) == ("split_money", "folded in card 1")
    assert found.place_url == "/?q=format+money&unfold=1#hit-5"
    assert leg_champions(payload, replace(PAGE, unfold=1)) == []
    assert leg_champions(payload, replace(PAGE, view=LIST)) == []


def test_a_champion_on_a_later_page_of_the_list_is_named() -> None:
    hits = [make_hit(n, 1, "a.py", f"f{n}") for n in range(1, 41)]
    hits[35]["legs"]["symbol"] = standing(1, 1.0)

    (found,) = leg_champions(make_search(hits=hits), replace(PAGE, view=LIST))

    assert (found.rank, found.place) == (36, "page 2")


def test_pages_hold_ten_cards() -> None:
    hits = [make_hit(n, n, f"f{n}.py", "f") for n in range(1, 22)]
    payload = make_search(hits=hits)
    third = replace(PAGE, number=3)

    assert pager(payload, PAGE).pages == 3
    assert [card.number for card in card_views(payload, third, {}, SCOPE)] == [21]
    assert pager(payload, third).previous == "/?q=format+money&page=2"


def test_a_list_has_a_row_a_hit_by_rank_whatever_its_file() -> None:
    page = replace(PAGE, view=LIST)

    rows = row_views(make_search(), page, SCOPE)

    assert [row.hit["rank"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert card_views(make_search(), page, {}, SCOPE) == []
    assert page.url(number=2) == "/?q=format+money&view=list&page=2"


def test_a_list_has_thirty_rows_a_page() -> None:
    payload = make_search(hits=[make_hit(n, 1, "a.py", "f") for n in range(1, 32)])
    second = replace(PAGE, view=LIST, number=2)

    assert pager(payload, second).pages == 2
    assert [row.hit["rank"] for row in row_views(payload, second, SCOPE)] == [31]


def test_an_unfolded_card_has_all_its_hits_and_can_be_folded_again() -> None:
    page = replace(PAGE, unfold=1)

    first, second, _ = card_views(make_search(), page, {}, SCOPE)

    assert ([len(first.hits), len(first.folded)], first.is_unfolded) == ([4, 0], True)
    assert first.other_url == "/?q=format+money"
    assert second.other_url == "/?q=format+money&unfold=2"


def test_a_death_says_whether_plain_name_lookup_finds_the_target() -> None:
    asked = {"found": True, "name": "total", "in_query": True, "position": 1}
    alone = make_target(lookup=asked | {"definitions": 1})
    several = make_target(lookup=asked | {"definitions": 1214, "position": 112})
    none = dict.fromkeys(("name", "in_query", "definitions", "position"))

    assert lookup_sentence(alone) == (
        "Looking up the name “total” finds it as the only definition."
    )
    assert lookup_sentence(several) == (
        "Looking up the name “total” finds it as the 112th of 1,214 definitions."
    )
    assert lookup_sentence(make_target(lookup={"found": False, **none})) == (
        "Looking up names does not find it."
    )
    assert lookup_sentence({"target": "of an old record"}) == ""


def test_a_file_address_keeps_the_percent_encoded_bytes_of_its_path() -> None:
    hit = make_hit(1, 1, "x", "f", path_url="a%FFb/c%20d.py")

    assert file_url(hit) == f"/r/shop/blob/{REVISION}/a%FFb/c%20d.py#L10-L13"


def test_a_hit_is_spelled_as_a_target_that_stands_for_it_alone() -> None:
    hit = make_hit(1, 1, "shop/money.py", "format_money")

    assert target_of(hit) == "shop:shop/money.py#format_money@10"


def test_the_verdict_of_an_outvoted_target_tells_its_way() -> None:
    told = verdict(make_target(), make_trace())

    assert told.label == "Died at the pool: outvoted"
    assert told.name == "Cart.discount"
    assert told.sentence == (
        "was found by bm25 at rank 127, but purpose put it at 1,482, 0.096 of cosine"
        " below its floor, body has nothing of it and symbol has nothing of it. It"
        " came 214th in the fusion, and the pool takes 200."
    )
    assert told.more == [
        "Ordinal 214 in the fusion.",
        "What would admit it: A pool of 214.",
        LOOKUP,
    ]


def test_the_verdict_of_a_target_on_page_one_is_no_death() -> None:
    target = make_target(death=None, rank=3, card=2)

    told = verdict(target, make_trace())

    assert told.state == "ok"
    assert told.label == "On page one"
    assert told.sentence.startswith("is number 3, on card 2. It was found by bm25")


@pytest.mark.parametrize(
    ("stage", "reason", "label"),
    [
        ("corpus", "not_in_repository", "Died at the corpus: not in repository"),
        ("corpus", "skipped:too_large", "Died at the corpus: skipped (too_large)"),
        ("chunk", "not_extracted", "Died at the chunk: not extracted"),
        ("scope", "filter:lang", "Died at the scope: filter (lang)"),
        ("leg", "below_floor", "Died at the leg: below floor"),
        ("leg", "leg_missing:purpose", "Died at the leg: leg missing (purpose)"),
        ("pool", "outvoted", "Died at the pool: outvoted"),
        ("page", "folded", "Died at the page: folded"),
    ],
)
def test_every_stage_of_death_has_a_label_a_sentence_and_a_drawing(
    stage: str, reason: str, label: str
) -> None:
    death = {"stage": stage, "reason": reason, "detail": "Why.", "needed": None}
    nowhere = {"legs": dict.fromkeys(("purpose", "body", "bm25", "symbol"))}
    early = nowhere | {"fused": None, "chunk": None}
    target = make_target(death=death, **(early if stage in ("corpus", "chunk") else {}))
    trace = make_trace(target)

    told = verdict(target, trace)
    drawn = draw_funnel(trace, target)

    assert told.label == label
    assert told.sentence.endswith(".")
    assert told.more == ["Why.", LOOKUP]
    assert len(drawn.bars) == 10


def folded_trace(reason: str, card: int) -> Payload:
    """Return a trace of a target that is folded under rank 3 on a card."""
    copy = make_folded("b.py", "total", chunk="shop@1:b.py#total@9")
    hit = make_hit(3, card, "a.py", "total", copies=[copy])
    death = {"stage": "page", "reason": reason, "detail": "Why.", "needed": None}
    target = make_target(
        death=death, chunk="shop@1:b.py#total@9", pool={"in": True, "via": "fusion"}
    )
    return make_trace(target, hits=[hit])


def test_what_is_folded_on_page_one_is_one_click_away_and_no_loss() -> None:
    trace = folded_trace("duplicate_of:shop@1:a.py#total@30", card=2)

    told = verdict(trace["targets"][0], trace)
    drawn = draw_funnel(trace, trace["targets"][0])

    assert (told.state, told.label) == ("warn", "On page one: duplicate of rank 3")
    assert told.sentence == "reached the pool and is folded under total, rank 3."
    assert [dot.kind for dot in drawn.dots][-1] == "out"


def test_what_is_folded_on_a_later_page_is_lost_there() -> None:
    trace = folded_trace("re_export_of:shop@1:a.py#total@30", card=12)

    told = verdict(trace["targets"][0], trace)

    assert told.label == "Died at the page: re-export of rank 3"
    assert told.state == "target"


def test_a_leader_that_is_folded_stands_among_the_candidates() -> None:
    leader = make_folded("b.py", "copy", legs={"symbol": standing(1, 1.0)})
    trace = make_trace(hits=[make_hit(40, 20, "a.py", "f", copies=[leader])])

    rows = candidates(trace)

    assert [(row.name, row.notes, row.rank) for row in rows[1:]] == [
        ("copy", ["symbol leader"], None)
    ]


def test_the_counts_of_the_funnel_add_up() -> None:
    trace = make_trace()

    rows = {row.stage: row for row in funnel_rows(trace, trace["targets"][0])}

    assert (rows["corpus"].kept, rows["union"].kept) == (1234, 6)
    assert rows["union"].left_out == 1228
    assert rows["bm25 leg"].kept + (rows["bm25 leg"].left_out or 0) == 1234
    assert (rows["page one"].kept, rows["page one"].left_out) == (5, 1)
    assert [rows[s].target for s in ("union", "pool", "rerank")] == [
        "present",
        "left out",
        "–",
    ]


def test_the_counts_of_a_filtered_funnel_add_up_from_what_is_in_scope() -> None:
    trace = make_trace(**FILTERED)

    rows = {row.stage: row for row in funnel_rows(trace, trace["targets"][0])}

    kept = {name: (row.kept, row.left_out) for name, row in rows.items()}
    assert kept["corpus"] == (1234, None)
    assert kept["scope"] == (12, 1222)
    assert (kept["bm25 leg"], kept["union"]) == ((6, 6), (6, 6))
    assert rows["scope"].reason == "lang:py -path:<b>"


def test_a_leg_row_shows_raw_floor_margin_and_contribution() -> None:
    trace = make_trace()

    row = leg_row("bm25", trace["targets"][0], trace)

    assert (row.raw, row.floor, row.margin) == ("bm25 8.02", "4.50", "+0.51")
    assert row.formula == "1 / (60 + 127)"
    assert row.contribution == "0.005348"


def test_a_target_short_of_a_floor_has_a_negative_margin() -> None:
    trace = make_trace()

    row = leg_row("purpose", trace["targets"][0], trace)

    assert (row.margin, row.short, row.outcome) == ("−0.096", True, "below the floor")
    assert row.normalised == "–"


def test_the_target_stands_first_among_the_candidates() -> None:
    rows = candidates(make_trace())

    assert [row.name for row in rows][:2] == ["Cart.discount", "format_money"]
    assert rows[1].notes == ["bm25 leader"]
    assert rows[0].via == "cut"


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (112, "112th"), (214, "214th")],
)
def test_ordinals_are_spoken(number: int, text: str) -> None:
    assert ordinal(number) == text


def test_the_vendored_htmx_is_the_file_that_was_checked() -> None:
    path = Path(settings.BASE_DIR) / "static/vendor/htmx-4.0.1.min.js"

    assert hashlib.sha256(path.read_bytes()).hexdigest() == (
        "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130"
    )


@pytest.mark.parametrize(
    "path",
    sorted((Path(settings.BASE_DIR) / "templates").rglob("*.html")),
    ids=lambda path: path.name,
)
def test_no_template_needs_what_the_policy_forbids(path: Path) -> None:
    text = path.read_text()

    assert "style=" not in text
    assert "<style" not in text
    assert "hx-on" not in text
    assert "|safe" not in text
    assert "onclick" not in text
    assert "<script>" not in text


@pytest.mark.django_db
def test_the_theme_is_kept_in_a_cookie_and_leads_back(client: Client) -> None:
    response = client.post(
        "/theme/", {"theme": "dark"}, headers={"Referer": "http://testserver/?q=a"}
    )

    assert response.cookies["theme"].value == "dark"
    assert response["Location"] == "http://testserver/?q=a"
    assert b'data-theme="dark"' in client.get("/repositories/").content


@pytest.mark.django_db
def test_the_sign_in_page_has_the_frame_of_all_pages(client: Client) -> None:
    client.cookies["theme"] = "dark"

    page = client.get("/accounts/login/").content.decode()

    assert 'data-theme="dark"' in page
    assert 'value="light" type="submit"' in page
    assert f"codesearch {codesearch.__version__}" in page


def test_the_theme_never_leads_to_another_site(client: Client) -> None:
    response = client.post(
        "/theme/", {"theme": "purple"}, headers={"Referer": "https://elsewhere.test/"}
    )

    assert response["Location"] == "/"
    assert "theme" not in response.cookies


@pytest.mark.django_db
def test_health_and_readiness_answer(client: Client) -> None:
    assert client.get("/healthz").content == b"ok\n"
    assert client.get("/readyz").content == b"ok\n"


@pytest.mark.parametrize(
    ("path", "section"),
    [
        ("/", "search"),
        ("/trace/phrasings/", "trace"),
        ("/compare/profiles/", "compare"),
        ("/r/shop/names/trunk/", "repositories"),
        ("/configs/", ""),
    ],
)
def test_the_navigation_says_in_which_section_a_page_is(
    rf: RequestFactory, path: str, section: str
) -> None:
    assert frame(rf.get(path))["frame"]["section"] == section


@pytest.mark.django_db
def test_an_unknown_page_says_so_in_the_layout_of_the_site(client: Client) -> None:
    response = client.get("/nowhere/")

    assert response.status_code == 404
    assert b"Not here" in response.content
