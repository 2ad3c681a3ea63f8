"""Vectors are made once, in one order, and stopping costs no more than a portion."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from indexer import progress, removal, services, vectors
from indexer.caches import vectors_cache
from indexer.models import Build, Index, Layer
from indexer.pipeline import embedding, store
from indexer.pipeline.cache import Cache
from indexer.pipeline.surfaces import SURFACES, load_surface, text_keys, texts_of
from indexer.places import layer_folder, place_of
from indexer.verification import verify_build
from tests.conftest import MakeRepository, run_git
from tests.encoders import WordEncoder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_dir")]


def module(name: str, n: int) -> str:
    """Return a module of two functions, one with a docstring."""
    names = " + ".join(f"{name}{i}" for i in range(n))
    return (
        f'def {name}_{n}(x):\n    """{name.title()} number {n}."""\n    return x\n\n\n'
        f"def other_{n}():\n    return {names}\n"
    )


# 13 files and 25 chunks: 63 texts, of which the body of the table is in parts.
FILES: dict[str, str | bytes] = {
    "shop/table.py": f"def table():\n    return [{', '.join(map(str, range(300)))}]\n",
    **{f"shop/m{n}.py": module("pay", n) for n in range(1, 7)},
    **{f"examples/m{n}.py": module("check", n) for n in range(1, 7)},
}


class Died(BaseException):
    """A worker is killed."""


@pytest.fixture
def source(make_repository: MakeRepository) -> Path:
    return make_repository(FILES)


@pytest.fixture
def index(source: Path, encoder: WordEncoder) -> Index:
    return services.register(name="shop", source=str(source))


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several layers a surface, and several portions a layer."""
    monkeypatch.setattr(vectors, "BATCH", 8)
    monkeypatch.setattr(embedding, "PORTION_TEXTS", 3)


