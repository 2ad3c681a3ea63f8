"""The term list of a class holds its members' names as often as its own."""

from __future__ import annotations

from indexer.pipeline.build import Assembly
from indexer.pipeline.reading import read_source
from indexer.pipeline.types import Source, TreeEntry

SHOP = """class Cart:
    size = 1

    def checkout(self):
        return 2


def checkout_all(carts):
    return carts
"""


def test_a_class_is_called_what_its_members_are_called() -> None:
    entry = TreeEntry(b"shop.py", "100644", "", len(SHOP))
    assembly = Assembly()

    assembly.add(read_source(entry, Source(SHOP, "utf-8"), "symbol"))

    terms = {
        chunk.symbol: assembly.terms[ordinal]
        for ordinal, (_, chunk, _) in enumerate(assembly.chunks)
    }
    # Three times as a name, and once as a signature in the text of the class.
    assert terms["Cart"].count("checkout") == 4
    assert "checkout" in terms["Cart.checkout"]
    assert "size" not in terms["checkout_all"]
