"""The runs of another system are audited as they are: its places, deaths and measures.

What is measured equals ir_measures over the same files; a line that cannot be taken is
told, and nothing of it is guessed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from ir_measures import RR, P, R, Success, nDCG

from benchmarks.example_pipeline import FOLDER, STAGES, write_examples
from codesearch.audits.foreign import types
from codesearch.audits.foreign.bringing import Failed, Wanted, bring
from codesearch.audits.foreign.gathering import BroughtFile, RunFile
from codesearch.audits.foreign.types import Report
from codesearch.audits.rows import unpack_lists
from codesearch.models import Audit, CaseSet
from codesearch.payloads.audit import audit_payload

QRELS = FOLDER / "help-centre.qrels"
TOPICS = FOLDER / "help-centre.topics"
RUN = FOLDER / "titles.run"
DOCUMENT = FOLDER / "help-centre.json"
HEAD = {
    "system": "s",
    "stages": [
        {"name": "dense", "kind": "leg", "depth": 2},
        {"name": "words", "kind": "leg"},
        {"name": "top", "kind": "pool"},
        {"name": "shown", "kind": "page"},
    ],
}


def brought(path: Path) -> BroughtFile:
    return BroughtFile(path.name, path.read_bytes())


def example(**more: object) -> Wanted:
    runs = [
        RunFile(brought(FOLDER / f"{name}.run"), name, kind, depth)
        for name, kind, depth in STAGES
    ]
    wanted: dict[str, object] = {
        "owner": None,
        "system": "help centre 1",
        "runs": runs,
        "qrels": brought(QRELS),
        "topics": brought(TOPICS),
    }
    return Wanted(**{**wanted, **more})  # type: ignore[arg-type] # as a test gives them


def document(*queries: object, **head: object) -> BroughtFile:
    told = {**HEAD, **head, "queries": queries}
    return BroughtFile("all.json", json.dumps(told).encode())


def run_of(
    text: str, qrels: str = "q1 0 a 1\n", **more: object
) -> tuple[Audit, Report]:
    report = Report()
    wanted = Wanted(
        owner=None,
        system="s",
        runs=[RunFile(BroughtFile("a.run", text.encode()), "a", "leg")],
        qrels=BroughtFile("a.qrels", qrels.encode()),
        **more,  # type: ignore[arg-type] # as a test gives them
    )
    return bring(wanted, report), report


def documents(audit: Audit, stage: str = "a") -> list[str]:
    row = audit.rows.get()
    assert row.lists
    return [line.document for line in unpack_lists(bytes(row.lists))[stage]]


def test_the_examples_are_what_the_pipeline_makes(tmp_path: Path) -> None:
    write_examples(tmp_path)

    made = {path.name: path.read_text() for path in sorted(tmp_path.iterdir())}
    kept = {path.name: path.read_text() for path in sorted(FOLDER.iterdir())}
    assert made == kept


@pytest.mark.django_db
@pytest.mark.parametrize("stage", [name for name, _, _ in STAGES])
def test_every_measure_equals_that_of_ir_measures(stage: str) -> None:
    found = audit_payload(bring(example(), Report()))["measures"][stage]

    read: Any = ir_measures  # Any: its readers have no types
    qrels = list(read.read_trec_qrels(str(QRELS)))
    run = list(read.read_trec_run(str(FOLDER / f"{stage}.run")))
    for k, mean in found["recall"].items():
        at = int(k)
        theirs = ir_measures.calc_aggregate(
            [R @ at, P @ at, nDCG @ at, Success @ at], qrels, run
        )
        assert mean["mean"] == pytest.approx(theirs[R @ at])
        assert found["precision"][k]["mean"] == pytest.approx(theirs[P @ at])
        assert found["ndcg"][k]["mean"] == pytest.approx(theirs[nDCG @ at])
        assert found["success"][k]["mean"] == pytest.approx(theirs[Success @ at])
    whole = ir_measures.calc_aggregate([RR], qrels, run)
    assert found["mrr"]["mean"] == pytest.approx(whole[RR])


@pytest.mark.django_db
def test_a_target_dies_at_the_first_stage_after_which_no_list_holds_it() -> None:
    entry = {
        "id": "q1",
        "judgments": {"seen": 1, "cut": 1, "lost": 1, "never": 1, "late": 1},
        "lists": {
            "dense": ["lost", "cut"],
            "words": ["seen", "cut"],
            "top": ["cut", "seen", "late"],
            "shown": ["seen"],
        },
    }
    audit = bring(Wanted(owner=None, document=document(entry)), Report())

    result = audit.rows.get().result
    assert result is not None
    told = {one["target"]: one["death"] for one in result["targets"]}
    assert told == {
        "seen": None,
        "cut": {"stage": "page", "reason": "not in shown"},
        "late": {"stage": "page", "reason": "not in shown"},
        "lost": {"stage": "pool", "reason": "not in top"},
        "never": {"stage": "leg", "reason": "in no leg’s list"},
    }
    places = {one["target"]: one["stages"]["union"] for one in result["targets"]}
    assert places == {"seen": 1, "cut": 2, "late": None, "lost": 1, "never": None}


@pytest.mark.django_db
def test_what_fusion_lost_dies_at_the_pool_as_the_losses_count_it() -> None:
    stages = [
        {"name": name, "kind": kind}
        for name, kind in (("dense", "leg"), ("rrf", "fusion"), ("top", "pool"))
    ]
    entry = {
        "id": "q1",
        "judgments": {"a": 1, "b": 1},
        "lists": {"dense": ["a", "b"], "rrf": ["a"], "top": ["a"]},
    }
    audit = bring(Wanted(owner=None, document=document(entry, stages=stages)), Report())

    payload = audit_payload(audit)
    lost = [(one["name"], one["lost"]) for one in payload["losses"]["steps"]]
    assert lost == [("legs", 0), ("top", 1)]
    assert payload["deaths"] == [
        {
            "stage": "pool",
            "count": 1,
            "reasons": [{"reason": "not in top", "count": 1}],
        }
    ]


@pytest.mark.django_db
def test_a_margin_is_that_over_the_last_of_a_full_list() -> None:
    rows = [{"document": "a", "score": 0.75}, {"document": "b", "score": 0.5}]
    entry = {"id": "q", "judgments": {"a": 1}, "lists": {"dense": rows, "words": rows}}
    audit = bring(Wanted(owner=None, document=document(entry)), Report())

    result = audit.rows.get().result
    assert result is not None
    legs = result["targets"][0]["legs"]
    assert legs["dense"] == {
        "rank": 1,
        "ordinal": 1,
        "tie_size": 1,
        "raw": 0.75,
        "margin": 0.25,
        "in_leg": True,
    }
    assert legs["words"]["margin"] is None


@pytest.mark.django_db
def test_scores_order_a_run_and_equal_ones_the_names_falling() -> None:
    audit, report = run_of("q1 Q0 a 1 1.0 t\nq1 Q0 b 2 2.0 t\nq1 Q0 c 3 1.0 t\n")

    assert documents(audit) == ["b", "c", "a"]
    assert report.remarks == [
        "a (a.run): 2 documents in 1 lists share their score with another; these stand "
        "by name, falling, as trec_eval has them.",
        "a (a.run): in 1 lists the rank column is not the order of the scores; the "
        "scores count, as in trec_eval.",
    ]


@pytest.mark.django_db
def test_every_line_that_cannot_be_taken_is_told_and_nothing_is_kept() -> None:
    text = (
        "q1 Q0 a 1 0.9 t\nq1 Q0 b 2 nan t\nq1 Q0 a 3 0.5 t\nq1 Q0 c 4\n"
        "q1 Q0 d 5 1e999 t\nq1 Q0 e 6 0.1 t\n"
    )
    report = Report()
    runs = [RunFile(BroughtFile("a.run", text.encode()), "a", "leg")]
    qrels = BroughtFile("a.qrels", b"q1 0 a 1\nq1 0 b many\n")

    with pytest.raises(Failed, match="5 lines or entries"):
        bring(Wanted(owner=None, system="s", runs=runs, qrels=qrels), report)

    assert [(one.place, one.sentence) for one in report.problems] == [
        ("a.qrels, line 2", "The grade “many” is no whole number."),
        ("a (a.run), line 2", "“nan” is no score that a list is sorted by."),
        ("a (a.run), line 3", "“a” is in the list of q1 already."),
        ("a (a.run), line 4", "It has 4 fields; a line is: "
         "qid Q0 document rank score tag."),
        ("a (a.run), line 5", "“1e999” is no score that a list is sorted by."),
    ]  # fmt: skip
    assert not CaseSet.objects.exists()
    audit, _ = run_of(text, leave_out=True)
    assert documents(audit) == ["a", "e"]
    assert audit.header["left_out"] == 4


@pytest.mark.django_db
def test_queries_without_judgement_and_without_a_list_are_counted() -> None:
    _, report = run_of("q9 Q0 a 1 0.9 t\n", qrels="q1 0 a 1\nq2 0 a 0\n")

    assert report.remarks == [
        "a (a.run): 1 lines are of 1 query ids that no judgement or query has, and "
        "were left out: q9.",
        "a: no list for 2 of 2 queries; nothing is found there.",
        "1 of 2 queries have no wanted document; they count in no mean.",
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({"id": "a b"}, "Its id “a b” holds a blank."),
        ({"text": "x"}, "It has no “id”."),
        ({"id": "q", "text": "\ud800"}, "half of a surrogate pair"),
        ({"id": "q", "judgments": {"a": "many"}}, "The grade of a is no whole number."),
        ({"id": "q", "lists": {"else": []}}, "There is no stage “else”."),
        ({"id": "q", "lists": {"dense": ["a", "a"]}}, "“a” is in this list already."),
        (
            {"id": "q", "lists": {"dense": [{"document": "a", "score": "x"}]}},
            "Its score is no number",
        ),
        ([], "It is no object."),
    ],
)
def test_an_entry_that_cannot_be_taken_is_told(entry: object, sentence: str) -> None:
    report = Report()

    with pytest.raises(Failed):
        bring(Wanted(owner=None, document=document({"id": "ok"}, entry)), report)

    assert [sentence in one.sentence for one in report.problems] == [True]
    assert report.problems[0].place.startswith("all.json, query 2")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"\xff\xfe", "no text in UTF-8"),
        (b"[1]", "no list of “queries”"),
        (b"{", "no JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"stages": [], "queries": []}', "no list of “stages”"),
        (b'{"stages": [{"name": "union", "kind": "leg"}], "queries": []}', "cannot be"),
        (b'{"stages": [{"name": "a", "kind": "b"}], "queries": []}', "of kind “b”"),
        (b'{"stages": [{"name": "a", "kind": "leg"}], "queries": []}', "no query"),
        (b'{"stages": 1, "stages": 2, "queries": []}', "a key twice"),
        (rb'{"stages": [{"name": "\ud800"}], "queries": []}', "“\\?” cannot be"),
        (rb'{"\ud800": 1, "\ud800": 2, "queries": []}', "a key twice, of \\?"),
    ],
)
def test_what_has_no_shape_is_refused_with_a_sentence(
    data: bytes, sentence: str
) -> None:
    with pytest.raises(Failed, match=sentence):
        bring(Wanted(owner=None, document=BroughtFile("a.json", data)), Report())


@pytest.mark.django_db
def test_a_system_whose_name_is_no_text_is_refused() -> None:
    head = {**HEAD, "system": "\ud800"}
    data = json.dumps({**head, "queries": [{"id": "q"}]}).encode()

    with pytest.raises(Failed, match="half of a surrogate pair"):
        bring(Wanted(owner=None, document=BroughtFile("a.json", data)), Report())


@pytest.mark.django_db
def test_json_lines_are_the_same_document() -> None:
    whole = json.loads(DOCUMENT.read_text())
    queries = whole.pop("queries")
    lines = "\n".join(json.dumps(one) for one in [whole, *queries])

    first = bring(Wanted(owner=None, document=brought(DOCUMENT)), Report())
    second = bring(
        Wanted(owner=None, document=BroughtFile("a.jsonl", lines.encode())), Report()
    )

    told = [audit_payload(one) for one in (first, second)]
    assert told[0]["measures"] == told[1]["measures"]
    assert told[0]["set"] == told[1]["set"]
    assert first.rows.get(number=0).topic == "longer"


@pytest.mark.django_db
def test_systems_with_equal_judgements_join_the_set_of_their_owner() -> None:
    ada, ben = User.objects.create_user("ada"), User.objects.create_user("ben")

    first = bring(example(owner=ada.pk), Report())
    again = bring(example(owner=ada.pk, topics=None), Report())
    other = bring(example(owner=ben.pk), Report())

    assert again.case_set == first.case_set
    assert again.rows.get(key="q1").query == "extend a loan"
    assert other.case_set != first.case_set


def test_more_lines_than_are_read_are_refused(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codesearch.audits.foreign.runs.MOST_LINES", 1)

    with pytest.raises(Failed, match="more than 1 lines"):
        run_of("q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\n")


def test_larger_files_than_are_read_are_refused(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codesearch.audits.foreign.gathering.MOST_BYTES", 10)

    with pytest.raises(Failed, match="are read"):
        run_of("q1 Q0 a 1 2 t\n")
    assert types.MOST_BYTES == 100_000_000


@pytest.fixture
def signed_in(client: Client, db: None) -> User:
    ada = User.objects.create_user("ada")
    client.force_login(ada)
    return ada


def upload(path: Path) -> SimpleUploadedFile:
    return SimpleUploadedFile(path.name, path.read_bytes())


def test_the_page_takes_files_and_says_how_they_were_read(
    client: Client, signed_in: User
) -> None:
    form = {
        "system": "mine",
        "qrels": upload(QRELS),
        "file_0": upload(FOLDER / "titles.run"),
        "file_1": upload(FOLDER / "texts.run"),
        "kind_1": "leg",
        "depth_1": "10",
    }

    answer = client.post("/audits/import/", form, follow=True)

    audit = Audit.objects.get()
    assert [one["name"] for one in audit.stages] == ["titles", "texts", "union"]
    assert audit.created_by == signed_in
    assert answer.redirect_chain[-1][0] == f"/audits/import/?done={audit.pk}"
    assert "mine was imported: 12 queries" in answer.content.decode()
    assert "share their score with another" in answer.content.decode()


def test_another_run_of_a_set_is_brought_with_its_judgements(
    client: Client, signed_in: User
) -> None:
    form = {"system": "mine", "qrels": upload(QRELS), "file_0": upload(RUN)}
    client.post("/audits/import/", form)
    asked = CaseSet.objects.get()
    address = f"/audits/import/?set={asked.pk}"

    pages = [f"/cases/{asked.pk}/", f"/audits/{Audit.objects.get().pk}/"]
    form_page = client.get(address).content.decode()
    other = {"system": "next", "case_set": str(asked.pk), "file_0": upload(RUN)}
    client.post("/audits/import/", other)

    assert all(address in client.get(page).content.decode() for page in pages)
    assert f'<option value="{asked.pk}" selected>' in form_page
    assert {one.case_set for one in Audit.objects.all()} == {asked}


def test_the_page_tells_each_line_that_cannot_be_taken(
    client: Client, signed_in: User
) -> None:
    bad = SimpleUploadedFile("x.run", b"q1 Q0 <b> 1 nan t\n")

    answer = client.post(
        "/audits/import/", {"system": "s", "qrels": upload(QRELS), "file_0": bad}
    )

    assert answer.status_code == 400
    assert "x (x.run), line 1" in answer.content.decode()
    assert "q1 Q0 &lt;b&gt; 1 nan t" in answer.content.decode()
    assert not Audit.objects.exists()


def test_the_page_tells_of_what_is_no_character(
    client: Client, signed_in: User
) -> None:
    half = {"id": "q", "judgments": {"\ud800": 1}, "lists": {"\ud801": []}}
    told = document(half)

    answer = client.post(
        "/audits/import/", {"document": SimpleUploadedFile("all.json", told.data)}
    )

    assert answer.status_code == 400
    assert "It holds half of a surrogate pair" in answer.content.decode()
    assert "There is no stage “?”." in answer.content.decode()


def test_what_was_imported_is_of_its_owner_alone(
    client: Client, signed_in: User
) -> None:
    audit = bring(example(owner=signed_in.pk), Report())
    address = f"/audits/import/?done={audit.pk}"

    assert client.get(address).status_code == 200
    client.force_login(User.objects.create_user("ben"))
    assert client.get(address).status_code == 404
    assert "help centre" not in client.get("/audits/import/").content.decode()
    form = {"file_0": upload(FOLDER / "titles.run"), "case_set": audit.case_set_id}
    assert client.post("/audits/import/", form).status_code == 400
    client.logout()
    assert client.get(address).status_code == 302


def test_the_command_takes_runs_and_judgements(
    db: None, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [f"{kind}:{name}={FOLDER / name}.run" for name, kind, _ in STAGES]

    call_command("audit_import", run=runs, qrels=str(QRELS), system="mine", open=True)

    audit = Audit.objects.get()
    assert audit.case_set.is_open
    assert f"audit {audit.pk}: mine, 12 queries" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no judgements"):
        call_command("audit_import", run=runs, system="mine")
    with pytest.raises(CommandError, match="is no KIND:NAME"):
        call_command("audit_import", run=["leg=a"], system="mine")


@pytest.mark.django_db
def test_the_tutorial_tells_what_the_examples_give() -> None:
    told = audit_payload(bring(example(), Report()))
    measures = {**told["measures"], "legs": told["measures"]["union"]}

    rows = []
    for step in told["losses"]["steps"]:
        recall = measures[step["name"]]["recall_whole"]["mean"]
        rows.append(
            f"| {step['name']} | {step['kept']} | {step['lost']} | {recall:.3f} |"
        )

    text = (FOLDER.parent / "bring-your-own-pipeline.md").read_text()
    assert "\n".join(rows) in text
    assert len(rows) == 4
