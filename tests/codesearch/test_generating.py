"""A set is made from docstrings: each first sentence asks for what it documents."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from codesearch.case_files.records import NewCase
from codesearch.cases import new_case
from codesearch.errors import SearchError, UnknownRepository
from codesearch.generating import generate_set, sentence_cases, spread
from codesearch.models import CaseSet
from codesearch.targets import resolve_target
from indexer import services
from indexer.access import ANYONE, COMMAND_LINE
from indexer.models import Build, Repository
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

SHARED = '''def one():
    """Count what was sold today."""
    return 1


def two():
    """Count what was sold today. Twice."""
    return 2


def three():
    """Undo."""


def four():
    return "no docs"
'''
MADE = {
    "Format an amount of money for a locale": "billing/money.py#format_money",
    "A bill for a customer": "billing/money.py#Invoice",
    "Count the rows of an export": "billing/exports.py#total",
    "Mail the report to its readers": "billing/exports.py#Report.send",
    "Add the lines up": "billing/money.py#Invoice.total",
}


def build_of(make: MakeRepository, files: dict[str, str | bytes]) -> Build:
    index = services.register(name="made", source=str(make(files)))
    build = services.request_build(index=index, enqueue=False)
    return services.finish_build(build=build)


def made(**more: Any) -> CaseSet:
    told = {"viewer": COMMAND_LINE, "user": None, "repository": "shop", **more}
    return generate_set(**told).case_set


def test_a_sentence_asks_for_what_it_documents(shop: Build) -> None:
    cases = [new_case(one) for one in made().cases.all()]

    assert {case.query: case.targets for case in cases}.items() <= {
        sentence: ((target, 1),) for sentence, target in MADE.items()
    }.items()
    assert all(case.is_synthetic for case in cases)
    assert len(cases) >= 4


def test_a_sentence_that_would_be_read_as_conditions_is_left_out(
    data_dir: Path, encoder: WordEncoder, db: None, make_repository: MakeRepository
) -> None:
    docs = [
        'Return "page one" or a number',
        "Join the path to lang:go files",
        "Say what a row holds -- as it is written",
    ]
    text = "".join(f"def f{n}():\n    '''{doc}.'''\n\n\n" for n, doc in enumerate(docs))

    cases = sentence_cases(build_of(make_repository, {"a.py": text}))

    assert [case.query for case in cases] == [docs[2]]


def test_every_target_names_one_chunk(shop: Build) -> None:
    for case in made().cases.all():
        (target,) = case.targets
        assert len(resolve_target(target, [shop]).chunks) == 1


def test_a_sentence_of_several_wants_them_all(
    data_dir: Path, encoder: WordEncoder, db: None, make_repository: MakeRepository
) -> None:
    (case,) = sentence_cases(build_of(make_repository, {"sales.py": SHARED}))

    assert case.query == "Count what was sold today"
    assert case.targets == (("sales.py#one", 1), ("sales.py#two", 1))


def test_tests_ask_for_nothing(
    data_dir: Path, encoder: WordEncoder, db: None, make_repository: MakeRepository
) -> None:
    files: dict[str, str | bytes] = {"tests/test_sales.py": SHARED}

    assert sentence_cases(build_of(make_repository, files)) == []


def test_what_may_hold_secrets_is_not_quoted(
    shop: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codesearch.generating.hides_texts", lambda *given: True)

    with pytest.raises(SearchError, match="documents no function"):
        made()
    assert not CaseSet.objects.exists()


def test_equal_seeds_choose_equally_and_at_equal_distances() -> None:
    cases = [NewCase(str(n), (("a", 1),)) for n in range(100)]

    chosen = [int(case.query) for case in spread(cases, 10, seed=3)]

    assert chosen == [int(case.query) for case in spread(cases, 10, seed=3)]
    assert {after - before for before, after in pairwise(chosen)} == {10}
    assert chosen != [int(case.query) for case in spread(cases, 10, seed=5)]
    assert spread(cases, 500, seed=3) == cases


def test_a_set_says_how_many_could_be_made(shop: Build) -> None:
    told = generate_set(viewer=COMMAND_LINE, user=None, repository="shop", count=2)

    assert told.told == f"2 cases made of {told.possible} possible."
    assert told.case_set.cases.count() == 2


def test_a_repository_out_of_reach_is_told_as_one_that_is_not(shop: Build) -> None:
    Repository.objects.update(visibility="staff")
    said = []

    for name in ("shop", "nowhere"):
        with pytest.raises(UnknownRepository) as caught:
            generate_set(viewer=ANYONE, user=None, repository=name)
        said.append(str(caught.value).replace(name, "NAME"))

    assert said[0] == said[1]


def test_the_page_makes_a_set_or_says_why_not(client: Client, shop: Build) -> None:
    client.force_login(User.objects.create_user("ada"))
    form = {"repository": "shop", "count": "3", "seed": "1", "name": "docs"}

    answer = client.post("/cases/generate/", form)

    made_set = CaseSet.objects.get()
    assert answer.headers["Location"] == f"/cases/{made_set.pk}/"
    assert (made_set.name, made_set.cases.count()) == ("docs", 3)
    for more in ({"repository": "vault"}, {"count": "0"}, {"count": "9999"}):
        assert client.post("/cases/generate/", {**form, **more}).status_code == 400
