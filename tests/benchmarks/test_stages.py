"""Stages: the lists that benchmarks count are those of the product's own search."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import stages
from benchmarks.absent import look_up
from benchmarks.indexed import index_folder, lexical_profile
from benchmarks.metrics import LAST, Found
from benchmarks.symbol_queries import best_ranks
from indexer import services
from indexer.models import Build, Index
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

MONEY = '''"""Money: amounts and how to print them."""


def format_money(amount, locale):
    """Format an amount of money for a locale."""
    return f"{amount} {locale}"


def total(rows):
    """Add the lines up."""
    return sum(rows)
'''
MAIL = 'def send(letter):\n    """Send a letter."""\n    post(letter)\n'
FILES: dict[str, str | bytes] = {
    "billing/money.py": MONEY,
    "billing/mail.py": MAIL,
    "locale/de.po": 'msgid "money"\nmsgstr "Geld"\n',
}
FORMAT, TOTAL = Found("billing/money.py", 4, 6), Found("billing/money.py", 9, 11)
SEND = Found("billing/mail.py", 1, 3)


@pytest.fixture
def shop(
    db: None,
    data_dir: Path,
    encoder: WordEncoder,
    make_repository: MakeRepository,
) -> str:
    index = services.register(name="shop", source=str(make_repository(FILES)))
    services.finish_build(build=services.request_build(index=index, enqueue=False))
    return "shop"


def test_a_build_that_was_stopped_is_not_resumed(shop: str) -> None:
    index = Index.objects.get(repository__name=shop)
    stopped = services.request_build(index=index, enqueue=False)

    index_folder(Path(index.repository.source), name=shop)

    stopped.refresh_from_db()
    index.refresh_from_db()
    assert stopped.status == Build.Status.CANCELLED
    assert index.current_build_id is not None
    assert index.current_build_id > stopped.pk


def test_a_search_without_vectors_asks_no_model(
    shop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # The profile itself says that there is no model.
    folder = Path(Index.objects.get().repository.source)
    profile = lexical_profile()

    index_folder(folder, name=shop, profile=profile)

    found = stages.run_funnel("format_money", shop, profile)
    assert [leg.name for leg in found.outcome.legs if leg.ran] == ["bm25", "symbol"]


def test_each_leg_and_the_fusion_give_their_own_list(shop: str) -> None:
    lists = stages.stage_lists(stages.run_funnel("format_money", shop))

    assert {*lists} == {"purpose", "body", "bm25", "symbol", "fused"}
    assert lists["symbol"] == [FORMAT]
    assert lists["fused"][0] == FORMAT
    assert {FORMAT, TOTAL, SEND} <= set(lists["body"])


def test_the_hits_of_an_answer_stay_together_by_card(shop: str) -> None:
    lists, payload = stages.all_lists("money", shop)

    assert sorted(hit["rank"] for hit in payload["hits"]) == [1, 2, 3, 4]
    paths = [found.path for found in lists["result"]]
    assert paths in (
        ["billing/money.py"] * 3 + ["billing/mail.py"],
        ["billing/mail.py"] + ["billing/money.py"] * 3,
    )
    assert len(stages.result_ranked(payload)) == 4


def test_places_are_whole_files_and_have_the_data_file_too(shop: str) -> None:
    _, payload = stages.all_lists("money", shop)

    assert Found("locale/de.po", 1, LAST) in stages.place_list(payload)


def test_baselines_read_the_files_that_have_chunks(shop: str) -> None:
    texts = stages.indexed_texts(shop)

    assert sorted(texts) == ["billing/mail.py", "billing/money.py"]
    assert texts["billing/money.py"] == MONEY


def test_the_texts_of_every_chunk_are_those_of_the_index(shop: str) -> None:
    purposes, bodies = stages.indexed_purposes(shop), stages.indexed_bodies(shop)

    assert len(purposes) == len(bodies) == 4
    assert any("Format an amount of money" in text for text in purposes)
    assert any("return sum(rows)" in text for text in bodies)


def test_a_symbol_query_gives_the_rank_at_every_stage(shop: str) -> None:
    targets = [{"path": "billing/money.py", "symbol": "total"}]

    ranks = best_ranks({"query": "total", "targets": targets}, shop)

    assert ranks["symbol"] == 1
    assert {*ranks} == {*stages.LEGS, "fused", "result", "card"}


def test_what_is_asked_and_absent_covers_nothing(shop: str) -> None:
    present, absent = look_up("amount of money", shop), look_up("kubernetes", shop)

    assert present["idf coverage"] == 1.0
    assert absent["idf coverage"] == absent["top bm25 / attainable"] == 0.0
    assert present["band"]
