"""The term list of a class holds its members' names as often as its own."""

from __future__ import annotations

from indexer.pipeline.build import Assembly
from indexer.pipeline.postings import terms_of
from tests.files import place_file

SHOP = """class Cart:
    size = 1

    def checkout(self):
        return 2


def checkout_all(carts):
    return carts
"""


def test_a_class_is_called_what_its_members_are_called() -> None:
    assembly = Assembly([place_file("shop.py", SHOP)])

    terms = {
        symbol: dict(terms_of(assembly.postings, ordinal))
        for ordinal, symbol in enumerate(assembly.catalogue.symbols)
    }
    # Three times as a name, and once as a signature in the text of the class.
    assert terms["Cart"]["checkout"] == 4
    assert "checkout" in terms["Cart.checkout"]
    assert "size" not in terms["checkout_all"]


def test_every_chunk_holds_the_words_of_its_path_twice() -> None:
    assembly = Assembly([place_file("ledger/shop.py", SHOP), place_file("z.py", SHOP)])

    counts = [dict(terms_of(assembly.postings, n)).get("ledger") for n in range(6)]

    assert counts == [2, 2, 2, None, None, None]
