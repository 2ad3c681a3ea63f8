"""The pages of audits: started, watched, read, cancelled and removed by who may."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from codesearch.audits.headlines import compare_headlines, headline
from codesearch.audits.rows import answered
from codesearch.audits.running import finish_audit
from codesearch.audits.summaries import summarise_lists
from codesearch.cases import save_case
from codesearch.funnel.audit.types import Stage, StageKind
from codesearch.models import Audit, CaseSet
from codesearch.payloads import Payload
from codesearch.payloads.audit import audit_payload
from indexer.access import ANYONE
from indexer.models import Build, Repository
from tests.codesearch.audits.made import LISTED, make_audit, random_queries

pytestmark = pytest.mark.django_db

NUMBER = r"\b\d[\d,]*(?:\.\d+)?"  # None in a name, as in bm25.
FRAGMENT = {"HX-Request": "true"}
FOREIGN = (
    Stage("lexical", StageKind.LEG, 30),
    Stage("answers", StageKind.RESULT, 10),
)


@pytest.fixture
def reader(client: Client, ada: User) -> Client:
    """A browser in which ada is signed in."""
    client.force_login(ada)
    return client


def made(count: int = 12, **more: Any) -> Audit:  # Any: fields of Audit
    """Return a finished audit with its summary."""
    audit = make_audit(random_queries(count), chunks=200, **more)
    build = {"repository": "shop", "revision": "4f" * 20, "profile": "symbol"}
    audit.header["builds"][0] |= build
    audit.summary = summarise_lists(audit)
    audit.save()
    return audit


def page_of(client: Client, audit: Audit, more: str = "", **headers: str) -> str:
    response = client.get(f"/audits/{audit.pk}/{more}", headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def running(**more: Any) -> Audit:  # Any: fields of Audit
    """Return an audit that a worker is at, with a third of its rows asked."""
    audit = make_audit(random_queries(12), **more)
    audit.rows.filter(number__gte=4).update(result=None, lists=None)
    Audit.objects.filter(pk=audit.pk).update(status="running", finished_at=None)
    audit.refresh_from_db()
    return audit


def spellings(told: Any) -> Iterator[str]:  # Any: JSON
    """Yield every number of a payload as a page may write it."""
    if isinstance(told, dict):
        told = [*told.values(), *told]
    if isinstance(told, list):
        for one in told:
            yield from spellings(one)
    elif isinstance(told, int | float):
        yield from (f"{told:,}", f"{told:,.10g}", f"{told:.3f}")
    elif isinstance(told, str) and told.isdigit():
        yield told


def cells(html: str) -> list[str]:
    """Return what stands in the cells and heads of numbers, and in the headline."""
    found = re.findall(r'<t[dh][^>]* class="num"[^>]*>(.*?)</t[dh]>', html)
    found += re.findall(r'<td class="num">(.*?)</td>', html)
    found += re.findall(r'<span class="big">(.*?)</span>', html)
    return [unescape(re.sub(r"<.*?>", "", one)) for one in found]


@pytest.mark.parametrize("only", ["all", "written", "synthetic"])
def test_every_number_of_the_page_is_one_of_the_payload(
    client: Client, only: str
) -> None:
    audit = made(30)
    payload: Payload = audit_payload(audit, only)  # type: ignore[arg-type] # one of it
    known = set(spellings(payload))

    found = cells(page_of(client, audit, f"?only={only}"))

    numbers = [n for text in found for n in re.findall(NUMBER, text)]
    words = {"nDCG@10": "10", "95% of the last": "95"}
    said = {number for text, number in words.items() if text in found}
    assert len(numbers) > 100
    assert {number for number in numbers if number not in known} <= said


def test_a_finished_audit_has_every_section_and_asks_for_nothing_more(
    client: Client,
) -> None:
    html = page_of(client, made(note="a larger pool"))

    for heading in (
        *("What was lost, and where", "Recall at k", "Stage of death", "Misses"),
        *("Topics", "Line overlap", "Read before the answer", "Retrievability"),
    ):
        assert re.search(rf"<h2[^>]*>(<a[^>]*>)?{heading}", html), heading
    assert "a larger pool" in html
    assert re.search(r'<h1>Recall audit: <a href="/cases/\d+/">', html)
    assert re.search(r'href="/compare/\?a=\d+">Compare<', html)
    assert "What the measures mean" in html
    assert "hx-trigger" not in html
    assert "<title" in html
    assert "style=" not in html


def test_every_term_that_is_a_link_is_defined_on_the_page(client: Client) -> None:
    older = made()
    audit = made(created_by=older.created_by)
    Audit.objects.filter(pk=audit.pk).update(case_set=older.case_set)

    html = page_of(client, audit)

    links = set(re.findall(r'href="#(def-\w+)"', html))
    assert {"def-recall", "def-mrr", "def-losses", "def-randomisation"} <= links
    assert {one for one in links if f'id="{one}"' not in html} == set()


def test_a_running_audit_says_how_far_it_is_and_asks_again(client: Client) -> None:
    audit = running()

    html = page_of(client, audit)

    assert "4 of 12 queries asked" in html
    assert re.search(r'<progress value="4" max="12"', html)
    assert f'hx-get="/audits/{audit.pk}/" hx-trigger="every 2s"' in html
    assert "<h2" not in html.split('id="keys"')[0]


def test_what_is_polled_is_the_audit_alone_and_ends_when_it_is_done(
    client: Client,
) -> None:
    audit = running()
    polled = page_of(client, audit, **FRAGMENT)
    Audit.objects.filter(pk=audit.pk).update(
        status="done", finished_at=timezone.now(), summary={}
    )

    done = page_of(client, audit, **FRAGMENT)

    assert "<html" not in polled + done
    assert "every 2s" in polled
    assert "hx-trigger" not in done
    assert "Recall at k" in done


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_one_that_ended_early_says_what_is_there_and_what_is_not(
    client: Client, status: str
) -> None:
    audit = running()
    failure = "The index of shop changed." if status == "failed" else ""
    Audit.objects.filter(pk=audit.pk).update(
        status=status, failure=failure, finished_at=timezone.now()
    )

    html = page_of(client, audit)

    assert "4 of 12 queries were asked; what is measured here is of those" in html
    assert failure in html
    assert "Recall at k" in html
    assert "hx-trigger" not in html


def test_one_that_asked_nothing_has_no_empty_sections(client: Client) -> None:
    audit = running()
    audit.rows.update(result=None, lists=None)
    Audit.objects.filter(pk=audit.pk).update(status="cancelled")

    html = page_of(client, audit)

    assert "nothing to measure" in html
    assert "<h2" not in html.split('id="keys"')[0]


def test_a_query_that_could_not_be_asked_is_listed_with_its_sentence(
    client: Client,
) -> None:
    audit = made()
    row = audit.rows.first()
    assert row
    row.result = {"failure": "The query is <empty>.", "targets": []}
    row.save()

    html = page_of(client, audit)

    assert "1 query could not be asked" in html
    assert "The query is &lt;empty&gt;." in html
    assert "words of q0" in html


def test_an_audit_of_another_system_is_read_on_the_same_page(
    reader: Client, ada: User
) -> None:
    audit = make_audit(
        random_queries(12), stages=FOREIGN, system="their-rag", created_by=ada
    )
    CaseSet.objects.update(is_foreign=True, created_by=ada)
    for row in audit.rows.all():
        assert row.result
        for target in row.result["targets"]:
            target |= {"legs": None, "lookup": None, "death": None, "iou": None}
            places = {"lexical": target["stages"]["body"], "answers": None}
            target["stages"] = places
        row.result["reading"] = None
        row.save()

    html = page_of(reader, audit)

    assert "answered by their-rag" in html
    assert "lexical" in html
    assert "lost at answers" in html
    for absent in (
        *("Run again", "Retrievability", "Line overlap", "Read before", "Name lookup"),
        *("/trace/?q=", "None", "config as shipped"),
    ):
        assert absent not in html.split('id="definitions"')[0], absent


def test_misses_of_one_stage_come_alone_or_in_the_whole_page(client: Client) -> None:
    audit = made()

    alone = page_of(client, audit, "misses/?death=page")
    whole = page_of(client, audit, "?death=page")

    assert alone.lstrip().startswith('<section class="card section" id="misses"')
    assert "<h2" in alone
    assert "Recall at k" in whole
    assert client.get("/audits/999/misses/").status_code == 404


def test_the_run_before_is_the_last_one_of_the_same_set_and_search(
    client: Client,
) -> None:
    first, other, last = made(), made(), made()
    Audit.objects.filter(pk=last.pk).update(case_set=first.case_set)
    Audit.objects.filter(pk=other.pk).update(case_set=first.case_set, profile="window")

    html = page_of(client, last)

    assert "Against the run before" in html
    assert f'<a href="/audits/{first.pk}/">audit {first.pk}</a>' in html
    assert f'<a href="/audits/{other.pk}/">' not in html
    assert "▲ 0 better" in html
    assert "Against the run before" not in page_of(client, first)
    assert "Over time" in page_of(client, first)


def test_a_query_with_other_targets_is_not_set_against_the_run_before() -> None:
    old, new = made(), made()
    paired = compare_headlines(new, old)["page"].n
    row = next(one for one in new.rows.all() if (a := answered(one)) and a.wanted)
    assert row.result is not None
    for target in row.result["targets"]:
        target |= {"target": f"another {target['target']}", "document": None}
    row.save()

    found = compare_headlines(new, old)

    assert {one.n for one in found.values()} == {paired - 1}


def test_the_headline_of_the_list_is_that_of_the_page(client: Client) -> None:
    audit = made(20)
    measures = audit_payload(audit)["measures"]

    found = headline(audit)

    assert found.pool == pytest.approx(measures["pool"]["recall"]["20"]["mean"])
    assert found.page == pytest.approx(measures["page"]["recall"]["10"]["mean"])
    assert found.mrr == pytest.approx(measures["page"]["mrr"]["mean"])
    html = client.get("/audits/").content.decode()
    assert f'<td class="num">{found.pool:.3f}</td>' in html


def test_the_headline_of_what_has_ended_is_counted_once(
    django_assert_num_queries: Any,  # Any: a context manager of pytest-django
) -> None:
    ended, at_work = made(3), running()
    first = headline(ended)

    with django_assert_num_queries(0):
        assert headline(ended) == first
    before = headline(at_work)
    at_work.rows.update(result=None)
    assert headline(at_work) != before


def test_the_list_says_what_an_audit_is_while_there_is_none(reader: Client) -> None:
    html = reader.get("/audits/").content.decode()

    assert "There is no audit yet." in html
    assert 'href="/cases/"' in html
    assert "docs/audits.md" in html


def test_a_form_is_filled_in_from_the_address(
    reader: Client, shop: Build, ada: User
) -> None:
    save_case(viewer=ANYONE, user=ada, query="format money", targets=["format_money"])
    asked = CaseSet.objects.get()

    html = reader.get(f"/audits/?set={asked.pk}&pool=300&off=body").content.decode()

    assert f'<option value="{asked.pk}" selected>' in html
    assert 'name="pool" min="20" max="2000" step="1" value="300"' in html
    assert 'value="body" checked' in html
    assert '<details class="data" id="settings" open>' in html


def test_only_who_is_signed_in_starts_an_audit(
    client: Client, shop: Build, ada: User
) -> None:
    save_case(viewer=ANYONE, user=ada, query="format money", targets=["format_money"])
    asked = CaseSet.objects.get()

    html = client.get("/audits/").content.decode()

    assert "Sign in</a> to start one" in html
    assert 'action="/audits/request/"' not in html
    refused = client.post("/audits/request/", {"set": asked.pk})
    assert refused.status_code == 403
    assert not Audit.objects.exists()


def test_an_audit_is_started_from_the_page_and_read_when_it_is_done(
    reader: Client, shop: Build, ada: User
) -> None:
    save_case(viewer=ANYONE, user=ada, query="format money", targets=["format_money"])
    asked = CaseSet.objects.get()

    response = reader.post(
        "/audits/request/",
        {"set": asked.pk, "pool": "50", "note": "a small pool", "profile": ""},
    )

    audit = Audit.objects.get()
    assert response["Location"] == f"/audits/{audit.pk}/"
    assert (audit.knobs, audit.note) == ([["pool", "50"]], "a small pool")
    assert "Waiting for a worker." in page_of(reader, audit)
    finish_audit(audit=audit)
    html = page_of(reader, audit)
    assert "recall, pool of 50" in html
    assert "1 query with 1 wanted target" in html
    assert '<input type="hidden" name="pool" value="50">' in html


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({}, "This field is required"),
        ({"set": "99999"}, "There is no such set here"),
        ({"pool": "1"}, "pool: Ensure this value is greater than or equal to 20."),
        ({"repository": "nowhere"}, "There is no repository “nowhere” here."),
        ({"profile": "no-such"}, "no-such"),
    ],
)
def test_what_cannot_be_asked_is_said_above_the_form_as_it_was_filled_in(
    reader: Client, shop: Build, ada: User, sent: dict[str, str], sentence: str
) -> None:
    save_case(viewer=ANYONE, user=ada, query="format money", targets=["format_money"])
    asked = {"set": str(CaseSet.objects.get().pk)} if sent else {}

    response = reader.post("/audits/request/", {**asked, "note": "tried", **sent})

    html = response.content.decode()
    assert response.status_code == 400
    assert sentence in unescape(html)
    assert 'name="note" value="tried"' in html
    assert not Audit.objects.exists()


def test_who_asked_for_it_and_staff_cancel_and_delete(
    reader: Client, ada: User, client: Client
) -> None:
    other = User.objects.create_user("bob")
    audit = running(created_by=other)

    assert "Cancel" not in page_of(reader, audit)
    assert reader.post(f"/audits/{audit.pk}/cancel/").status_code == 403
    assert reader.post(f"/audits/{audit.pk}/delete/").status_code == 404
    client.force_login(other)
    assert "Cancel" in page_of(client, audit)
    assert client.post(f"/audits/{audit.pk}/delete/").status_code == 404  # At work.
    client.post(f"/audits/{audit.pk}/cancel/")
    audit.refresh_from_db()
    assert audit.status == "cancelled"
    assert "Delete" in page_of(client, audit)
    assert client.post(f"/audits/{audit.pk}/delete/")["Location"] == "/audits/"
    assert not Audit.objects.exists()


def test_an_audit_of_a_repository_out_of_reach_does_not_exist(client: Client) -> None:
    private = Repository.objects.create(name="vault", visibility="staff")
    audit = made(repository_count=1)
    audit.repositories.add(private)

    for path in ("", "misses/", "?only=written"):
        assert client.get(f"/audits/{audit.pk}/{path}").status_code == 404
    client.force_login(User.objects.create_user("bob"))
    assert client.post(f"/audits/{audit.pk}/cancel/").status_code == 404
    assert f"/audits/{audit.pk}/" not in client.get("/audits/").content.decode()
    client.force_login(User.objects.create_user("root", is_staff=True))
    assert client.get(f"/audits/{audit.pk}/").status_code == 200


def test_a_foreign_set_is_seen_by_its_owner_until_it_is_open(
    reader: Client, ada: User
) -> None:
    audit = make_audit(random_queries(3), stages=LISTED, system="theirs")
    CaseSet.objects.update(is_foreign=True, created_by=User.objects.create_user("bob"))

    hidden = reader.get(f"/audits/{audit.pk}/").status_code
    CaseSet.objects.update(is_open=True)

    assert hidden == 404
    assert reader.get(f"/audits/{audit.pk}/").status_code == 200


def test_the_navigation_leads_to_the_audits_and_says_where_one_is(
    client: Client,
) -> None:
    audit = made()

    for path in ("/audits/", f"/audits/{audit.pk}/"):
        html = client.get(path).content.decode()
        assert '<a href="/audits/" aria-current="page">Audits</a>' in html