@pytest.fixture
def short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step ends after one portion that was encoded, or one layer that was copied."""
    monkeypatch.setattr(vectors, "STEP_SECONDS", 0.0)


def request(index: Index) -> Build:
    return services.request_build(index=index, enqueue=False)


def build_all(index: Index) -> Build:
    return services.finish_build(build=request(index))


def commit(source: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (source / path).write_text(text)
    run_git(source, "add", "--all")
    run_git(source, "commit", "--quiet", "--message=More")


def sums(build: Build) -> dict[str, dict[str, str]]:
    """Return the sha256 of every file of every layer of vectors, as it lies there."""
    return {
        f"{layer.kind}-{layer.number}": store.hash_files(place_of(layer).folder)
        for layer in build.layers.exclude(kind="lexical")
    }


def test_a_layer_covers_what_comes_next_in_the_order_of_its_surface(
    index: Index,
) -> None:
    build = build_all(index)

    lexical = layer_folder(build, "lexical", 0)
    for surface in ("summary", "purpose", "body"):
        covered: list[int] = []
        for layer in build.layers.filter(kind=surface).order_by("number"):
            ordinals = np.load(place_of(layer).folder / "ordinals.npy").tolist()
            texts = list(dict.fromkeys(ordinals))
            assert len(texts) == layer.covered <= 8
            covered += texts
        assert covered == texts_of(lexical, surface)
        assert covered != sorted(covered)  # `shop` comes before `examples`.
    assert build.layers.filter(kind="body").count() == 4
    assert build.over_length_count == 1
    assert verify_build(build) == []


def test_an_incremental_build_equals_a_full_one_bit_for_bit(
    index: Index, source: Path, encoder: WordEncoder
) -> None:
    build_all(index)
    commit(
        source, {"shop/m0.py": "def first():\n    return 0\n", "shop/m2.py": "x = 1"}
    )
    encoder.encoded.clear()
    incremental = build_all(index)
    encoded = len(encoder.encoded)
    vectors_cache(encoder.fingerprint).discard()
    Index.objects.update(current_build=None)  # Nothing to seed the cache from.
    full = build_all(index)

    assert encoded < 10
    assert len(encoder.encoded) > 60
    assert len(sums(full)) == 10
    assert sums(incremental) == sums(full)
    assert full.vectors_reused == 0
    assert incremental.vectors_reused == full.vector_count - encoded


@pytest.mark.usefixtures("short_steps")
def test_a_build_that_was_killed_again_and_again_equals_one_that_was_not(
    index: Index, encoder: WordEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = request(index)
    services.advance_build(build_id=build.pk)
    encode = encoder.encode

    def encode_or_die(texts: list[str]) -> np.ndarray:
        if len(encoder.encoded) % 2:
            encoder.encoded.append("")
            raise Died
        return encode(texts)

    kills = 0
    with monkeypatch.context() as patched:
        patched.setattr(encoder, "encode", encode_or_die)
        more = True
        while more:
            try:
                more = services.advance_build(build_id=build.pk)
            except Died:
                kills += 1
    build.refresh_from_db()
    vectors_cache(encoder.fingerprint).discard()
    Index.objects.update(current_build=None)

    assert kills > 10
    assert build.status == "ready"
    assert build.vectors_reused == 0
    assert sums(build) == sums(build_all(index))


@pytest.mark.usefixtures("short_steps")
def test_a_step_ends_in_the_middle_of_a_layer_and_the_next_one_goes_on(
    index: Index, encoder: WordEncoder
) -> None:
    build = request(index)
    services.advance_build(build_id=build.pk)
    seen = []
    for _ in range(4):
        services.advance_build(build_id=build.pk)
        build.refresh_from_db()
        seen.append((build.vectors_done, build.layers.count() - 1, build.stage))

    # Three texts a portion, eight a layer: the third portion completes it.
    assert seen == [
        (3, 0, "purposes"),
        (6, 0, "purposes"),
        (8, 1, "purposes"),
        (11, 1, "purposes"),
    ]
    assert len(encoder.encoded) == 11
    finished = services.finish_build(build=build)
    assert (finished.vectors_done, finished.vectors_reused) == (63, 0)


@pytest.mark.usefixtures("short_steps")
def test_progress_makes_up_for_workers_that_died(index: Index) -> None:
    build = request(index)
    services.advance_build(build_id=build.pk)
    Build.objects.update(attempts=3)

    services.advance_build(build_id=build.pk)

    build.refresh_from_db()
    assert (build.attempts, build.layers.count()) == (0, 1)


def test_a_worker_that_dies_without_progress_is_counted(
    index: Index, encoder: WordEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = request(index)
    services.advance_build(build_id=build.pk)
    Build.objects.update(attempts=3)

    def fail(texts: list[str]) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(encoder, "encode", fail)
    with pytest.raises(ZeroDivisionError):
        services.advance_build(build_id=build.pk)

    build.refresh_from_db()
    assert build.attempts == 4


@pytest.mark.usefixtures("short_steps")
def test_a_cache_that_keeps_nothing_does_not_stop_a_build(
    index: Index, encoder: WordEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Cache, "add", lambda self, values: None)

    build = build_all(index)

    # The first portion of a layer is encoded twice, then all of the layer at once.
    assert build.status == "ready"
    assert len(encoder.encoded) < 2 * 63
    assert verify_build(build) == []


def test_a_text_that_stands_twice_is_encoded_once(
    make_repository: MakeRepository, encoder: WordEncoder
) -> None:
    files: dict[str, str | bytes] = {
        "a.md": "# Pay\n\nThe bill.\n",
        "A.md": "# Pay\n\nThe bill.\n",
    }
    index = services.register(name="twins", source=str(make_repository(files)))

    build = build_all(index)

    assert build.vectors_done == build.vector_count
    assert len(encoder.encoded) == len(set(encoder.encoded))


def test_a_lost_cache_is_seeded_from_what_is_searched(
    index: Index, encoder: WordEncoder
) -> None:
    first = build_all(index)
    vectors_cache(encoder.fingerprint).discard()
    encoder.encoded.clear()

    second = build_all(index)

    assert encoder.encoded == []
    assert second.vectors_reused == 63
    assert sums(second) == sums(first)


def test_layers_of_an_earlier_version_seed_the_cache_with_what_they_split(
    index: Index, encoder: WordEncoder
) -> None:
    first = build_all(index)
    for layer in first.layers.exclude(kind="lexical"):
        make_earlier(layer, encoder)
    assert verify_build(first) == []
    vectors_cache(encoder.fingerprint).discard()
    encoder.encoded.clear()

    build_all(index)

    assert encoder.encoded == []


def make_earlier(layer: Layer, encoder: WordEncoder) -> None:
    """Publish a layer with the digests of its parts, as earlier versions did."""
    folder = place_of(layer).folder
    lexical = layer_folder(layer.build, "lexical", 0)
    ordinals = list(dict.fromkeys(np.load(folder / "ordinals.npy").tolist()))
    texts = load_surface(lexical, layer.kind, ordinals)
    parts = embedding.split_texts(texts, encoder)
    digests = b"".join(part.digest for part in parts)
    np.save(folder / "digests.npy", np.frombuffer(digests, np.uint8).reshape(-1, 32))
    facts = store.read_manifest(folder)
    del facts["digests"]
    store.write_manifest(folder, facts)
    layer.files = store.hash_files(folder)
    layer.save()


def test_a_damaged_layer_seeds_nothing(
    index: Index, encoder: WordEncoder, caplog: pytest.LogCaptureFixture
) -> None:
    first = build_all(index)
    path = layer_folder(first, "purpose", 0) / "vectors.faiss"
    path.write_bytes(path.read_bytes()[:-4] + b"\0\0\x80?")
    vectors_cache(encoder.fingerprint).discard()
    encoder.encoded.clear()

    second = build_all(index)

    assert len(encoder.encoded) == 8
    assert verify_build(second) == []
    assert "no vectors are copied from purpose-0" in caplog.text


def test_the_cache_outlives_the_builds_that_it_was_filled_by(
    index: Index, source: Path, encoder: WordEncoder
) -> None:
    build_all(index)
    removal.remove_repository(repository=index.repository)
    encoder.encoded.clear()

    again = build_all(services.register(name="shop", source=str(source)))

    assert encoder.encoded == []
    assert again.vectors_reused == again.vector_count


def test_what_a_build_copied_is_not_the_first_to_leave_the_cache(
    index: Index, source: Path, encoder: WordEncoder
) -> None:
    build_all(index)
    cache = vectors_cache(encoder.fingerprint)
    with sqlite3.connect(cache.path) as connection:
        connection.execute("UPDATE rows SET day = day - 30")
    commit(source, {"shop/m1.py": "x = 1\n"})

    build = build_all(index)

    with sqlite3.connect(cache.path) as connection:
        (today,) = connection.execute("SELECT max(day) FROM rows").fetchone()
        used = connection.execute("SELECT count(*) FROM rows WHERE day = ?", (today,))
        (kept,) = used.fetchone()
        (total,) = connection.execute("SELECT count(*) FROM rows").fetchone()
    texts = {key for surface in SURFACES for key in keys_of(build, surface)}
    assert kept == len(texts) + 1  # The other is the mark that it was seeded.
    assert total > kept


def keys_of(build: Build, surface: str) -> list[bytes]:
    lexical = layer_folder(build, "lexical", 0)
    return text_keys(lexical, surface, texts_of(lexical, surface))


# When searches turn from one build to the next.


def live(index: Index) -> int | None:
    return Index.objects.get(pk=index.pk).current_build_id


@pytest.mark.usefixtures("short_steps")
def test_a_small_change_is_searched_once_a_tenth_of_its_texts_lack_a_vector(
    index: Index, source: Path
) -> None:
    first = build_all(index)
    commit(source, {"shop/m0.py": "def zeroth():\n    return 0\n"})
    second = request(index)

    seen = []
    while services.advance_build(build_id=second.pk):
        second.refresh_from_db()
        seen.append((progress.lacking(second) <= 0.1, live(index)))

    assert seen[0] == (False, first.pk)
    assert {now for small, now in seen if small} == {second.pk}
    assert {now for small, now in seen if not small} == {first.pk}
    assert second.calibration is not None


@pytest.mark.usefixtures("short_steps")
def test_a_build_replaces_a_cancelled_one_once_it_has_as_many_vectors(
    index: Index, source: Path, encoder: WordEncoder
) -> None:
    first = request(index)
    for _ in range(3):
        services.advance_build(build_id=first.pk)
    progress.cancel_build(build=first)
    assert live(index) == first.pk
    second = request(index)

    services.advance_build(build_id=second.pk)

    assert live(index) == second.pk  # Neither has a layer of vectors.


def test_until_it_has_its_own_a_build_keeps_the_calibration_before_it(
    index: Index, source: Path
) -> None:
    first = build_all(index)
    Build.objects.filter(pk=first.pk).update(calibration={"present": 1, "absent": 2})
    second = request(index)
    for _ in range(2):
        services.advance_build(build_id=second.pk)

    second.refresh_from_db()
    assert live(index) == second.pk
    assert (second.status, second.calibration) == (
        "running",
        {"present": 1, "absent": 2},
    )
    finished = services.finish_build(build=second)
    assert finished.calibration != {"present": 1, "absent": 2}


def test_a_calibration_of_another_model_is_not_kept(
    index: Index, encoder: WordEncoder
) -> None:
    build_all(index)
    encoder.fingerprint = "another"
    second = request(index)
    for _ in range(2):
        services.advance_build(build_id=second.pk)

    second.refresh_from_db()
    assert live(index) == second.pk
    assert second.calibration is None
