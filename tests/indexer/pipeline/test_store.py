"""A layer's arrays are read back as they were written, without many descriptors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from indexer.pipeline import store


@pytest.mark.parametrize(
    ("count", "mapped"), [(10, False), (store.LEAST_MAPPED // 8, True)]
)
def test_only_a_large_array_is_mapped_and_holds_a_descriptor(
    tmp_path: Path, count: int, mapped: bool
) -> None:
    np.save(tmp_path / "numbers.npy", np.arange(count))

    found = store.map_array(tmp_path / "numbers.npy")

    assert isinstance(found.base, np.memmap) is mapped
    assert found[-1] == count - 1
