"""Sets of cases: imported, changed, written and removed, by who may."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from codesearch.case_files.files import read_file
from codesearch.case_files.records import Problem
from codesearch.case_files.refused import unpack_refused
from codesearch.case_forms import read_typed
from codesearch.case_sets import (
    NothingTaken,
    import_into,
    import_new,
    make_set,
    write_set,
)
from codesearch.cases import new_case
from codesearch.errors import SearchError, UnknownRepository
from codesearch.models import Audit, Case, CaseSet, RefusedLines
from indexer.access import ANYONE, COMMAND_LINE, viewer_of
from indexer.models import Build, Repository

TABLE = "id,query,target,grade\nq1,format money,format_money,2\nq2,send,Report.send,1\n"
WRONG = 'q 3,mail,a.py,1\nq4,"",a.py,1\n'
CASE = {"query": "add up", "targets": "Invoice.total = 2", "expected": "in_pool"}


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def bills(shop: Build, ada: User) -> CaseSet:
    return import_new(
        viewer=viewer_of(ada),
        user=ada,
        reading=read_file(TABLE.encode()),
        file_name="bills.csv",
        repositories=["shop"],
    ).case_set


def upload(text: str, **more: object) -> dict[str, object]:
    file = SimpleUploadedFile("bills.csv", text.encode())
    return {"file": file, "repository": "shop", **more}


def hide() -> None:
    Repository.objects.update(visibility="staff")


def test_an_import_makes_a_set_of_the_repositories_it_names(
    bills: CaseSet, ada: User
) -> None:
    assert (bills.name, bills.unit, bills.created_by) == ("bills.csv", "chunk", ada)
    assert [one.name for one in bills.repositories.all()] == ["shop"]
    first = bills.cases.get(key="q1")
    assert (first.query, first.targets) == ("format money", ["format_money"])
    assert (first.grades, first.expected) == ({"format_money": 2}, "on_page")
    assert first.created_by == ada


def test_good_lines_are_taken_and_the_others_kept_with_their_reasons(
    shop: Build, ada: User
) -> None:
    done = import_new(
        viewer=viewer_of(ada),
        user=ada,
        reading=read_file((TABLE + WRONG).encode()),
        file_name="bills.csv",
        repositories=["shop"],
    )

    assert (done.taken, len(done.problems)) == (2, 2)
    assert done.told == "2 cases taken. 2 lines not taken."
    kept = RefusedLines.objects.get(case_set=done.case_set)
    assert unpack_refused(bytes(kept.packed)) == (
        "id,query,target,grade",
        [
            Problem("line 4", "q 3,mail,a.py,1", "The id “q 3” holds a blank."),
            Problem("line 5", 'q4,"",a.py,1', "It has no query."),
        ],
    )


def test_a_file_without_a_good_line_makes_no_set(shop: Build, ada: User) -> None:
    with pytest.raises(NothingTaken) as caught:
        import_new(
            viewer=viewer_of(ada),
            user=ada,
            reading=read_file(b"query,target\npay,\n"),
            file_name="a.csv",
            repositories=["shop"],
        )

    assert [one.sentence for one in caught.value.problems] == ["It has no target."]
    assert not CaseSet.objects.exists()


@pytest.mark.parametrize("form", ["json", "csv"])
def test_a_set_that_was_written_comes_back_as_it_was(
    bills: CaseSet, ada: User, form: str
) -> None:
    bills.cases.filter(key="q2").update(topic="=1", note="-", is_synthetic=True)
    text = write_set(bills, form)

    again = import_new(
        viewer=COMMAND_LINE,
        user=None,
        reading=read_file(text.encode()),
        file_name="again",
        repositories=["shop"],
    ).case_set
    same = import_into(
        viewer=COMMAND_LINE,
        user=None,
        reading=read_file(text.encode()),
        file_name="again",
        case_set=bills,
    )

    assert [new_case(one) for one in again.cases.order_by("pk")] == [
        new_case(one) for one in bills.cases.order_by("pk")
    ]
    assert (same.taken, same.same, same.problems) == (0, 2, ())


def test_another_case_of_an_id_that_is_there_is_not_taken(bills: CaseSet) -> None:
    done = import_into(
        viewer=COMMAND_LINE,
        user=None,
        reading=read_file(b"id,query,target\nq1,other,a.py\n"),
        file_name="more.csv",
        case_set=bills,
    )

    assert done.problems == (
        Problem("line 2", "q1,other,a.py", "The set has another case with the id q1."),
    )
    assert bills.cases.get(key="q1").query == "format money"


def test_a_set_holds_only_as_many_cases_as_an_audit_can_ask(
    bills: CaseSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codesearch.case_sets.MOST_CASES", 2)

    with pytest.raises(SearchError, match="The set would have 3 cases; 2 fit"):
        import_into(
            viewer=COMMAND_LINE,
            user=None,
            reading=read_file(b"query,target\nmail,a.py\n"),
            file_name="more.csv",
            case_set=bills,
        )


def test_a_repository_out_of_reach_is_told_as_one_that_is_not(shop: Build) -> None:
    hide()
    said = []
    for name in ("shop", "nowhere"):
        with pytest.raises(UnknownRepository) as caught:
            make_set(viewer=ANYONE, user=None, name="a", repositories=[name])
        said.append(str(caught.value).replace(name, "NAME"))

    assert said[0] == said[1]


def test_the_page_lists_sets_with_their_figures(
    client: Client, bills: CaseSet, ada: User
) -> None:
    bills.cases.filter(key="q1").update(topic="money", is_synthetic=True)
    audit = Audit.objects.create(case_set=bills, repository_count=1)
    audit.repositories.set(bills.repositories.all())

    page = client.get("/cases/")
    row = page.context["rows"][0]

    assert (row.case_set, row.last_audit) == (bills, audit)
    assert (row.counts["all"], row.counts["synthetic"], row.counts["topics"]) == (
        2,
        1,
        1,
    )
    assert "Import a set" not in page.content.decode()
    client.force_login(ada)
    assert "Import a set" in client.get("/cases/").content.decode()


def test_without_a_set_the_page_says_how_to_make_one(
    client: Client, shop: Build, ada: User
) -> None:
    asked = client.get("/cases/").text
    client.force_login(ada)
    own = client.get("/cases/").text

    assert "sign in</a> to save what a search should find" in asked
    assert "press “This was the right one”" in own
    assert 'href="/trace/"' in own.split("</main>")[0].split("<main")[1]


def test_a_set_out_of_reach_is_not_there(
    client: Client, bills: CaseSet, ada: User
) -> None:
    case = bills.cases.get(key="q1")
    kept = RefusedLines.objects.create(case_set=bills, count=1, packed=b"")
    hide()
    client.force_login(ada)
    there = f"/cases/{bills.pk}/"

    for page in (there, f"{there}download/?format=json", f"{there}{case.pk}/"):
        assert client.get(page).status_code == 404
    assert client.get(f"{there}refused/{kept.pk}/").status_code == 404
    for page in ("add/", "change/", "delete/", f"{case.pk}/delete/"):
        assert client.post(there + page, CASE).status_code == 404
    assert "bills.csv" not in client.get("/cases/").content.decode()
    answer = client.post("/cases/import/", upload(TABLE, into=bills.pk, repository=""))
    assert answer.status_code == 404
    assert bills.cases.count() == 2


def test_only_its_owner_and_staff_change_a_set(
    client: Client, bills: CaseSet, ada: User, bob: User
) -> None:
    there, case = f"/cases/{bills.pk}/", bills.cases.get(key="q1")
    kept = RefusedLines.objects.create(case_set=bills, count=1, packed=b"")
    paths = [
        *("add/", "change/", "delete/", f"{case.pk}/change/", f"{case.pk}/delete/"),
        f"refused/{kept.pk}/forget/",
    ]
    client.force_login(bob)

    for path in paths:
        assert client.post(there + path, CASE).status_code == 404
    into = client.post("/cases/import/", upload(TABLE, into=bills.pk))

    assert into.status_code == 404
    assert bills.cases.count() == 2
    client.force_login(User.objects.create_user("staff", is_staff=True))
    told = {"name": "money", "description": "Bills.", "unit": "file"}
    assert client.post(f"{there}change/", told).headers["Location"] == there
    bills.refresh_from_db()
    assert (bills.name, bills.unit) == ("money", "file")
    assert client.post(f"{there}delete/").headers["Location"] == "/cases/"
    assert not Case.objects.exists()


@pytest.mark.parametrize(
    "path", ["import/", "generate/", "save/", "right/", "{pk}/add/", "{pk}/delete/"]
)
def test_nothing_is_changed_by_who_is_not_signed_in_or_by_another_site(
    bills: CaseSet, ada: User, path: str
) -> None:
    path = f"/cases/{path.format(pk=bills.pk)}"
    foreign = Client(enforce_csrf_checks=True)
    foreign.force_login(ada)

    assert Client().post(path, CASE).status_code in (403, 404)
    assert foreign.post(path, CASE).status_code == 403
    assert Client().get(path).status_code == 405
    assert bills.cases.count() == 2


def test_a_typed_case_is_added_changed_and_refused_in_sentences(
    client: Client, bills: CaseSet, ada: User
) -> None:
    client.force_login(ada)
    there = f"/cases/{bills.pk}/"

    assert client.post(f"{there}add/", CASE).headers["Location"] == there
    case = bills.cases.get(query="add up")
    assert new_case(case).targets == (("Invoice.total", 2),)
    assert case.expected == "in_pool"
    assert "Invoice.total = 2" in client.get(f"{there}{case.pk}/").content.decode()
    told = {**CASE, "targets": "Invoice.send\ntotal = 0", "key": "sum"}
    client.post(f"{there}{case.pk}/change/", told)
    case.refresh_from_db()
    assert (case.key, case.grades) == ("sum", {"total": 0})
    for more, sentence in (
        ({"key": "q1"}, "Another case of this set has the id q1."),
        ({"key": "q 1"}, "The id “q 1” holds a blank."),
        ({"targets": "a\na"}, "The target “a” comes twice."),
        ({"query": "lang:python"}, "say what to look for as well"),
        ({"targets": "send"}, "send stands for 2 chunks or files; choose one"),
    ):
        answer = client.post(f"{there}{case.pk}/change/", {**told, **more})
        assert answer.status_code == 400
        assert sentence in answer.content.decode()
        answer = client.post(f"{there}add/", {**told, "key": "new", **more})
        assert answer.status_code == 400
        assert sentence in answer.content.decode()
    assert bills.cases.count() == 3


def test_a_file_is_imported_from_the_page_and_its_wrong_lines_given_back(
    client: Client, shop: Build, ada: User
) -> None:
    client.force_login(ada)

    answer = client.post("/cases/import/", upload(TABLE + WRONG), follow=True)

    made = CaseSet.objects.get()
    kept = made.refused.get()
    page = answer.content.decode()
    assert answer.redirect_chain == [(f"/cases/{made.pk}/", 302)]
    assert "2 cases taken. 2 lines not taken." in page
    assert "The id “q 3” holds a blank." in page
    lines = client.get(f"/cases/{made.pk}/refused/{kept.pk}/")
    assert lines.content.decode() == "id,query,target,grade\n" + WRONG
    client.post(f"/cases/{made.pk}/refused/{kept.pk}/forget/")
    assert not RefusedLines.objects.exists()


def test_a_file_is_only_checked_where_that_is_asked(
    client: Client, shop: Build, ada: User
) -> None:
    client.force_login(ada)

    page = client.post("/cases/import/", upload(TABLE + WRONG, check="1"))

    said = page.content.decode()
    assert "2 cases would be taken with 2 targets, 2 lines not." in said
    assert "It has no query." in said
    assert not CaseSet.objects.exists()


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"file": SimpleUploadedFile("a.csv", b"a,b\n")}, "names no columns"),
        ({"file": SimpleUploadedFile("a.csv", b"\xff")}, "no UTF-8"),
        ({"file": ""}, "This field is required"),
        ({"repository": ""}, "Choose the repositories the set is asked of."),
        ({"repository": "vault"}, "There is no repository “vault” here."),
        ({"profile": "none-such"}, "There is no profile “none-such”."),
        (
            {"file": SimpleUploadedFile("a.csv", b"query,target\n,a\n")},
            "No line of the file is a case, so nothing was imported.",
        ),
    ],
)
def test_a_file_that_cannot_be_imported_says_why(
    client: Client, shop: Build, ada: User, form: dict[str, object], sentence: str
) -> None:
    client.force_login(ada)

    answer = client.post("/cases/import/", {**upload(TABLE), **form})

    assert answer.status_code == 400
    assert sentence in answer.content.decode()
    assert not CaseSet.objects.exists()


def test_qrels_and_topics_are_uploaded_together(
    client: Client, shop: Build, ada: User
) -> None:
    client.force_login(ada)
    topics = SimpleUploadedFile("topics.tsv", b"q1\tformat money\n")

    client.post("/cases/import/", upload("q1 0 format_money 3\n", topics=topics))

    case = Case.objects.get()
    assert (case.key, case.grades) == ("q1", {"format_money": 3})


@pytest.mark.parametrize(
    ("form", "kind", "name", "text"),
    [
        ("topics", "text/plain", "billscsv.topics.tsv", "q1\tformat money\n"),
        ("qrels", "text/plain", "billscsv.qrels.txt", "q1 0 format_money 2\n"),
        ("csv", "text/csv", "billscsv.csv", '"q1","format money","format_money",2,'),
        ("json", "application/json", "billscsv.json", '"target": "format_money"'),
    ],
)
def test_a_set_is_downloaded_as_a_file(
    client: Client, bills: CaseSet, form: str, kind: str, name: str, text: str
) -> None:
    answer = client.get(f"/cases/{bills.pk}/download/", {"format": form})

    assert answer.headers["Content-Type"].split(";")[0] == kind
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    assert text in answer.content.decode()
    assert client.get(f"/cases/{bills.pk}/download/").status_code == 400


def test_a_set_is_shown_a_page_at_a_time(client: Client, bills: CaseSet) -> None:
    more = "".join(f"p{n},pay {n},a.py,1\n" for n in range(60))
    import_into(
        viewer=COMMAND_LINE,
        user=None,
        reading=read_file(f"id,query,target,grade\n{more}".encode()),
        file_name="more.csv",
        case_set=bills,
    )

    second = client.get(f"/cases/{bills.pk}/", {"page": "2"})

    assert [row.case.key for row in second.context["rows"]][-1] == "p59"
    assert len(second.context["rows"]) == 12
    assert "?page=1" in second.content.decode()


def test_the_trace_of_a_case_asks_for_what_is_wanted_only(
    client: Client, bills: CaseSet
) -> None:
    bills.cases.filter(key="q1").update(
        targets=["a.py", "b.py", "c.py"], grades={"b.py": 0}
    )

    page = client.get(f"/cases/{bills.pk}/").content.decode()

    assert "q=format+money&amp;repository=shop&amp;target=a.py&amp;target=c.py" in page


def test_a_foreign_set_is_its_owners_and_has_no_trace(
    client: Client, ada: User, bob: User
) -> None:
    foreign = CaseSet.objects.create(name="other", is_foreign=True, created_by=ada)
    Case.objects.create(case_set=foreign, key="q", query="pay", targets=["doc1"])
    there = f"/cases/{foreign.pk}/"

    client.force_login(bob)
    assert client.get(there).status_code == 404
    client.force_login(ada)
    page = client.get(there).content.decode()
    assert "another system" in page
    assert "/trace/?" not in page
    assert client.post(f"{there}add/", CASE).status_code == 404


@pytest.mark.parametrize(
    ("line", "target", "grade"),
    [
        ("a = 0", "a", 0),
        ("a =12", "a", 12),
        (" a = b  = 3 ", "a = b", 3),
        ("a= 3", "a= 3", 1),
        ("= 3", "= 3", 1),
        ("a = 12345", "a = 12345", 1),
        ("a = b", "a = b", 1),
    ],
)
def test_a_typed_target_ends_where_its_grade_begins(
    line: str, target: str, grade: int
) -> None:
    assert read_typed(line) == ((target, grade),)


def test_a_typed_line_of_blanks_is_read_once() -> None:
    """Read again from each blank it would take an hour."""
    line = f"a{' ' * 1_000_000}b"

    assert read_typed(line) == ((line, 1),)
