"""Excerpts: the best lines of a hit, and all of them on demand for who may read."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.test import Client

from codesearch.file_forms import ExcerptForm, SpansField
from codesearch.pages.excerpts import (
    OWN_SHOWN,
    Excerpt,
    Sought,
    cut_excerpt,
    excerpt_url,
    sought_of,
    whole_excerpt,
)
from codesearch.payloads import Payload
from indexer import files
from indexer.pipeline.literals import Pattern
from tests.codesearch.example_payload import REVISION, make_hit, make_search

LINES = ["def f(a):"] + [f"    step_{n} = '<b>{n}</b>'" for n in range(2, 41)]
TEXT = "\n".join(LINES) + "\n"
BASE = f"/r/shop/excerpt/{REVISION}/"
HTMX = {"HX-Request": "true"}


def hit(**more: object) -> Payload:
    fields = {"start_line": 1, "end_line": 40, "spans": [[1, 40]]}
    return make_hit(1, 1, "a.py", "f", **(fields | more))


def numbers(excerpt: Excerpt) -> list[int]:
    return [row.line.number for row in excerpt.rows if row.line]


def gaps(excerpt: Excerpt) -> list[str]:
    return [row.gap for row in excerpt.rows if row.gap]


def plain(markup: str) -> str:
    return html.unescape(re.sub("<[^>]+>", "", markup))


def marked(excerpt: Excerpt) -> list[str]:
    markup = "".join(row.line.html for row in excerpt.rows if row.line)
    return [plain(one) for one in re.findall("<mark>(.*?)</mark>", markup)]


def test_what_is_left_out_between_two_pieces_is_said() -> None:
    text = TEXT.replace("step_30", "tax")

    excerpt = cut_excerpt(text, hit(), Sought({"tax": 2.0}))

    assert numbers(excerpt) == [*range(1, 8), *range(29, 34)]
    assert gaps(excerpt) == ["lines 8–28 left out"]
    assert excerpt.more == 7


def test_lines_of_other_chunks_are_not_counted_as_own() -> None:
    text = TEXT.replace("step_38", "tax")
    chunk = hit(spans=[[1, 12], [20, 25], [36, 40]])

    excerpt = cut_excerpt(text, chunk, Sought({"tax": 2.0}))

    assert gaps(excerpt) == ["lines 9–36 left out, 17 of other chunks"]
    assert all(row.on for row in excerpt.rows if row.line)


def test_lines_above_are_no_part_of_a_hit_that_does_not_begin_with_them() -> None:
    comments = "".join(f"# {n}\n" for n in range(1, 21))
    chunk = hit(start_line=11, end_line=60, spans=[[11, 60]])
    text = (comments + TEXT).replace("step_30", "tax")

    excerpt = cut_excerpt(text, chunk, Sought({"tax": 2.0}))

    assert numbers(excerpt)[0] == 21
    assert gaps(excerpt)[0] == "lines 11–20 left out"
    assert [row.on for row in excerpt.rows if row.line] == [True] * 12


def test_a_phrase_is_marked_by_its_span_across_tokens_and_escaped() -> None:
    sought = Sought({}, [Pattern("= '<b>3</b>'")])

    excerpt = cut_excerpt(TEXT, hit(), sought)

    assert "".join(marked(excerpt)) == "= '<b>3</b>'"
    shown = "".join(row.line.html for row in excerpt.rows if row.line)
    assert "<b>" not in shown


def test_a_regex_is_marked_beside_the_words() -> None:
    sought = Sought({"def": 1.0}, [Pattern(r"step_2\b", is_regex=True)])

    assert marked(cut_excerpt(TEXT, hit(), sought)) == ["def", "step_2"]


def test_a_window_inside_a_docstring_is_coloured_as_one() -> None:
    text = 'def f():\n    """\n' + "    for\n" * 30 + '    tax\n    """\n    return 1\n'
    chunk = hit(end_line=36, spans=[[1, 36]])

    excerpt = cut_excerpt(text, chunk, Sought({"tax": 1.0}))

    by_number = {row.line.number: row.line.html for row in excerpt.rows if row.line}
    assert '<span class="sd">' in by_number[32]
    assert '<span class="k">return</span>' in by_number[35]


def test_records_without_literals_have_none() -> None:
    payload = make_search()

    assert sought_of(payload).literals == []
    payload["literals"] = [{"text": "a", "is_regex": False, "has_case": True}]
    assert sought_of(payload).literals == [Pattern("a", has_case=True)]


def test_the_whole_hit_comes_with_lines_around_it() -> None:
    chunk = hit(start_line=10, end_line=20, spans=[[10, 12], [18, 20]])

    excerpt = whole_excerpt(TEXT, chunk, Sought({}), 3)

    assert numbers(excerpt) == [7, 8, 9, 10, 11, 12, 18, 19, 20, 21, 22, 23]
    assert gaps(excerpt) == ["lines 13–17 are other chunks"]
    own = [row.line.number for row in excerpt.rows if row.on and row.line]
    assert own == [10, 11, 12, 18, 19, 20]


def test_a_very_long_hit_is_cut() -> None:
    text = "x\n" * (OWN_SHOWN + 50)
    chunk = hit(end_line=OWN_SHOWN + 50, spans=[[1, OWN_SHOWN + 50]])

    excerpt = whole_excerpt(text, chunk, Sought({}), 10)

    assert len(excerpt.rows) == OWN_SHOWN
    assert excerpt.more == 50


@pytest.fixture
def one_text(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    """Only shop/a.py can be read."""

    def read_texts(viewer: object, wanted: Any) -> dict[Any, str]:
        return {key: TEXT for key in wanted if key == ("shop", REVISION, "a.py")}

    monkeypatch.setattr(files, "read_texts", read_texts)


@pytest.mark.usefixtures("one_text")
def test_the_fragment_has_the_lines_with_the_query_marked(client: Client) -> None:
    asked = {"own": "3-5", "around": "1", "q": '"step_4 ="'}

    response = client.get(f"{BASE}a.py", asked, headers=HTMX)

    shown = re.findall(r'code__no">(\d+)<', response.content.decode())
    assert shown == ["2", "3", "4", "5", "6"]
    assert b"<mark>step_4</mark>" in response.content
    assert b"<!doctype" not in response.content
    assert "no-store" in response["Cache-Control"]
    assert "HX-Request" in response["Vary"]


@pytest.mark.usefixtures("one_text")
def test_a_browser_is_led_to_the_lines_in_their_file(client: Client) -> None:
    response = client.get(f"{BASE}a.py", {"own": "3-5,9"})

    assert response.status_code == 302
    assert response["Location"] == f"/r/shop/blob/{REVISION}/a.py#L3-L9"


@pytest.mark.usefixtures("one_text")
def test_what_may_not_be_read_is_not_found(client: Client) -> None:
    response = client.get(f"{BASE}secret.py", {"own": "3-5"}, headers=HTMX)

    assert response.status_code == 404
    assert b"step" not in response.content


@pytest.mark.usefixtures("one_text")
@pytest.mark.parametrize(
    "asked",
    [{}, {"own": "x"}, {"own": "1", "around": "101"}, {"own": ",".join("1" * 1001)}],
)
def test_lines_that_cannot_be_read_are_refused(
    client: Client, asked: dict[str, str]
) -> None:
    assert client.get(f"{BASE}a.py", asked, headers=HTMX).status_code == 400


def test_ranges_that_overlap_are_one_so_that_no_line_is_counted_twice() -> None:
    form = ExcerptForm({"own": "20-30,1-9999999,5-12,1-9999999"})

    assert form.is_valid()
    assert form.cleaned_data["own"] == [(1, 9_999_999)]
    assert SpansField().clean("20-30,1-9,9-12,13") == [(1, 12), (13, 13), (20, 30)]


@pytest.mark.usefixtures("one_text")
def test_the_address_of_a_hit_leads_to_its_lines(client: Client) -> None:
    url = excerpt_url(hit(spans=[[1, 2], [4, 4]]), "a & b")

    shown = re.findall(
        r'code__no">(\d+)<', client.get(url, headers=HTMX).content.decode()
    )

    assert shown == ["1", "2", "4"]


@pytest.mark.django_db
def test_a_repository_that_is_not_there_is_not_found(client: Client) -> None:
    response = client.get(f"{BASE}a.py", {"own": "1"}, headers=HTMX)

    assert response.status_code == 404
