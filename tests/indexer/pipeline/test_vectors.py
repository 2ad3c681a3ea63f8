"""Vectors: exact scores of every row, and files that are whole or refused."""

from __future__ import annotations

import gc
from pathlib import Path

import faiss
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.pipeline.vectors import (
    Floats,
    VectorError,
    best_part_scores,
    load_vectors,
    save_vectors,
    scores,
)


def unit_rows(count: int, dimension: int = 32, seed: int = 0) -> Floats:
    raw = np.random.default_rng(seed).normal(size=(count, dimension))
    rows: Floats = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    return rows.astype(np.float32)


def test_rows_are_loaded_as_they_were_saved(tmp_path: Path) -> None:
    saved = unit_rows(50)

    save_vectors(tmp_path / "a.faiss", saved)
    loaded = load_vectors(tmp_path / "a.faiss")

    assert loaded.rows.tobytes() == saved.tobytes()
    assert (loaded.count, loaded.dimension) == (50, 32)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.faiss"]


def test_rows_cannot_be_changed(tmp_path: Path) -> None:
    save_vectors(tmp_path / "a", unit_rows(2))

    with pytest.raises(ValueError, match="read-only"):
        load_vectors(tmp_path / "a").rows[0, 0] = 1


def test_rows_outlive_the_vectors_they_came_from(tmp_path: Path) -> None:
    saved = unit_rows(5000, 384)
    save_vectors(tmp_path / "a", saved)

    kept = load_vectors(tmp_path / "a").rows[10:]
    gc.collect()

    assert kept.tobytes() == saved[10:].tobytes()


def test_scores_are_the_inner_products_in_row_order(tmp_path: Path) -> None:
    saved, query = unit_rows(200), unit_rows(1, seed=1)[0]
    save_vectors(tmp_path / "a", saved)

    found = scores(load_vectors(tmp_path / "a"), query)

    assert found == pytest.approx(saved.astype(float) @ query.astype(float), abs=1e-6)


@pytest.mark.parametrize("dimension", [1, 2, 4, 8, 12, 32, 384])
def test_the_score_of_a_row_does_not_depend_on_the_others(
    tmp_path: Path, dimension: int
) -> None:
    saved, query = unit_rows(301, dimension), unit_rows(1, dimension, seed=1)[0]
    save_vectors(tmp_path / "all", saved)
    whole = scores(load_vectors(tmp_path / "all"), query)

    for row in (0, 7, 300):
        save_vectors(tmp_path / "one", saved[row : row + 1])
        alone = scores(load_vectors(tmp_path / "one"), query)
        assert alone[0] == whole[row]


def test_scores_do_not_depend_on_the_thread_count(tmp_path: Path) -> None:
    query = unit_rows(1, 384, seed=1)[0]
    save_vectors(tmp_path / "a", unit_rows(5000, 384))
    loaded = load_vectors(tmp_path / "a")
    before = faiss.omp_get_max_threads()

    try:
        faiss.omp_set_num_threads(1)
        one = scores(loaded, query)
        faiss.omp_set_num_threads(4)
        four = scores(loaded, query)
    finally:
        faiss.omp_set_num_threads(before)

    assert one.tobytes() == four.tobytes()


def test_a_layer_without_rows_has_no_scores(tmp_path: Path) -> None:
    save_vectors(tmp_path / "a", unit_rows(3)[:0])

    assert scores(load_vectors(tmp_path / "a"), unit_rows(1)[0]).shape == (0,)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_rows_that_are_not_finite_are_refused(tmp_path: Path, bad: float) -> None:
    broken = unit_rows(5)
    broken[3, 1] = bad

    with pytest.raises(VectorError, match="1 of 5 rows are not finite.*row 3"):
        save_vectors(tmp_path / "a", broken)
    assert not list(tmp_path.iterdir())


