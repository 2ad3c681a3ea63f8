"""Plain name lookup finds a chunk by a name of the query, or by its own."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from codesearch.funnel.lookup import Lookup, look_up
from codesearch.funnel.query import read_query
from indexer.pipeline.names import build_names, lookup


class Names:
    """Five chunks; the last is a section, which has no name."""

    TABLE = build_names(["Cart.get", "Till.get", "get", "std::Bag", ""])

    def called(self, name: str) -> npt.NDArray[np.int64]:
        return lookup(self.TABLE, name).astype(np.int64)


def looked_up(query: str, chunk: int, symbol: str) -> Lookup | None:
    return look_up(read_query(query), Names(), chunk, symbol)


def test_a_name_of_the_query_finds_one_of_several_definitions() -> None:
    assert looked_up("how to GET a till", 1, "Till.get") == Lookup("GET", True, 3, 2)


def test_the_name_with_the_fewest_definitions_is_told() -> None:
    found = looked_up("get with Till.get", 1, "Till.get")

    assert found == Lookup("Till.get", True, 1, 1)


def test_a_chunk_that_the_query_does_not_name_has_its_own_name() -> None:
    assert looked_up("ring the bell", 0, "Cart.get") == Lookup("get", False, 3, 1)
    assert looked_up("ring the bell", 3, "std::Bag") == Lookup("Bag", False, 1, 1)


def test_what_has_no_name_is_not_found() -> None:
    assert looked_up("get", 4, "Guide > Install") is None
    assert looked_up("get", 4, "") is None
