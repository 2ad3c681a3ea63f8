"""`manage.py cases` keeps sets, and says in a sentence what it cannot do."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from codesearch.models import CaseSet
from indexer.models import Build

TABLE = "id,query,target\nq1,format money,format_money\nq2,send,Report.send\n"


def run(*arguments: str) -> tuple[str, str]:
    """What the command prints on stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    call_command("cases", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "bills.csv"
    path.write_text(TABLE)
    return path


def test_a_set_is_imported_listed_written_and_deleted(shop: Build, table: Path) -> None:
    told, _ = run("import", str(table), "--repository", "shop", "--name", "bills")
    made = CaseSet.objects.get()

    assert told == f"Set {made.pk}: 2 cases taken.\n"
    assert run("list")[0] == f"{made.pk:>4}       2 cases  chunk  bills  (shop)\n"
    written = json.loads(run("export", "bills")[0])
    assert [case["id"] for case in written["cases"]] == ["q1", "q2"]
    assert run("export", str(made.pk), "--format", "qrels")[0] == (
        "q1 0 format_money 1\nq2 0 Report.send 1\n"
    )
    run("delete", "bills")
    assert not CaseSet.objects.exists()


def test_wrong_lines_are_named_written_and_make_it_exit_with_3(
    shop: Build, table: Path, tmp_path: Path
) -> None:
    table.write_text(TABLE + "q 3,mail,a.py\n")
    refused = tmp_path / "refused.csv"
    arguments = ("import", str(table), "--repository", "shop")
    err = io.StringIO()

    with pytest.raises(CommandError, match=r"^1 line not taken.$") as caught:
        call_command(
            "cases",
            *arguments,
            "--refused",
            str(refused),
            stdout=io.StringIO(),
            stderr=err,
        )

    assert caught.value.returncode == 3
    assert "line 4: The id “q 3” holds a blank." in err.getvalue()
    assert refused.read_text() == "id,query,target\nq 3,mail,a.py\n"
    assert CaseSet.objects.get().cases.count() == 2


def test_a_file_is_checked_without_saving(shop: Build, table: Path) -> None:
    told, _ = run("import", str(table), "--check")

    assert told == "2 cases would be taken.\n"
    assert not CaseSet.objects.exists()


def test_more_cases_go_into_a_set(shop: Build, table: Path) -> None:
    run("import", str(table), "--repository", "shop", "--name", "bills")
    table.write_text(TABLE + "q3,mail,a.py\n")

    told, _ = run("import", str(table), "--into", "bills")

    assert told.endswith("1 case taken. 2 there already.\n")


def test_a_set_that_is_new_is_made_and_the_next_time_it_is_there(
    shop: Build, table: Path
) -> None:
    arguments = ("import", str(table), "--into", "bills", "--repository", "shop")

    first, _ = run(*arguments)
    again, _ = run(*arguments)

    assert first.endswith("2 cases taken.\n")
    assert again.endswith("0 cases taken. 2 there already.\n")
    assert CaseSet.objects.get().name == "bills"


def test_qrels_come_with_their_topics(shop: Build, tmp_path: Path) -> None:
    qrels, topics = tmp_path / "qrels.txt", tmp_path / "topics.tsv"
    qrels.write_text("q1 0 format_money 2\n")
    topics.write_text("q1\tformat money\n")

    run("import", str(qrels), "--topics", str(topics), "--repository", "shop")

    assert CaseSet.objects.get().cases.get().grades == {"format_money": 2}


def test_a_set_is_made_of_docstrings(shop: Build) -> None:
    told, _ = run("generate", "shop", "--count", "2")

    made = CaseSet.objects.get()
    assert told.startswith(f"Set {made.pk}: 2 cases made of ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["import", "nowhere.csv"], "nowhere.csv cannot be read: No such file"),
        (["import", "TABLE"], "Say which repositories the set is asked of."),
        (["import", "TABLE", "--repository", "x"], "There is no repository called x."),
        (["import", "TABLE", "--into", "x"], "There is no set x"),
        (["generate", "x"], "There is no repository called x."),
        (["generate", "shop", "--count", "0"], "Between 1 and 2,000 cases"),
        (["export", "x"], "There is no set x; `cases list` prints them."),
        (["delete", "7"], "There is no set 7; `cases list` prints them."),
    ],
)
def test_what_cannot_be_done_is_a_sentence(
    shop: Build, table: Path, arguments: list[str], sentence: str
) -> None:
    given = [str(table) if one == "TABLE" else one for one in arguments]

    with pytest.raises(CommandError, match=sentence):
        run(*given)


def test_a_name_of_several_sets_is_not_enough(shop: Build) -> None:
    for _ in range(2):
        CaseSet.objects.create(name="bills")

    with pytest.raises(CommandError, match="Several sets are called bills: give one"):
        run("export", "bills")
