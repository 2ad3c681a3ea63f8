"""While someone types, the first answer has the cards that a screen holds."""

from __future__ import annotations

import pytest
from django.test import Client

from indexer import services
from tests.conftest import MakeRepository
from tests.encoders import WordEncoder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir")]

HTMX = {"HX-Request": "true"}


def test_a_first_answer_has_the_first_cards_and_the_whole_has_all(
    client: Client, make_repository: MakeRepository, encoder: WordEncoder
) -> None:
    source = make_repository(
        {f"{name}.py": f"def pay_{name}(x):\n    return money\n" for name in "abcde"}
    )
    index = services.register(name="five", source=str(source))
    services.finish_build(build=services.request_build(index=index, enqueue=False))

    first, whole = (
        client.get("/", {"q": "money"}, headers=HTMX | {"HX-Source": from_})
        for from_ in ("input#q", "form")
    )

    assert first.content.count(b'<article class="hit') == 3
    assert b"Further cards come" in first.content
    assert whole.content.count(b'<article class="hit') == 5
    assert b"Further cards come" not in whole.content
