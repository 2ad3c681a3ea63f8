"""A process keeps a few models, loads each once, and says why one is missing."""

from __future__ import annotations

import threading

import pytest
from pytest_django import Settings

from indexer import encoders
from indexer.encoders import LoadedModels, current_cross_encoder, encoder_of
from indexer.pipeline.encoder import Embedder
from indexer.pipeline.loading import ModelError


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


def test_no_cross_encoder_is_the_default_and_a_bad_one_says_why(
    settings: Settings,
) -> None:
    assert current_cross_encoder() == (None, "")

    settings.CROSS_ENCODER = "/no/such/folder"

    assert current_cross_encoder() == (
        None,
        "model /no/such/folder cannot be loaded: there is no such folder",
    )
