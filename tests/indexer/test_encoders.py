"""A process keeps a few models, loads each once, and says why one is missing."""

from __future__ import annotations

import threading

import pytest
from pytest_django import Settings

from indexer import encoders
from indexer.encoders import LoadedModels, current_cross_encoder, encoder_of
from indexer.pipeline.encoder import Embedder, Encoder
from indexer.pipeline.loading import ModelError
from indexer.pipeline.prepared import Prepared, RuntimeName
from tests.encoders import WordEncoder


class Loader:
    """Loads the name of a model as the model, and notes that it did."""

    def __init__(self) -> None:
        self.loaded: list[str] = []
        self.broken: set[str] = set()

    def __call__(self, name: str) -> str:
        self.loaded.append(name)
        if name in self.broken:
            raise ModelError(f"{name} is broken")
        return name


def test_a_model_is_loaded_once_and_the_one_used_longest_ago_goes_first() -> None:
    loader = Loader()
    models = LoadedModels(loader, kept=2)

    for name in ["a", "b", "a", "c", "a", "b"]:
        assert models.get(name) == (name, "")

    assert loader.loaded == ["a", "b", "c", "b"]


def test_a_model_that_cannot_be_loaded_is_tried_again_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr("indexer.encoders.time.monotonic", lambda: now)
    loader = Loader()
    loader.broken = {"a"}
    models = LoadedModels(loader, kept=2)

    assert models.get("a") == (None, "a is broken")
    loader.broken = set()
    assert models.get("a") == (None, "a is broken")
    now += encoders.RETRY_SECONDS

    assert models.get("a") == ("a", "")
    assert loader.loaded == ["a", "a"]


def test_who_is_in_a_hurry_does_not_wait_for_a_model_that_takes_its_time() -> None:
    may_end = threading.Event()

    def load(name: str) -> str:
        may_end.wait(10)
        return name

    models = LoadedModels(load, kept=2)
    models.patience = 0.01

    assert models.get("a") == (None, encoders.BEING_PREPARED)
    may_end.set()
    models.patience = 10.0
    assert models.get("a") == ("a", "")


def test_threads_that_ask_at_once_share_one_load_and_others_do_not_wait() -> None:
    begun, go_on = threading.Event(), threading.Event()
    loaded: list[str] = []

    def load(name: str) -> str:
        loaded.append(name)
        if name == "slow":
            begun.set()
            assert go_on.wait(10)
        return name

    models = LoadedModels(load, kept=2)
    threads = [threading.Thread(target=models.get, args=("slow",)) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert begun.wait(10)

    assert models.get("quick") == ("quick", "")
    go_on.set()
    for thread in threads:
        thread.join(10)

    assert sorted(loaded) == ["quick", "slow"]


def test_no_model_is_a_choice() -> None:
    found = encoder_of(Embedder(model="none"))

    assert found == (None, "no embedding model is configured")


@pytest.fixture
def runtimes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Models whose name tells their runtime; the list says which were loaded."""
    loaded: list[str] = []
    known: dict[RuntimeName, str] = {"int8": "1a", "bf16": "2b", "fp32": "3c"}

    def load(key: tuple[Embedder, RuntimeName]) -> Encoder:
        loaded.append(key[1])
        return WordEncoder(known[key[1]])

    prepared = Prepared(None, "int8", known, {})
    monkeypatch.setattr(encoders, "_encoders", LoadedModels(load, kept=3))
    monkeypatch.setattr(
        encoders, "_prepared", LoadedModels(lambda embedder: prepared, kept=3)
    )
    return loaded


@pytest.mark.parametrize(
    ("runtime", "fingerprint", "expected"),
    [
        ("auto", "", ["int8"]),
        ("auto", "1a", ["int8"]),
        ("auto", "2b", ["bf16"]),  # Of a build from before there was a choice.
        ("auto", "9f", ["int8"]),  # Of another model: whoever asks says so.
        ("bf16", "", ["bf16"]),
        ("bf16", "2b", ["bf16"]),
        ("fp32", "1a", ["fp32", "int8"]),
        ("int8", "", ["int8"]),
    ],
)
def test_a_build_is_searched_by_the_runtime_that_made_its_vectors(
    settings: Settings,
    runtimes: list[str],
    runtime: str,
    fingerprint: str,
    expected: list[str],
) -> None:
    settings.RUNTIME = runtime

    encoder, missing = encoder_of(Embedder(), fingerprint)

    assert missing == ""
    assert encoder is not None
    assert runtimes == expected
    if fingerprint not in ("", "9f"):
        assert encoder.fingerprint == fingerprint


def test_no_cross_encoder_is_the_default_and_a_bad_one_says_why(
    settings: Settings,
) -> None:
    assert current_cross_encoder() == (None, "")

    settings.CROSS_ENCODER = "/no/such/folder"

    assert current_cross_encoder() == (
        None,
        "model /no/such/folder cannot be loaded: there is no such folder",
    )