def test_rows_of_another_length_are_refused(tmp_path: Path) -> None:
    long = unit_rows(4)
    long[2] *= 2

    with pytest.raises(VectorError, match=r"row 2 has 2\.0000"):
        save_vectors(tmp_path / "a", long)


def test_rows_of_another_shape_or_type_are_refused(tmp_path: Path) -> None:
    with pytest.raises(VectorError, match=r"\(32,\), not float32"):
        save_vectors(tmp_path / "a", unit_rows(1)[0])
    with pytest.raises(VectorError, match="float64"):
        save_vectors(tmp_path / "a", unit_rows(2).astype(np.float64))


@pytest.mark.parametrize("missing", [1, 4, 4096, 6400, 6440])
def test_a_file_that_was_cut_short_is_refused(tmp_path: Path, missing: int) -> None:
    path = tmp_path / "a.faiss"
    save_vectors(path, unit_rows(50))
    path.write_bytes(path.read_bytes()[:-missing])

    with pytest.raises(VectorError, match="build it again"):
        load_vectors(path)


def test_a_missing_file_and_another_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no vectors here, only words")

    with pytest.raises(VectorError, match="cannot be read"):
        load_vectors(tmp_path / "absent")
    with pytest.raises(VectorError, match="cannot be read"):
        load_vectors(tmp_path / "text")


def test_another_kind_of_index_is_refused(tmp_path: Path) -> None:
    faiss.write_index(faiss.IndexFlatL2(4), str(tmp_path / "a"))

    with pytest.raises(VectorError, match="holds a IndexFlatL2, not IndexFlatIP"):
        load_vectors(tmp_path / "a")


def test_a_file_that_does_not_read_back_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    save_vectors(path, unit_rows(5))
    before = path.read_bytes()

    def write_short(index: faiss.Index, name: str) -> None:
        Path(name).write_bytes(before[:-4096])

    monkeypatch.setattr(faiss, "write_index", write_short)

    with pytest.raises(VectorError, match="is the disk full"):
        save_vectors(path, unit_rows(5, seed=1))
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_a_query_of_another_dimension_is_refused_with_both_numbers(
    tmp_path: Path,
) -> None:
    save_vectors(tmp_path / "a", unit_rows(5))

    with pytest.raises(VectorError, match=r"\(16,\), rows have 32"):
        scores(load_vectors(tmp_path / "a"), unit_rows(1, 16)[0])


def test_a_query_that_is_not_finite_is_refused(tmp_path: Path) -> None:
    save_vectors(tmp_path / "a", unit_rows(5))
    query = unit_rows(1)[0]
    query[:2] = np.nan

    with pytest.raises(VectorError, match="2 of 32 numbers"):
        scores(load_vectors(tmp_path / "a"), query)


def test_a_chunk_scores_as_its_best_part_and_ties_go_to_the_earlier() -> None:
    row_scores = np.array([0.5, 0.9, 0.9, -0.2], np.float32)
    row_chunk = np.array([0, 2, 2, 3], np.int32)

    best, best_row = best_part_scores(row_scores, row_chunk, 4)

    assert best_row.tolist() == [0, -1, 1, 3]
    assert best[[0, 2, 3]].tolist() == row_scores[[0, 1, 3]].tolist()
    assert np.isnan(best[1])


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.sampled_from([-1.0, 0.0, 0.25, 1.0])),
        max_size=30,
    )
)
def test_best_parts_are_those_of_a_plain_loop(parts: list[tuple[int, float]]) -> None:
    row_chunk = np.array([chunk for chunk, _ in parts], np.int32)
    row_scores = np.array([value for _, value in parts], np.float32)

    best, best_row = best_part_scores(row_scores, row_chunk, 6)

    for chunk in range(6):
        own = [(-value, row) for row, (c, value) in enumerate(parts) if c == chunk]
        assert best_row[chunk] == (min(own)[1] if own else -1)
        assert np.isnan(best[chunk]) if not own else best[chunk] == -min(own)[0]
